"""Fault 10, done by the kernel's door: system calls of a real writer made to fail, or to be short, by strace."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState
from tests.core.durable_samples import TRIALS, sample_plan

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tests.core.durable_samples import AT, TRIALS, sample_plan
from oakbench_core.durable.writer import JournalWriter
from oakbench_core.errors import PoisonedError
with JournalWriter.open(Path(sys.argv[1]), sample_plan(), clock=lambda: AT) as writer:
    for trial in TRIALS[:4]:
        try:
            writer.append_started(trial)
            print("acknowledged", trial)
        except PoisonedError as error:
            print(int(error.exit_code), trial)
"""


@cache
def cannot_trace() -> str | None:
    """Why no call can be made to fail here; None: it can."""
    if sys.platform != "linux" or shutil.which("strace") is None:
        return "no strace here"
    tried = subprocess.run(["strace", "-qq", "-e", "trace=none", "true"], capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"strace may not trace here: {tried.stderr.strip()}"


def traced(folder: Path, inject: str) -> list[list[str]]:
    """What a writer says of four starts while the third call of a kind on its journal is made to fail."""
    if reason := cannot_trace():
        pytest.skip(reason)
    journal = folder / "journal.jsonl"
    name = inject.partition(":")[0]
    command = ["strace", "-f", "-qq", "-o", str(folder / "trace"), "-P", str(journal), "-e", f"trace={name}"]
    child = subprocess.run(
        [*command, "-e", f"inject={inject}", sys.executable, "-c", PROGRAM, str(folder)],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "INJECTED" in (folder / "trace").read_text()
    return [line.split() for line in child.stdout.splitlines()]


FAULTS = {
    "no space": "write:error=ENOSPC:when=3",
    "no quota": "write:error=EDQUOT:when=3",
    "an error on write": "write:error=EIO:when=3",
    "an error on sync": "fdatasync:error=EIO:when=3",
    "no space on sync": "fdatasync:error=ENOSPC:when=3",
    "a short write": "write:retval=7:when=3",
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_failing_system_call_poisons_and_nothing_is_tried_again(name: str, tmp_path: Path) -> None:
    """The first call is of `opened`, the second of the first start, the third of the second."""
    said = traced(tmp_path, FAULTS[name])
    reading = read_journal(tmp_path, sample_plan())
    started = [event["trial_id"] for event in reading.events if event["event"] == "started"]
    calls = (tmp_path / "trace").read_text().count(f"{FAULTS[name].partition(':')[0]}(")

    assert said == [["acknowledged", TRIALS[0]], *(["43", trial_id] for trial_id in TRIALS[1:4])]
    assert reading.state is JournalState.CLEAN
    # A record whose sync failed may be on file, and was not acknowledged; one whose write failed is not.
    assert started == list(TRIALS[: 2 if "sync" in name else 1])
    assert calls == 3

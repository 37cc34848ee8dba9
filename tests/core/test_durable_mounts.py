"""Faults 10 and 15 on real file systems, mounted in a name space of their own: a full one, an unknown one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.core.durable_samples import TRIALS, Script, sample_plan

ROOT = Path(__file__).resolve().parent.parent.parent
PRELUDE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tests.core.durable_samples import AT, TRIALS, row, sample_plan
from oakbench_core.campaign.vocabulary import Terminal
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.recovery import recover
from oakbench_core.durable.writer import JournalWriter, RunnerFacts
from oakbench_core.errors import OakbenchError
folder, plan = Path(sys.argv[1]), sample_plan()
def clock(): return AT
"""


@cache
def cannot_mount() -> str | None:
    """Why nothing can be mounted here; None: it can."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return "no unshare here"
    command = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
    tried = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"nothing can be mounted here: {tried.stderr.strip()}"


def mounted(folder: Path, kind: str, program: str) -> list[str]:
    """What a program says that runs where `folder` is a fresh file system of a kind (`TYPE [OPTIONS]`)."""
    if reason := cannot_mount():
        pytest.skip(reason)
    script = f'mount -t {kind} none "$1" && exec "$2" -c "$3" "$1"'
    command = ["unshare", "-rm", "sh", "-c", script, "sh", str(folder), sys.executable, PRELUDE + program]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


FULL = """
with JournalWriter.open(folder, plan, clock=clock) as writer:
    said = []
    for trial in TRIALS:
        try:
            writer.append_started(trial)
            said.append(trial)
            writer.append_finished(trial, Terminal.COMPLETED, row(trial, extra={"filler": "x" * 20000}))
        except OakbenchError as error:
            print(int(error.exit_code), len(said))
            break
reading = read_journal(folder, plan)
print(reading.state, sum(event["event"] == "started" for event in reading.events) == len(said))
"""


def test_a_full_disk_poisons_and_leaves_what_was_acknowledged(tmp_path: Path) -> None:
    code, state = mounted(tmp_path, "tmpfs -o size=64k", FULL)

    assert code.startswith("43 ")
    assert state in {"TORN True", "CLEAN True"}


NO_ROOM = f"""
(folder / "journal.jsonl").write_bytes({Script(sample_plan()).opened().content + b'{"event":"started"'!r})
(folder / "journal.jsonl").chmod(0o600)
before = (folder / "journal.jsonl").read_bytes()
with (folder / "filler").open("wb", buffering=0) as file:
    try:
        while file.write(bytes(4096)): pass
    except OSError: pass
try:
    recover(folder, plan, clock=clock)
except OakbenchError as error:
    print(int(error.exit_code), (folder / "journal.jsonl").read_bytes() == before)
(folder / "filler").unlink()
print(recover(folder, plan, clock=clock).event["trial_id"], read_journal(folder, plan).state)
"""


def test_no_space_for_a_tail_changes_nothing_and_later_it_is_recovered(tmp_path: Path) -> None:
    refused, done = mounted(tmp_path, "tmpfs -o size=64k", NO_ROOM)

    assert refused == "42 True"
    assert done == f"{TRIALS[0]} CLEAN"


UNKNOWN = """
try:
    JournalWriter.open(folder, plan, clock=clock)
except OakbenchError as error:
    print(int(error.exit_code), "ramfs" in str(error), list(folder.iterdir()))
JournalWriter.open(folder, plan, clock=clock, runner=RunnerFacts(unsafe_filesystem=True)).close()
[event] = read_journal(folder, plan).events
print(event["runner"]["unsafe_filesystem"], event["runner"]["file_system"])
"""


def test_a_file_system_that_is_not_known_is_refused_unless_the_user_says_so(tmp_path: Path) -> None:
    assert mounted(tmp_path, "ramfs", UNKNOWN) == ["42 True []", "True ramfs"]

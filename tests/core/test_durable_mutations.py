"""What the promise rests on, taken away one at a time from a copy of the program: a named test fails each time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


class Mutation(NamedTuple):
    """In a file of `oakbench_core/durable`, some text is replaced; the test of that name must fail."""

    file: str
    old: str
    new: str
    test: str


WRITER, RECOVERY = "test_durable_writer.py", "test_recovery.py"
CRASHES = "test_recovery_crashes.py::test_a_crash_at_any_call_of_a_recovery_converges_to_one_reservation"
MUTATIONS: dict[str, Mutation] = {
    "the sync": Mutation(
        "appending.py",
        "self._files.sync_data(self._descriptor)",
        "pass",
        f"{WRITER}::test_a_record_is_written_once_then_synced_and_only_then_acknowledged",
    ),
    "the lock": Mutation(
        "lock.py",
        "    wanted = struct.pack",
        "    return True\n    wanted = struct.pack",
        f"{WRITER}::test_a_second_writer_is_locked_out_and_writes_nothing",
    ),
    "the hash": Mutation(
        "framing.py",
        "if stated[1].decode() != found:",
        "if False:",
        "test_journal_cuts.py::test_no_flipped_bit_passes_unseen",
    ),
    "the writing of the head": Mutation(
        "appending.py",
        "self._expect_all(self._files.write_at(self._head, content, 0), content)",
        "pass",
        "test_head.py::test_the_head_names_each_record_before_it_is_acknowledged",
    ),
    "the reading of the head": Mutation(
        "judgement.py",
        "return cls(read_head(journal), kept_tails(journal))",
        "return cls(None, kept_tails(journal))",
        "test_head.py::test_lines_taken_from_the_end_are_missed",
    ),
    "the poison": Mutation(
        "appending.py",
        "        if self._doubt is not None:\n            raise self._poisoned()\n        seq",
        "        seq",
        f"{WRITER}::test_a_write_of_unknown_outcome_poisons_and_is_never_tried_again",
    ),
    "the sync of the cut": Mutation(
        "appending.py",
        "            self._files.sync(self._descriptor)\n",
        "",
        f"{RECOVERY}::test_each_step_is_durable_before_the_next",
    ),
    "the keeping before the cut": Mutation(
        "recovery.py",
        '    _keep(reader, event["recovery"]["kept_as"], files)\n    appender.cut(size)\n',
        '    appender.cut(size)\n    _keep(reader, event["recovery"]["kept_as"], files)\n',
        CRASHES,
    ),
    "the going on with a recovery that was broken off": Mutation(
        "judgement.py", "if unnamed and alone.state is not JournalState.INVALID", "if False", CRASHES
    ),
    "the boot of the proof": Mutation(
        "judgement.py",
        "head.size == end.good and same_boot",
        "head.size == end.good",
        f"{RECOVERY}::test_a_head_at_the_last_good_record_of_this_boot_proves_a_tail_unacknowledged",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_what_is_taken_away_is_missed_by_the_test_of_that_promise(name: str, tmp_path: Path) -> None:
    mutation = MUTATIONS[name]
    for part in ("oakbench_core", "tests"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    path = tmp_path / "oakbench_core" / "durable" / mutation.file
    text = path.read_text()
    assert text.count(mutation.old) == 1
    path.write_text(text.replace(mutation.old, mutation.new))
    child = subprocess.run(
        [sys.executable, "-m", "pytest", f"tests/core/{mutation.test}", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert child.returncode == pytest.ExitCode.TESTS_FAILED
    assert f"FAILED tests/core/{mutation.test}" in child.stdout

"""Fault 5: a process that dies at each system call of a recovery, before it, after it and inside it."""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from oakbench_core.durable.host import boot_id
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.recovery import recover
from oakbench_core.durable.tail import JournalState
from oakbench_core.durable.writer import JournalWriter
from tests.core.durable_crashes import CrashError, MortalFiles
from tests.core.durable_samples import AT, TRIALS, Script, sample_plan

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the writer's lock is Linux's")

GOOD = Script(sample_plan()).opened(boot_id=boot_id()).started(TRIALS[0]).finished(TRIALS[0]).content
START = b'{"event":"started","trial_id":"' + TRIALS[1].encode() + b'","seq":3'
TAILS = {"torn": START, "zeros": bytes(5000), "uncertain": b"hello\n"}
PARTS = (0.0, 0.3, 0.9, 1.0)


def lay(folder: Path, tail: bytes) -> None:
    folder.mkdir()
    (folder / "journal.jsonl").write_bytes(GOOD + tail)


def recovered(folder: Path, files: MortalFiles) -> None:
    recover(folder, sample_plan(), clock=lambda: AT, accept_uncertain=True, files=files)


def check_converged(folder: Path, tail: bytes) -> None:
    """Exactly one reservation, of the tail that was there first, which is kept; and no second one ever."""
    reading = read_journal(folder, sample_plan())
    assert reading.state is JournalState.CLEAN
    events = list(reading.events)
    recoveries = [event for event in events if event["event"] == "recovered"]

    assert len(recoveries) == 1
    [event] = recoveries
    assert (event["trial_id"], event["recovery"]["offset"]) == (TRIALS[1], len(GOOD))
    assert (event["recovery"]["bytes"], event["recovery"]["sha256"]) == (len(tail), hashlib.sha256(tail).hexdigest())
    assert (folder / event["recovery"]["kept_as"][0]).read_bytes() == tail
    assert {path.name for path in (folder / "journal.quarantine").glob("*.bin")} == {
        name.partition("/")[2] for name in event["recovery"]["kept_as"]
    }
    before = (folder / "journal.jsonl").read_bytes()
    assert recover(folder, sample_plan(), clock=lambda: AT) is None
    assert (folder / "journal.jsonl").read_bytes() == before


def calls_of_one(folder: Path, tail: bytes) -> int:
    lay(folder, tail)
    files = MortalFiles()
    recovered(folder, files)
    check_converged(folder, tail)
    return len(files.calls)


@pytest.mark.clause("A10-05", "A10-18")
@pytest.mark.parametrize("name", TAILS)
def test_a_crash_at_any_call_of_a_recovery_converges_to_one_reservation(name: str, tmp_path: Path) -> None:
    tail = TAILS[name]
    for at in range(calls_of_one(tmp_path / "whole", tail)):
        for part in PARTS:
            folder = tmp_path / f"{at}-{part}"
            lay(folder, tail)
            with pytest.raises(CrashError):
                recovered(folder, MortalFiles(at=at, part=part))
            foreseen = read_journal(folder, sample_plan())
            assert foreseen.ledger_after_recovery.standings[1] == 2
            recovered(folder, MortalFiles())
            check_converged(folder, tail)


@pytest.mark.parametrize("name", TAILS)
def test_two_crashes_one_after_the_other_converge_too(name: str, tmp_path: Path) -> None:
    tail = TAILS[name]
    calls = calls_of_one(tmp_path / "whole", tail)
    for first in range(calls):
        for second in range(calls):
            folder = tmp_path / f"{first}-{second}"
            lay(folder, tail)
            for at in (first, second):
                with suppress(CrashError):
                    recovered(folder, MortalFiles(at=at, part=0.5))
            recovered(folder, MortalFiles())
            check_converged(folder, tail)


def test_a_crash_at_any_call_of_a_runner_that_repairs_converges_too(tmp_path: Path) -> None:
    lay(tmp_path / "whole", START)
    files = MortalFiles()
    JournalWriter.open(tmp_path / "whole", sample_plan(), clock=lambda: AT, files=files).close()
    for at in range(len(files.calls)):
        for part in PARTS:
            folder = tmp_path / f"{at}-{part}"
            lay(folder, START)
            with pytest.raises(CrashError):
                JournalWriter.open(folder, sample_plan(), clock=lambda: AT, files=MortalFiles(at=at, part=part))
            with JournalWriter.open(folder, sample_plan(), clock=lambda: AT) as writer:
                assert writer.ledger.next_unstarted == 2
            reserved = [entry.trial_id for entry in read_journal(folder, sample_plan()).ledger.reservations]

            assert reserved in ([TRIALS[1]], [TRIALS[1], None])  # the second: the runner's own torn `opened`

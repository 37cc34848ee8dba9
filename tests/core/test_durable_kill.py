"""A writing process killed for real, again and again: acknowledged ⊆ journal ⊆ attempted."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.recovery import recover
from oakbench_core.durable.tail import JournalState
from tests.core.durable_outcomes import LONG, seen, tell, tell_kills
from tests.core.durable_samples import AT
from tests.core.durable_victim import long_plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.reading import JournalReading

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the writer's lock is Linux's")

ROOT = Path(__file__).resolve().parent.parent.parent
SOUND = {JournalState.CLEAN, JournalState.EMPTY, JournalState.ABSENT}
CUT = {JournalState.TORN, JournalState.NO_NEWLINE, JournalState.ZEROS, JournalState.RECOVERY_PENDING}


class Told:
    """What all victims of one folder attempted, and what was acknowledged to them."""

    def __init__(self) -> None:
        self.attempted: list[str] = []
        self.acknowledged: list[str] = []


class Victims:
    """Runs victims in a folder, each killed some time after it has said so many words."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def kill_one(self, folder: Path, words: int, delay_s: float, told: Told) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{folder} {words} {delay_s}\n")
        self._process.stdin.flush()
        for _ in range(int(self._process.stdout.readline())):
            word, _, event = self._process.stdout.readline().rstrip("\n").partition(" ")
            (told.attempted if word == "attempted" else told.acknowledged).append(event)


@contextmanager
def victims(row_size: int) -> Iterator[Victims]:
    command = [sys.executable, "-m", "tests.core.durable_victim", str(row_size)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        yield Victims(process)
        assert process.stdin is not None
        process.stdin.close()


def check_killed(folder: Path, plan: Plan, told: Told) -> JournalReading:
    reading = read_journal(folder, plan)
    assert reading.state in SOUND | CUT
    events = [event for event in reading.events if event["event"] in {"started", "finished"}]
    on_file = [f"{event['event']} {event['trial_id']}" for event in events]

    assert len(set(on_file)) == len(on_file)
    assert set(told.acknowledged) <= set(on_file) <= set(told.attempted)
    assert sum(reading.ledger.tallies) == len(plan.schedule)
    finished = [event for event in on_file if event.startswith("finished")]
    assert reading.ledger.tallies[Standing.VERIFIED_SUCCESS] == len(finished)
    # What is reserved had been attempted and was never acknowledged.
    reserved = {entry.trial_id for entry in reading.ledger_after_recovery.reservations} - {None}
    assert {f"started {trial_id}" for trial_id in reserved} <= set(told.attempted) - set(told.acknowledged)
    return reading


def check_recovered(folder: Path, plan: Plan, before: JournalReading) -> None:
    """Half of the ends are brought into order by hand; the next victim does it for the others."""
    recover(folder, plan, clock=lambda: AT)
    after = read_journal(folder, plan)

    assert after.state in SOUND
    assert seen(after.ledger) == seen(before.ledger_after_recovery)
    assert recover(folder, plan, clock=lambda: AT) is None


def kill_again_and_again(folder: Path, kills: int, row_size: int) -> Counter[str]:
    """Each victim goes on in the journal of the one before it."""
    plan, chance = long_plan(), random.Random(kills)  # noqa: S311 - where to kill, no secret
    states, told = Counter[str](), Told()
    with victims(row_size) as runner:
        for number in range(kills):
            place = folder / str(number // 10)
            if number % 10 == 0:
                place.mkdir()
                told = Told()
            words, delay_s = chance.randrange(8), chance.choice([0, 0.0005, 0.003])
            if chance.random() < 0.5:  # inside the write of an end: each third word of four is said just before it
                words, delay_s = chance.choice([3, 7]), -1
            runner.kill_one(place, words, delay_s, told)
            reading = check_killed(place, plan, told)
            states[reading.state] += 1
            if chance.random() < 0.5:
                check_recovered(place, plan, reading)
    tell(states, f"kills, rows of {row_size:,} bytes")
    tell_kills("writers", kills)
    with JournalReader(place, plan) as reader:
        while reader.poll(max_bytes=1).more:
            pass
        assert seen(reader.ledger) == seen(read_journal(place, plan).ledger)
    return states


@pytest.mark.clause("A10-05")
def test_no_acknowledged_record_is_lost_to_a_kill_and_none_is_invented(tmp_path: Path) -> None:
    states = kill_again_and_again(tmp_path, kills=140, row_size=100)

    assert states[JournalState.CLEAN]


@pytest.mark.clause("A10-05", "A10-18")
def test_large_records_are_whole_or_torn_after_a_kill_and_never_anything_else(tmp_path: Path) -> None:
    """Faults 1, 3 and 4."""
    states = kill_again_and_again(tmp_path, kills=60, row_size=900_000)

    assert states[JournalState.CLEAN]
    assert states[JournalState.TORN]


@pytest.mark.slow
@pytest.mark.parametrize(("row_size", "kills"), [(100, 100), (900_000, 50)])
def test_many_kills(row_size: int, kills: int, tmp_path: Path) -> None:
    for round_number in range(20 if LONG else 1):
        folder = tmp_path / str(round_number)
        folder.mkdir()
        kill_again_and_again(folder, kills=kills + round_number, row_size=row_size)


def test_a_killed_writer_leaves_no_lock_behind(tmp_path: Path) -> None:
    with victims(100) as runner:
        for _ in range(2):
            runner.kill_one(tmp_path, 4, 0, Told())
    events = read_journal(tmp_path, long_plan()).events

    assert [event["event"] for event in events].count("opened") == 2

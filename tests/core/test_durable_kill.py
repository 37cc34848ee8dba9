"""A writing process killed for real, again and again: acknowledged ⊆ journal ⊆ attempted."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState
from tests.core.durable_outcomes import LONG, seen, tell
from tests.core.durable_victim import long_plan

if TYPE_CHECKING:
    from oakbench_core.campaign.plan import Plan

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the writer's lock is Linux's")

ROOT = Path(__file__).resolve().parent.parent.parent
SOUND = {JournalState.CLEAN, JournalState.EMPTY, JournalState.ABSENT}
CUT = {JournalState.TORN, JournalState.NO_NEWLINE, JournalState.ZEROS}


def killed_after(words: int, folder: Path, row_size: int) -> tuple[list[str], list[str]]:
    """What a victim attempted and what it was acknowledged before it was killed, some time after so many words."""
    command = [sys.executable, "-m", "tests.core.durable_victim", str(folder), str(row_size)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) as victim:
        assert victim.stdout is not None
        said = [victim.stdout.readline() for _ in range(words)]
        victim.kill()
        said += victim.stdout.readlines()
    told = [line.rstrip("\n").partition(" ") for line in said if line]
    return (
        [event for word, _, event in told if word == "attempted"],
        [event for word, _, event in told if word == "acknowledged"],
    )


def check_killed(folder: Path, plan: Plan, attempted: list[str], acknowledged: list[str]) -> JournalState:
    reading = read_journal(folder, plan)
    assert reading.state in SOUND | CUT
    events = [event for event in reading.events if event["trial_id"]]
    on_file = [f"{event['event']} {event['trial_id']}" for event in events]

    assert len(set(on_file)) == len(on_file)
    assert set(acknowledged) <= set(on_file) <= set(attempted)
    assert sum(reading.ledger.tallies) == len(plan.schedule)
    finished = [event for event in on_file if event.startswith("finished")]
    assert reading.ledger.tallies[Standing.VERIFIED_SUCCESS] == len(finished)
    with JournalReader(folder, plan) as reader:
        while reader.poll(max_bytes=1).more:
            pass
        assert seen(reader.ledger) == seen(reading.ledger)
    return reading.state


def mend(folder: Path, plan: Plan) -> None:
    """What a recovery would leave of a cut tail: nothing, or the LF that a whole record lacked."""
    reading = read_journal(folder, plan)
    if reading.state is JournalState.NO_NEWLINE:
        with reading.path.open("ab") as file:
            file.write(b"\n")
    elif reading.tail is not None:
        os.truncate(reading.path, reading.tail.offset)


def kill_again_and_again(folder: Path, kills: int, row_size: int) -> Counter[str]:
    """Each victim goes on in the journal of the one before it."""
    plan, chance = long_plan(), random.Random(kills)  # noqa: S311 - where to kill, no secret
    attempted: list[str] = []
    acknowledged: list[str] = []
    states = Counter[str]()
    for _ in range(kills):
        tried, told = killed_after(chance.randrange(12), folder, row_size)
        attempted += tried
        acknowledged += told
        states[check_killed(folder, plan, attempted, acknowledged)] += 1
        mend(folder, plan)
    assert acknowledged
    tell(states, "kills")
    return states


@pytest.mark.clause("A10-05")
def test_no_acknowledged_record_is_lost_to_a_kill_and_none_is_invented(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, kills=8, row_size=100)


@pytest.mark.clause("A10-05")
def test_large_records_are_whole_or_torn_after_a_kill_and_never_anything_else(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, kills=6, row_size=900_000)


@pytest.mark.slow
@pytest.mark.parametrize(("row_size", "kills"), [(100, 50), (900_000, 12)])
def test_many_kills(row_size: int, kills: int, tmp_path: Path) -> None:
    for round_number in range(20 if LONG else 1):
        folder = tmp_path / str(round_number)
        folder.mkdir()
        kill_again_and_again(folder, kills=kills + round_number, row_size=row_size)


def test_a_killed_writer_leaves_no_lock_behind(tmp_path: Path) -> None:
    for _ in range(2):
        killed_after(4, tmp_path, 100)
    events = read_journal(tmp_path, long_plan()).events

    assert [event["event"] for event in events].count("opened") == 2

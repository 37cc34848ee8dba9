"""The `run` command as it is, killed (SIGKILL) hundreds of times, mostly inside of a write, with rows that really tear.

Oracle each time: acknowledged ⊆ journal ⊆ attempted; at most one start and one end a trial; no agent ran that has no
start on file, and none twice; what is reserved had not run. In the end the fold by pieces equals the fold of the whole.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState
from tests.core.durable_outcomes import LONG, seen, tell, tell_kills
from tests.running.real_runs import ROOT, RealCampaign, definition, task

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the runner needs Linux")]

TRIALS = 30
KILLS_OF_ONE = 12
UNTIL_ITS_END = 1_000_000
SOUND = {JournalState.CLEAN, JournalState.EMPTY, JournalState.ABSENT}
REPAIRED_BY_RUN = {JournalState.TORN, JournalState.NO_NEWLINE, JournalState.ZEROS, JournalState.RECOVERY_PENDING}


class Runners:
    """Each runner goes on in the campaign of the one before it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def kill_one(self, folder: Path, growths: int, delay_s: float) -> list[str]:
        """The trials that the runner said had ended, before it was killed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{folder} {growths} {delay_s}\n")
        self._process.stdin.flush()
        lines = [self._process.stdout.readline() for _ in range(int(self._process.stdout.readline()))]
        return [line.split()[-1] for line in lines if f"of {TRIALS}  " in line and line.endswith("\n")]


@contextmanager
def runners(place: Path) -> Iterator[Runners]:
    command = [sys.executable, "-m", "tests.running.warm_runner"]
    environment = RealCampaign(place).environment
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True, env=environment
    ) as process:
        yield Runners(process)
        assert process.stdin is not None
        process.stdin.close()


def frozen(place: Path, row_size: int) -> RealCampaign:
    """A campaign whose agents write down that they ran, and whose rows are as large as the name of a check."""
    place.mkdir()
    campaign = RealCampaign(place)
    checks = f'{{ name = "{"x" * row_size}", path = "done", present = true }}'
    script = f"echo $0 >> {place}/ran; touch done"
    return campaign.freeze(definition({"t": task(script, checks=checks)}, campaign=f"repetitions = {TRIALS}"))


def check_killed(campaign: RealCampaign, plan: Plan, acknowledged: set[str]) -> JournalState:
    reading = read_journal(campaign.folder, plan)
    assert reading.refusal is None
    assert reading.state in SOUND | REPAIRED_BY_RUN
    named = [(event["event"], event["trial_id"]) for event in reading.events if event["trial_id"] is not None]
    started = {trial_id for kind, trial_id in named if kind == "started"}
    finished = {trial_id for kind, trial_id in named if kind == "finished"}
    marks = campaign.place / "ran"
    ran = marks.read_text().split() if marks.exists() else []

    assert len(set(named)) == len(named)
    assert acknowledged <= finished <= started
    assert len(set(ran)) == len(ran)
    assert finished <= set(ran) <= started
    tallies = reading.ledger.tallies
    assert sum(tallies) == len(plan.schedule)
    assert tallies[Standing.VERIFIED_SUCCESS] == len(finished)
    reserved = {entry.trial_id for entry in reading.ledger_after_recovery.reservations} - {None}
    assert not reserved & (started | set(ran))
    return reading.state


def check_ended(campaign: RealCampaign, plan: Plan, kills: int) -> None:
    whole = read_journal(campaign.folder, plan)
    tallies = whole.ledger.tallies
    with JournalReader(campaign.folder, plan) as reader:
        while reader.poll(max_bytes=1).more:
            pass

    assert seen(reader.ledger) == seen(whole.ledger)
    assert tallies[Standing.UNSTARTED] == 0
    assert tallies[Standing.INTERRUPTED] + tallies[Standing.UNCERTAIN] <= kills
    assert tallies[Standing.VERIFIED_SUCCESS] >= TRIALS - kills


def kill_runners(place: Path, kills: int, row_size: int) -> Counter[str]:
    place.mkdir()
    chance, states = random.Random(kills), Counter[str]()  # noqa: S311 - where to kill, no secret
    with runners(place) as warm:
        for first in range(0, kills, KILLS_OF_ONE):
            campaign = frozen(place / str(first), row_size)
            plan, acknowledged, of_this = campaign.plan, set[str](), min(KILLS_OF_ONE, kills - first)
            for _ in range(of_this):
                growths, delay_s = chance.choice([0, 1, 2, 3, 3, 3, 4, 5]), chance.choice([0, 0, 0, 0.002, 0.02])
                acknowledged |= set(warm.kill_one(campaign.folder, growths, delay_s))
                states[check_killed(campaign, plan, acknowledged)] += 1
            acknowledged |= set(warm.kill_one(campaign.folder, UNTIL_ITS_END, 0))
            assert check_killed(campaign, plan, acknowledged) is JournalState.CLEAN
            check_ended(campaign, plan, of_this)
    tell(states, f"kills of runners, rows of {row_size:,} bytes")
    tell_kills("runners", kills)
    return states


@pytest.mark.clause("A10-05", "A10-18", "A10-43")
@pytest.mark.parametrize("row_size", [100, 900_000])
@pytest.mark.parametrize("round_number", range(15 if LONG else 1))
def test_many_kills_of_the_run_command(round_number: int, row_size: int, tmp_path: Path) -> None:
    """Faults 1 to 4 and 22."""
    states = kill_runners(tmp_path / "c", 108 + round_number, row_size)

    assert states[JournalState.CLEAN]
    assert row_size < 1_000 or states[JournalState.TORN]

"""The runner as users start it, killed (SIGKILL) at any moment, run again, killed again, until its schedule is done."""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState
from oakbench_core.errors import ExitCode
from tests.core.durable_outcomes import LONG, tell, tell_kills
from tests.running.real_runs import RealCampaign, definition, task, wait_for

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the runner needs Linux")


def kill_until_done(place: Path, kills: int, repetitions: int) -> None:
    place.mkdir()
    campaign = RealCampaign(place)
    campaign.freeze(definition({"t": task("true")}, campaign=f"repetitions = {repetitions}"))
    chance, states = random.Random(kills), Counter[str]()  # noqa: S311 - when to kill, no secret
    starts = 0
    for _ in range(kills):
        with campaign.start() as runner:
            time.sleep(chance.uniform(0.3, 1.2))
            runner.kill()
        reading = read_journal(campaign.folder, campaign.plan)
        states[reading.state] += 1
        tallies = reading.ledger_after_recovery.tallies
        started = sum(tallies) - tallies[Standing.UNSTARTED]

        assert reading.refusal is None
        assert reading.state is not JournalState.UNCERTAIN_TAIL
        assert started >= starts
        starts = started
    code, _, _ = campaign.run()
    events = list(read_journal(campaign.folder, campaign.plan).events)
    named = [(event["event"], event["trial_id"]) for event in events if event["event"] in {"started", "finished"}]

    assert code == ExitCode.DONE
    assert len(set(named)) == len(named)
    final = read_journal(campaign.folder, campaign.plan).ledger
    assert final.tallies[Standing.UNSTARTED] == 0
    assert final.tallies[Standing.INTERRUPTED] + final.tallies[Standing.UNCERTAIN] <= kills
    tell(states, "kills of the runner")
    tell_kills("runners", kills)


@pytest.mark.clause("A10-05", "A10-43")
def test_a_runner_that_is_killed_again_and_again_comes_to_its_end_and_runs_no_trial_twice(tmp_path: Path) -> None:
    """Faults 1 to 4 and 22."""
    kill_until_done(tmp_path / "c", kills=6, repetitions=12)


def test_what_a_killed_runner_could_not_clean_up_the_next_one_does_once(tmp_path: Path) -> None:
    campaign = RealCampaign(tmp_path)
    marks = campaign.marks
    cleanup = json.dumps([f"echo {{trial_id}} >> {marks}/cleaned; test -e {marks}/fine"])
    tasks = {"a": task(f"touch {marks}/ready; sleep 65", more=f"cleanup = {cleanup}"), "b": task("true")}
    campaign.freeze(definition(tasks))
    with campaign.start() as runner:
        wait_for((marks / "ready").exists)
        runner.kill()
    code, _, err = campaign.run()

    assert code == ExitCode.DONE
    assert (marks / "cleaned").read_text() == "w.a.plain.a.r001.one\n"
    assert "after the interrupted w.a.plain.a.r001.one: cleanup `sh -euc" in err
    assert campaign.run()[0] == ExitCode.DONE
    assert (marks / "cleaned").read_text() == "w.a.plain.a.r001.one\n"


@pytest.mark.slow
def test_many_kills_of_the_runner(tmp_path: Path) -> None:
    for number in range(50 if LONG else 2):
        kill_until_done(tmp_path / str(number), kills=10 + number % 7, repetitions=20)

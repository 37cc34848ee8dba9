"""Many trials at a time with random courses and faults, the runner, its server and its supervisors killed at random."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oakbench_core.durable.reading import read_journal
from oakbench_core.errors import ExitCode
from oakbench_core.running.leftovers import leftovers
from oakbench_core.running.supervise.processes import descendants
from tests.core.durable_outcomes import LONG
from tests.running.real_runs import RealCampaign, wait_for
from tests.running.trials import alive

if TYPE_CHECKING:
    import subprocess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the runner needs Linux")

DEFINITION = """
[campaign]
id = "night"
seed = 5
repetitions = {repetitions}
timeout_s = 1
[run]
max_parallel = 4
halt_after = 0
min_free_gib = 0
grace_s = 1
keep_workspaces = "none"
[subjects.one]
[subjects.two.agent]
argv = ["pass=5", "fail=3", "killed=1", "seconds=0-0.3", "do=touch done", "silent=10"]
[agents.m]
adapter = "mock"
argv = ["pass=6", "fail=3", "crash=1", "hang=1", "outage=1", "limit=1", "seconds=0-0.4", "tokens=10-99", "daemon=30",
        "stubborn=20", "flood=5", "do=touch done; : {{trial_id}}"]
[workflows.w]
version = 1
prompts = {{ plain = "x" }}
cleanup = ["true"]
oracle = {{ version = 1, checks = [{{ name = "done", path = "done" }}] }}
"""


def killed_somewhere(runner: subprocess.Popen[str], chance: random.Random) -> None:
    """Kill the runner; or a process below it, and after a while the runner too."""
    below = descendants(runner.pid)
    if below and chance.random() < 0.5:
        with suppress(ProcessLookupError):
            os.kill(chance.choice(below), signal.SIGKILL)
        time.sleep(chance.uniform(0, 0.3))
    runner.kill()
    runner.communicate()


def all_accounted_for(place: Path, repetitions: int, kills: int) -> None:
    place.mkdir()
    campaign = RealCampaign(place).freeze(DEFINITION.format(repetitions=repetitions))
    chance = random.Random(kills)  # noqa: S311 - when to kill, no secret
    for _ in range(kills):
        runner = campaign.start()
        before = len(campaign.ids("started"))
        wait_for(lambda: len(campaign.ids("started")) > before or runner.poll() is not None)  # noqa: B023 - at once
        time.sleep(chance.uniform(0, 0.8))
        killed_somewhere(runner, chance)
        reading = read_journal(campaign.folder, campaign.plan)
        assert reading.refusal is None
    code, _, _ = campaign.run()

    assert code == ExitCode.DONE
    counts = campaign.report()["counts"]
    assert counts["scheduled"] == 2 * repetitions
    assert counts["unstarted"] == 0
    assert counts["interrupted"] <= 4 * kills
    assert counts["scheduled"] == counts["interrupted"] + counts["skipped"] + counts["finished"]
    ends = ("verified_success", "task_failure", "timed_out", "infrastructure_failure")
    assert counts["finished"] == sum(counts[end] for end in ends)
    starts, finished = campaign.ids("started"), campaign.ids("finished")
    assert len(set(starts)) == len(starts)
    assert len(set(finished)) == len(finished)
    nothing_is_left(campaign)


def nothing_is_left(campaign: RealCampaign) -> None:
    roots = [*(campaign.place / "state" / "oakbench").iterdir()]
    assert len(roots) == 1
    assert [*roots[0].iterdir()] == []
    assert [*leftovers(roots[0])] == []
    assert alive(str(campaign.place)) == []
    assert not (campaign.folder / "workspaces").exists()


def test_every_trial_is_accounted_for_and_nothing_is_left_whatever_is_killed(tmp_path: Path) -> None:
    all_accounted_for(tmp_path / "c", repetitions=14, kills=3)


@pytest.mark.slow
def test_two_hundred_trials_with_faults_kills_and_resumes(tmp_path: Path) -> None:
    for number in range(5 if LONG else 1):
        all_accounted_for(tmp_path / str(number), repetitions=100, kills=12 + number)

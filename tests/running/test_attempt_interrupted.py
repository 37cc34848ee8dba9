"""Trials that are cut short: by the runner's user, by the runner's death, by the machine's sleep."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oakbench_core.running.attempt import attempt
from oakbench_core.running.clocks import SystemClocks
from oakbench_core.running.commands import AttemptInterruptedError
from oakbench_core.running.leftovers import end_leftovers, leftovers
from oakbench_core.running.supervisor import ForkServer
from tests.running.trials import Trials, alive, asleep, shell

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]


def wait_for(condition: Callable[[], object], limit_s: float = 30.0) -> float:
    """Seconds until the condition held."""
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < limit_s
        time.sleep(0.005)
    return time.monotonic() - begun


def ended_once(trials: Trials, ready: Path) -> threading.Thread:
    """A thread, started, that ends the trials as soon as their agent has made a file."""

    def end() -> None:
        wait_for(ready.exists)
        trials.end_now.set()

    thread = threading.Thread(target=end)
    thread.start()
    return thread


@pytest.mark.parametrize("trap", ["", "trap '' TERM;"])
def test_a_trial_that_is_ended_by_the_runner_has_no_terminal_event_and_leaves_nothing(
    trials: Trials, trap: str
) -> None:
    ready = trials.place / "ready"
    thread = ended_once(trials, ready)

    with pytest.raises(AttemptInterruptedError):
        trials.attempt(shell(f"{trap} touch {ready}; sleep 61 & sleep 61"))

    thread.join()
    assert asleep(61) == []
    assert list(trials.workspaces.iterdir()) == []


@pytest.mark.parametrize("where", ["setup", "check"])
def test_a_trial_is_ended_in_its_setup_and_checks_too(trials: Trials, where: str) -> None:
    ready = trials.place / "ready"
    thread = ended_once(trials, ready)
    hang = f"touch {ready}; sleep 62"
    checks = [{"name": "c", "kind": "command", "run": hang}] if where == "check" else None

    with pytest.raises(AttemptInterruptedError):
        trials.attempt(["true"], task={"setup": [hang]} if where == "setup" else None, checks=checks)

    thread.join()
    assert asleep(62) == []


RUNNER = """
import sys, pathlib
from oakbench_core.running.supervisor import ForkServer
from tests.running.trials import Trials, shell
with ForkServer() as server:
    Trials(pathlib.Path(sys.argv[1]), server).attempt(shell(sys.argv[2]))
"""


def killed_runner(place: Path, agent: str) -> tuple[int, float]:
    """PID of a runner that was killed while its agent ran, and the seconds until nothing of the agent was alive."""
    place.mkdir(exist_ok=True)
    runner = subprocess.Popen([sys.executable, "-c", RUNNER, str(place), agent], cwd=ROOT, start_new_session=True)
    wait_for((place / "ready").exists)
    runner.kill()
    runner.wait()
    return runner.pid, wait_for(lambda: not alive(str(place)))


@pytest.mark.parametrize(
    "agent",
    [
        "sh -c 'sleep 63; : {place}'",
        "trap '' TERM HUP; sh -c 'sleep 63; : {place}'; sh -c 'sleep 63; : {place}'",
        "setsid sh -c 'setsid sh -c \"sleep 63; : {place}\" & exit 0' & sh -c 'sleep 63; : {place}'",
        "kill -STOP $PPID; sh -c 'sleep 63; : {place}'",
    ],
)
def test_kill_9_of_the_runner_leaves_nothing_of_the_agent_within_two_seconds(tmp_path: Path, agent: str) -> None:
    command = f": {tmp_path}; touch {tmp_path}/ready; " + agent.format(place=tmp_path)

    _, seconds = killed_runner(tmp_path, command)

    assert seconds < 2


def test_a_fork_server_that_its_agent_kills_is_started_again(tmp_path: Path) -> None:
    with ForkServer() as server:
        trials = Trials(tmp_path, server)
        lost = trials.attempt(shell(f"setsid sleep 64 & kill -KILL {server.pid} $PPID; sleep 64"))
        assert asleep(64) == []
        assert lost.row["error"]["type"] == "supervisor_lost"
        again = trials.another()
        assert again.attempt(["true"]).terminal == "completed"


def test_a_fork_server_that_is_gone_does_not_end_a_trial(tmp_path: Path) -> None:
    with ForkServer() as server:
        trials = Trials(tmp_path, server)
        attempted = trials.attempt(shell(f"kill -KILL {server.pid}; sleep 0.2; exit 0"))

    assert attempted.terminal == "completed"


def test_what_runner_and_server_left_is_found_by_its_workspaces_and_ended(trials: Trials) -> None:
    root = trials.workspaces.resolve()
    trials.workspaces.mkdir()
    marked = {"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(root)}
    by_environment = subprocess.Popen(["sleep", "65"], env=marked, cwd="/")
    by_folder = subprocess.Popen(["sleep", "65"], cwd=root)
    other = subprocess.Popen(["sleep", "65"], env=marked | {"GIT_CEILING_DIRECTORIES": f"{root}2"}, cwd="/")
    try:
        assert end_leftovers(root) >= 2
        assert (by_environment.wait(10), by_folder.wait(10)) == (-signal.SIGKILL, -signal.SIGKILL)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_what_a_live_server_answers_for_is_no_leftover(trials: Trials) -> None:
    seen: list[int] = []

    def look() -> None:
        wait_for((trials.place / "ready").exists)
        seen.extend(leftovers(trials.workspaces.resolve()))

    thread = threading.Thread(target=look)
    thread.start()
    trials.attempt(shell(f"touch {trials.place}/ready; sleep 0.5"))
    thread.join()

    assert seen == []


class SleepyClocks(SystemClocks):
    """A machine that sleeps for half a minute each time that it is asked for its boot time beyond the third."""

    def __init__(self) -> None:
        self.asked = 0

    def monotonic(self) -> float:
        return 100.0

    def boottime(self) -> float:
        self.asked += 1
        return 150.0 if self.asked <= 3 else 180.0


def test_a_suspension_of_the_machine_voids_the_timing_and_is_said(trials: Trials) -> None:
    attempted = trials.attempt(["true"], clocks=SleepyClocks())

    assert attempted.terminal == "completed"
    assert attempted.row["suspended_s"] == 30.0
    assert attempted.row["resources"]["duration_s"] is None


def test_a_server_starts_with_its_first_supervisor() -> None:
    server = ForkServer()
    with server.supervisor():
        assert server.pid is not None
    server.close()
    assert server.pid is None


def test_an_attempt_that_is_to_end_before_it_began_starts_nothing(trials: Trials) -> None:
    trials.end_now.set()
    request = trials.request(trials.planned(["touch", str(trials.place / "ran")]))

    with pytest.raises(AttemptInterruptedError):
        attempt(request, trials.server, end_now=trials.end_now)

    assert not (trials.place / "ran").exists()

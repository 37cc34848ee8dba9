"""Cleanup commands follow every trial, however it ended, and change nothing of its ending."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.campaign.vocabulary import Terminal
from oakbench_core.running.cleanup import clean_up_after
from oakbench_core.running.commands import AttemptInterruptedError
from tests.running.real_runs import wait_for
from tests.running.trials import HIDDEN, asleep, shell

if TYPE_CHECKING:
    from pathlib import Path

    from tests.running.trials import Trials

Json = dict[str, Any]


@pytest.fixture
def log(trials: Trials) -> Path:
    return trials.place / "log"


def cleaning(log: Path) -> tuple[Json, Json]:
    """An agent and a task that say in a log that they were cleaned up after."""
    return (
        {"cleanup": [f"echo agent {{trial_id}} >> {log}"], "env": ["TOKEN"]},
        {"cleanup": [["sh", "-c", f"echo task $(cat f) $TOKEN >> {log}"]], "setup": ["echo x > f"]},
    )


ID = "w.t.plain.a.r001.git"
BOTH = f"agent {ID}\ntask x\n"


@pytest.mark.parametrize(
    ("script", "terminal"),
    [
        ("true", Terminal.COMPLETED),
        ("exit 3", Terminal.COMPLETED),
        ("sleep 62", Terminal.TIMED_OUT),
        ("kill -9 $$", Terminal.INFRASTRUCTURE_FAILURE),
    ],
)
def test_cleanup_follows_every_ending_without_the_agents_secrets(
    trials: Trials, log: Path, script: str, terminal: Terminal
) -> None:
    agent, task = cleaning(log)
    attempted = trials.attempt(shell(script), agent=agent, task=task, timeout_s=1)

    assert attempted.terminal is terminal
    assert log.read_text() == BOTH
    assert "cleanup_failed" not in attempted.row["extra"]


def test_cleanup_follows_a_trial_that_its_user_ended(trials: Trials, log: Path) -> None:
    agent, task = cleaning(log)
    ready = trials.place / "ready"

    def end() -> None:
        wait_for(ready.exists)
        trials.end_now.set()

    thread = threading.Thread(target=end)
    thread.start()
    with pytest.raises(AttemptInterruptedError):
        trials.attempt(shell(f"touch {ready}; sleep 63"), agent=agent, task=task)
    thread.join()

    assert log.read_text() == BOTH
    assert asleep(63) == []


def test_cleanup_follows_each_try_of_a_setup_that_fails(trials: Trials, log: Path) -> None:
    attempted = trials.attempt(["true"], task={"setup": ["exit 1"], "cleanup": [f"echo again >> {log}"]})

    assert attempted.row["error"]["type"] == "setup_failed"
    assert log.read_text() == "again\n" * 3


def test_cleanup_comes_after_the_checks_and_before_the_workspace_is_gone(trials: Trials, log: Path) -> None:
    check = {"name": "c", "kind": "command", "run": f"echo check >> {log}"}
    trials.attempt(["true"], checks=[check], task={"cleanup": [f"echo cleanup $(ls -d {{workspace}}) >> {log}"]})

    assert log.read_text() == f"check\ncleanup {trials.workspaces.resolve()}/{ID}\n"


def test_a_cleanup_that_fails_is_said_and_changes_no_ending(trials: Trials, log: Path) -> None:
    failing = [f"echo the key is {HIDDEN}; exit 4", ["no-such-program"], f"echo last >> {log}"]
    attempted = trials.attempt(["true"], agent={"env": ["TOKEN"], "cleanup": failing})

    assert attempted.row["verified_success"] is True
    first, second = attempted.row["extra"]["cleanup_failed"]
    assert first.startswith("cleanup `sh -euc 'echo the key is [TOKEN]; exit 4'` ended with 4: the key is [TOKEN]")
    assert "cannot start no-such-program" in second
    assert log.read_text() == "last\n"


def test_cleanup_works_where_the_agent_removed_its_workspace(trials: Trials, log: Path) -> None:
    attempted = trials.attempt(shell("rm -rf $PWD"), task={"cleanup": [f"echo done >> {log}"]})

    assert log.read_text() == "done\n"
    assert "cleanup_failed" not in attempted.row["extra"]


def test_nothing_that_cleanup_starts_stays(trials: Trials) -> None:
    trials.attempt(["true"], task={"cleanup": ["setsid sleep 64 & true"]})

    assert asleep(64) == []


def test_a_killed_runners_trial_is_cleaned_up_after_and_leaves_no_folder(trials: Trials, log: Path) -> None:
    agent = {"cleanup": [f"echo {{trial_id}} >> {log}; exit 1"]}
    failures = clean_up_after(trials.request(trials.planned(["true"], agent=agent)), trials.server)

    assert log.read_text() == f"{ID}\n"
    assert len(failures) == 1
    assert [*trials.workspaces.iterdir()] == []
    assert clean_up_after(trials.request(trials.planned(["true"])), trials.server) == []

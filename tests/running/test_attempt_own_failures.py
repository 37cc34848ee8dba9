"""What goes wrong on our side: recorded as such, without a secret, and with nothing left alive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oakbench_core.errors import PlatformError
from oakbench_core.running import attempt, supervisor
from oakbench_core.running.environment import unset_names
from oakbench_core.running.removing import remove_tree
from oakbench_core.running.supervisor import ForkServer
from tests.running.trials import HIDDEN, Trials, alive, asleep, shell

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.clause("A10-19")
def test_an_exception_of_ours_is_an_infrastructure_failure_that_names_its_place_and_no_more(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError(HIDDEN)

    monkeypatch.setattr(attempt, "Before", broken)

    attempted = trials.attempt(["true"])

    assert attempted.terminal == "infrastructure_failure"
    assert attempted.row["error"]["type"] == "runner_error"
    assert attempted.row["error"]["message"].startswith("RuntimeError in test_attempt_own_failures.py, line ")
    assert attempted.row["verified_success"] is attempted.row["resources"]["duration_s"] is None
    assert list(trials.workspaces.iterdir()) == []


@pytest.mark.parametrize(
    "work",
    [
        "kill -STOP $PPID",
        "kill -STOP {server} $PPID",
        "kill -KILL {server}; kill -STOP $PPID",
        "kill -STOP {server}; kill -KILL $PPID",
    ],
)
def test_a_supervisor_that_is_stopped_or_lost_leaves_nothing_and_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str
) -> None:
    monkeypatch.setattr(supervisor, "_SLACK_S", 0.5)
    monkeypatch.setattr(supervisor, "_CLOSE_S", 0.3)
    with ForkServer() as server:
        hide = f"echo $PPID > {tmp_path}/pid; cd /; env -i /bin/setsid sleep 66 & sleep 66 & "
        command = hide + work.format(server=server.pid) + "; sleep 66"

        attempted = Trials(tmp_path, server).attempt(shell(command), timeout_s=1)

        assert attempted.row["error"]["type"] == "supervisor_lost"
        assert attempted.row["resources"]["duration_s"] is None
        assert asleep(66) == []
    assert int((tmp_path / "pid").read_text()) not in alive(supervisor.PROGRAM)


def test_a_server_that_does_not_start_is_a_refusal_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "PROGRAM", "raise SystemExit(1)")

    with pytest.raises(PlatformError) as refused, ForkServer():
        pass

    assert refused.value.exit_code == 42


def test_a_workspace_that_cannot_be_kept_is_said_and_ends_nothing(trials: Trials) -> None:
    trial_id = trials.planned(["true"]).schedule[0].trial_id
    (trials.folder / "workspaces" / trial_id).mkdir(parents=True)

    attempted = trials.attempt(["true"], keep_workspaces="all")

    assert attempted.terminal == "completed"
    assert attempted.row["artifacts"]["workspace"] is None
    assert "something stands there already" in attempted.row["extra"]["workspace_not_kept"]


def test_changes_beyond_their_cap_are_cut_and_say_so(trials: Trials) -> None:
    attempted = trials.attempt(shell("for i in $(seq 30); do yes $i | head -c 200000 > f$i; done"))

    changes = trials.artifact(attempted, "changes")
    assert 4 << 20 <= len(changes) < (4 << 20) + 100
    assert changes.endswith("\n[cut after 4,194,304 bytes]\n")


@pytest.mark.parametrize("command", [["no-such-program"], "no-such-program"])
def test_a_setup_that_cannot_be_started_says_which_program(trials: Trials, command: str | list[str]) -> None:
    attempted = trials.attempt(["true"], task={"setup": [command]})

    assert attempted.row["error"]["type"] == "setup_failed"
    assert "no-such-program" in attempted.row["error"]["message"]


def test_inputs_that_are_not_there_fail_the_setup(trials: Trials) -> None:
    attempted = trials.attempt(["true"], inputs="0" * 64)

    assert attempted.row["error"]["type"] == "setup_failed"
    assert "the workspace could not be made" in attempted.row["error"]["message"]


def test_variables_that_the_runner_has_not_are_named(trials: Trials) -> None:
    agent = trials.planned(["true"], agent={"env": ["TOKEN", "ABSENT"]}).document.agents["a"]

    assert unset_names({"TOKEN": "x"}, agent) == ("ABSENT",)


def test_removing_takes_files_and_what_is_not_there_and_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / ".removed-1").mkdir()
    (tmp_path / "folder" / "link").symlink_to("../kept")

    for name in ("link", "folder", "none"):
        remove_tree(tmp_path / name)

    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept" / "file").exists()

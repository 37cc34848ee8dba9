"""Each way in which a trial can end, with real processes: the ending, the row, and that nothing is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.core.durable_outcomes import LONG
from tests.running.trials import HIDDEN, asleep, shell

if TYPE_CHECKING:
    from tests.running.trials import Trials


@pytest.mark.parametrize(
    ("end", "code"), [("exit 0", 0), ("exit 1", 1), ("kill -TERM $$", -15), ("kill -SEGV $$", -11)]
)
def test_an_agent_that_exits_by_itself_is_judged_whatever_its_code(trials: Trials, end: str, code: int) -> None:
    attempted = trials.attempt(shell(end))

    assert attempted.terminal == "completed"
    assert attempted.row["exit_code"] == code
    assert attempted.row["verified_success"] is True
    assert attempted.row["resources"]["duration_s"] > 0
    assert attempted.row["oracle"] == {
        "version": 3,
        "checks": [{"name": "ok", "status": "pass", "detail": None, "instrument": None}],
    }


def test_a_kill_that_is_not_ours_is_no_task_failure(trials: Trials) -> None:
    attempted = trials.attempt(shell("kill -KILL $$"))

    assert attempted.terminal == "infrastructure_failure"
    assert attempted.row["error"]["type"] == "agent_killed"
    assert attempted.row["exit_code"] == -9
    assert attempted.row["resources"]["duration_s"] > 0


@pytest.mark.parametrize("trap", ["", "trap '' TERM;"])
def test_the_frozen_timeout_ends_the_tree_and_the_duration_holds_the_grace(trials: Trials, trap: str) -> None:
    attempted = trials.attempt(shell(f"{trap} echo here; sleep 87 & sleep 87"), timeout_s=1)

    assert attempted.terminal == "timed_out"
    assert attempted.row["verified_success"] is False
    assert attempted.row["oracle"]["checks"] == []
    assert trials.artifact(attempted, "stdout") == "here\n"
    assert asleep(87) == []
    # A shell that ignores TERM lives for the grace of 0.3 s more.
    assert attempted.row["resources"]["duration_s"] >= (1.3 if trap else 1.0)


def test_a_daemon_that_holds_the_output_changes_neither_exit_nor_duration(trials: Trials) -> None:
    attempted = trials.attempt(shell("setsid sh -c 'setsid sleep 88 & exit 0' & sleep 0.1; echo done; exit 4"))

    assert attempted.terminal == "completed"
    assert attempted.row["exit_code"] == 4
    assert attempted.row["resources"]["duration_s"] < 15
    assert trials.artifact(attempted, "stdout") == "done\n"
    assert asleep(88) == []


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["no-such-program-here"], "No such file"),
        (["/etc/passwd"], "Permission denied"),
        (["./none"], "No such file"),
        (["sh", "-c", "x" * 3_000_000], "Argument list too long"),
        (["a\0b"], "ValueError"),
    ],
)
def test_an_agent_that_cannot_be_started_ran_for_a_measured_zero(trials: Trials, argv: list[str], said: str) -> None:
    attempted = trials.attempt(argv)

    assert attempted.terminal == "infrastructure_failure"
    assert attempted.row["error"]["type"] == "agent_not_started"
    assert said in attempted.row["error"]["message"]
    assert attempted.row["resources"]["duration_s"] == 0.0
    assert attempted.row["exit_code"] is None


def test_an_agent_reads_the_end_of_its_input_at_once(trials: Trials) -> None:
    attempted = trials.attempt(shell("cat; echo $?"))

    assert trials.artifact(attempted, "stdout") == "0\n"


FLOOD_MIB = 10 << 10 if LONG else 96


def test_a_flood_of_output_is_drained_cut_and_held_nowhere(trials: Trials) -> None:
    """Fault 18: 10 GiB where time is given, less here; the supervisor's memory stays what it was."""
    size = FLOOD_MIB << 20
    script = (
        f"head -c {size} /dev/zero; echo end >&2; "
        "grep VmHWM /proc/$(cut -d' ' -f4 /proc/$$/stat)/status | tr -dc 0-9 > peak"
    )
    check = {"name": "peak", "kind": "command", "run": "test $(cat peak) -lt 40000"}
    attempted = trials.attempt(shell(script), checks=[check], output_cap_bytes=1 << 20, timeout_s=600)

    assert attempted.row["verified_success"] is True
    assert attempted.row["extra"]["output_cut"] == {"stdout": size}
    kept = (trials.folder / attempted.row["artifacts"]["stdout"]).read_bytes()
    assert len(kept) < (1 << 20) + 200
    assert kept.endswith(f"[output cut: {size:,} bytes came, the first 1,048,576 are kept]\n".encode())
    assert trials.artifact(attempted, "stderr") == "end\n"


def test_a_setup_that_fails_is_tried_three_times_each_in_a_new_workspace(trials: Trials) -> None:
    log = trials.place / "log"
    setup = [f"pwd >> {log}; ls -A | wc -l >> {log}; touch dirt $HOME/dirt; ls $HOME >> {log}; echo why >&2; exit 7"]

    attempted = trials.attempt(["true"], task={"setup": setup})

    lines = log.read_text().split()
    assert attempted.terminal == "infrastructure_failure"
    assert attempted.row["error"]["type"] == "setup_failed"
    assert "ended with 7: why" in attempted.row["error"]["message"]
    assert attempted.row["resources"]["duration_s"] == 0.0
    assert lines[1::3] == ["0", "0", "0"]
    assert lines[2::3] == ["dirt", "dirt", "dirt"]
    assert list(trials.workspaces.iterdir()) == []


def test_a_setup_that_works_at_its_last_try_is_no_failure(trials: Trials) -> None:
    log = trials.place / "log"

    attempted = trials.attempt(["true"], task={"setup": [f"echo x >> {log}; [ $(wc -l < {log}) = 3 ]"]})

    assert attempted.terminal == "completed"


def test_a_setup_that_hangs_is_ended_with_all_that_it_started(trials: Trials) -> None:
    attempted = trials.attempt(["true"], task={"setup": [["sleep", "89"]], "setup_timeout_s": 1}, grace_s=0.1)

    assert attempted.row["error"]["type"] == "setup_failed"
    assert "did not end within 1 s" in attempted.row["error"]["message"]
    assert asleep(89) == []


def test_what_a_setup_left_running_is_gone_before_the_agent_starts(trials: Trials) -> None:
    look = "tr '\\0' ' ' < $f 2>/dev/null | grep -q '^sleep 90' && echo alive"
    attempted = trials.attempt(
        shell(f"for f in /proc/[0-9]*/cmdline; do {look}; done"),
        task={"setup": ["setsid sleep 90 & sleep 0.1"]},
    )

    assert trials.artifact(attempted, "stdout") == ""


def test_a_fixture_that_is_not_the_frozen_one_fails_the_setup(trials: Trials) -> None:
    fixture = trials.frozen_tree({"a.txt": "one\n"})
    (trials.folder / "inputs" / fixture / "a.txt").write_text("two\n")

    attempted = trials.attempt(["true"], task={"fixture_sha256": fixture})

    assert attempted.row["error"]["type"] == "setup_failed"
    assert "not what was frozen" in attempted.row["error"]["message"]


@pytest.mark.clause("A10-19")
def test_an_oracle_that_is_not_the_frozen_one_is_our_failure(trials: Trials) -> None:
    oracle = trials.frozen_tree({"a.txt": "one\n"})
    (trials.folder / "inputs" / oracle / "a.txt").write_text("two\n")

    attempted = trials.attempt(["true"], oracle_files=oracle)

    assert attempted.row["error"]["type"] == "runner_error"
    assert attempted.row["resources"]["duration_s"] is None


def test_a_supervisor_that_its_agent_kills_is_lost_and_its_tree_is_gone(trials: Trials) -> None:
    attempted = trials.attempt(shell("setsid sleep 91 & kill -KILL $PPID; sleep 91"))

    assert attempted.terminal == "infrastructure_failure"
    assert attempted.row["error"]["type"] == "supervisor_lost"
    assert attempted.row["resources"]["duration_s"] is None
    assert asleep(91) == []


def test_signals_that_ask_a_supervisor_to_end_do_not(trials: Trials) -> None:
    attempted = trials.attempt(shell("kill -TERM $PPID; kill -INT $PPID; kill -HUP $PPID; kill -TERM 0; exit 0"))

    assert attempted.terminal == "completed"


def test_a_trial_that_has_artifacts_already_is_not_run_over_them(trials: Trials) -> None:
    trials.attempt(["true"])

    attempted = trials.attempt(["touch", str(trials.place / "ran")])

    assert attempted.row["error"]["type"] == "runner_error"
    assert not (trials.place / "ran").exists()


def test_no_secret_stands_in_an_error_of_ours(trials: Trials) -> None:
    attempted = trials.attempt([HIDDEN], agent={"env": ["TOKEN"]})

    assert attempted.row["error"]["message"] == "cannot start [TOKEN]: No such file or directory"

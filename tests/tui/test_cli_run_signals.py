"""A run that is killed, interrupted, stopped or doubled: what stays on file, what stays alive, what runs again."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.errors import ExitCode
from tests import campaigns
from tests.running.real_runs import COMMAND, PATIENCE_S, RealCampaign, definition, task, wait_for
from tests.running.trials import alive

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

TREE = """
: {place}
echo $0 >> {marks}/begun
if [ ! -e {marks}/first ]; then touch {marks}/first; exit 0; fi
if [ -e {marks}/go ]; then exit 0; fi
trap '' {ignored}
setsid sh -c 'setsid sh -c ": {place}; sleep 71; :" & exit 0' &
sh -c 'sleep 72; : {place}' &
touch {marks}/ready
while [ ! -e {marks}/go ]; do sleep 0.02; done
"""
"""The first trial ends; the second makes a tree that would stay, says so, and waits until it may go on."""


def waiting(place: Path, *, ignored: str = "USR1", grace_s: int = 1) -> RealCampaign:
    campaign = RealCampaign(place)
    script = TREE.format(place=place, marks=campaign.marks, ignored=ignored)
    text = definition({"t": task(script, more="timeout_s = 60")}, campaign="repetitions = 4")
    return campaign.freeze(text.replace("grace_s = 1", f"grace_s = {grace_s}"))


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[RealCampaign]:
    campaign = waiting(tmp_path)
    yield campaign
    (campaign.marks / "go").touch()  # whatever a failed test left running may end


def ready(campaign: RealCampaign, **more: Any) -> subprocess.Popen[str]:
    """A runner whose second trial is in the middle of its work."""
    runner = campaign.start(**more)
    wait_for(lambda: (campaign.marks / "ready").exists() or runner.poll() is not None)
    assert runner.poll() is None
    return runner


def ended(runner: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = runner.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in out + err
    return runner.returncode, out, err


def goes_on(campaign: RealCampaign) -> None:
    """Running again starts unstarted trials only, once each, and ends with the schedule."""
    schedule = [trial.trial_id for trial in campaign.plan.schedule]
    before = campaign.ids("started")
    (campaign.marks / "go").touch()
    code, _, _ = campaign.run()

    assert code == ExitCode.DONE
    assert campaign.ids("started") == schedule
    assert campaign.ids("started")[: len(before)] == before
    assert (campaign.marks / "begun").read_text().split() == schedule
    assert campaign.stop()["reason"] == "exhausted"


def interruption_is_reported(campaign: RealCampaign) -> None:
    report = campaign.report()

    assert (report["counts"]["interrupted"], report["counts"]["started"], report["counts"]["finished"]) == (1, 4, 3)
    assert report["counts"]["unstarted"] == 0
    assert report["completeness"] == "partial"
    assert report["admission"]["reserved_s"] == 60
    assert [event["event"] for event in campaign.events()].count("opened") == 2


@pytest.mark.clause("A10-05", "A10-43")
def test_kill_9_of_a_run_erases_no_attempt_leaves_nothing_alive_and_is_resumed(campaign: RealCampaign) -> None:
    runner = ready(campaign)
    first, second, *_ = (trial.trial_id for trial in campaign.plan.schedule)
    before = campaign.journal.read_bytes()
    assert len(alive(str(campaign.place))) >= 3
    runner.kill()
    seconds = wait_for(lambda: alive(str(campaign.place)) == [])
    ended(runner)

    assert seconds < 2
    assert campaign.journal.read_bytes() == before
    assert campaign.ids("started") == [first, second]
    assert campaign.ids("finished") == [first]
    goes_on(campaign)
    assert campaign.journal.read_bytes().startswith(before)
    assert second not in campaign.ids("finished")
    interruption_is_reported(campaign)


def test_what_a_killed_run_left_is_cleared_by_the_next_and_nothing_of_a_copy_that_runs(
    campaign: RealCampaign, tmp_path: Path
) -> None:
    other = RealCampaign(tmp_path / "copy")
    other.place.mkdir()
    shutil.copytree(campaign.folder, other.folder)
    root = tmp_path / "state" / "oakbench" / campaign.plan.plan_sha256[:12]
    first, second, third, _ = (trial.trial_id for trial in campaign.plan.schedule)
    killed = ready(campaign)
    living = other.start(env=campaign.environment)
    wait_for((root / first).is_dir)
    killed.kill()
    ended(killed)
    assert (root / second).is_dir()
    again = campaign.start()
    wait_for((root / third).is_dir)

    assert not (root / second).exists()
    assert (root / first).is_dir()
    (campaign.marks / "go").touch()
    code, _, err = ended(again)
    assert (code, err) == (
        ExitCode.DONE,
        f"of an earlier run that was killed, below {root}: 1 workspace removed\n",
    )
    code, _, err = ended(living)
    assert (code, err) == (ExitCode.DONE, "")
    assert [row["verified_success"] for row in other.rows().values()] == [True]
    assert list(root.iterdir()) == []


def killed_after_another_end(campaign: RealCampaign) -> None:
    known = len(campaign.ids("finished"))
    runner = campaign.start("--quiet")
    wait_for(lambda: len(campaign.ids("finished")) > known or runner.poll() is not None)
    runner.kill()
    ended(runner)


def test_kill_9_between_two_trials_loses_and_repeats_nothing(tmp_path: Path) -> None:
    """The kill falls wherever it falls: starts stay a prefix of the schedule, and nothing ends twice."""
    campaign = RealCampaign(tmp_path).freeze(definition({"t": task("true")}, campaign="repetitions = 20"))
    schedule = [trial.trial_id for trial in campaign.plan.schedule]
    for _ in range(2):
        killed_after_another_end(campaign)
        if not campaign.journal.read_bytes().endswith(b"\n"):  # inside a write, which is rare
            assert campaign.run()[0] in {ExitCode.TORN, ExitCode.UNCERTAIN}
            return
    assert campaign.run("--quiet")[0] == ExitCode.DONE

    assert campaign.ids("started") == schedule
    finished = campaign.ids("finished")
    assert len(set(finished)) == len(finished) >= len(schedule) - 2
    assert campaign.report()["counts"]["interrupted"] == len(schedule) - len(finished)


def test_ctrl_c_once_lets_the_running_trial_end_and_says_how_long_that_may_take(campaign: RealCampaign) -> None:
    runner = ready(campaign)
    second = campaign.plan.schedule[1].trial_id
    runner.send_signal(signal.SIGINT)
    assert runner.stderr is not None
    said = runner.stderr.readline()
    (campaign.marks / "go").touch()
    code, out, _ = ended(runner)

    # a second of grace for the agent, and one for its check
    assert said == (
        f"no further trial is started; 1 running trial goes to its end: {second}, its agent within 60 s, all of it "
        "within 362 s; ctrl+c again ends it now\n"
    )
    assert code == 128 + signal.SIGINT
    assert campaign.stop() == {"reason": "signal", "code": 130, "detail": None}
    assert campaign.ids("started") == campaign.ids("finished")
    assert len(campaign.ids("finished")) == 2
    assert "stopped by SIGINT (exit 130)" in out
    assert "4 = 2 finished + 0 skipped + 0 interrupted + 2 unstarted" in out
    assert "(starts unstarted trials only)" in out
    goes_on(campaign)


def test_ctrl_c_twice_ends_the_running_trial_which_stays_interrupted(campaign: RealCampaign) -> None:
    runner = ready(campaign)
    assert runner.stderr is not None
    runner.send_signal(signal.SIGINT)
    runner.stderr.readline()
    runner.send_signal(signal.SIGINT)
    code, out, err = ended(runner)

    assert code == 128 + signal.SIGINT
    assert err.startswith("1 running trial is ended now (TERM, and KILL after 1 s) and stays interrupted: ")
    assert campaign.stop() == {"reason": "signal", "code": 130, "detail": None}
    assert (len(campaign.ids("started")), len(campaign.ids("finished"))) == (2, 1)
    assert "4 = 1 finished + 0 skipped + 1 interrupted + 2 unstarted" in out
    assert alive(str(campaign.place)) == []
    goes_on(campaign)
    interruption_is_reported(campaign)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_term_and_hup_end_the_running_trial_at_once(number: signal.Signals, campaign: RealCampaign) -> None:
    runner = ready(campaign)
    runner.send_signal(number)
    code, out, _ = ended(runner)

    assert code == 128 + number
    assert campaign.stop() == {"reason": "signal", "code": 128 + number, "detail": None}
    assert (len(campaign.ids("started")), len(campaign.ids("finished"))) == (2, 1)
    assert f"stopped by {number.name} (exit {128 + number})" in out
    assert alive(str(campaign.place)) == []
    goes_on(campaign)
    interruption_is_reported(campaign)


def test_an_agent_that_ignores_term_is_killed_after_its_grace(tmp_path: Path) -> None:
    campaign = waiting(tmp_path, ignored="TERM INT HUP")
    runner = ready(campaign)
    runner.send_signal(signal.SIGTERM)

    assert ended(runner)[0] == 128 + signal.SIGTERM
    assert alive(str(campaign.place)) == []


def test_many_signals_at_once_end_a_run_in_order(campaign: RealCampaign) -> None:
    runner = ready(campaign)
    for _ in range(50):
        runner.send_signal(signal.SIGHUP)
        runner.send_signal(signal.SIGTERM)
        runner.send_signal(signal.SIGINT)
    code, _, _ = ended(runner)

    assert code in {128 + signal.SIGHUP, 128 + signal.SIGTERM, 128 + signal.SIGINT}
    assert campaign.stop() == {"reason": "signal", "code": code, "detail": None}
    assert alive(str(campaign.place)) == []


def test_a_hup_that_is_ignored_stays_ignored(campaign: RealCampaign) -> None:
    """As `nohup` starts it."""
    command = ("sh", "-c", 'trap \'\' HUP; exec "$0" -m oakbench_tui "$@"', COMMAND[0])
    runner = ready(campaign, command=command)
    runner.send_signal(signal.SIGHUP)
    runner.send_signal(signal.SIGHUP)
    (campaign.marks / "go").touch()
    code, _, err = ended(runner)

    assert (code, err) == (ExitCode.DONE, "")
    assert len(campaign.ids("finished")) == 4


def test_a_terminal_that_goes_away_ends_the_run_in_order(campaign: RealCampaign) -> None:
    """Its hang-up is a HUP, and what is written to it then fails."""
    controller, terminal = os.openpty()
    runner = ready(campaign, stdout=terminal, stderr=terminal)
    os.close(terminal)
    os.close(controller)
    runner.send_signal(signal.SIGHUP)  # the kernel sends it to a session leader that has this terminal
    runner.wait(PATIENCE_S)

    assert runner.returncode == 128 + signal.SIGHUP
    assert campaign.stop()["code"] == 128 + signal.SIGHUP
    assert alive(str(campaign.place)) == []


def test_a_signal_in_a_run_of_skips_stops_it_between_two(tmp_path: Path) -> None:
    campaign = RealCampaign(tmp_path)
    campaign.folder.mkdir()
    document = campaigns.plan_document(tasks=["t"], subjects=["no-such-subject"], repetitions=4000)
    (campaign.folder / "plan.json").write_text(json.dumps(document))
    runner = campaign.start()
    assert runner.stdout is not None
    lines = [runner.stdout.readline() for _ in range(4)]  # two of how it begins, two endings
    runner.send_signal(signal.SIGINT)
    code, _, err = ended(runner)

    assert "missing_instrument: no-such-subject" in lines[-1]
    assert (code, err) == (128 + signal.SIGINT, "no further trial is started; none is running\n")
    assert campaign.stop() == {"reason": "signal", "code": 130, "detail": None}
    assert 2 <= len(campaign.ids("finished")) < 4000
    assert campaign.ids("started") == []


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_second_runner_ends_at_once_and_writes_nothing(is_stopped: bool, campaign: RealCampaign) -> None:
    runner = ready(campaign)
    if is_stopped:
        runner.send_signal(signal.SIGSTOP)
    before = campaign.journal.read_bytes()
    elsewhere = campaign.place / "elsewhere"
    code, out, err = campaign.run("--workspaces", str(elsewhere))

    assert (code, out) == (ExitCode.LOCKED, "")
    assert "another runner writes this journal" in err
    assert "next: " in err
    assert campaign.journal.read_bytes() == before
    assert not elsewhere.exists()
    if is_stopped:
        runner.send_signal(signal.SIGCONT)
    (campaign.marks / "go").touch()
    assert ended(runner)[0] == ExitCode.DONE

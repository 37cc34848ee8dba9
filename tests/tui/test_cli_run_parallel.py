"""Several trials at a time, as users run them: real processes, one journal, every signal with many in flight."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.errors import ExitCode
from tests.running.real_runs import PATIENCE_S, RealCampaign, definition, task, wait_for
from tests.running.trials import alive

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

AT_A_TIME = 4
MEETING = """
: {place}
touch {marks}/here-$0
while [ "$(ls {marks} | grep -c here-)" -lt {wanted} ]; do sleep 0.02; done
"""
"""Ends only when so many others are there at the same time."""

WAITING = """
: {place}
trap '' {ignored}
setsid sh -c ': {place}; sleep 73' &
touch {marks}/here-$0
while [ ! -e {marks}/go ]; do sleep 0.02; done
"""


def parallel(place: Path, script: str, *, trials: int, more: str = "", **values: Any) -> RealCampaign:
    campaign = RealCampaign(place)
    filled = script.format(place=place, marks=campaign.marks, **values)
    text = definition({"t": task(filled, more="timeout_s = 60")}, campaign=f"repetitions = {trials}\n{more}")
    return campaign.freeze(text.replace("[run]", f"[run]\nmax_parallel = {AT_A_TIME}"))


def here(campaign: RealCampaign) -> int:
    return len([*campaign.marks.glob("here-*")])


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[RealCampaign]:
    campaign = parallel(tmp_path, WAITING, trials=6, ignored="USR1")
    yield campaign
    (campaign.marks / "go").touch()


def ready(campaign: RealCampaign) -> subprocess.Popen[str]:
    """A runner with as many trials in flight as there may be."""
    runner = campaign.start()
    wait_for(lambda: here(campaign) == AT_A_TIME or runner.poll() is not None)
    assert runner.poll() is None
    return runner


def ended(runner: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = runner.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in out + err
    return runner.returncode, out, err


def nothing_left(campaign: RealCampaign) -> bool:
    return alive(str(campaign.place)) == [] and not [*(campaign.place / "state").rglob("w.t.*")]


def test_trials_run_at_the_same_time_start_in_the_schedules_order_and_leave_nothing(tmp_path: Path) -> None:
    campaign = parallel(tmp_path, MEETING, trials=AT_A_TIME, wanted=AT_A_TIME)
    code, out, _ = campaign.run()

    assert code == ExitCode.DONE
    assert campaign.ids("started") == [trial.trial_id for trial in campaign.plan.schedule]
    assert sorted(campaign.ids("finished")) == sorted(campaign.ids("started"))
    assert {row["verified_success"] for row in campaign.rows().values()} == {True}
    assert campaign.events()[0]["runner"]["max_parallel"] == AT_A_TIME
    assert f"{AT_A_TIME} of {AT_A_TIME}" in out
    assert nothing_left(campaign)
    assert campaign.report()["counts"]["verified_success"] == AT_A_TIME


def test_a_setting_of_the_moment_makes_it_parallel(tmp_path: Path) -> None:
    campaign = RealCampaign(tmp_path)
    script = MEETING.format(place=tmp_path, marks=campaign.marks, wanted=2)
    campaign.freeze(definition({"t": task(script)}, campaign="repetitions = 2"))

    assert campaign.run("--set", "max_parallel=2")[0] == ExitCode.DONE


def test_an_interrupt_lets_all_in_flight_end_and_says_how_many_and_how_long(
    campaign: RealCampaign,
) -> None:
    runner = ready(campaign)
    runner.send_signal(signal.SIGINT)
    assert runner.stderr is not None
    said = runner.stderr.readline()
    (campaign.marks / "go").touch()
    code, out, _ = ended(runner)

    assert code == 130
    assert said.startswith(
        f"no further trial is started; {AT_A_TIME} running trials go to their end: w.t.plain.a.r001.one, "
    )
    assert "their agents within 60 s, all of it within" in said
    assert len(campaign.ids("finished")) == len(campaign.ids("started")) == AT_A_TIME
    assert "stopped by SIGINT" in out
    assert campaign.run()[0] == ExitCode.DONE
    assert len(campaign.ids("started")) == 6


@pytest.mark.parametrize(
    ("signals", "code"),
    [([signal.SIGINT, signal.SIGINT], 130), ([signal.SIGTERM], 143), ([signal.SIGHUP], 129)],
)
def test_other_signals_end_all_in_flight_and_leave_them_interrupted(
    campaign: RealCampaign, signals: list[signal.Signals], code: int
) -> None:
    runner = ready(campaign)
    assert runner.stderr is not None
    for number in signals:
        runner.send_signal(number)
        runner.stderr.readline()  # each is answered
    found, out, _ = ended(runner)

    assert found == code
    assert campaign.ids("finished") == []
    assert out.count("  interrupted  w.t.plain.a.r00") == AT_A_TIME
    assert nothing_left(campaign)
    assert campaign.stop() == {"reason": "signal", "code": code, "detail": None}
    (campaign.marks / "go").touch()
    assert campaign.run()[0] == ExitCode.DONE
    assert campaign.report()["counts"]["interrupted"] == AT_A_TIME


def test_trials_that_ignore_a_term_are_gone_after_the_grace(tmp_path: Path) -> None:
    campaign = parallel(tmp_path, WAITING, trials=AT_A_TIME, ignored="TERM")
    runner = ready(campaign)
    runner.send_signal(signal.SIGTERM)

    assert ended(runner)[0] == 143
    assert nothing_left(campaign)


def test_kill_9_with_many_in_flight_leaves_nothing_alive_within_two_seconds(campaign: RealCampaign) -> None:
    """Fault 2."""
    runner = ready(campaign)
    assert len(alive(str(campaign.place))) >= 2 * AT_A_TIME
    runner.kill()
    seconds = wait_for(lambda: alive(str(campaign.place)) == [])
    ended(runner)

    assert seconds < 2
    assert len([*(campaign.place / "state").rglob("w.t.*")]) == AT_A_TIME
    (campaign.marks / "go").touch()
    assert campaign.run()[0] == ExitCode.DONE
    assert [path for path in (campaign.place / "state" / "oakbench").rglob("*") if path.parent.name != "oakbench"] == []
    assert len(campaign.ids("started")) == len(set(campaign.ids("started"))) == 6
    assert campaign.report()["counts"]["interrupted"] == AT_A_TIME


def test_so_many_trials_or_so_long_and_the_way_on_is_said(tmp_path: Path) -> None:
    campaign = parallel(tmp_path, "true", trials=4)
    code, out, _ = campaign.run("--limit", "3")
    assert code == ExitCode.SELF_STOPPED
    assert "the run stopped itself (exit 13): it was to start 3 trials, and has" in out
    assert "next  oakbench-tui run " in out
    assert campaign.stop() == {"reason": "limit", "code": 13, "detail": "it was to start 3 trials, and has"}

    assert campaign.run("--for", "1h30m")[0] == ExitCode.DONE
    assert len(campaign.ids("started")) == 4


@pytest.mark.parametrize("options", [("--for", "soon"), ("--for", "0s"), ("--limit", "0"), ("--limit", "x")])
def test_limits_that_are_none_are_usage(options: tuple[str, str], tmp_path: Path) -> None:
    campaign = parallel(tmp_path, "true", trials=1)
    code, _, err = campaign.run(*options)

    assert code == ExitCode.USAGE
    assert options[0] in err
    assert not campaign.journal.exists()

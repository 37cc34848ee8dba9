"""How a run is told of: JSON lines, a footer on a terminal, the console on it, a command at its end."""

from __future__ import annotations

import json
import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oakbench_core.errors import ExitCode
from tests.running.real_runs import RealCampaign, definition, task
from tests.tui.terminal import needs_tmux, terminal

if TYPE_CHECKING:
    from pathlib import Path

WAITS = "while [ ! -e {marks}/go ]; do sleep 0.02; done"


@pytest.fixture
def campaign(tmp_path: Path) -> RealCampaign:
    campaign = RealCampaign(tmp_path)
    tasks = {"a": task("true"), "b": task("exit 1", checks='{ name = "no", run = ["false"] }')}
    return campaign.freeze(definition(tasks, campaign="admission_budget_s = 60"))


def run_command(campaign: RealCampaign, *options: str) -> str:
    return shlex.join([sys.executable, "-m", "oakbench_tui", "run", str(campaign.folder), *options])


def test_each_event_is_a_json_object_with_the_counts(campaign: RealCampaign) -> None:
    code, out, err = campaign.run("--json")
    lines = [json.loads(line) for line in out.splitlines()]

    assert (code, err) == (ExitCode.DONE, "")
    assert {line["schema"] for line in lines} == {"oakbench.run/1"}
    assert [line["event"] for line in lines] == ["opened", "started", "ended", "started", "ended", "closed"]
    ends = {line["trial_id"]: line for line in lines if line["event"] == "ended"}
    assert sorted((end["terminal"], end["verified_success"]) for end in ends.values()) == [
        ("completed", False), ("completed", True),
    ]  # fmt: skip
    assert lines[0]["counts"]["unstarted"] == 2
    assert lines[0]["remaining_s"] == 60
    assert lines[-1]["counts"]["unstarted"] == lines[-1]["counts"]["running"] == 0
    assert (lines[-1]["reason"], lines[-1]["code"]) == ("exhausted", 0)
    assert all(end["duration_s"] > 0 for end in ends.values())


@pytest.mark.parametrize("options", [("--quiet", "--json"), ("--json", "--watch"), ("--watch", "--quiet")])
def test_a_run_is_told_of_in_one_way(campaign: RealCampaign, options: tuple[str, str]) -> None:
    code, _, err = campaign.run(*options)

    assert code == ExitCode.USAGE
    assert all(option in err for option in options)
    assert not campaign.journal.exists()


def test_a_command_is_run_once_at_the_end_and_knows_how_it_ended(campaign: RealCampaign) -> None:
    log = campaign.marks / "log"
    command = f"echo $OAKBENCH_CODE $OAKBENCH_REASON $OAKBENCH_FOLDER >> {log}; cat >> {log}; echo seen; exit 3"
    code, out, err = campaign.run("--limit", "1", "--notify", command)

    assert code == ExitCode.SELF_STOPPED
    assert log.read_text() == (
        f"13 limit {campaign.folder}\nthe run stopped itself (exit 13): it was to start 1 trials, and has"
    )
    assert "seen" not in out
    assert err.splitlines() == ["seen", "--notify ended with 3"]


def test_a_run_that_is_refused_is_told_of_too(campaign: RealCampaign) -> None:
    log = campaign.marks / "log"
    code, _, _ = campaign.run("--set", "hue=1", "--notify", f"echo $OAKBENCH_CODE $OAKBENCH_REASON > {log}")

    assert code == ExitCode.USAGE
    assert log.read_text() == "2 error\n"


@needs_tmux
def test_on_a_terminal_a_footer_says_what_runs_and_is_gone_at_the_end(tmp_path: Path) -> None:
    campaign = RealCampaign(tmp_path)
    campaign.freeze(definition({"t": task(WAITS.format(marks=campaign.marks))}, campaign="repetitions = 2"))
    with terminal(tmp_path, run_command(campaign), TERM="xterm", XDG_STATE_HOME=str(tmp_path / "state")) as window:
        text = window.until_seen("0 of 2 ended", "of agents left at worst", "w.t.plain.a.r00", "s of 20 s")
        assert "at the mean so far" not in text
        window.signal(signal.SIGINT)
        window.until_seen("no further trial is started; 1 running trial goes to its end", "0 of 2 ended")
        (campaign.marks / "go").touch()
        text = window.until_seen("ended 130")

    assert "s of 20 s" not in text
    assert "1 of 2  verified success" in text
    assert "2 = 1 finished + 0 skipped + 0 interrupted + 1 unstarted" in text


@needs_tmux
def test_the_console_is_left_by_q_and_the_run_goes_on_with_lines_of_progress(tmp_path: Path) -> None:
    campaign = RealCampaign(tmp_path)
    script = f"touch {campaign.marks}/$0; " + WAITS.format(marks=campaign.marks)
    campaign.freeze(definition({"t": task(script)}, campaign="repetitions = 3"))
    command = run_command(campaign, "--watch", "--notify", f"touch {campaign.marks}/told")
    with terminal(tmp_path, command, TERM="xterm-256color", XDG_STATE_HOME=str(tmp_path / "state")) as window:
        window.until_seen("LIVE", "1 running")
        window.keys("q")
        window.until_seen("the console is closed, and the run goes on here")
        window.signal(signal.SIGINT)
        window.until_seen("1 running trial goes to its end")
        assert not (campaign.marks / "told").exists()
        (campaign.marks / "go").touch()
        window.until_seen("1 of 3  verified success", "stopped by SIGINT", "ended 130")

    assert (campaign.marks / "told").exists()
    assert campaign.ids("finished") == campaign.ids("started")


@needs_tmux
def test_a_run_that_cannot_begin_opens_no_console(tmp_path: Path) -> None:
    campaign = RealCampaign(tmp_path).freeze(definition({"t": task("true")}, agent='env = ["NO_SUCH_TOKEN"]'))
    with terminal(tmp_path, run_command(campaign, "--watch"), TERM="xterm") as window:
        window.until_seen("the variable NO_SUCH_TOKEN is not set here", "ended 40")

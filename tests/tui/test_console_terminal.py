"""End to end: the real program in a real terminal, on journals that other processes write, end and replace."""

from __future__ import annotations

import signal
import subprocess
import sys
import unicodedata
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.vocabulary import StopReason, Terminal
from oakbench_core.durable.writer import JournalWriter
from tests.campaigns import row
from tests.running.real_runs import wait_for
from tests.running.trials import alive
from tests.tui.staging import Stage, live_stage, staged_plan
from tests.tui.terminal import ROOT, needs_tmux, terminal, watch
from tests.tui.test_console_hostile import hostile_stage

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_tmux

HOLDER = """
import os, sys, time
from oakbench_core.durable.lock import take_lock
descriptor = os.open(sys.argv[1], os.O_RDWR)
assert take_lock(descriptor)
print("held", flush=True)
time.sleep(600)
"""


def clock() -> str:
    return "2026-11-30T14:00:00.000Z"


def test_a_campaign_is_watched_from_before_its_first_event_to_its_end(tmp_path: Path) -> None:
    plan = staged_plan(budget_s=None)
    folder = Stage(tmp_path / "vcs-habits", plan).folder
    with terminal(tmp_path, watch(folder)) as window:
        window.until_seen("WAITING", "72 = · 72 unstarted")
        with JournalWriter.open(folder, plan, clock=clock) as writer:
            window.until_seen("LIVE")
            for place in range(3):
                writer.append_started(plan.schedule[place].trial_id)
                window.until_seen("▶ 1 running", "▶ running")
                writer.append_finished(plan.schedule[place].trial_id, Terminal.COMPLETED, row(plan, place))
                window.until_seen(f"{place + 1} verified")
            writer.append_started(plan.schedule[3].trial_id)
            writer.append_finished(plan.schedule[3].trial_id, Terminal.COMPLETED, row(plan, 3, verified=False))
            window.until_seen("✗ 1 task failure")
            writer.append_closed(StopReason.SIGNAL, 130)
        window.until_seen("STOPPED: signal", "68 unstarted")
        window.keys("q")
        window.until_seen("ended 0")


def test_a_killed_writer_and_a_replaced_journal_are_said(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(stage.journal)], stdout=subprocess.PIPE, cwd=ROOT, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with terminal(tmp_path, watch(stage.folder)) as window:
            window.until_seen("LIVE", "▶ 2 running")
            holder.kill()
            window.until_seen("STOPPED: killed", "! 2 interrupted")
            fresh = Stage(tmp_path / "fresh", stage.plan)
            fresh.open()
            fresh.run_all(range(5))
            fresh.journal.replace(stage.journal)
            window.until_seen("REPLACED", "5 finished")
            window.keys("Escape")
            window.until(lambda text: "REPLACED" not in text)
            stage.journal.unlink()
            window.until_seen("WAITING", "REPLACED", "72 unstarted")
    finally:
        holder.kill()
        holder.communicate()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_it_and_leaves_the_terminal_as_it_was(tmp_path: Path, number: signal.Signals, code: int) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    with terminal(tmp_path, watch(stage.folder)) as window:
        window.until_seen("STOPPED: killed")
        assert not window.is_restored
        window.signal(number)
        window.until_seen(f"ended {code}")
        assert window.is_restored


def test_an_ignored_hangup_stays_ignored(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    with terminal(tmp_path, f"trap '' HUP; {watch(stage.folder)}") as window:
        window.until_seen("STOPPED: killed")
        window.signal(signal.SIGHUP)
        window.keys("j")
        window.until_seen("row 2")
        window.keys("C-c")
        window.until_seen("ended 0")
        assert window.is_restored


def test_a_terminal_that_goes_away_ends_a_console_that_ignores_the_hangup(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    with terminal(tmp_path, f"trap '' HUP; {watch(stage.folder)}") as window:
        window.until_seen("STOPPED: killed")
        assert alive(str(stage.folder))
        window.tmux("kill-server")
        wait_for(lambda: alive(str(stage.folder)) == [])


def test_a_resize_while_it_runs_and_every_size_draws(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    with terminal(tmp_path, watch(stage.folder), size=(160, 48)) as window:
        window.until_seen("schedule order", "Summary")
        window.resize(40, 10)
        window.until(lambda text: "not claim-eligible" in text and "Summary" not in text)
        window.resize(80, 24)
        window.until_seen("DIAGNOSTIC · not claim-eligible", "every row")


def test_a_dumb_terminal_is_refused_with_a_hint(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    with terminal(tmp_path, f"TERM=dumb {watch(stage.folder)}") as window:
        text = window.until_seen("ended 2")
    assert "oakbench-tui status" in text
    assert "oakbench-tui report" in text


def test_no_terminal_is_refused_with_a_hint(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "vcs-habits")

    ended = subprocess.run(
        [sys.executable, "-m", "oakbench_tui", "watch", str(stage.folder)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )

    assert (ended.returncode, ended.stdout) == (2, "")
    assert "oakbench-tui status" in ended.stderr


DEFECT = """
import sys
from oakbench_tui.screens.actions import Actions
from oakbench_tui.cli.main import run
def broken(self, rows):
    raise ZeroDivisionError("a defect")
Actions.move = broken
sys.exit(run(["watch", sys.argv[1]]))
"""


def test_a_defect_is_written_to_a_file_and_the_terminal_is_restored(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    script = tmp_path / "defect.py"
    script.write_text(DEFECT)
    command = f"PYTHONPATH=. {sys.executable} {script} {stage.folder}"
    with terminal(tmp_path, command, XDG_STATE_HOME=str(tmp_path / "state")) as window:
        window.until_seen("STOPPED: killed")
        window.keys("j")
        text = window.until_seen("ended 70")
        assert window.is_restored
    assert "Traceback" not in text
    (crash,) = (tmp_path / "state" / "oakbench").iterdir()
    assert "ZeroDivisionError: a defect" in crash.read_text()


def test_nothing_hostile_is_ever_written_to_the_terminal(tmp_path: Path) -> None:
    stage = hostile_stage(tmp_path / "c")
    with terminal(tmp_path, watch(stage.folder), size=(160, 48)) as window:
        window.until_seen("STOPPED: halted")
        for _ in range(4):
            window.keys("Enter", "Right", "Right", "Right", "Right", "Right", "Escape", "j")
        window.keys("6")
        window.until_seen("as of seq")
        window.keys("Space", "Space", "Space", "q")
        window.until_seen("ended 0")
        raw = window.raw.read_bytes().decode()

    for sequence in ("\x1b[31mred", "\x1b]52", "\x1b]8", "\x9b", "\u202e", "\u200b", "\u2066", "\u2028", "\x00"):
        assert sequence not in raw
    invisible = {c for c in raw if unicodedata.category(c) in {"Cf", "Co", "Cn", "Zl", "Zp"}}
    assert not invisible

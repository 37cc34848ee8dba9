"""`demo`: the recorded campaign, with the console on it or, headless, with lines of progress and the report."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oakbench_core.campaign.vocabulary import Terminal
from oakbench_core.durable.documents import load_plan
from oakbench_core.errors import ExitCode
from oakbench_tui.cli.output import put, say
from oakbench_tui.cli.recording import make_folder, play

if TYPE_CHECKING:
    from types import FrameType

    from oakbench_tui.cli.recording import Ended

DEFAULT_NAME = "oakbench-demo"
MOCK = "A recorded campaign of scripted agents: it proves the instrument, and nothing about agents."
_START_LIMIT_S = 30


class _Clock:
    """The recording's own pace by the monotonic clock, until a signal ends it."""

    def __init__(self) -> None:
        self.stopped_by: int | None = None
        self._wake = threading.Event()
        self._began = time.monotonic()

    def stop(self, number: int, _: FrameType | None) -> None:
        self.stopped_by = number
        self._wake.set()

    def wait_until(self, at_s: float) -> bool:
        return not self._wake.wait(max(at_s - (time.monotonic() - self._began), 0))


def _new_folder(given: Path | None) -> Path:
    if given is not None:
        return given
    number = 1
    while (folder := Path(DEFAULT_NAME if number == 1 else f"{DEFAULT_NAME}-{number}")).exists():
        number += 1
    return folder


def _play_headless(folder: Path, *, quiet: bool) -> int:
    plan = make_folder(folder)
    clock = _Clock()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, clock.stop)
    scheduled = len(plan.schedule)

    def show(end: Ended) -> None:
        if not quiet:
            say(_progress(end, scheduled))

    code = play(folder, plan, clock, show)
    if clock.stopped_by is not None:
        say(f"interrupted; what was played stands in {folder}")
        return 128 + clock.stopped_by
    if not quiet:
        if code == ExitCode.BUDGET:
            say("stopped by the budget: the next trial's whole timeout no longer fits; nothing was shortened")
        _put_report(folder)
    return ExitCode.DONE


_WORDS = {
    Terminal.TIMED_OUT: "timed out",
    Terminal.INFRASTRUCTURE_FAILURE: "infrastructure failure",
    Terminal.SKIPPED: "skipped",
}


def _progress(end: Ended, scheduled: int) -> str:
    word = _WORDS.get(end.terminal) or ("verified success" if end.verified else "task failure")
    duration = "unmeasured" if end.duration_s is None else f"{end.duration_s:.3f} s"
    clock = f"{datetime.now().astimezone():%H:%M:%S}"
    reason = f"  {end.reason}" if end.reason else ""
    return f"{clock}  {end.number:>3} of {scheduled}  {word:<22} {duration:>10}  {end.trial_id}{reason}"


def _put_report(folder: Path) -> None:
    from oakbench_tui.cli.campaign import open_campaign
    from oakbench_tui.cli.report import rendered

    put(rendered(open_campaign(folder), "md"))


def _play_with_console(folder: Path) -> int:
    from oakbench_tui.app import run_console

    player = subprocess.Popen(
        [sys.executable, "-m", "oakbench_tui", "demo", "--headless", "--quiet", "--dir", str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,  # the terminal's ctrl+c is for the console; the player is stopped below
    )
    try:
        if not _plan_is_there(folder, player):
            _, message = player.communicate()
            say(message.decode(errors="replace").rstrip())
            return player.returncode
        code = run_console(folder)
    finally:
        still_playing = player.poll() is None
        if still_playing:
            player.send_signal(signal.SIGINT)
        player.communicate()
    if still_playing:
        say("the demonstration was stopped before its end")
    say(f"next: oakbench-tui report {folder}    or again: oakbench-tui watch {folder}")
    return code


def _plan_is_there(folder: Path, player: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + _START_LIMIT_S
    while player.poll() is None and time.monotonic() < deadline:
        if (folder / "plan.json").exists():
            load_plan(folder)
            return True
        time.sleep(0.02)
    return (folder / "plan.json").exists()


def demo(
    directory: Annotated[
        Path | None,
        typer.Option("--dir", metavar="D", help="The new folder; otherwise oakbench-demo, oakbench-demo-2 …"),
    ] = None,
    *,
    headless: Annotated[
        bool, typer.Option("--headless", help="No console: lines of progress, then the report.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Headless: neither progress nor report.")] = False,
) -> None:
    """Play a small recorded campaign of scripted agents, with the console on it.

    It takes about 25 seconds and writes a real journal into a new folder. Without a terminal, or with --headless, it
    prints lines of progress to stderr and the report to stdout.

    \b
    Examples:
      oakbench-tui demo
      oakbench-tui demo --headless --dir /tmp/look > report.md
    """  # noqa: D301 - the \b keeps the examples' lines apart
    folder = _new_folder(directory)
    terminal = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    say(f"{folder}: {MOCK}")
    if headless or not terminal:
        raise typer.Exit(_play_headless(folder, quiet=quiet))
    raise typer.Exit(_play_with_console(folder))

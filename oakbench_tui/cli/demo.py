"""`demo`: freeze the bundled definition into a new folder and run it, with the console on it.

The runner is a process of its own, as a user's would be; the console only reads its journal. Closing the console leaves
the run to its end, with lines of progress.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oakbench_core.errors import ExitCode, Problem, UsageError
from oakbench_tui.cli.campaign import open_campaign
from oakbench_tui.cli.output import put, say
from oakbench_tui.cli.report import rendered
from oakbench_tui.cli.run import run_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

DEFAULT_NAME = "oakbench-demo"
MOCK = "scripted agents do real work in real repositories: it proves the instrument, and nothing about agents"
_ENDED_WELL = (ExitCode.DONE, ExitCode.BUDGET)


def free_folder(given: Path | None) -> Path:
    """The folder to make: the given one, else the first of oakbench-demo, oakbench-demo-2 … that is not there.

    Raises:
        UsageError: the given one is there already.
    """
    if given is not None:
        if given.exists():
            rule = "it is there already; the demonstration needs a new folder"
            raise UsageError(
                "the folder cannot be made", [Problem(file=str(given), rule=rule)], next_step="give another"
            )
        return given
    number = 1
    while (folder := Path(DEFAULT_NAME if number == 1 else f"{DEFAULT_NAME}-{number}")).exists():
        number += 1
    return folder


def make_campaign(folder: Path, trials: int | None = None) -> None:
    """Freeze the bundled definition into a new folder; with `trials`, only so many of its schedule."""
    from oakbench_core.running.freezing import freeze

    with as_file(files("oakbench_tui") / "demo" / "campaign") as definition:
        freeze(definition / "campaign.toml", folder)
    if trials is not None:
        _keep_first(folder, trials)


def _keep_first(folder: Path, trials: int) -> None:
    from oakbench_core.campaign.plan import plan_hash
    from oakbench_core.durable.documents import PLAN_NAME, write_plan

    path = folder / PLAN_NAME
    document: dict[str, Any] = json.loads(path.read_bytes())
    document["schedule"] = document["schedule"][:trials]
    document["plan_sha256"] = plan_hash(document)
    path.unlink()
    write_plan(path, json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n")


class _Runner:
    """The runner as a process of its own, and its lines of progress as they come."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "oakbench_tui", "run", str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # the terminal's ctrl+c is the console's; `asked` hands it on
        )
        self._lines: list[str] = []
        self._more = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        # Its output is read while the console is open too, or a full pipe would stop the run.
        for line in self._process.stdout or ():
            with self._more:
                self._lines.append(line.rstrip("\n"))
                self._more.notify()
        self._process.wait()
        with self._more:
            self._more.notify()

    @property
    def ended(self) -> bool:
        return not self._reader.is_alive()

    def asked(self, number: int, _: FrameType | None = None) -> None:
        """Hand a signal on."""
        if self._process.poll() is None:
            self._process.send_signal(number)

    def lines(self) -> Iterator[str]:
        """The lines from now on, until the runner has ended."""
        seen = len(self._lines)
        while (new := self._after(seen)) is not None:
            seen += len(new)
            yield from new

    def last_lines(self, count: int) -> list[str]:
        return self._lines[-count:]

    def _after(self, seen: int) -> list[str] | None:
        """The lines after the first `seen`, waited for; None: the runner has ended and there are no more."""
        with self._more:
            while len(self._lines) == seen and not self.ended:
                self._more.wait(timeout=0.5)
            return self._lines[seen:] or None

    @property
    def code(self) -> int:
        return self._process.wait()


def _run_headless(folder: Path) -> int:
    return run_folder(folder, say).code


def _run_with_console(folder: Path) -> int:
    from oakbench_tui.app import run_console

    runner = _Runner(folder)
    try:
        run_console(folder)
    except BaseException:
        runner.asked(signal.SIGTERM)
        raise
    if runner.ended:
        for line in runner.last_lines(4):
            say(line)
        return runner.code
    say("the console is closed, and the run goes on here")
    say("ctrl+c: no further trial, the running one goes to its end; ctrl+c again: the running one is ended too")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, runner.asked)
    for line in runner.lines():
        say(line)
    return runner.code


def demo(
    directory: Annotated[
        Path | None,
        typer.Option(
            "--dir",
            metavar="D",
            readable=False,
            help="The new folder. Default: the first of oakbench-demo, oakbench-demo-2 and so on.",
        ),
    ] = None,
    trials: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the first N of the schedule.")] = None,
    *,
    headless: Annotated[
        bool, typer.Option("--headless", help="No console: lines of progress on stderr, then the report.")
    ] = False,
) -> None:
    """Freeze and run a small campaign of scripted agents, with the console on it; then print its report.

    Real git repositories, a budget that runs out before the schedule does, about 80 seconds. The folder it makes is a
    campaign like any other: its campaign.toml can be read, copied and changed.

    \b
    Examples:
      oakbench-tui demo
      oakbench-tui demo --headless --dir /tmp/look > report.md
      oakbench-tui demo --trials 12
    """  # noqa: D301 - the \b keeps the examples' lines apart
    folder = free_folder(directory)
    terminal = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    say(f"{folder}: {MOCK}")
    make_campaign(folder, trials)
    code = _run_headless(folder) if headless or not terminal else _run_with_console(folder)
    if code not in _ENDED_WELL:
        raise typer.Exit(code)
    put(rendered(open_campaign(folder)))

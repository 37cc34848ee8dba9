"""A run with the console on it: the runner is a process of its own, and the console only reads its journal.

Closing the console leaves the run to its end, with lines of progress; a signal that ends the console is handed on.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Final

from oakbench_tui.cli.output import say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType

_LAST_LINES: Final = 4
_LOOK_EVERY_S: Final = 0.05
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Runner:
    """The runner as a process of its own, and its lines of progress as they come."""

    def __init__(self, folder: Path, options: list[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "oakbench_tui", "run", str(folder), *options],
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

    def lines(self, seen: int) -> Iterator[str]:
        """The lines after the first `seen`, until the runner has ended."""
        while (new := self._after(seen)) is not None:
            seen += len(new)
            yield from new

    @property
    def heard(self) -> int:
        """How many lines have come."""
        return len(self._lines)

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

    def has_begun(self, folder: Path) -> bool:
        """Waits until it writes the journal; False: it has ended before that could be seen."""
        from oakbench_core.errors import LockedError
        from oakbench_core.running.readiness import expect_no_runner

        while not self.ended:
            try:
                expect_no_runner(folder)
            except LockedError:
                return True
            with self._more:
                self._more.wait(timeout=_LOOK_EVERY_S)
        return False


def run_watched(folder: Path, options: list[str]) -> int:
    """Run a campaign with the console on it; the runner's exit code.

    Args:
        folder: the campaign's.
        options: of `run`, as on a command line.
    """
    from oakbench_tui.app import run_console

    runner = Runner(folder, options)
    if not runner.has_begun(folder):
        return _told(runner, 0)
    try:
        code = run_console(folder)
    except BaseException:
        runner.asked(signal.SIGTERM)
        raise
    if runner.ended:
        for line in runner.last_lines(_LAST_LINES):
            say(line)
        return runner.code
    if code > 128:
        runner.asked(code - 128)
    else:
        say("the run goes on; ctrl+c ends it in order, twice at once")
    return _told(runner, runner.heard)


def _told(runner: Runner, seen: int) -> int:
    """The runner's code at its end, with its lines after the first `seen` until then."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, runner.asked)
    for line in runner.lines(seen):
        say(line)
    return runner.code

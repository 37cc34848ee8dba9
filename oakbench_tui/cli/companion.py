"""A run beside a console: a process of its own, whose lines are kept while the console has the terminal.

It never outlives whoever started it: its stdin is a pipe of ours, so that even our being killed ends it in order.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType, TracebackType

_LOOK_EVERY_S: Final = 0.05
_HANDED_ON: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Companion:
    """The run of a campaign, with options of `run`; a context manager that leaves when the run has ended."""

    def __init__(self, folder: Path, options: list[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "oakbench_tui", "run", str(folder), "--company", "0", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # the terminal's ctrl+c is the console's
        )
        self._lines: list[str] = []
        self._shown = 0
        self._more = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.leave_alone()
        self._process.wait()

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

    @property
    def code(self) -> int:
        """Its exit code, waited for; 128 and the number of the signal that ended it."""
        code = self._process.wait()
        return code if code >= 0 else 128 - code

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

    def leave_alone(self) -> None:
        """Let it end in order: no further trial, and the running one goes to its end."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    @contextmanager
    def signals_handed_on(self) -> Iterator[None]:
        """Within this signals are its own; one that was ignored when we came (nohup) stays ignored."""
        taken = [number for number in _HANDED_ON if signal.getsignal(number) is not signal.SIG_IGN]
        before = [(number, signal.signal(number, self._hand_on)) for number in taken]
        try:
            yield
        finally:
            for number, handler in before:
                signal.signal(number, handler)

    def _hand_on(self, number: int, _: FrameType | None) -> None:
        if self._process.poll() is None:
            self._process.send_signal(number)

    def lines(self) -> Iterator[str]:
        """Its lines that were not given yet, as they come, until it has ended."""
        while (new := self._next_lines()) is not None:
            yield from new

    def last_lines(self, count: int) -> list[str]:
        """Its last lines so far; those before them are not given any more."""
        self._shown = len(self._lines)
        return self._lines[-count:]

    def _next_lines(self) -> list[str] | None:
        """Waited for; None: it has ended and there are no more."""
        with self._more:
            while len(self._lines) == self._shown and not self.ended:
                self._more.wait(timeout=0.5)
            new = self._lines[self._shown :]
            self._shown = len(self._lines)
        return new or None

"""The terminal that a console needs: whether there is one, how to look on it, and its going away."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_GLYPHS: Final = "✓█░·…"
_TAKEN: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGCONT)
_PATIENCE_S: Final = 2.0


class Looks(NamedTuple):
    """How the console has to look."""

    ascii_only: bool
    no_color: bool


def console_looks(*, ascii_only: bool = False, no_color: bool = False) -> Looks:
    """As asked, and as the environment and the terminal's encoding want it."""
    encoding = getattr(sys.__stderr__, "encoding", None) or "ascii"
    return Looks(ascii_only or not _has(encoding), no_color or bool(os.environ.get("NO_COLOR")))


def _has(encoding: str) -> bool:
    try:
        _GLYPHS.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def is_terminal() -> bool:
    """Whether something can be drawn, and keys be read."""
    streams = (sys.stdin, sys.stdout)
    return all(stream is not None and stream.isatty() for stream in streams) and not is_dumb()


def is_dumb() -> bool:
    """Whether nothing can be drawn, whatever the streams are."""
    return os.environ.get("TERM", "") in {"", "dumb"}


def expect_terminal() -> None:
    """Refuse to draw where nothing can be drawn.

    Raises:
        UsageError: stdin or stdout is no terminal, or TERM is dumb.
    """
    if is_terminal():
        return
    rule = "the console needs a terminal for both input and output"
    if sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        rule = "the terminal is dumb (TERM): nothing can be drawn on it"
    raise UsageError(rule, next_step="oakbench-tui status DIR and oakbench-tui report DIR print the same as text")


@contextmanager
def while_there_is_a_terminal() -> Iterator[None]:
    """Within this, a terminal that goes away ends what is drawn on it, where HUP is ignored too.

    A program that is not told would go on reading from what gives nothing any more, at full speed. After it, the
    handlers of signals are those of before: whoever opened the console may go on, and Textual's would still draw one.
    """
    before = [(number, signal.getsignal(number)) for number in _TAKEN]
    over, over_here = os.pipe()
    watcher = threading.Thread(target=_end_with_terminal, args=(sys.stdin.fileno(), over), name="terminal", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        os.close(over_here)
        watcher.join()
        os.close(over)
        for number, handler in before:
            signal.signal(number, handler)


def _end_with_terminal(terminal: int, over: int) -> None:
    waiting = select.poll()
    waiting.register(terminal, 0)  # nothing but its end
    waiting.register(over, 0)
    if terminal not in dict(waiting.poll()):
        return
    is_told = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    os.kill(os.getpid(), signal.SIGHUP if is_told else signal.SIGTERM)
    waiting.unregister(terminal)
    if not waiting.poll(_PATIENCE_S * 1000):
        os._exit(128 + signal.SIGHUP)  # it waits for a terminal that takes nothing any more

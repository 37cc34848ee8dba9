"""What ctrl+c does to a command that has no answer of its own: it ends it, without a word and without a traceback.

While the program starts there is nothing to clean up, and the signal ends it as the system does by itself. Then it
unwinds what is going on, once; who presses it twice does not want to wait for that.
"""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

INTERRUPTED: Final = 128 + signal.SIGINT


def end_at_once() -> None:
    """From here on the signal ends the process; one that was ignored when we came stays ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def interruptible(run: Callable[[], int]) -> int:
    """The exit code of `run`, in which the signal raises KeyboardInterrupt; 130 where that comes out of it."""
    sys.unraisablehook = _unraisable
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, _interrupt)
        return run()
    except KeyboardInterrupt:
        return INTERRUPTED


def was_interrupted() -> bool:
    """Whether an exception may be what somebody's code, such as an import, has made of our KeyboardInterrupt."""
    return signal.getsignal(signal.SIGINT) is signal.SIG_DFL


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt


def _unraisable(problem: sys.UnraisableHookArgs) -> None:
    """A KeyboardInterrupt that fell into code which cannot raise ends the process as the signal itself would."""
    if issubclass(problem.exc_type, KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    else:
        sys.__unraisablehook__(problem)

"""How a run is asked to end: once, and its running trial goes to its end; again, and the trial is ended at once."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopSwitch:
    """`no_more`: admit no further trial. `end_now`: end the running one too, and give it no terminal event."""

    def __init__(self, asked: Callable[[StopSwitch], None] | None = None) -> None:
        self.no_more = threading.Event()
        self.end_now = threading.Event()
        self.signal: int | None = None
        self._asked = asked

    def ask(self, number: int) -> None:
        """A first SIGINT lets the running trial end; a second one, and any other signal, ends it."""
        if number != signal.SIGINT or self.no_more.is_set():
            self.end_now.set()
        self.no_more.set()
        self.signal = self.signal or number
        if self._asked is not None:
            self._asked(self)

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Within this, the signals ask; one that was ignored when we came (nohup) stays ignored."""

        def handle(number: int, _: FrameType | None) -> None:
            self.ask(number)

        before: dict[signal.Signals, Any] = {}
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, handle)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

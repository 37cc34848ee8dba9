"""How a run is asked to end: once, and its running trial goes to its end; again, and the trial is ended at once.

A run that somebody else's program started asks itself, once, when that program is gone: a pipe from it ends, however it
died.

A signal is only noted where it arrives. A thread of its own acts on it, one after another: a handler that took a lock
or wrote a message could meet itself, or break off a write of the journal by what it raises.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopSwitch:
    """`no_more`: admit no further trial. `end_now`: end the running one too, and give it no terminal event.

    `signal` is the one that decided how the run ends, and `why` what asked where none did; both are set before
    either event is.
    """

    def __init__(self, asked: Callable[[StopSwitch], None] | None = None) -> None:
        """`asked` is called where a request changed something, in the thread that made it; so are those of `wake`."""
        self.wake: list[Callable[[], None]] = []
        self.no_more = threading.Event()
        self.end_now = threading.Event()
        self.signal: int | None = None
        self.why: str | None = None
        self._asked = asked

    def ask(self, number: int, why: str | None = None) -> None:
        """A first SIGINT lets the running trial end; a second one, and any other signal, ends it."""
        if self.end_now.is_set():
            return
        ends_now = number != signal.SIGINT or self.no_more.is_set()
        self.signal, self.why = number, why
        if ends_now:
            self.end_now.set()
        self.no_more.set()
        for wake in self.wake:
            wake()
        if self._asked is not None:
            self._asked(self)

    def abandon(self) -> None:
        """End everything now, for a reason of the runner's own: nobody asked."""
        self.end_now.set()
        self.no_more.set()

    @contextmanager
    def on_signals(self, company: int | None = None) -> Iterator[None]:
        """Within this, in the main thread, signals ask; one that was ignored when we came (nohup) stays ignored.

        `company`: the reading end of a pipe; its end asks as a first SIGINT does, and never as a second one.
        """
        arrived, noted = socket.socketpair()
        noted.setblocking(False)  # as the interpreter wants it: a handler must not wait
        listener = threading.Thread(target=self._listen, args=(arrived, company), name="signals")
        taken = [number for number in _SIGNALS if signal.getsignal(number) not in {signal.SIG_IGN, None}]
        wakeup = signal.set_wakeup_fd(noted.fileno(), warn_on_full_buffer=False)
        before = [(number, signal.signal(number, _leave_to_the_listener)) for number in taken]
        listener.start()
        try:
            yield
        finally:
            for number, handler in before:
                signal.signal(number, handler)
            signal.set_wakeup_fd(wakeup)
            noted.close()
            listener.join()
            arrived.close()

    def _listen(self, arrived: socket.socket, company: int | None) -> None:
        waiting = select.poll()
        for descriptor in (arrived.fileno(), company):
            if descriptor is not None:
                waiting.register(descriptor, select.POLLIN)
        while True:
            for descriptor, _ in waiting.poll():
                if descriptor == company:
                    if not os.read(descriptor, 64):
                        waiting.unregister(descriptor)
                        self._left_alone()
                elif not self._hear(arrived.recv(64)):
                    return

    def _hear(self, numbers: bytes) -> bool:
        """Act on signals; False where there will be no more of them."""
        for number in numbers:
            if number in _SIGNALS:  # whatever else has a handler is noted there too
                self.ask(number)
        return bool(numbers)

    def _left_alone(self) -> None:
        if not self.no_more.is_set():
            self.ask(signal.SIGINT, "the program that started this run is gone")


def _leave_to_the_listener(_number: int, _frame: FrameType | None) -> None:
    """The interpreter has noted the signal already."""

"""The supervisor of one trial: runs its commands one after another, and ends the whole tree of each.

A command that ends by itself leaves nothing behind: what it started is killed at once. At its timeout, or when the
runner asks, its tree gets a TERM, the grace, and a KILL. When the runner is gone the tree is killed at once.
"""

from __future__ import annotations

import os
import select
import signal
import time
from typing import TYPE_CHECKING, Final

from .channel import ENDED, EXITED, FAILED, NOT_STARTED, TIMED_OUT, Channel, Order, Outcome
from .launching import NotStartedError, launch
from .processes import Wakeup, become_subreaper, clear_tree, reap, signal_tree
from .pump import Pump
from .replacing import Replacer

if TYPE_CHECKING:
    import socket

CLEARING_LIMIT_S: Final = 10.0
_LONGEST_WAIT_S: Final = 3600.0  # a poll takes 24 days at most


def supervise(connection: socket.socket) -> None:
    """Say who it is, and carry out every order that comes, until the runner has closed the socket or is gone."""
    os.setsid()
    become_subreaper()
    os.umask(0o022)
    channel, wakeup = Channel(connection), Wakeup()
    channel.send({"pid": os.getpid()})
    while (message := channel.receive()) is not None:
        if "order" not in message:
            continue  # an `end` that crossed the outcome of the command that it was for
        try:
            outcome = _Command(Order(**message["order"]), channel, wakeup).outcome()
        except _RunnerGoneError:
            return
        except OSError as error:
            clear_tree(wakeup, {}, limit_s=CLEARING_LIMIT_S)
            outcome = Outcome(FAILED, problem=f"{type(error).__name__}: {error.strerror}")
        channel.send(outcome._asdict())


class _RunnerGoneError(Exception):
    """The other end of the channel is closed."""


class _Command:
    """One command from its launch until nothing of it is alive."""

    def __init__(self, order: Order, channel: Channel, wakeup: Wakeup) -> None:
        self._order, self._channel, self._wakeup = order, channel, wakeup
        self._ended: dict[int, int] = {}
        self._cause = EXITED
        self._until = 0.0
        self._poll = select.poll()
        self._pumps: dict[int, Pump] = {}

    def outcome(self) -> Outcome:
        order = self._order
        secrets = {os.fsencode(secret): os.fsencode(name) for secret, name in order.replace}
        out = Pump(order.stdout, order.cap_bytes, Replacer(secrets))
        try:
            err = Pump(order.stderr, order.cap_bytes, Replacer(secrets))
        except OSError:
            out.close()
            raise
        begun = time.monotonic()
        self._until = begun + order.timeout_s
        try:
            pid = launch(order, out.write_end, err.write_end)
        except NotStartedError as problem:
            out.finish()
            err.finish()
            return Outcome(NOT_STARTED, problem=str(problem))
        self._listen(out, err)
        try:
            self._watch(pid)
        finally:  # the runner's death too
            _, left = clear_tree(self._wakeup, self._ended, limit_s=CLEARING_LIMIT_S)
            duration_s = time.monotonic() - begun
            out.finish()
            err.finish()
        return Outcome(
            self._cause, self._ended.get(pid), round(duration_s, 6), None, out.seen, out.cut, err.seen, err.cut, left
        )

    def _listen(self, *pumps: Pump) -> None:
        for pump in pumps:
            pump.launched()
            self._pumps[pump.fileno()] = pump
            self._poll.register(pump, select.POLLIN)
        self._poll.register(self._channel, select.POLLIN)
        self._poll.register(self._wakeup, select.POLLIN)

    def _watch(self, pid: int) -> None:
        """Return when the command has ended by itself, or its tree is gone, or the grace of its end is over."""
        while reap(self._ended) and not (self._cause == EXITED and pid in self._ended):
            now = time.monotonic()
            if now < self._until:
                self._attend(self._until - now)
            elif self._cause == EXITED:
                self._end(TIMED_OUT, self._order.grace_s)
            else:
                return

    def _end(self, cause: str, grace_s: float) -> None:
        until = time.monotonic() + grace_s
        if self._cause == EXITED:
            self._cause, self._until = cause, until
            signal_tree(signal.SIGTERM)
        self._until = min(self._until, until)

    def _attend(self, longest_s: float) -> None:
        for descriptor, _ in self._poll.poll(min(longest_s, _LONGEST_WAIT_S) * 1000 + 1):
            if pump := self._pumps.get(descriptor):
                if pump.move() == 0:
                    self._poll.unregister(descriptor)
            elif descriptor == self._channel.fileno():
                self._hear()
            else:
                self._wakeup.drain()

    def _hear(self) -> None:
        if not self._channel.fill():
            raise _RunnerGoneError
        while (message := self._channel.take()) is not None:
            if "end" in message:
                self._end(ENDED, float(message["end"]))

"""The trials in flight: each in a thread of its own, all of them answered in the runner's one thread.

Threads and not processes: a trial is a few system calls and long waits, and the journal has one writer.
"""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from oakbench_core.running.attempt import Attempted


class Landing(NamedTuple):
    """A trial, by its place in the schedule, that is in flight no more: what came of it, or what was raised."""

    place: int
    result: Attempted | BaseException


class Flights(Protocol):
    """Where trials are attempted."""

    def start(self, place: int) -> None:
        """Attempt a trial from now on."""

    def next_landing(self, timeout_s: float | None) -> Landing | None:
        """The next one that ends; None after so long, or when somebody asked for attention."""


class ThreadedFlights:
    """`wake` may be called from any thread."""

    def __init__(self, attempted: Callable[[int], Attempted]) -> None:
        self._attempted = attempted
        self._landings: SimpleQueue[Landing | None] = SimpleQueue()

    def start(self, place: int) -> None:
        try:
            threading.Thread(target=self._fly, args=(place,), name=f"trial {place}").start()
        except RuntimeError as error:  # the system has no more threads
            self._landings.put(Landing(place, error))

    def next_landing(self, timeout_s: float | None) -> Landing | None:
        try:
            return self._landings.get(timeout=timeout_s)
        except Empty:
            return None

    def wake(self) -> None:
        self._landings.put(None)

    def _fly(self, place: int) -> None:
        result: Attempted | BaseException
        try:
            result = self._attempted(place)
        except BaseException as error:  # noqa: BLE001 - it is raised again where somebody can answer for it
            result = error
        self._landings.put(Landing(place, result))

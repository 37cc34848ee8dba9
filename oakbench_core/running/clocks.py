"""The clocks of a run: durations by the monotonic clock, and whether the machine slept meanwhile."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Final, Protocol

SHORTEST_SUSPENSION_S: Final = 0.2
"""Less than that between the two clocks is the time that reading them took, on a machine with much to do."""


class Clocks(Protocol):
    """Seconds since some moment, without and with the time that the machine was suspended; `wall`: since 1970."""

    def monotonic(self) -> float: ...
    def boottime(self) -> float: ...
    def wall(self) -> float: ...


class SystemClocks:
    """The machine's own."""

    def monotonic(self) -> float:
        return time.monotonic()

    def boottime(self) -> float:
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def wall(self) -> float:
        return time.time()


def utc_text(seconds: float) -> str:
    """The moment so many seconds after 1970 as the formats write it, in whole seconds."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


class SuspensionWatch:
    """How long the machine was suspended since this was made."""

    def __init__(self, clocks: Clocks) -> None:
        self._clocks = clocks
        self._slept_before = self._slept()

    def suspended_s(self) -> float | None:
        """None where it was not: then a measured duration stands."""
        slept = self._slept() - self._slept_before
        return round(slept, 3) if slept >= SHORTEST_SUSPENSION_S else None

    def _slept(self) -> float:
        """The lead of one clock over the other; of a few readings the one that was disturbed least."""
        leads = []
        for _ in range(3):
            before = self._clocks.monotonic()
            leads.append(self._clocks.boottime() - before)
        return min(leads)

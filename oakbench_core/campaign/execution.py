"""How a campaign was executed: by whom, when, with what pauses, and how each run ended.

Rule: this is fed by transport fields (`seq`, `writer`, `at`, `hash`) and by what runners say of themselves (`opened`,
`closed`, `recovered`), and nothing else in a report is: no count, fraction, interval or total depends on it.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.vocabulary import EventKind
from oakbench_core.forms import utc_minute, utc_nanoseconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_core.campaign.evidence import Carried, EventLike
    from oakbench_core.campaign.ledger import Reservation

_NANOSECONDS: Final = 10**9
_HALF_NANOSECOND_S: Final = 5e-10
_FLOAT_IS_COARSE_S: Final = 1e6  # from about here on a float of seconds no longer tells two nanoseconds apart


class Chronicle:
    """What the transport fields of the events said so far; for one fold, event by event in their order."""

    def __init__(self) -> None:
        self.first_hash: str | None = None
        self.last_hash: str | None = None
        self.last_seq: int | None = None
        self.first_at: str | None = None
        self.last_at: str | None = None
        self.unsafe_filesystem = False
        self._last_minute, self._last_second = 0.0, 0.0
        self._longest_pause_s = 0.0
        self._writers: set[str] = set()
        self._hosts: set[str] = set()
        self._max_parallel: list[int] = []
        self._stops: list[dict[str, Any]] = []

    def copy(self) -> Chronicle:
        """One that goes on by itself."""
        return deepcopy(self)

    def note(self, event: EventLike) -> None:
        """Take one more event into account."""
        if event.hash is not None:
            self.first_hash = self.first_hash or event.hash
            self.last_seq, self.last_hash = event.seq, event.hash
        if event.writer is not None:
            self._writers.add(event.writer)
        if event.at is not None:
            self._note_times([event.at])
        if event.event in _OF_RUNNERS:
            self._note_runner(event)

    def note_trials(self, events: Sequence[Carried]) -> None:
        """The same of many events at once, all of trials and of one writer."""
        if not events:
            return
        last = events[-1]
        self.first_hash = self.first_hash or events[0].hash
        self.last_seq, self.last_hash = last.seq, last.hash
        self._writers.add(last.writer)
        self._note_times([event.at for event in events])

    def _note_times(self, times: list[str]) -> None:
        # A journal holds millions of times, so nothing exact is made of those that cannot end the longest pause.
        self.first_at = self.first_at or times[0]
        last_at, minute_text, minute, second = self.last_at, "", self._last_minute, self._last_second
        for at in times:
            last_minute, last_second = minute, second
            if at[:16] != minute_text:
                minute_text, minute = at[:16], utc_minute(at)
            second = float(at[17:-1])
            if last_at is not None:
                pause_s = (minute - last_minute) + (second - last_second)
                if pause_s > self._longest_pause_s + _HALF_NANOSECOND_S or pause_s > _FLOAT_IS_COARSE_S:
                    exact_s = (utc_nanoseconds(at) - utc_nanoseconds(last_at)) / _NANOSECONDS
                    self._longest_pause_s = max(self._longest_pause_s, exact_s)
            last_at = at
        self.last_at, self._last_minute, self._last_second = last_at, minute, second

    def _note_runner(self, event: Any) -> None:
        if event.event == EventKind.CLOSED:
            stop = event.stop
            self._stops.append({"reason": str(stop.reason), "code": stop.code, "at": event.at})
            return
        self._max_parallel.append(event.runner.max_parallel)
        self.unsafe_filesystem |= bool(event.runner.unsafe_filesystem)
        if event.runner.host is not None:
            self._hosts.add(event.runner.host)

    def as_document(self, recoveries: list[Reservation]) -> dict[str, Any] | None:
        """The section `execution`; None if no event had a hash: then these events are no journal's."""
        if self.last_hash is None:
            return None
        return {
            "first_hash": self.first_hash,
            "last_seq": self.last_seq,
            "last_hash": self.last_hash,
            "writers": len(self._writers),
            "hosts": sorted(self._hosts),
            "first_at": self.first_at,
            "last_at": self.last_at,
            "longest_pause_s": self._longest_pause_s,
            "max_parallel": list(self._max_parallel),
            "stops": list(self._stops),
            "recoveries": [
                {"kind": str(entry.kind), "reason": str(entry.reason), "trial_id": entry.trial_id}
                for entry in recoveries
            ],
            "unsafe_filesystem": self.unsafe_filesystem,
        }


_OF_RUNNERS: Final = frozenset({EventKind.OPENED.value, EventKind.CLOSED.value})

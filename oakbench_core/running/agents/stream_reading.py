"""What the readers of agents' streams have in common: counts as they stand, cumulative totals, what was not understood.

A reader takes events one after another and holds what it counts, no text of the conversation. A total is given only
where the stream vouches for all of it: what is not said is unmeasured, and a part is never taken for the whole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from oakbench_core.canonical import MAX_INTEGER
from oakbench_core.running.agents.usage import LONGEST_TEXT, Usage

if TYPE_CHECKING:
    from oakbench_core.running.agents.provider_errors import ProviderFailure

MOST_KINDS: Final = 20
MOST_IDS: Final = 20_000
"""Of messages, tool calls and sessions; what has more of them is not counted on."""

Totals = dict[str, float | None]
"""By the names of a row's resources; None: the stream does not say it."""


class StreamFindings(NamedTuple):
    """What a whole stream said: what was used, how the provider failed if it did, and what the row's `extra` says."""

    usage: Usage
    failure: ProviderFailure | None
    notes: Mapping[str, Any]


class StreamReader(Protocol):
    """Reads one kind of stream."""

    def take(self, event: Mapping[str, Any]) -> None:
        """The next event of the stream, which has a text `type`."""

    def lose(self) -> None:
        """An event stood here that could not be read."""

    def findings(self, now_s: float) -> StreamFindings:
        """What has been said up to the end, at `now_s` seconds since 1970."""


def count_of(value: object) -> int | None:
    """A count as a row holds it; anything else is unmeasured."""
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 <= value <= MAX_INTEGER else None


def amount_of(value: object) -> float | None:
    """An amount as a row holds it; anything else is unmeasured."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        amount = float(value)
    except OverflowError:
        return None
    return amount if math.isfinite(amount) and amount >= 0 else None


def text_of(value: object) -> str | None:
    """A short text, not empty."""
    return value[:LONGEST_TEXT] if isinstance(value, str) and value else None


def part_of(value: object, key: str) -> Mapping[str, Any]:
    """The object under a key; an empty one where there is none."""
    inner = value.get(key) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def summed(parts: Sequence[Mapping[str, float | None]]) -> Totals:
    """The sum of each total that every part has; of no parts, nothing."""
    names = dict.fromkeys(name for part in parts for name in part)
    sums: Totals = {}
    for name in names:
        values = [part.get(name) for part in parts]
        sums[name] = None if None in values else _sum([value for value in values if value is not None])
    return sums


def _sum(values: list[float]) -> float | None:
    """None where no row could hold it."""
    if all(isinstance(value, int) for value in values):
        return count_of(sum(values))
    try:
        return amount_of(math.fsum(values))
    except OverflowError:
        return None


class CumulativeTotals:
    """Totals of sessions that each count up from zero: of a session the last ones count, and sessions are added.

    Totals that are less than the session's last are those of a new program that goes on with the same session.
    """

    def __init__(self) -> None:
        self._last: dict[str, Totals] = {}
        self._carried: list[Totals] = []

    def take(self, session: str, totals: Totals) -> None:
        last = self._last.get(session)
        if last is not None and _decreased(last, totals):
            self._carry(last)
        self._last[session] = totals
        if len(self._last) > MOST_KINDS:  # sessions end: those that are long gone need not be told apart
            self._carry(self._last.pop(next(iter(self._last))))

    def sums(self) -> Totals:
        return summed([*self._carried, *self._last.values()])

    def _carry(self, totals: Totals) -> None:
        self._carried = [summed([*self._carried, totals])]


def _decreased(before: Totals, after: Totals) -> bool:
    pairs = ((value, after.get(name)) for name, value in before.items())
    return any(old is not None and new is not None and new < old for old, new in pairs)


class UnknownKinds:
    """Kinds of events that a reader does not know, with how often each came; of many kinds, the first."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def add(self, kind: str) -> None:
        kind = kind[:LONGEST_TEXT]
        if kind in self._counts or len(self._counts) < MOST_KINDS:
            self._counts[kind] = self._counts.get(kind, 0) + 1

    def noted(self) -> dict[str, int]:
        return dict(self._counts)


def stated(totals: Totals) -> dict[str, float]:
    """The totals that were said."""
    return {name: value for name, value in totals.items() if value is not None}

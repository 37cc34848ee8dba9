"""Which trials the list shows, in which order, and on which one the cursor stands.

Rule: the cursor stands on a trial, not on a row. Its trial stays listed while it stands there, even if it no longer
matches the filter; and where a live sort would move its row, the order is held until a person asks to sort again.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from oakbench_tui.view.filter import EVERYTHING, Filter
from oakbench_tui.view.glyphs import PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oakbench_tui.view.snapshot import Snapshot


class Sort(StrEnum):
    SCHEDULE = "schedule order"
    STATE = "by state"
    DURATION = "by duration"
    TOKENS = "by tokens in"
    TASK = "by task"
    SUBJECT = "by subject"


@dataclass(frozen=True, slots=True)
class Order:
    sort: Sort = Sort.SCHEDULE
    reverse: bool = False

    @property
    def words(self) -> str:
        arrow = "" if self.sort is Sort.SCHEDULE and not self.reverse else " ▾" if self.reverse else " ▴"
        return f"{self.sort}{arrow}"

    def next_sort(self) -> Order:
        sorts = list(Sort)
        return Order(sorts[(sorts.index(self.sort) + 1) % len(sorts)], self.reverse)


def _value(snapshot: Snapshot, sort: Sort) -> Callable[[int], Any]:
    match sort:
        case Sort.STATE:
            return snapshot.shown
        case Sort.DURATION:
            return lambda place: snapshot.resource("duration_s", place)
        case Sort.TOKENS:
            return lambda place: snapshot.resource("input_tokens", place)
        case Sort.TASK:
            return lambda place: snapshot.trial(place).task
        case Sort.SUBJECT:
            return lambda place: snapshot.trial(place).subject
    return lambda place: place


def ordered(snapshot: Snapshot, places: Sequence[int], order: Order) -> Sequence[int]:
    """The places in that order; equal ones keep the schedule's, and what is unmeasured stands last either way."""
    if order.sort is Sort.SCHEDULE:
        return places[::-1] if order.reverse else places
    value = _value(snapshot, order.sort)
    valued = [(value(place), place) for place in places]
    known = sorted(((v, -place if order.reverse else place) for v, place in valued if v is not None))
    if order.reverse:
        known.reverse()
    return [abs(place) for _, place in known] + [place for v, place in valued if v is None]


@dataclass(slots=True)
class Listing:
    """The list as a person has arranged it. `cursor` is a place in the schedule, None where nothing is listed."""

    snapshot: Snapshot
    filter: Filter = EVERYTHING
    order: Order = field(default_factory=Order)
    places: Sequence[int] = ()
    cursor: int | None = None
    held: bool = False
    matched: int = 0

    def __post_init__(self) -> None:
        self.arrange()

    def take(self, snapshot: Snapshot) -> None:
        """A newer moment of the same campaign."""
        self.snapshot = snapshot
        if not self.filter.terms and self.order.sort is Sort.SCHEDULE:
            return
        if self.held:
            return
        places, matched = self._arranged()
        if self.order.sort is not Sort.SCHEDULE and self._row_in(places) != self.row:
            self.held = True
        else:
            self.places, self.matched = places, matched
        if self.cursor is None:
            self.cursor = self._nearest()

    def arrange(self, *, filter: Filter | None = None, order: Order | None = None) -> None:  # noqa: A002 - its name
        """Filter and sort anew, because a person asked for it."""
        self.filter = self.filter if filter is None else filter
        self.order = self.order if order is None else order
        self.held = False
        self.places, self.matched = self._arranged(keep_cursor=False)
        if self.row is None:
            self.cursor = self._nearest()

    def _nearest(self) -> int | None:
        """Where the cursor goes when its trial is not listed: the next listed one of the schedule, else the last."""
        if not self.places:
            return None
        wanted = -1 if self.cursor is None else self.cursor
        return min((place for place in self.places if place > wanted), default=max(self.places))

    def _arranged(self, *, keep_cursor: bool = True) -> tuple[Sequence[int], int]:
        places = self.filter.places(self.snapshot)
        matched = len(places)
        if keep_cursor and self.cursor is not None and not _holds(places, self.cursor):
            with_cursor = list(places)
            insort(with_cursor, self.cursor)
            places = with_cursor
        return ordered(self.snapshot, places, self.order), matched

    def _row_in(self, places: Sequence[int]) -> int | None:
        if self.cursor is None:
            return None
        try:
            return places.index(self.cursor)
        except ValueError:
            return None

    @property
    def row(self) -> int | None:
        """The row that the cursor's trial is on, counted from 0."""
        return self._row_in(self.places)

    def stand_on(self, row: int) -> None:
        if 0 <= row < len(self.places):
            self.cursor = self.places[row]

    def problem_row(self, step: int) -> int | None:
        """The row of the next problem trial after the cursor (`step` 1) or before it (−1); None: there is none."""
        row = self.row
        row = (-1 if step > 0 else len(self.places)) if row is None else row
        rows = range(row + step, len(self.places) if step > 0 else -1, step)
        return next((r for r in rows if self.snapshot.shown(self.places[r]) in PROBLEMS), None)


def _holds(places: Sequence[int], place: int) -> bool:
    at = bisect_left(places, place)
    return at < len(places) and places[at] == place

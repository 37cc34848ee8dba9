"""The list of trials: fills the table with the rows of a listing, and paints again only what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oakbench_tui.view.layout import FULL_FROM, is_compact
from oakbench_tui.view.listing import Listing
from oakbench_tui.view.page import Page
from oakbench_tui.view.segments import EMPTY, Segment, Token, cut, foreign, joined
from oakbench_tui.view.trial_columns import Columns, columns_for, every_row, variety
from oakbench_tui.view.trial_rows import compact_line, trial_line

if TYPE_CHECKING:
    from oakbench_tui.screens.session import Session
    from oakbench_tui.view.segments import Line
    from oakbench_tui.view.snapshot import Snapshot
    from oakbench_tui.widgets.lines import Lines
    from oakbench_tui.widgets.table import Table

_CURSOR_CELLS: Final = 3  # the cursor, a blank after it, and one at the right edge
_FILTER_MOST: Final = 30
EVERY_ROW_FROM: Final = 10  # rows of the list; below, the line about every row gives way to trials


class TrialList:
    """`following`: the cursor goes to the trial of the newest event; `new_below` counts events since it left off."""

    def __init__(self, session: Session, table: Table, every: Lines, snapshot: Snapshot) -> None:
        self._session = session
        self._table = table
        self._every = every
        self._variety = variety(snapshot.plan)
        self.listing = Listing(snapshot)
        self.following = False
        self.left_following_at: int | None = None
        self.screen_size = (80, 24)

    def take(self, snapshot: Snapshot, dirty: frozenset[int] | None) -> None:
        """A newer moment; `dirty`: the trials that differ, None if all may."""
        before = self.listing.snapshot
        places = self.listing.places
        self.listing.take(snapshot)
        if self.following and snapshot.newest is not None and snapshot.newest != before.newest:
            self.listing.cursor = snapshot.newest
        same_rows = places is self.listing.places and dirty is not None
        self.show(changed=dirty if same_rows else None)

    def show(self, *, changed: frozenset[int] | None = None) -> None:
        """Fill the table. `changed`: the trials whose rows differ; None: any may."""
        rows = None if changed is None else self._visible(changed)
        self._table.show(self._page(), cursor=self.listing.row or 0, changed=rows)
        self._every.show((self._every_row(),))

    def tick(self) -> None:
        """Time went on: rows of running trials say for how long."""
        running = frozenset(trial.place for trial in self.listing.snapshot.running)
        if running:
            self._table.show(self._page(), cursor=self.listing.row or 0, changed=self._visible(running))

    def _visible(self, places: frozenset[int]) -> list[int]:
        top = self._table.top
        rows = range(top, min(top + self._table.page, len(self.listing.places)))
        return [row for row in rows if self.listing.places[row] in places]

    def _page(self) -> Page:
        listing, now = self.listing, self._session.clock()
        snapshot, places = listing.snapshot, listing.places
        width = max(self._table.size.width - _CURSOR_CELLS, 1)
        if is_compact(*self.screen_size):
            return Page(len(places), lambda row: compact_line(snapshot, places[row], width + 1))
        columns = self._columns(width)
        return Page(len(places), lambda row: trial_line(snapshot, places[row], columns, now), columns.header())

    def _columns(self, width: int) -> Columns:
        cost = any(each.name == "cost_usd" and each.observed for each in self.listing.snapshot.measured)
        return columns_for(self._variety, width, cost=cost)

    def _every_row(self) -> Line:
        snapshot = self.listing.snapshot
        cost = next((each for each in snapshot.measured if each.name == "cost_usd"), None)
        unmeasured = ("cost",) if cost is not None and cost.started and not cost.observed else ()
        text = every_row(self._variety, unmeasured, self._table.size.width - _CURSOR_CELLS)
        if not self.listing.places and self.listing.filter.terms:
            text = f"0 of {snapshot.scheduled:,} trials match; esc clears the filter"
        return (Segment("  "), Segment(text, Token.SOFT))

    def at_end(self, *, typing: bool, wrong: bool = False) -> Line:
        """What the views' row says of the list: filter and hits, order, the cursor's row, following.

        `wrong`: what is typed is no filter, so that the list is still that of the filter before.
        """
        listing, width = self.listing, self.screen_size[0]
        row = 0 if listing.row is None else listing.row + 1
        total = listing.snapshot.scheduled
        hits = (Segment(f"{listing.matched:,} of {total:,}"), Segment(" trials" * (width >= FULL_FROM), Token.SOFT))
        kept = (Segment("/ ", Token.ACCENT), foreign(cut(listing.filter.text, _FILTER_MOST), Token.STRONG))
        if typing and wrong:
            before = kept if listing.filter.terms else (Segment("unfiltered", Token.STRONG),)
            return (Segment("still ", Token.NOTE), *before, Segment("  "), *hits)
        if typing:
            return hits
        parts: list[Line] = []
        if listing.filter.terms:
            parts.append((*kept, Segment("  esc clears", Token.SOFT)))
        parts.append(hits)
        if listing.held:
            parts.append((Segment("order held, s sorts again", Token.NOTE),))
        elif width >= FULL_FROM:
            parts.append((Segment(listing.order.words, Token.SOFT),))
        parts.append((Segment(f"row {row:,}", Token.SOFT),))
        parts.append(self._follow_pill())
        return joined(parts, "   " if width >= FULL_FROM else "  ")

    def _follow_pill(self) -> Line:
        if self.following:
            return (Segment(" following ", Token.PILL),)
        if self.left_following_at is None:
            return EMPTY
        new = self.listing.snapshot.events - self.left_following_at
        return (Segment(f"F {new:,} new", Token.ACCENT),) if new else EMPTY

    def follow(self, *, on: bool) -> None:
        snapshot = self.listing.snapshot
        self.following = on
        self.left_following_at = None if on else snapshot.events
        if on and snapshot.newest is not None:
            self.listing.cursor = snapshot.newest

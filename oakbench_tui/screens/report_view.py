"""The view Report: a page of the text that export writes, and what was found in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_core.display import display_safe
from oakbench_tui.view.inspector.wrapping import wrapped
from oakbench_tui.view.page import page_of
from oakbench_tui.view.report_page import ReportText, laid_out, report_page
from oakbench_tui.view.segments import EMPTY, Segment, Token, joined

if TYPE_CHECKING:
    import re

    from oakbench_tui.screens.reporting import Made
    from oakbench_tui.view.segments import Line
    from oakbench_tui.view.snapshot import Snapshot
    from oakbench_tui.widgets.table import Table


class ReportView:
    """`made` is the newest report, shown with its sequence number, and `computing` while a newer one is made."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._text = ReportText((), ())
        self._laid_out: object = None
        self.made: Made | None = None
        self.is_making = False
        self.pattern: re.Pattern[str] | None = None

    def take(self, made: Made) -> None:
        self.made, self.is_making = made, False

    def is_behind(self, snapshot: Snapshot) -> bool:
        return self.made is None or (self.made.seq != snapshot.reading.seq and self.made.failure is None)

    def show(self, width: int) -> None:
        if self.made is None:
            self._table.show(page_of([EMPTY, (Segment("  computing the report", Token.SOFT),)]))
        elif self.made.failure is not None:
            lines = [(Segment(f"  {line}", Token.INTERRUPTED),) for line in wrapped(self.made.failure, width - 4)]
            self._table.show(page_of([EMPTY, *lines]))
        else:
            key = (id(self.made), width, self.pattern)
            if self._laid_out != key:
                self._laid_out = key
                self._text = laid_out(self.made.markdown, width)
                self._table.show(report_page(self._text, self.hits))

    @property
    def hits(self) -> list[int]:
        return [] if self.pattern is None else self._text.hits(self.pattern)

    def next_row(self, rows: list[int] | tuple[int, ...], step: int) -> int | None:
        """The first of `rows` after the top of the page (`step` 1), or the last one before it (−1)."""
        top = self._table.top
        if step > 0:
            return next((row for row in rows if row > top), None)
        return next((row for row in reversed(rows) if row < top), None)

    @property
    def headings(self) -> tuple[int, ...]:
        return self._text.headings

    def at_end(self, snapshot: Snapshot) -> Line:
        """What the views' row says: which lines are seen, of which event, and whether a newer report is being made."""
        if self.made is None or self.made.failure is not None:
            return (Segment("computing", Token.SOFT),) if self.is_making else EMPTY
        rows = len(self._text.lines)
        first = min(self._table.top + 1, rows)
        last = min(self._table.top + self._table.page, rows)
        found: Line = EMPTY
        if self.pattern is not None:
            found = (Segment(f"/ {display_safe(self.pattern.pattern)}  {len(self.hits)} lines", Token.SOFT),)
        behind = self.is_behind(snapshot)
        as_of = f"as of seq {self.made.seq:,}" if self.made.seq is not None else "as of no event"
        said = (Segment(f"{as_of}, computing" if behind else as_of, Token.NOTE if behind else Token.SOFT),)
        return joined([found, said, (Segment(f"{first:,}–{last:,} of {rows:,} lines"),)])

"""The row that names the views and the rule under it, whose heavy part marks the current one."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from oakbench_tui.view.layout import FULL_FROM
from oakbench_tui.view.segments import Segment, Token, spread, width_of

if TYPE_CHECKING:
    from oakbench_tui.view.segments import Line


class View(StrEnum):
    TRIALS = "Trials"
    REPORT = "Report"


KEYS: Final = {View.TRIALS: "1", View.REPORT: "6"}


def views_row(current: View, at_end: Line, width: int) -> Line:
    """` 1 Trials   6 Report`, and at the right what the current view says of itself."""
    gap = "   " if width >= FULL_FROM else "  "
    parts: list[Segment] = []
    for view in View:
        here = view is current
        parts += [
            Segment(" " if not parts else gap),
            Segment(KEYS[view], Token.ACCENT),
            Segment(" "),
            Segment(view, Token.HERE if here else Token.SOFT),
        ]
    return spread(tuple(parts), (*at_end, Segment(" ")) if at_end else (), width)


def views_rule(current: View, width: int) -> Line:
    """The rule under that row: heavy under the current view and one cell to its sides."""
    gap = 3 if width >= FULL_FROM else 2
    column, start, heavy = 1, 0, 0
    for view in View:
        length = len(f"{KEYS[view]} {view}")
        if view is current:
            start, heavy = column - 1, length + 2
        column += length + gap
    heavy = min(heavy, width - start)
    return (
        Segment("─" * start, Token.LINE),
        Segment("━" * heavy, Token.ACCENT),
        Segment("─" * max(width - start - heavy, 0), Token.LINE),
    )


def titled_rule(title: Line, width: int) -> Line:
    """`── title ─────`: the rule over a lower pane."""
    start = (Segment("── ", Token.LINE), *title, Segment(" "))
    return (*start, Segment("─" * max(width - width_of(start), 0), Token.LINE))

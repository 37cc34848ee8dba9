"""The head of every view: the rows that answer without a key, at any size, what a person must know in five seconds.

Whether it lives, how it stands, what hangs, how much budget is left, how complete the evidence is, what may be said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_tui.view.budget import budget_rows, compact_budget
from oakbench_tui.view.coverage import measured_row
from oakbench_tui.view.equation import glyph_equation, trials_rows
from oakbench_tui.view.layout import AIRY_FROM, MEDIUM_FROM, is_compact, label
from oakbench_tui.view.running import running_row
from oakbench_tui.view.segments import EMPTY, Segment, Token, fitted
from oakbench_tui.view.strip import status_strip

if TYPE_CHECKING:
    from oakbench_tui.view.layout import Frame
    from oakbench_tui.view.segments import Line
    from oakbench_tui.view.snapshot import Snapshot


def head(snapshot: Snapshot, frame: Frame) -> tuple[Line, ...]:
    """The rows above the views, each as wide as the screen. Their number depends on size, plan and banner alone."""
    width, compact = frame.width, is_compact(frame.width, frame.height)
    airy = frame.height >= AIRY_FROM
    rows: list[Line] = [status_strip(snapshot, frame)]
    if frame.banner:
        rows.append(frame.banner)
    if not snapshot.sound:
        rows += [EMPTY] * (airy and not compact)
        rows += _without_figures(snapshot, width, compact=compact)
    elif compact:
        rows += [glyph_equation(snapshot.counts(), width), compact_budget(snapshot, width)]
    else:
        rows += [EMPTY] * airy
        rows += trials_rows(snapshot.counts(), width)
        rows += budget_rows(snapshot, width)
        rows.append(measured_row(snapshot.measured, width))
        rows.append(running_row(snapshot, width, frame.now))
    if airy and not compact:
        rows.append(EMPTY)
    return tuple(fitted(row, width) for row in rows)


def _without_figures(snapshot: Snapshot, width: int, *, compact: bool) -> list[Line]:
    if compact:
        return []
    why = "this journal gives no results" if snapshot.reading.failure is None else "nothing is read at the moment"
    said = f"no counts, no budget, no figures: {why}"
    short = f"no figures: {why}"
    return [
        (label("trials", width), Segment(said if width >= MEDIUM_FROM else short, Token.NOTE)),
        EMPTY,
    ]

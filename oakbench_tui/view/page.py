"""A page of lines: how many there are, and each by its number, made when it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oakbench_tui.view.segments import EMPTY, width_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oakbench_tui.view.segments import Line


def _nothing(_: int) -> Line:
    return EMPTY


@dataclass(frozen=True, slots=True)
class Page:
    """What a list draws. `header` stays while the rows scroll.

    `width` is the widest row in cells where rows may be wider than the screen, 0 where they are made to fit.
    """

    rows: int = 0
    line_at: Callable[[int], Line] = _nothing
    header: Line | None = None
    width: int = 0


def page_of(lines: Sequence[Line], *, header: Line | None = None) -> Page:
    """The page of lines that are made already; it is as wide as the widest."""
    held = tuple(lines)
    return Page(len(held), held.__getitem__, header, max(map(width_of, held), default=0))


def joined_pages(pages: Sequence[Page]) -> Page:
    """One page after the other."""
    starts: list[tuple[int, Page]] = []
    rows = 0
    for page in pages:
        starts.append((rows, page))
        rows += page.rows

    def line_at(row: int) -> Line:
        start, page = next((start, page) for start, page in reversed(starts) if start <= row)
        return page.line_at(row - start)

    return Page(rows, line_at, width=max((page.width for page in pages), default=0))

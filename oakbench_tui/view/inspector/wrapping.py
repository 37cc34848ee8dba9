"""Foreign text of any length as rows of a page: escaped and cut piece by piece, so that a megabyte opens at once."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from oakbench_core.display import display_safe
from oakbench_tui.view.page import Page
from oakbench_tui.view.segments import ELLIPSIS, Segment, Token, cells, cut

if TYPE_CHECKING:
    from oakbench_tui.view.segments import Line

BAR = "│ "


def shown(text: str, width: int) -> str:
    """As much of foreign text as `width` cells hold; what is not shown is not even looked at."""
    piece = display_safe(text[: width + 1])
    if len(text) > width + 1 and cells(piece) <= width:
        return cut(piece + ELLIPSIS, width)
    return cut(piece, width)


def wrapped(text: str, width: int) -> list[str]:
    """Prose in lines of at most `width` cells, broken at blanks where there are any. For texts of a few lines."""
    safe = display_safe(text)
    if cells(safe) <= width:
        return [safe]
    return textwrap.wrap(safe, max(width, 8), break_on_hyphens=False) or [""]


def exact_bytes(data: bytes, width: int) -> Page:
    """All the bytes, escaped, in rows of equal numbers of characters before escaping."""
    text = data.decode(errors="surrogateescape")
    step = max(width - len(BAR), 1)
    rows = -(-len(text) // step)

    def line_at(row: int) -> Line:
        return Segment(BAR, Token.LINE), Segment(display_safe(text[row * step : (row + 1) * step]))

    return Page(rows, line_at)


def quoted(text: str, width: int, *, token: Token = Token.TEXT) -> list[Line]:
    """Foreign prose behind a quote bar, wrapped."""
    return [(Segment(BAR, Token.LINE), Segment(line, token)) for line in wrapped(text, width - len(BAR))]

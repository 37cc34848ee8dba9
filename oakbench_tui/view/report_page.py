"""The report as a page: the very text that export writes, line by line; prose wraps, tables keep their width."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oakbench_core.display import display_safe
from oakbench_tui.view.page import Page, page_of
from oakbench_tui.view.segments import EMPTY, Segment, Token, cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_tui.view.segments import Line

_MARGIN = "  "
_LEAST = 20


@dataclass(frozen=True, slots=True)
class ReportText:
    """The rows of a report at one width. `headings` are the numbers of the rows that are headings."""

    lines: tuple[str, ...]
    headings: tuple[int, ...]

    def hits(self, pattern: re.Pattern[str]) -> list[int]:
        return [number for number, line in enumerate(self.lines) if pattern.search(line)]


def laid_out(markdown: str, width: int) -> ReportText:
    """Markdown as rows of at most `width` cells, but for tables and code, which scroll sideways."""
    room = max(width - 2 * len(_MARGIN), _LEAST)
    rows: list[str] = []
    headings: list[int] = []
    in_code = False
    for text in markdown.rstrip("\n").split("\n"):
        line = display_safe(text)
        in_code ^= line.startswith("```")
        if line.startswith("#") and not in_code:
            headings.append(len(rows))
        if in_code or line.startswith("|") or cells(line) <= room:
            rows.append(line)
        else:
            indent = re.match(r"\s*(?:[-*>]\s+|[0-9]+\.\s+)?", line)
            following = " " * (len(indent[0]) if indent else 0)
            rows += textwrap.wrap(line, room, subsequent_indent=following, break_on_hyphens=False) or [""]
    return ReportText(tuple(rows), tuple(headings))


def report_page(text: ReportText, hits: Sequence[int] = ()) -> Page:
    marked = frozenset(hits)
    return page_of([_line(line, number in marked) for number, line in enumerate(text.lines)])


def _line(text: str, is_hit: bool) -> Line:
    if not text:
        return EMPTY
    mark = Segment("▌ ", Token.ACCENT) if is_hit else Segment(_MARGIN)
    if text.startswith("#"):
        return (mark, Segment(text, Token.STRONG))
    if text.startswith("|"):
        # The bars are the table's; figures and words between them are what is read.
        parts = re.split(r"((?<!\\)\|)", text)
        ruled = set(text) <= set("|-: ")
        inner = Token.LINE if ruled else Token.TEXT
        return (mark, *(Segment(p, Token.LINE if p == "|" else inner) for p in parts if p))
    token = Token.SOFT if text.startswith((">", "```")) else Token.TEXT
    return (mark, Segment(text, token))

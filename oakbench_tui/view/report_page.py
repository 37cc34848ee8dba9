"""The report as a page of calm text: what export writes as Markdown, without its marks, tables in columns.

Nothing is left out and nothing is added; prose wraps by word, tables keep their width and scroll sideways.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from oakbench_core.display import display_safe
from oakbench_tui.view.page import Page, page_of
from oakbench_tui.view.segments import Segment, Token, cells, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oakbench_tui.view.segments import Line

_MARGIN: Final = "  "
_LEAST: Final = 20
_STRONG: Final = re.compile(r"(?<!\\)\*\*")
_BAR: Final = re.compile(r"(?<!\\)\|")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_RULE: Final = re.compile(r"[|:\- ]+")
_ITEM: Final = re.compile(r"\s*(?:[-*]\s+|[0-9]+\.\s+)?")


@dataclass(frozen=True, slots=True)
class ReportText:
    """The rows of a report at one width, without margin. `headings` are the numbers of the rows that are headings."""

    lines: tuple[Line, ...]
    headings: tuple[int, ...]

    def hits(self, pattern: re.Pattern[str]) -> list[int]:
        return [number for number, line in enumerate(self.lines) if pattern.search(plain(line))]


def laid_out(markdown: str, width: int) -> ReportText:
    """Markdown as rows: prose of at most `width` cells with its margins, tables as wide as they are."""
    room = max(width - 2 * len(_MARGIN), _LEAST)
    rows: list[Line] = []
    headings: list[int] = []
    for is_table, lines in groupby(markdown.rstrip("\n").split("\n"), lambda line: line.startswith("|")):
        if is_table:
            rows += _table(list(lines))
            continue
        for line in lines:
            if line.startswith("#"):
                headings.append(len(rows))
                rows.append((Segment(_shown(line.lstrip("#").strip()), Token.STRONG),))
            else:
                rows += _prose(line, room)
    return ReportText(tuple(rows), tuple(headings))


def _shown(text: str) -> str:
    """As it reads: Markdown's escapes undone, then what must be escaped for a screen."""
    return display_safe(_ESCAPED.sub(r"\1", text))


def _prose(line: str, width: int) -> list[Line]:
    following = " " * len(match[0]) if (match := _ITEM.match(line)) else ""
    if cells(line) <= width:
        wrapped = [line]
    else:
        wrapped = textwrap.wrap(line, width, subsequent_indent=following, break_on_hyphens=False) or [""]
    rows: list[Line] = []
    strong = False
    for text in wrapped:
        parts = _STRONG.split(text)
        row = []
        for number, part in enumerate(parts):
            if number:
                strong = not strong
            if part:
                row.append(Segment(_shown(part), Token.STRONG if strong else Token.TEXT))
        rows.append(tuple(row))
    return rows


def _table(lines: Sequence[str]) -> list[Line]:
    """A table in columns: its header soft, figures at the right where the table says so, a rule of its own width."""
    table = [[cell.strip() for cell in _BAR.split(line)[1:-1]] for line in lines]
    ruled = next((row for row, line in zip(table, lines, strict=True) if _RULE.fullmatch(line)), [])
    right = [cell.endswith(":") for cell in ruled]
    shown = [[_shown(_STRONG.sub("", cell)) for cell in row] for row in table if row is not ruled]
    number = max((len(row) for row in shown), default=0)
    widths = [max(cells(row[at]) for row in shown if at < len(row)) for at in range(number)]
    rows: list[Line] = []
    for position, row in enumerate(shown):
        token = Token.SOFT if not position else Token.TEXT
        rows.append((Segment("   ".join(_aligned(row, widths, right)).rstrip(), token),))
    rule = Segment("─" * (sum(widths) + 3 * (number - 1)), Token.LINE)
    return [*rows[:1], (rule,), *rows[1:]]


def _aligned(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> Iterable[str]:
    for at, cell in enumerate(row):
        blanks = " " * (widths[at] - cells(cell))
        yield blanks + cell if at < len(right) and right[at] else cell + blanks


def report_page(text: ReportText, hits: Sequence[int] = ()) -> Page:
    """The page with its margin; rows with a hit are marked there."""
    marked = frozenset(hits)
    mark, margin = Segment("▌ ", Token.ACCENT), Segment(_MARGIN)
    return page_of([(mark if number in marked else margin, *line) for number, line in enumerate(text.lines)])

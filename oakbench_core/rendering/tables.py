"""Plain tables for a terminal and comma-separated ones for programs, of cells that are text already.

Rule: every cell is shown by `display_safe`; a cell that a spreadsheet would run as a formula is quoted with a `'`.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.display import display_safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def text_table(heading: Sequence[str], rows: Iterable[Sequence[str]], *, left: int) -> list[str]:
    """Lines of aligned columns: the first `left` to the left, the others, which are figures, to the right."""
    shown = [[display_safe(cell) for cell in row] for row in (heading, *rows)]
    widths = [max(_cells(row[column]) for row in shown) for column in range(len(heading))]
    return ["  ".join(_padded(row[n], widths[n], left=n < left) for n in range(len(row))).rstrip() for row in shown]


def _cells(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1 for character in text)


def _padded(text: str, width: int, *, left: bool) -> str:
    space = " " * (width - _cells(text))
    return text + space if left else space + text


def csv_lines(heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """RFC 4180 without its CR; null is an empty field, a float is written so that it reads back as itself."""
    return [",".join(map(_csv_field, row)) for row in (heading, *rows)]


def _csv_field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    text = display_safe(str(value))
    if text.startswith(_FORMULA):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\n\r') else text

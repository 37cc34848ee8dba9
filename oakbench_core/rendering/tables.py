"""Plain tables for a terminal, of cells that are text already and are shown by `display_safe`."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from oakbench_core.display import display_safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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

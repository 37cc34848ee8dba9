"""Rows of values → CSV text.

Rule: an empty cell is null and nothing else, a number stands in full, and no text is a command to what opens the file:
not to a terminal, and not to a spreadsheet, which takes a leading sign for the beginning of a formula.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.display import display_safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FORMULA_SIGNS: Final = ("=", "+", "-", "@")


class _Lines(list[str]):
    """What csv writes to, in place of a file."""

    write = list.append


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]], *, first_line: str | None = None) -> str:
    """A table with one line a row, LF at the end of each.

    Args:
        header: names of the columns.
        rows: their values: text, numbers, booleans, None.
        first_line: what must be said before the table, as a comment: the filter that chose the rows.
    """
    lines = _Lines()
    if first_line is not None:
        lines.write(f"# {display_safe(first_line)}\n")
    table = csv.writer(lines, lineterminator="\n")
    table.writerow(header)
    for row in rows:
        table.writerow([_cell(value) for value in row])
    return "".join(lines)


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value)
        case str():
            safe = display_safe(value)
            return f"'{safe}" if safe.startswith(_FORMULA_SIGNS) else safe
    return str(value)

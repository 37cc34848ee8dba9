"""The one way of hostile text to people.

Text from a journal, a plan or an agent may hold anything: terminal commands (ESC, OSC 8 and 52, C1), bidirectional
overrides that reorder what is read, characters that cannot be seen. They become visible escapes here, and nothing
reaches a screen, a Markdown or HTML file, or an error message by another way. A message is cut as well: a plan may hold
a name of a megabyte, and its reader should still see what is wrong with it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from oakbench_core.errors import Problem

LONGEST_SHOWN: Final = 500
"""Cells that one part of a message may take: its rule, its file, its path."""

# Cc: C0, DEL, C1. Cf: bidirectional and zero-width controls, the soft hyphen, tags. Cs: surrogates. Zl, Zp: line and
# paragraph separators, which break a line where none was written. Co, Cn: what no font is sure to draw.
_UNSAFE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"})
# Letters by category, yet without a mark of their own on the screen: fillers, and selectors that change a width.
_UNSEEN: Final = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0\u034f") | frozenset(
    map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), 0x180B, 0x180C, 0x180D, 0x180F))
)
_PLAIN: Final = re.compile(r"[\x20-\x7e]*")


def _escaped(character: str) -> str:
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _shown(character: str) -> str:
    if character in _UNSEEN or unicodedata.category(character) in _UNSAFE_CATEGORIES:
        return _escaped(character)
    return character


def display_safe(text: str, *, keep_newlines: bool = False) -> str:
    """`text` with everything that commands a terminal or hides from the eye made a visible escape.

    The result is one line, unless `keep_newlines` leaves LF as it is (for text that is laid out by lines). Nothing is
    cut and nothing is dropped: two texts that differ only in what cannot be seen are shown different.
    """
    if _PLAIN.fullmatch(text):
        return text
    if keep_newlines:
        return "\n".join(display_safe(line) for line in text.split("\n"))
    return "".join(map(_shown, text))


def display_short(text: str, cells: int = LONGEST_SHOWN) -> str:
    """`text` on one line, made safe to show, and cut to so many cells, the note of how much was cut included.

    A wide character counts as two cells, every other one as at least one.
    """
    safe = display_safe(text[: cells + 1])  # no character takes less than a cell
    if len(text) <= cells and _cells(safe) <= cells:
        return safe
    room = cells - len(_cut_note(len(text)))
    kept, width = 0, 0
    while kept < len(text) and (width := width + _cells(display_safe(text[kept]))) <= room:
        kept += 1
    return display_safe(text[:kept]) + _cut_note(len(text) - kept)


def shown_problem(problem: Problem) -> Problem:
    """A problem as people are shown it: each of its parts safe, on one line, and cut."""
    file, path = (None if part is None else display_short(part) for part in (problem.file, problem.path))
    return replace(problem, file=file, path=path, rule=display_short(problem.rule))


def _cut_note(characters: int) -> str:
    return f"… (+{characters:,} characters)"


def _cells(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1 for character in text)

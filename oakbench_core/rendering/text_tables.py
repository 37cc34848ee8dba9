"""Rows of ready words → a table as plain text, or as Markdown.

Rule: every word goes through `display_safe` here, whoever wrote it, and in Markdown through its escapes too. Columns
are as wide as their widest word in cells of a terminal; what is the same in every row can be said once above them.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from oakbench_core.display import display_safe
from oakbench_core.rendering.escaping import sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Column(NamedTuple):
    """A heading and one word a row; figures stand at the right."""

    name: str
    words: list[str]
    right: bool = False


def folded(columns: Sequence[Column], *, keep: Sequence[str] = ()) -> tuple[list[tuple[str, str]], list[Column]]:
    """What is the same in every row, as (name, word), and the columns that remain; without rows nothing is folded."""
    constant, rest = [], []
    for column in columns:
        if column.name not in keep and len(set(column.words)) == 1:
            constant.append((column.name, column.words[0]))
        else:
            rest.append(column)
    return constant, rest


def constant_words(constant: Sequence[tuple[str, str]]) -> str:
    """The folded columns in a sentence's part: `lane core, scenario tiny_text`; empty words are left out."""
    return ", ".join(f"{name} {display_safe(word)}" for name, word in constant if word)


def text_table(columns: Sequence[Column]) -> Iterator[str]:
    """The lines of a table: headings, then a line a row; no line ends in blanks."""
    shown = [(column, [display_safe(word) for word in (column.name, *column.words)]) for column in columns]
    widths = [max(map(cells, words)) for _, words in shown]
    for row in range(1 + max((len(column.words) for column in columns), default=0)):
        parts = []
        for (column, words), width in zip(shown, widths, strict=True):
            blanks = " " * (width - cells(words[row]))
            parts.append(blanks + words[row] if column.right else words[row] + blanks)
        yield "  ".join(parts).rstrip()


def markdown_table(columns: Sequence[Column]) -> Iterator[str]:
    """The same in Markdown."""
    yield f"| {' | '.join(sentence(column.name) for column in columns)} |"
    yield f"|{'|'.join('---:' if column.right else '---' for column in columns)}|"
    for row in range(max((len(column.words) for column in columns), default=0)):
        yield f"| {' | '.join(sentence(column.words[row]) for column in columns)} |"


def cells(text: str) -> int:
    """How many cells of a terminal a text takes, its hidden characters made visible before."""
    if text.isascii():
        return len(text)
    return sum(_cells_of(character) for character in text)


def _cells_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1

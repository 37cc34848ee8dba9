"""Lines as plain data: pieces of text, each with the name of its style; measured and cut by cells.

Rule: whatever comes from a plan or a journal enters a line through `foreign`, which passes it through `display_safe`;
literals of ours enter as they are. A line never holds a line break.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import cell_len

from oakbench_core.display import display_safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ELLIPSIS: Final = "…"


class Token(StrEnum):
    """The names of styles (the palette says what each means and looks like)."""

    TEXT = "text"
    STRONG = "strong"
    SOFT = "soft"
    FAINT = "faint"
    LINE = "line"
    ACCENT = "accent"
    VERIFIED = "verified"
    FAILURE = "failure"
    TIMEOUT = "timeout"
    INFRA = "infra"
    INTERRUPTED = "interrupted"
    NOTE = "note"
    HERE = "here"  # the current view, the chip LIVE: accent, and reverse where there is no colour
    FILLED = "filled"  # INVALID and REPLACED: the ground printed on the colour of what was interrupted
    PILL = "pill"  # PAUSED, following: reversed accent


class Segment(NamedTuple):
    text: str
    token: Token = Token.TEXT


Line = tuple[Segment, ...]
EMPTY: Final[Line] = ()


def cells(text: str) -> int:
    """How many terminal cells `text` takes."""
    return len(text) if text.isascii() else cell_len(text)


def foreign(text: str, token: Token = Token.TEXT) -> Segment:
    """A piece of text that others wrote, made safe to show."""
    return Segment(display_safe(text), token)


def soft(text: str) -> Segment:
    return Segment(text, Token.SOFT)


def line_of(*parts: Segment | str) -> Line:
    """A line of pieces; plain strings are in the text's own style."""
    return tuple(part if isinstance(part, Segment) else Segment(part) for part in parts)


def plain(line: Iterable[Segment]) -> str:
    return "".join(segment.text for segment in line)


def width_of(line: Iterable[Segment]) -> int:
    return sum(cells(segment.text) for segment in line)


def joined(lines: Iterable[Line], gap: str = "   ") -> Line:
    """Lines one after the other with a gap between them; empty ones leave no gap."""
    result: list[Segment] = []
    for line in lines:
        if line:
            result.extend((Segment(gap), *line) if result else line)
    return tuple(result)


@lru_cache(4096)
def cut(text: str, width: int) -> str:
    """At most `width` cells of `text`, the end replaced by `…` where something was lost."""
    if cells(text) <= width:
        return text
    return _head(text, width - 1) + ELLIPSIS if width > 0 else ""


def cut_left(text: str, width: int) -> str:
    """As `cut`, but the beginning is lost: for paths."""
    if cells(text) <= width:
        return text
    return ELLIPSIS + _tail(text, width - 1) if width > 0 else ""


def cut_middle(text: str, width: int) -> str:
    """As `cut`, but the middle is lost: for IDs, whose two ends say most."""
    if cells(text) <= width:
        return text
    if width <= 0:
        return ""
    end = width // 2
    return _head(text, width - 1 - end) + ELLIPSIS + _tail(text, end)


def _head(text: str, width: int) -> str:
    if text.isascii():
        return text[: max(width, 0)]
    taken = 0
    for position, character in enumerate(text):
        taken += cell_len(character)
        if taken > width:
            return text[:position]
    return text


def _tail(text: str, width: int) -> str:
    if text.isascii():
        return text[len(text) - width :] if width > 0 else ""
    return _head(text[::-1], width)[::-1]


def left(text: str, width: int) -> str:
    """`text` in exactly `width` cells, cut at the right or filled with blanks there."""
    held = cut(text, width)
    return held + " " * (width - cells(held))


def right(text: str, width: int) -> str:
    """`text` in exactly `width` cells, blanks before it."""
    held = cut(text, width)
    return " " * (width - cells(held)) + held


def fitted(line: Line, width: int) -> Line:
    """The line in exactly `width` cells: cut with `…`, or filled with blanks."""
    result: list[Segment] = []
    room = width
    for position, segment in enumerate(line):
        needed = cells(segment.text)
        if needed > room or (needed == room and any(s.text for s in line[position + 1 :])):
            text = cut(segment.text, room)
            if text == segment.text and room > 0:
                text = _head(text, room - 1) + ELLIPSIS
            result.append(Segment(text, segment.token))
            room -= cells(text)
            break
        result.append(segment)
        room -= needed
    if room > 0:
        result.append(Segment(" " * room))
    return tuple(result)


def spread(start: Line, end: Line, width: int, *, least: int = 2) -> Line:
    """`start` at the left and `end` at the right edge, if both fit with `least` blanks between; else `start` alone."""
    blanks = width - width_of(start) - width_of(end)
    if not end or blanks < least:
        return start
    return (*start, Segment(" " * blanks), *end)


def first_fitting(candidates: Sequence[Line], width: int) -> Line:
    """The first candidate that fits, widest first; the last one where none does."""
    for candidate in candidates:
        if width_of(candidate) <= width:
            return candidate
    return candidates[-1]

"""The last row: the keys of the focused pane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_tui.view.keys import Where, footer_words
from oakbench_tui.view.layout import FULL_FROM
from oakbench_tui.view.segments import Segment, Token, joined

if TYPE_CHECKING:
    from oakbench_tui.view.segments import Line


def footer(where: Where, width: int) -> Line:
    gap = 3 if width >= FULL_FROM else 2
    return (Segment(" "), *joined([key_line(words) for words in footer_words(where, width, gap)], " " * gap))


def typing_footer() -> Line:
    """While a line is typed its keys are the only ones."""
    return (Segment(" "), *joined([key_line("enter keep"), key_line("esc as before")], "   "))


def key_line(words: str) -> Line:
    """`] [ problem`: all but the last word are keys."""
    keys, _, meaning = words.partition(" ") if not words.startswith(("] [", "← →")) else _split(words)
    return Segment(keys, Token.ACCENT), Segment(f" {meaning}", Token.SOFT)


def _split(words: str) -> tuple[str, str, str]:
    return words[:3], " ", words[4:]


def message_line(message: str) -> Line:
    """What was just done, in place of the keys; it is shown already safe."""
    return (Segment(f" {message}", Token.ACCENT),)

"""Which parts a screen of some size has: decided once here, asked by every view."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from oakbench_tui.view.segments import EMPTY, Segment, Token

if TYPE_CHECKING:
    from oakbench_tui.view.segments import Line

WIDE_FROM: Final = 120
FULL_FROM: Final = 100
MEDIUM_FROM: Final = 80
COMPACT_BELOW_WIDTH: Final = 60
COMPACT_BELOW_HEIGHT: Final = 12
_INSPECTOR_LEAST: Final = 46
_INSPECTOR_MOST: Final = 62
_LIST_WANTED: Final = 98
AIRY_FROM: Final = 40  # rows; from here on a row of air above the views


class Pane(StrEnum):
    """Where the inspector stands."""

    RIGHT = "right"
    BELOW = "below"
    ALONE = "alone"  # one pane at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What a view depends on besides the campaign: the screen's size in cells, the time, and the person's wishes.

    `now` is in seconds since 1970; `paused` counts the events on file beyond the moment shown, None where not paused.
    """

    width: int
    height: int
    now: float
    paused: int | None = None
    replaced: bool = False
    banner: Line = EMPTY
    ascii_only: bool = False


def is_compact(width: int, height: int) -> bool:
    return width < COMPACT_BELOW_WIDTH or height < COMPACT_BELOW_HEIGHT


def pane(width: int, height: int) -> Pane:
    if is_compact(width, height) or width < MEDIUM_FROM:
        return Pane.ALONE
    return Pane.RIGHT if width >= WIDE_FROM else Pane.BELOW


def inspector_width(width: int) -> int:
    """Cells of the inspector at the right, its rule left out."""
    return max(_INSPECTOR_LEAST, min(_INSPECTOR_MOST, width - _LIST_WANTED))


def label(text: str, width: int) -> Segment:
    """The label that opens a row of the head, in a column of its own."""
    column = f" {text}".ljust(10) if width >= FULL_FROM else text.ljust(8)
    return Segment(column, Token.SOFT)


def label_width(width: int) -> int:
    return 10 if width >= FULL_FROM else 8

"""Ratio intervals on one line against the target: `━` the interval, `●` the ratio, `│` the target, `░` the noise floor.

Rule: all lines of a scorecard share one logarithmic axis. What lies beyond it is pointed at (`<`, `>`), never moved
onto it; where there is no interval none is drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TICKS: Final = (1, 0.5, 2, 0.1, 10, 0.8, 1.25, 0.2, 5, 0.01, 100, 0.05, 20, 0.02, 50)  # the first come first
_FARTHEST: Final = math.log(128)  # from 1, in either direction: beyond it a line says no more
_MARGIN: Final = 0.05  # of the axis, on both sides


@dataclass(frozen=True, slots=True)
class Axis:
    """A stretch of the log scale over some cells."""

    low: float
    high: float
    width: int

    def cell(self, log: float) -> int:
        """The cell of a place; under 0 or from `width` on where it lies beyond the axis."""
        return math.floor((log - self.low) / (self.high - self.low) * self.width)

    def heading(self) -> str:
        """The ticks that fit, each standing over its cell."""
        line = [" "] * self.width
        for tick in _TICKS:
            text, place = f"{tick:g}".removeprefix("0"), self.cell(math.log(tick))
            around = line[max(place - 1, 0) : place + len(text) + 1]
            if 0 <= place <= self.width - len(text) and not "".join(around).strip():
                line[place : place + len(text)] = text
        return "".join(line).rstrip()


def axis_of(results: Sequence[Mapping[str, Any]], width: int) -> Axis:
    """The axis that shows every ratio, interval end, target and 1 of these results, as far as it may reach."""
    places = [0.0]
    for result in results:
        places.append(math.log(result["target_ratio"]))
        places += [math.log(number) for number in (result["ratio"] or {}).values() if number]
    kept = [place for place in places if abs(place) <= _FARTHEST] or [0.0]
    low, high = min(kept), max(kept)
    room = max(high - low, math.log(1.5))
    middle = (low + high) / 2
    half = room * (0.5 + _MARGIN)
    return Axis(middle - half, middle + half, width)


def ratio_line(result: Mapping[str, Any], axis: Axis) -> str:
    """One result on the axis, as wide as it is; blanks where nothing could be compared."""
    line = [" "] * axis.width
    noise = result["noise_floor"]
    floor = noise["value"] if noise is not None and noise["value"] is not None else 0
    target = math.log(result["target_ratio"])
    if floor > 0:
        _fill(line, axis.cell(target - floor), axis.cell(target + floor), "░", over="")
    _put(line, axis.cell(target), "│")
    ratio = result["ratio"]
    if ratio is None or not ratio["value"]:
        return "".join(line)
    if ratio["low"] and ratio["high"]:
        _fill(line, axis.cell(math.log(ratio["low"])), axis.cell(math.log(ratio["high"])), "━", over="▒")
    _put(line, axis.cell(math.log(ratio["value"])), "●")
    return "".join(line)


def _put(line: list[str], place: int, glyph: str) -> None:
    if place < 0:
        line[0] = "<"
    elif place >= len(line):
        line[-1] = ">"
    else:
        line[place] = glyph


def _fill(line: list[str], first: int, last: int, glyph: str, *, over: str) -> None:
    """Draw from cell to cell; `over` stands where the noise floor is hatched already, unless it is empty."""
    for place in range(max(first, 0), min(last, len(line) - 1) + 1):
        line[place] = over if over and line[place] == "░" else glyph
    if first < 0:
        line[0] = "<"
    if last >= len(line):
        line[-1] = ">"

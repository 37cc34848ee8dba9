"""A ratio's interval, a target and a noise floor → the statistical verdict. Numbers in, a word out; no rows, no modes.

Rule: everything is compared on the log scale, where a difference under 1e-12 counts as equal. The floor widens the
interval against both verdicts alike, so that a larger floor, like a wider interval, can only leave more open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.baseline.vocabulary import Code, Direction, Verdict
from oakbench_core.intervals import Interval, mover_difference

if TYPE_CHECKING:
    from oakbench_core.baseline.figures import ValueInterval

EQUAL: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Ratio:
    """Candidate / baseline: the figure and its interval as natural logarithms; the interval None where there is none.

    `confidence` is the smaller of the two sides'; None where a side has none on record.
    """

    log: float
    interval: Interval | None
    confidence: float | None

    def as_document(self) -> dict[str, Any]:
        return {
            "value": _exp(self.log),
            "low": None if self.interval is None else _exp(self.interval.low),
            "high": None if self.interval is None else _exp(self.interval.high),
            "confidence": self.confidence,
        }


def _exp(log: float) -> float | None:
    """The number itself; None where it is beyond what a float can hold."""
    try:
        return math.exp(log)
    except OverflowError:
        return None


def ratio_of(
    candidate: float, of_candidate: ValueInterval | None, baseline: float, of_baseline: ValueInterval | None
) -> Ratio:
    """The ratio of two positive values; an interval that is handed over has positive, finite ends.

    The baseline's own interval enters: a saved median taken as fixed covers 0.85 to 0.92 instead of 0.95.
    """
    levels = [side.confidence for side in (of_candidate, of_baseline) if side is not None]
    known = [level for level in levels if level is not None]
    a, b = math.log(candidate), math.log(baseline)
    of_a, of_b = _logs(of_candidate), _logs(of_baseline)
    interval = None if of_a is None or of_b is None else mover_difference(a, of_a, b, of_b)
    return Ratio(a - b, interval, min(known) if len(known) == 2 else None)


def _logs(interval: ValueInterval | None) -> Interval | None:
    if interval is None or interval.low is None or interval.high is None:
        return None
    return Interval(math.log(interval.low), math.log(interval.high))


def judged(
    interval: Interval | None, direction: Direction, target_ratio: float, floor: float
) -> tuple[Verdict, tuple[Code, ...]]:
    """The statistical verdict of a log-scale interval, and why it is AMBER if it is.

    A target nearer to 1 than the noise is below it, whatever the interval: two sessions of the same thing were seen
    further apart. A target of exactly 1 asks for no distance and is judged.
    """
    if interval is None:
        return Verdict.AMBER, (Code.NO_INTERVAL,)
    target = math.log(target_ratio)
    below = (Code.BELOW_NOISE_FLOOR,) if target != 0 and _at_most(abs(target), floor) else ()
    if direction is Direction.LOWER:
        green = _at_most(interval.high + floor, target)
        red = not _at_most(interval.low - floor, target)
    else:
        green = _at_most(target, interval.low - floor)
        red = not _at_most(target, interval.high + floor)
    if green or red:
        return (Verdict.AMBER, below) if below else (Verdict.GREEN if green else Verdict.RED, ())
    return Verdict.AMBER, (Code.STRADDLES_TARGET, *below)


def _at_most(a: float, b: float) -> bool:
    return a - b < EQUAL

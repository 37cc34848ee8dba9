"""The ratio of a candidate to a saved baseline: its interval, and what that says of a target.

Rule: the baseline's own interval enters. A saved median taken as fixed would cover far less than is stated; MOVER on
the log scale (Zou, G. Y. & Donner, A. (2008), Stat. Med. 27, 1693-1702) recovers the variance of each side from its
own interval.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.baseline.codes import Verdict

if TYPE_CHECKING:
    from typing import Literal

_EQUAL: Final = 1e-12
"""Logarithms that lie closer than this are equal: rounding must decide no verdict."""


class Measured(NamedTuple):
    """A statistic and its interval, all positive; the ends are None where there is no interval."""

    value: float
    low: float | None
    high: float | None


class LogRatio(NamedTuple):
    """ln(candidate / baseline) and its interval."""

    value: float
    low: float | None
    high: float | None


def log_ratio(candidate: Measured, baseline: Measured) -> LogRatio:
    """Of the logs m, l, u of each side: r = mc - mb, r - √((mc - lc)² + (ub - mb)²), r + √((uc - mc)² + (mb - lb)²).

    Without an interval that is positive on both sides there is none of the ratio.
    """
    mc, mb = math.log(candidate.value), math.log(baseline.value)
    ends = (candidate.low, candidate.high, baseline.low, baseline.high)
    if any(end is None or end <= 0 for end in ends):
        return LogRatio(mc - mb, None, None)
    lc, uc, lb, ub = (math.log(end) for end in ends if end is not None)
    r = mc - mb
    return LogRatio(r, r - math.hypot(mc - lc, ub - mb), r + math.hypot(uc - mc, mb - lb))


def judged(ratio: LogRatio, direction: Literal["lower", "higher"], target_ratio: float, floor: float) -> Verdict:
    """GREEN, RED, or AMBER where the interval widened by the floor straddles the target, or is none.

    `floor` is on the log scale. Lower is better: GREEN if U·e^f ≤ T, RED if L·e^-f > T. Higher: GREEN if L·e^-f ≥ T,
    RED if U·e^f < T.
    """
    if ratio.low is None or ratio.high is None:
        return Verdict.AMBER
    target = math.log(target_ratio)
    low, high = ratio.low - floor, ratio.high + floor
    if direction == "lower":
        green, red = high <= target + _EQUAL, low > target + _EQUAL
    else:
        green, red = low >= target - _EQUAL, high < target - _EQUAL
    return Verdict.GREEN if green else Verdict.RED if red else Verdict.AMBER

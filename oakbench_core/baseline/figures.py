"""One statistic of one sample, with the interval around it.

Rule: an interval is made of order statistics of the sample itself: exact, without a seed, whatever the distribution.
Where a sample is too small for one there is none, and the confidence that was asked for stays on record. Not used, for
measured reasons: BCa (NaN on ties), the basic bootstrap (covers 0.53 to 0.88 of medians), any bootstrap of a p99 (0.63
at 100 values).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.baseline.vocabulary import Statistic
from oakbench_core.intervals import order_statistic_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

METHOD: Final = "order_statistics"
QUANTILES: Final = {Statistic.MEDIAN: Fraction(1, 2), Statistic.P99: Fraction(99, 100)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueInterval:
    """An interval as a book records it; `low`, `high` and `achieved_confidence` are None where there is none."""

    low: float | None
    high: float | None
    confidence: float | None
    method: str
    achieved_confidence: float | None

    def as_document(self) -> dict[str, Any]:
        return {
            "low": self.low,
            "high": self.high,
            "confidence": self.confidence,
            "method": self.method,
            "achieved_confidence": self.achieved_confidence,
        }


@dataclass(frozen=True, slots=True)
class Figure:
    """A value, None of an empty sample, and its interval."""

    value: float | None
    interval: ValueInterval


def nearest_rank(ascending: Sequence[float], percent: int) -> float:
    """The value at rank ⌈percent · n / 100⌉ of a sample that is not empty."""
    return ascending[-(-percent * len(ascending) // 100) - 1]


def value_of(ascending: Sequence[float], statistic: Statistic) -> float | None:
    """The statistic of a sorted sample; None of an empty one."""
    if not ascending:
        return None
    match statistic:
        case Statistic.P99:
            return nearest_rank(ascending, 99)
        case Statistic.MEDIAN:
            below, above = ascending[(len(ascending) - 1) // 2], ascending[len(ascending) // 2]
            return below if below == above else below / 2 + above / 2  # halved first: the sum may be beyond a float


def figure_of(ascending: Sequence[float], statistic: Statistic, confidence: float) -> Figure:
    """The statistic of a sorted sample and its two-sided interval at this confidence."""
    ranks = order_statistic_ranks(len(ascending), QUANTILES[statistic], confidence)
    return Figure(
        value_of(ascending, statistic),
        ValueInterval(
            low=None if ranks is None else ascending[ranks.low - 1],
            high=None if ranks is None else ascending[ranks.high - 1],
            confidence=confidence,
            method=METHOD,
            achieved_confidence=None if ranks is None else ranks.achieved_confidence,
        ),
    )

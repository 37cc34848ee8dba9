"""Observed or missing, and what may be said of a sample in which some values are missing.

Rule: `None` is a value that was not observed. It takes part in no arithmetic, and no figure here
turns it into 0: a sum over nothing observed is None, and a total is None unless every value was
observed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def exact_sum(values: Iterable[float]) -> float:
    """The sum, rounded once, whatever the order; of integers the integer itself.

    Raises OverflowError if the sum is beyond what a float can hold.
    """
    held = values if isinstance(values, list | tuple) else list(values)
    if set(map(type, held)) <= {int}:
        return sum(held)
    return math.fsum(held)


@dataclass(frozen=True, slots=True)
class Sample:
    """What was observed of one quantity, in any order, and of how many it should have been.

    `of` counts the values that a complete measurement would hold; `observed` never exceeds it.
    """

    observed: tuple[float, ...]
    of: int

    def __post_init__(self) -> None:
        if len(self.observed) > self.of:
            raise ValueError(f"{len(self.observed)} values observed of {self.of}")

    @property
    def n(self) -> int:
        """How many values were observed."""
        return len(self.observed)

    @property
    def complete(self) -> bool:
        """Every value was observed, and there was one to observe."""
        return 0 < self.of == self.n

    @property
    def partial_sum(self) -> float | None:
        """The exact sum of what was observed: a lower bound of a total of non-negative values."""
        return exact_sum(self.observed) if self.observed else None

    @property
    def complete_total(self) -> float | None:
        """The same sum where it is the whole: every value observed."""
        return self.partial_sum if self.complete else None

    @property
    def mean(self) -> float | None:
        """The arithmetic mean of what was observed."""
        return exact_sum(self.observed) / self.n if self.observed else None

    @property
    def median(self) -> float | None:
        """The middle value observed; the mean of the middle two where the count is even."""
        return _middle(sorted(self.observed)) if self.observed else None


def sample(values: Iterable[float | None]) -> Sample:
    """The sample of values of which some are missing; each counts once, observed or not."""
    held = list(values)
    return Sample(tuple(value for value in held if value is not None), len(held))


def _middle(ascending: Sequence[float]) -> float:
    below, above = ascending[(len(ascending) - 1) // 2], ascending[len(ascending) // 2]
    # The sum of two equal values may be more than a float holds.
    return float(below) if below == above else (below + above) / 2

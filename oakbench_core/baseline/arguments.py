"""What a caller may ask of an analysis, refused before anything is analysed."""

from __future__ import annotations

import math

from oakbench_core.errors import UsageError


def expect_confidence(confidence: object) -> float:
    """The confidence, if it is a number above 0 and below 1.

    Raises:
        UsageError: it is none.
    """
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise UsageError(f"confidence: expected a number above 0 and below 1, found {confidence!r}")
    if not math.isfinite(confidence) or not 0 < confidence < 1:
        raise UsageError(f"confidence: expected a number above 0 and below 1, found {confidence}")
    return float(confidence)


def expect_draws(draws: object) -> int | None:
    """The number of draws to record, if it is a positive integer or None.

    Raises:
        UsageError: it is neither.
    """
    if draws is None:
        return None
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
        raise UsageError(f"draws: expected a positive integer, found {draws!r}")
    return draws

"""What a claim needs besides a verdict: each cap is one prerequisite that the evidence does not meet (ADR-0009).

Rule: eligibility decides nothing about the ratio. In claim mode a cap turns a verdict to AMBER and says why; what the
numbers alone would have said stays beside it. Eligible is neither a power calculation nor a proof of independence.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from oakbench_core.baseline.populations import missing_fields
from oakbench_core.baseline.reasons import Reason
from oakbench_core.baseline.sentences import hidden_words
from oakbench_core.baseline.sides import interval_fault
from oakbench_core.baseline.vocabulary import Code, Doubt, Statistic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.baseline.book_document import CellNoise
    from oakbench_core.baseline.samples import Counts
    from oakbench_core.baseline.sides import Side

LEAST_CONFIDENCE: Final = 0.95
LEAST_TRIALS: Final = {Statistic.MEDIAN: 30, Statistic.P99: 100}
LEAST_VALUES_P99: Final = 368  # below it a p99 has no two-sided interval at 95 %
_DOUBTS: Final = {
    Doubt.REPEATED_CONTENT: (Code.REPEATED_CONTENT, "two rows are equal in all but their trial and time"),
    Doubt.RUN_GAPS: (Code.RUN_GAPS, "the runs of a session are not consecutive from 0 or 1"),
}


def side_caps(name: str, side: Side, lane: str, statistic: Statistic) -> Iterator[Reason]:
    """The prerequisites that one side does not meet; `name` is what the sentences call it."""
    if side.identity is not None and (missing := missing_fields(side.identity, lane)):
        yield Reason(Code.IDENTITY_INCOMPLETE, f"{name}: {', '.join(missing)} not known")
    if side.counts is not None:
        yield from _count_caps(name, side.counts, statistic)
    for doubt in side.doubts:
        code, words = _DOUBTS[doubt]
        yield Reason(code, f"{name}: {words}")


def _count_caps(name: str, counts: Counts, statistic: Statistic) -> Iterator[Reason]:
    least = LEAST_TRIALS[statistic]
    if counts.independent_n is None:
        yield Reason(Code.TRIAL_IDS_MISSING, f"{name}: a measured row without bench_id, or whose run is no integer")
    elif counts.independent_n < least:
        yield Reason(
            Code.TOO_FEW_TRIALS, f"{name}: {counts.independent_n:,} distinct trials, a {statistic} needs {least}"
        )
    if counts.hidden:
        yield Reason(Code.HIDDEN_OUTCOMES, f"{name}: {hidden_words(counts)} of {counts.attempted_n:,} attempted")


def baseline_caps(side: Side) -> Iterator[Reason]:
    """What only a saved cell can fail: its own distinct trials, its own interval."""
    counts = side.counts
    if counts is not None and counts.independent_n is not None and counts.independent_n != counts.n:
        text = f"baseline: {counts.n:,} values of {counts.independent_n:,} distinct trials"
        yield Reason(Code.BASELINE_DUPLICATES, text)
    if fault := interval_fault(side.interval):
        yield Reason(Code.BASELINE_INTERVAL_INVALID, f"the baseline's interval: {fault}")


def candidate_confidence_caps(level: float) -> Iterator[Reason]:
    if level < LEAST_CONFIDENCE:
        yield Reason(Code.CONFIDENCE_TOO_LOW, f"candidate: {level:g}, a claim needs {LEAST_CONFIDENCE}")


def baseline_confidence_caps(side: Side) -> Iterator[Reason]:
    saved = None if side.interval is None else side.interval.confidence
    if saved is None:
        yield Reason(Code.CONFIDENCE_TOO_LOW, "baseline: no confidence on record, which does not mean 0.95")
    elif saved < LEAST_CONFIDENCE:
        yield Reason(Code.CONFIDENCE_TOO_LOW, f"baseline: {saved:g}, a claim needs {LEAST_CONFIDENCE}")


def noise_caps(noise: CellNoise | None) -> Iterator[Reason]:
    if noise is None:
        yield Reason(Code.NOISE_FLOOR_ABSENT, "no noise was measured: the floor counts as 0")
    elif not math.isfinite(noise.value) or noise.value < 0:
        yield Reason(Code.NOISE_FLOOR_INVALID, f"the recorded floor is {noise.value}: it counts as 0")


def floor_of(noise: CellNoise | None) -> float:
    """The floor on the log scale; 0 where there is no valid one, which the reasons or notices say."""
    return float(noise.value) if noise is not None and not list(noise_caps(noise)) else 0.0

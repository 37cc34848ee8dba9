"""The plain words of codes and places: one sentence a code, said in this file and nowhere else.

What a sentence quotes was written by whoever wrote the rows; whoever shows it passes it through `display_safe`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from oakbench_core.baseline.vocabulary import Code

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oakbench_core.baseline.populations import Difference, PopulationKey, Value
    from oakbench_core.baseline.samples import Counts

NOTICE: Final = MappingProxyType(
    {
        Code.DIAGNOSTIC_ONLY: "Diagnostic mode: no claim rests on this result, whatever its verdict.",
        Code.NO_PUBLICATION_GATE: (
            "Eligible says that the evidence's prerequisites hold. It replaces no publication gate, attestation, "
            "preregistered analysis or scientific review."
        ),
        Code.NOISE_FLOOR_IS_A_RECORD: "The noise floor is a recorded measurement, no authenticated calibration.",
        Code.GREEN_IS_WORSE_THAN_BASELINE: (
            "The target lies on the worse side of 1: a GREEN candidate may be worse than the baseline."
        ),
        Code.GUARD_ABSENT: "No guard is set: how right the candidate's answers are has no part in this verdict.",
        Code.SINGLE_SESSION: (
            "All measured rows of the candidate come from one session: what differs between sessions is not in its "
            "interval."
        ),
        Code.FEW_NOISE_PAIRS: (
            "The noise floor rests on fewer than ten pairs of sessions: with K pairs the next one exceeds it with "
            "probability 1/(K + 1)."
        ),
    }
)

_COUNTED: Final = MappingProxyType(
    {"failure_n": "failed", "skipped_n": "skipped", "unmeasured_n": "unmeasured", "unknown_n": "of unknown outcome"}
)
MISSING: Final = "not recorded"


def key_words(key: PopulationKey) -> str:
    """A population's key as one text."""
    return " / ".join(part for part in (key.lane, key.scenario, key.operation, key.track, key.subject) if part)


def value_words(value: Value) -> str:
    return MISSING if value is None else str(value)


def mixed_words(differing: Iterable[Difference]) -> str:
    """Fields in which rows of one population differ, with the values seen."""
    return "; ".join(f"{one.field} is {' and '.join(map(value_words, one.values))}" for one in differing)


def mismatch_words(differing: Iterable[Difference]) -> str:
    """Fields in which candidate and baseline differ: the candidate's value first."""
    parts = []
    for field, (candidate, baseline) in differing:
        words = f"{field} {value_words(candidate)} against {value_words(baseline)}"
        if field == "runner_class":
            words += " (a ratio across runner classes needs a same-run analysis)"
        parts.append(words)
    return "; ".join(parts)


def hidden_words(counts: Counts) -> str:
    """Attempts that a figure of the measured rows says nothing of."""
    return " + ".join(f"{count:,} {_COUNTED[name]}" for name, count in counts.hidden.items())


def rows_words(counts: Counts) -> str:
    """All rows of a sample without a measured one."""
    return f"{counts.attempted_n:,} rows = {hidden_words(counts) or 'none'}"

"""What a claim on a population, or on a saved cell, still needs: the caps that it would meet on its own.

What only the other side can show, a mismatch or a target, is no part of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_core.baseline.eligibility import (
    LEAST_VALUES_P99,
    baseline_caps,
    baseline_confidence_caps,
    candidate_confidence_caps,
    noise_caps,
    side_caps,
)
from oakbench_core.baseline.guards import guard_reasons
from oakbench_core.baseline.reasons import Reason, in_order
from oakbench_core.baseline.sentences import mixed_words, rows_words
from oakbench_core.baseline.sides import baseline_side, candidate_side, facts_of
from oakbench_core.baseline.targets import Guard
from oakbench_core.baseline.vocabulary import Code, Statistic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.baseline.book import SavedCell
    from oakbench_core.baseline.columns import Columns, Table
    from oakbench_core.baseline.sides import Facts, Side

_NOISE = Reason(
    Code.NOISE_FLOOR_ABSENT,
    "as a baseline: A/A rows of two sessions or more, better of twenty, for `book build --noise`",
)


def missing_of_rows(
    table: Table, columns: Columns, metric: str | None, level: float
) -> dict[str, list[dict[str, str]]]:
    """By statistic, what a claim still needs of these rows."""
    facts = facts_of(table, columns, metric)
    return {statistic.value: _documents(_of_rows(facts, statistic, level)) for statistic in Statistic}


def missing_of_cell(cell: SavedCell) -> list[dict[str, str]]:
    """What a claim against this saved cell still needs."""
    return _documents(_of_cell(cell))


def _documents(reasons: Iterator[Reason]) -> list[dict[str, str]]:
    return [reason.as_document() for reason in in_order(reasons)]


def _of_rows(facts: Facts, statistic: Statistic, level: float) -> Iterator[Reason]:
    side, columns = candidate_side(facts, statistic, level), facts.columns
    if side.differing:
        yield Reason(Code.MIXED_POPULATION, mixed_words(side.differing))
    if side.duplicates:
        yield Reason(Code.DUPLICATE_TRIALS, f"{side.duplicates:,} rows have the trial of another")
    if side.counts is not None and side.counts.n == 0:
        yield Reason(Code.CANDIDATE_UNMEASURED, rows_words(side.counts))
    elif not side.has_interval and not side.differing and not side.duplicates:
        yield _no_interval(statistic)
    yield from candidate_confidence_caps(level)
    yield from side_caps("rows", side, columns.key.lane, statistic)
    for name, found in columns.guards.items():
        if found.least is not None or found.versions - {None}:
            yield from guard_reasons(columns, [Guard(name=name)])
    yield _NOISE


def _no_interval(statistic: Statistic) -> Reason:
    least = LEAST_VALUES_P99 if statistic is Statistic.P99 else 6
    return Reason(Code.NO_INTERVAL, f"{least} values, for an interval of a {statistic} at 95 %")


def _of_cell(cell: SavedCell) -> Iterator[Reason]:
    side: Side = baseline_side(cell)
    if cell.identity is None:
        text = "version 1 recorded no identity, no denominators and no interval: measure the baseline anew"
        yield Reason(Code.IDENTITY_MISMATCH, text)
        return
    if cell.value is None and cell.counts is not None:
        yield Reason(Code.BASELINE_UNMEASURED, rows_words(cell.counts))
    elif not side.has_interval and cell.key.statistic is not None:
        yield _no_interval(cell.key.statistic)
    if cell.key.statistic is not None:
        yield from side_caps("baseline", side, cell.key.lane, cell.key.statistic)
    yield from baseline_confidence_caps(side)
    yield from baseline_caps(side)
    yield from noise_caps(cell.noise)

"""What rows hold, cell by cell: every denominator first, and figures conditional on success only where there are some.

Rule: an unknown outcome is no failure, a skip is no attempt, and a cell with failures or unmeasured rows alone has its
denominators and no figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oakbench_core.baseline.building import expect_confidence, interval_of, unit_of, warnings_of
from oakbench_core.baseline.comparison import LEAST_TRIALS
from oakbench_core.baseline.noise import statistic_of
from oakbench_core.baseline.populations import COMPARISON_FIELDS, applicable_fields, disagreement, populations_of
from oakbench_core.baseline.row import Outcome, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oakbench_core.baseline.populations import Population
    from oakbench_core.baseline.row import MeasuredRow

STATISTICS_SCHEMA: Final = "oakbench.stats/1"
LEAST_FOR: Final = {"p95": 20, "p99": 100}
"""Percentile → how many values it needs to be given: below, it would be the largest value by another name."""


def statistics(rows: Iterable[MeasuredRow | Mapping[str, Any]], confidence: float = 0.95) -> dict[str, Any]:
    """`oakbench.stats/1`: for each population and metric, its denominators and what may be said of it.

    Raises:
        DocumentError: a row is refused, with every problem.
        UsageError: `confidence` is none.
    """
    confidence = expect_confidence(confidence)
    populations = populations_of(row for row, _ in rows_of(rows, "rows"))
    ordered = sorted(populations.values(), key=lambda population: tuple(part or "" for part in population.key))
    return {
        "schema": STATISTICS_SCHEMA,
        "confidence": confidence,
        "cells": [cell for population in ordered for cell in _cells(population, confidence)],
    }


def _cells(population: Population, confidence: float) -> Iterator[dict[str, Any]]:
    for metric in population.metric_names or (None,):
        values = [] if metric is None else sorted(population.values(metric))
        ok, skipped = population.count(Outcome.OK), population.count(Outcome.SKIPPED)
        yield {
            **population.key._asdict(),
            "metric": metric,
            "unit": None if metric is None else unit_of(metric),
            "rows": population.rows,
            "attempts": population.rows - skipped,
            "ok": ok,
            "failed": population.count(Outcome.FAILED),
            "unknown": population.count(Outcome.UNKNOWN),
            "skipped": skipped,
            "unmeasured": ok - len(values),
            "on_success": _figures(values, confidence) if values and not population.differing else None,
            "disagreement": disagreement(population),
            "claim_needs": list(_claim_needs(population, metric, len(values))),
        }


def _figures(ascending: list[float], confidence: float) -> dict[str, Any]:
    """Conditional on success: `n` beside each figure; a percentile that too few values carry is null."""
    n = len(ascending)
    interval = interval_of(ascending, "median", confidence)
    return {
        "n": n,
        "median": statistic_of(ascending, "median"),
        "interval": interval,
        "p95": ascending[-(-95 * n // 100) - 1] if n >= LEAST_FOR["p95"] else None,
        "p99": statistic_of(ascending, "p99") if n >= LEAST_FOR["p99"] else None,
    }


def _claim_needs(population: Population, metric: str | None, n: int) -> Iterator[str]:
    """What a claim would still ask of these rows, on either side of it."""
    if population.differing:
        yield "one population: its rows disagree"
    identity = dict(zip(COMPARISON_FIELDS, population.identity or (), strict=False))
    missing = [name for name in applicable_fields(population.key.lane) if identity.get(name) is None]
    if missing:
        yield f"known conditions: {', '.join(missing)}"
    if not population.has_index_everywhere:
        yield "a bench_id and an integer run on every row"
    elif population.has_duplicate_trials:
        yield "each trial once: two rows name the same"
    if n < LEAST_TRIALS["median"]:
        yield f"{LEAST_TRIALS['median'] - n} more measured trials for a median"
    hidden = population.rows - n
    if hidden:
        yield f"no row without a value: {hidden:,} failed, were skipped, are unknown or unmeasured"
    warnings = warnings_of(population, metric)
    if "repeated_content" in warnings:
        yield "no row that is a copy of another"
    if "run_gaps" in warnings:
        yield "trials numbered one after the other from 0 or 1"

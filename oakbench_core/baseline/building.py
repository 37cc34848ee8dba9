"""Rows → a Baseline Book, `oakbench.book/2`.

Rule: a cell keeps every denominator beside its figure, and its conditions as the rows state them. Nothing is taken from
the machine that summarises; populations that do not agree are refused, never pooled.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from oakbench_core.baseline.book import BOOK_SCHEMA, INTERVAL_METHOD, STATISTICS, read_book
from oakbench_core.baseline.noise import noise_floor, noise_problems, statistic_of
from oakbench_core.baseline.populations import COMPARISON_FIELDS, PopulationKey, disagreement, populations_of
from oakbench_core.baseline.row import MeasuredRow, Outcome, rows_of, written
from oakbench_core.errors import DocumentError, Problem, UsageError
from oakbench_core.intervals import order_statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from oakbench_core.baseline.populations import Population


def expect_confidence(confidence: object) -> float:
    """Raises UsageError unless it is a finite number between 0 and 1, both excluded."""
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise UsageError(f"expected a confidence between 0 and 1, such as 0.95, found {confidence!r}")
    return float(confidence)


def unit_of(metric: str) -> str | None:
    """The text behind the last `_` of a metric's name: `wall_ms` is in ms."""
    return metric.rpartition("_")[2] if "_" in metric and not metric.endswith("_") else None


def build_book(
    rows: Iterable[MeasuredRow | Mapping[str, Any]],
    noise_rows: Iterable[MeasuredRow | Mapping[str, Any]] | None = None,
    confidence: float = 0.95,
    *,
    created_at: str,
) -> dict[str, Any]:
    """The book of these rows, as plain JSON data; rows are read once and not kept.

    Args:
        rows: of the command lanes, checked or as plain mappings.
        noise_rows: A/A rows, for the noise floors.
        confidence: of the intervals.
        created_at: the time that the book carries, UTC text.

    Raises:
        DocumentError: a row is refused, the rows of one key do not agree, or A/A rows are not of the same kind.
        UsageError: `confidence` is none.
    """
    confidence = expect_confidence(confidence)
    digest = sha256()
    populations = populations_of(_hashed(rows, digest.update))
    noise = populations_of(row for row, _ in rows_of(noise_rows or (), "A/A rows"))
    problems = [
        Problem(rule=f"{'/'.join(map(str, key))}: {told}")
        for key, population in populations.items()
        if (told := disagreement(population)) is not None
    ]
    for key, of_key in noise.items():
        if key in populations:
            problems += noise_problems(of_key, populations[key])
    if problems:
        raise DocumentError("these rows make no book", problems)
    cells = [
        cell
        for key in sorted(populations, key=_sortable)
        for cell in _cells(populations[key], noise.get(key), confidence)
    ]
    document = {
        "schema": BOOK_SCHEMA,
        "created_at": created_at,
        "source": {"rows_sha256": digest.hexdigest()},
        "cells": cells,
    }
    read_book(document)  # what we write, we would read
    return document


def _sortable(key: PopulationKey) -> tuple[str, ...]:
    return tuple(part or "" for part in key)


def _hashed(rows: Iterable[object], update: Callable[[bytes], None]) -> Iterator[MeasuredRow]:
    separator = b""
    for row, text in rows_of(rows, "rows"):
        update(separator + (written(row) if text is None else text).encode())
        separator = b"\n"
        yield row


def _cells(population: Population, noise: Population | None, confidence: float) -> Iterator[dict[str, Any]]:
    """A median and a p99 of each metric; one cell without a figure where no row names a metric."""
    if not population.metric_names:
        yield _cell(population, None, "median", noise, confidence)
    for metric in population.metric_names:
        for statistic in STATISTICS:
            yield _cell(population, metric, statistic, noise, confidence)


def _cell(
    population: Population, metric: str | None, statistic: str, noise: Population | None, confidence: float
) -> dict[str, Any]:
    values = [] if metric is None else sorted(population.values(metric))
    ok, skipped = population.count(Outcome.OK), population.count(Outcome.SKIPPED)
    identity = population.identity or (None,) * (len(COMPARISON_FIELDS) + 2)
    fields = dict(zip(COMPARISON_FIELDS, identity, strict=False))
    if population.identity is None:  # nothing was attempted: the key is all that is known
        fields |= {name: getattr(population.key, name) for name in ("lane", "scenario", "operation", "track")}
    return {
        "key": {**population.key._asdict(), "metric": metric, "statistic": statistic},
        "value": statistic_of(values, statistic),
        "unit": None if metric is None else unit_of(metric),
        "n": len(values),
        "independent_n": 0 if metric is None else population.independent(metric),
        "attempted_n": population.rows,
        "failure_n": population.count(Outcome.FAILED),
        "skipped_n": skipped,
        "unmeasured_n": ok - len(values),
        "unknown_n": population.count(Outcome.UNKNOWN),
        "interval": interval_of(values, statistic, confidence),
        "noise_floor": None if noise is None or metric is None else noise_floor(noise, metric, statistic),
        "comparison_identity": {"schema": 1, "fields": fields},
        "subject_identity": {"version": identity[-2], "binary_sha256": identity[-1]},
        "warnings": warnings_of(population, metric),
    }


def interval_of(ascending: list[float], statistic: str, confidence: float) -> dict[str, Any]:
    """The distribution-free interval of the statistic of sorted values; null ends where so few values have none."""
    ranks = order_statistics(len(ascending), STATISTICS[statistic], confidence)
    return {
        "low": None if ranks is None else ascending[ranks.low - 1],
        "high": None if ranks is None else ascending[ranks.high - 1],
        "confidence": confidence,
        "method": INTERVAL_METHOD,
        "achieved_confidence": None if ranks is None else ranks.achieved,
    }


def warnings_of(population: Population, metric: str | None) -> list[str]:
    """What may not be seen in a summary: rows that are copies, trials that were left out."""
    repeated = metric is not None and population.has_repeated_content(metric)
    return ["repeated_content"] * repeated + ["run_gaps"] * population.has_run_gaps

"""Each cell of rows, or of a book, in its own numbers: `oakbench.stats/1` as plain data.

Rule: every denominator comes first, of every cell, also where nothing succeeded; figures are conditional on success and
come after, where there is something. Skips are no attempts here. Rows that are no one population give no figure.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.baseline.arguments import expect_confidence
from oakbench_core.baseline.book import Book, checked_book
from oakbench_core.baseline.building import ordered_populations
from oakbench_core.baseline.columns import table_of
from oakbench_core.baseline.figures import figure_of, nearest_rank
from oakbench_core.baseline.intake import checked_rows
from oakbench_core.baseline.missing import missing_of_cell, missing_of_rows
from oakbench_core.baseline.populations import mixed_fields
from oakbench_core.baseline.samples import samples_of
from oakbench_core.baseline.vocabulary import STATS_SCHEMA, RowOutcome, Statistic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oakbench_core.baseline.book import CellKey, SavedCell
    from oakbench_core.baseline.columns import Columns, Table
    from oakbench_core.baseline.intake import Rows
    from oakbench_core.baseline.samples import Counts, Sample

LEAST_VALUES: Final = {"p95": 20, "p99": 100}
"""From how many values on a percentile is shown; an interval of a p99 needs 368."""


def statistics_of_rows(rows: Rows, confidence: float = 0.95, *, missing: bool = False) -> dict[str, Any]:
    """The cells of these rows; with `missing`, also what a claim on each still needs.

    Raises:
        UsageError: a confidence that is none.
        DocumentError: a row is refused.
    """
    level = expect_confidence(confidence)
    table = table_of(checked_rows(rows))
    cells = [cell for columns in ordered_populations(table) for cell in _cells(table, columns, level, missing=missing)]
    return {"schema": STATS_SCHEMA, "of": "rows", "confidence": level, "cells": cells}


def statistics_of_book(book: Book | Mapping[str, Any], *, missing: bool = False) -> dict[str, Any]:
    """The cells of a book, also of version 1: what it recorded, and null for what it did not.

    Raises:
        DocumentError: the book is refused.
    """
    held = book if isinstance(book, Book) else checked_book(book)
    saved = sorted(held.cells.values(), key=lambda cell: _ascending(cell.key))
    groups = [list(group) for _, group in groupby(saved, key=lambda cell: cell.key[:-1])]
    cells = [_saved_cell(group, missing=missing) for group in groups]
    return {"schema": STATS_SCHEMA, "of": f"book/{held.version}", "confidence": None, "cells": cells}


def _cells(table: Table, columns: Columns, level: float, *, missing: bool) -> Iterator[dict[str, Any]]:
    mixed = mixed_fields(columns.identities, columns.subjects)
    for sample in samples_of(columns):
        key = {**columns.key._asdict(), "metric": sample.metric}
        differing = [{"field": field, "values": list(values)} for field, values in mixed]
        figures = None if differing or not sample.places else _figures(sample, level)
        cell = {"key": key, **_denominators(columns, sample), "differing": differing, "figures": figures}
        yield cell | ({"missing": missing_of_rows(table, columns, sample.metric, level)} if missing else {})


def _denominators(columns: Columns, sample: Sample) -> dict[str, int]:
    skipped, ok = columns.outcome_count(RowOutcome.SKIPPED), columns.outcome_count(RowOutcome.OK)
    return {
        "rows": columns.rows,
        "attempts": columns.rows - skipped,
        "ok": ok,
        "failed": columns.outcome_count(RowOutcome.FAILED),
        "unknown": columns.outcome_count(RowOutcome.UNKNOWN),
        "skipped": skipped,
        "unmeasured": ok - len(sample.places),
    }


def _figures(sample: Sample, level: float) -> dict[str, Any]:
    ascending = sample.ascending
    median = figure_of(ascending, Statistic.MEDIAN, level)
    percentiles = {
        name: nearest_rank(ascending, int(name[1:])) if len(ascending) >= least else None
        for name, least in LEAST_VALUES.items()
    }
    interval = None if median.interval.low is None else median.interval.as_document()
    return {"n": len(ascending), "median": median.value, "interval": interval, **percentiles}


def _ascending(key: CellKey) -> tuple[Any, ...]:
    """Null before text, in every part."""
    return tuple((part is not None, part or "") for part in key)


def _saved_cell(group: list[SavedCell], *, missing: bool) -> dict[str, Any]:
    """One cell of the statistics from the saved ones of a metric, one for each statistic."""
    by_statistic = {cell.key.statistic: cell for cell in group}
    key = group[0].key._asdict()
    del key["statistic"]
    cell: dict[str, Any] = {
        "key": key,
        **_saved_denominators(group[0].counts),
        "differing": [],
        "figures": _saved_figures(group[0].counts, by_statistic),
    }
    if missing:
        cell["missing"] = {name.value: missing_of_cell(one) for name, one in by_statistic.items() if name is not None}
    return cell


def _saved_denominators(counts: Counts | None) -> dict[str, int | None]:
    if counts is None:
        return dict.fromkeys(("rows", "attempts", "ok", "failed", "unknown", "skipped", "unmeasured"))
    return {
        "rows": counts.attempted_n,
        "attempts": counts.attempted_n - counts.skipped_n,
        "ok": counts.n + counts.unmeasured_n,
        "failed": counts.failure_n,
        "unknown": counts.unknown_n,
        "skipped": counts.skipped_n,
        "unmeasured": counts.unmeasured_n,
    }


def _saved_figures(counts: Counts | None, by_statistic: Mapping[Statistic | None, SavedCell]) -> dict[str, Any] | None:
    if all(cell.value is None for cell in by_statistic.values()):
        return None
    median, p99 = by_statistic.get(Statistic.MEDIAN), by_statistic.get(Statistic.P99)
    interval = None if median is None or median.interval is None else median.interval.as_document()
    enough = counts is None or counts.n >= LEAST_VALUES["p99"]
    figures = {
        "n": None if counts is None else counts.n,
        "median": None if median is None else median.value,
        "interval": interval if interval is not None and interval["low"] is not None else None,
        "p95": None,
        "p99": p99.value if p99 is not None and enough else None,
    }
    if counts is None:  # version 1: shown, and never read as an interval
        figures["uncertainty"] = None if median is None else median.uncertainty
    return figures

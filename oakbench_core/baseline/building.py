"""Rows → a Baseline Book: a saved summary of every population's metrics, with what it was summarised under.

Rule: nothing is pooled that does not belong together, and nothing is said that no row says. Rows of one key under two
conditions, or of two binaries, refuse the book; the machine that summarises is asked for nothing, not even the time.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

from oakbench_core.baseline.arguments import expect_confidence
from oakbench_core.baseline.columns import NO_SESSION, Table, table_of
from oakbench_core.baseline.figures import figure_of
from oakbench_core.baseline.intake import checked_rows
from oakbench_core.baseline.noise import noise_floor
from oakbench_core.baseline.populations import SubjectIdentity, as_fields, mixed_fields
from oakbench_core.baseline.samples import sample_of, samples_of
from oakbench_core.baseline.sentences import key_words, mixed_words
from oakbench_core.baseline.vocabulary import BOOK_SCHEMA, IDENTITY_SCHEMA, Statistic
from oakbench_core.errors import DocumentError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.baseline.columns import Columns
    from oakbench_core.baseline.intake import Rows
    from oakbench_core.baseline.noise import NoiseFloor
    from oakbench_core.baseline.populations import Identity, PopulationKey
    from oakbench_core.baseline.row import CheckedRow
    from oakbench_core.baseline.samples import Sample


def build_book(
    rows: Rows, noise_rows: Rows | None = None, confidence: float = 0.95, *, created_at: str | None = None
) -> dict[str, Any]:
    """The book of these rows as plain data, `oakbench.book/2`.

    Args:
        rows: what `load_rows` gives, or mappings.
        noise_rows: A/A rows: sessions of the same subject, binary and conditions as a cell, for its noise floor.
        confidence: of the intervals, above 0 and below 1.
        created_at: a UTC time to record; the core reads no clock.

    Raises:
        UsageError: a confidence that is none.
        DocumentError: a row is refused; there is none; rows of one key ran under different conditions.
    """
    level = expect_confidence(confidence)
    digest = hashlib.sha256()
    table = table_of(_hashed(checked_rows(rows), digest))
    if not table.populations:
        raise DocumentError("there are no rows to make a book of")
    noise = Table() if noise_rows is None else table_of(checked_rows(noise_rows))
    problems = [*_mixed(table), *_foreign_noise(table, noise)]
    if problems:
        raise DocumentError("no book is made of these rows", problems)
    cells = [cell for columns in ordered_populations(table) for cell in _cells(columns, noise, level)]
    return {
        "schema": BOOK_SCHEMA,
        "created_at": created_at,
        "source": {"rows_sha256": digest.hexdigest()},
        "cells": cells,
    }


def unit_of(metric: str | None) -> str | None:
    """The unit that a metric's name ends in: the text after its last `_`."""
    _, underscore, unit = (metric or "").rpartition("_")
    return unit if underscore and unit else None


def _hashed(rows: Iterator[CheckedRow], digest: Any) -> Iterator[CheckedRow]:
    joined = b""
    for row in rows:
        digest.update(joined + row.text)
        joined = b"\n"
        yield row


def ordered_populations(table: Table) -> list[Columns]:
    """The populations by key, null tracks first."""

    def ascending(columns: Columns) -> tuple[str, str, str, bool, str, str]:
        key = columns.key
        return key.lane, key.scenario, key.operation, key.track is not None, key.track or "", key.subject

    return sorted(table, key=ascending)


def _mixed(table: Table) -> Iterator[Problem]:
    for columns in table:
        differing = mixed_fields(columns.identities, columns.subjects)
        if differing:
            rule = f"{mixed_words(differing)}: rows of one key under different conditions are not pooled"
            yield Problem(rule=rule, path=key_words(columns.key))


def _foreign_noise(table: Table, noise: Table) -> Iterator[Problem]:
    """What forbids to take a cell's noise from the A/A rows of its key."""
    for columns in noise:
        own = table.populations.get(columns.key)
        if own is None:
            continue
        place = f"noise rows, {key_words(columns.key)}"
        differing = mixed_fields(
            own.identities | columns.identities,
            own.subjects | columns.subjects,
        )
        if differing:
            yield Problem(rule=f"{mixed_words(differing)}: this is no A/A of the cell", path=place)
        if NO_SESSION in columns.sessions:
            yield Problem(
                rule="expected a bench_id on every row: it is what tells one session from another", path=place
            )


def _identity(columns: Columns) -> Identity:
    return next(iter(columns.identities))


def _subject(columns: Columns) -> SubjectIdentity:
    return next(iter(columns.subjects), SubjectIdentity(None, None))


def _cells(columns: Columns, noise: Table, level: float) -> Iterator[dict[str, Any]]:
    for sample in samples_of(columns):
        ascending, shared = sample.ascending, _shared(sample)
        statistics = list(Statistic) if sample.metric is not None else [None]
        for statistic in statistics:
            figure = figure_of(ascending, statistic or Statistic.MEDIAN, level)
            floor = None
            if sample.metric is not None and statistic is not None:
                floor = _floor(columns.key, sample.metric, statistic, noise)
            key = {**columns.key._asdict(), "metric": sample.metric}
            yield {
                "key": {**key, "statistic": None if statistic is None else statistic.value},
                "value": figure.value,
                "unit": unit_of(sample.metric),
                **shared.counts,
                "interval": figure.interval.as_document(),
                "noise_floor": None if floor is None else floor.as_document(),
                **shared.identities,
                "warnings": shared.warnings,
            }


class _Shared(NamedTuple):
    """What both statistics of a sample say alike."""

    counts: dict[str, Any]
    identities: dict[str, Any]
    warnings: list[str]


def _shared(sample: Sample) -> _Shared:
    subject = _subject(sample.columns)
    fields = as_fields(_identity(sample.columns))
    return _Shared(
        counts=sample.counts().as_document(),
        identities={
            "comparison_identity": {"schema": IDENTITY_SCHEMA, "fields": fields},
            "subject_identity": {"version": subject.version, "binary_sha256": subject.binary_sha256},
        },
        warnings=[doubt.value for doubt in sample.doubts()],
    )


def _floor(key: PopulationKey, metric: str, statistic: Statistic, noise: Table) -> NoiseFloor | None:
    columns = noise.populations.get(key)
    if columns is None or metric not in columns.metrics:
        return None
    measured = sample_of(columns, metric).by_session()
    # A session in which nothing was measured stays one, without a value: no other takes its place in the pairs.
    names = {number: noise.session_names[number] for number in set(columns.sessions)}
    return noise_floor({name: measured.get(number, []) for number, name in names.items()}, statistic)

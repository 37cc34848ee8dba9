"""The two sides of a comparison, made alike: a population of rows, and a cell of a book."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oakbench_core.baseline.columns import NO_SESSION
from oakbench_core.baseline.figures import METHOD, figure_of
from oakbench_core.baseline.populations import SubjectIdentity, as_fields, mixed_fields
from oakbench_core.baseline.samples import Counts, duplicate_trials, sample_of
from oakbench_core.baseline.vocabulary import IDENTITY_SCHEMA

if TYPE_CHECKING:
    from oakbench_core.baseline.book import SavedCell
    from oakbench_core.baseline.columns import Columns, Table
    from oakbench_core.baseline.figures import ValueInterval
    from oakbench_core.baseline.populations import Difference, Identity
    from oakbench_core.baseline.vocabulary import Doubt, Statistic


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What is compared of one side. `counts` and `identity` are None of a version 1 cell, which recorded none.

    `identity` is None too where the rows do not agree on one.
    """

    value: float | None
    interval: ValueInterval | None
    counts: Counts | None
    identity: Identity | None
    subject: SubjectIdentity | None
    doubts: tuple[Doubt, ...]

    @property
    def has_interval(self) -> bool:
        return self.interval is not None and self.interval.low is not None and self.interval.high is not None

    @property
    def nonpositive(self) -> float | None:
        """A figure, or an end of the interval, that has no logarithm."""
        ends = (self.interval.low, self.interval.high) if self.interval is not None else ()
        return next((number for number in (self.value, *ends) if number is not None and number <= 0), None)

    def as_document(self) -> dict[str, Any]:
        counts = self.counts
        return {
            "value": self.value,
            "interval": None if self.interval is None else _finite(self.interval.as_document()),
            **(dict.fromkeys(_COUNT_NAMES) if counts is None else counts.as_document()),
            "comparison_identity": None
            if self.identity is None
            else {"schema": IDENTITY_SCHEMA, "fields": as_fields(self.identity)},
            "subject_identity": None if self.subject is None else self.subject._asdict(),
            "warnings": [doubt.value for doubt in self.doubts],
        }


_COUNT_NAMES = ("n", "independent_n", "attempted_n", "failure_n", "skipped_n", "unmeasured_n", "unknown_n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(Side):
    """`bench_ids` and `dates` are of the rows with a number; `sessions` is None where one of them names none."""

    columns: Columns
    differing: tuple[Difference, ...]
    duplicates: int
    bench_ids: tuple[str, ...]
    sessions: int | None
    dates: tuple[str, ...]

    def as_document(self) -> dict[str, Any]:
        return {
            **Side.as_document(self),
            "sessions": self.sessions,
            "bench_ids": list(self.bench_ids),
            "dates": list(self.dates),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the rows of one population say of one metric, whatever is asked of it; `ascending` are its sorted values.

    Empty where no figure may be made of them: they are no one population, or some stand there twice.
    """

    columns: Columns
    ascending: list[float]
    counts: Counts
    doubts: tuple[Doubt, ...]
    differing: tuple[Difference, ...]
    duplicates: int
    bench_ids: tuple[str, ...]
    sessions: int | None


def facts_of(table: Table, columns: Columns, metric: str | None) -> Facts:
    """The facts of one metric of a population; a metric that no row names has none measured."""
    sample = sample_of(columns, metric if metric in columns.metrics else None)
    differing = mixed_fields(columns.identities, columns.subjects)
    duplicates = duplicate_trials(columns)
    numbers = {columns.sessions[place] for place in sample.places}
    bench_ids = tuple(sorted(table.session_names[number] for number in numbers - {NO_SESSION}))
    return Facts(
        columns=columns,
        ascending=[] if differing or duplicates else sample.ascending,
        counts=sample.counts(),
        doubts=sample.doubts(),
        differing=differing,
        duplicates=duplicates,
        bench_ids=bench_ids,
        sessions=None if NO_SESSION in numbers else len(bench_ids),
    )


def candidate_side(facts: Facts, statistic: Statistic, confidence: float) -> Candidate:
    """One statistic of a candidate's rows."""
    columns = facts.columns
    figure = figure_of(facts.ascending, statistic, confidence)
    return Candidate(
        value=figure.value,
        interval=figure.interval,
        counts=facts.counts,
        identity=None if facts.differing else next(iter(columns.identities)),
        subject=None if facts.differing else next(iter(columns.subjects), SubjectIdentity(None, None)),
        doubts=facts.doubts,
        columns=columns,
        differing=facts.differing,
        duplicates=facts.duplicates,
        bench_ids=facts.bench_ids,
        sessions=facts.sessions,
        dates=tuple(sorted(columns.dates)),
    )


def baseline_side(cell: SavedCell) -> Side:
    return Side(
        value=cell.value,
        interval=cell.interval,
        counts=cell.counts,
        identity=cell.identity,
        subject=cell.subject,
        doubts=cell.doubts,
    )


def interval_fault(interval: ValueInterval | None) -> str | None:
    """What forbids to rely on a saved interval; None: nothing, or there is none to rely on."""
    if interval is None or interval.low is None or interval.high is None:
        return None
    level, achieved = interval.confidence, interval.achieved_confidence
    if not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return f"it ends at {interval.low} and {interval.high}"
    if interval.method != METHOD:
        return f"it was made by the method {interval.method!r}, which is not known to cover"
    if level is not None and not 0 < level < 1:
        return f"its confidence is {level}, not between 0 and 1"
    if level is not None and achieved is not None and not level <= achieved <= 1:
        return f"its achieved confidence is {achieved}, its confidence {level}"
    return None


def _finite(document: dict[str, Any]) -> dict[str, Any]:
    """A result is plain JSON data: what a book in Python held as NaN or infinite is not said as a number."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in document.items()
    }

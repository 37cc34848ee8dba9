"""What the rows of one population say of one metric: every denominator, the sample, and what makes it doubtful.

Rule: figures come from `ok` rows that hold a number; a failed, skipped or unknown row has none, whatever it recorded.
Nothing that was attempted leaves the denominators.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from decimal import Decimal
from itertools import groupby
from typing import TYPE_CHECKING, Final

from oakbench_core.baseline.columns import NO_RUN, NO_SESSION, OK
from oakbench_core.baseline.vocabulary import Doubt, RowOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oakbench_core.baseline.columns import Columns

_TELLING_DIGITS: Final = 6  # a value of this many digits is not measured twice by chance,
_TELLING_FRACTIONS: Final = 2  # nor are this many metrics that are no integers


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Every denominator of a sample. `independent_n` is None where a trial cannot be told from another."""

    n: int
    independent_n: int | None
    failure_n: int
    skipped_n: int
    unmeasured_n: int
    unknown_n: int

    @property
    def attempted_n(self) -> int:
        """All rows, the skipped ones among them."""
        return self.n + self.failure_n + self.skipped_n + self.unknown_n + self.unmeasured_n

    @property
    def hidden(self) -> dict[str, int]:
        """What a figure of the measured rows says nothing of, where there is some."""
        names = ("failure_n", "skipped_n", "unmeasured_n", "unknown_n")
        return {name: getattr(self, name) for name in names if getattr(self, name)}

    def as_document(self) -> dict[str, int | None]:
        values = asdict(self)
        return {
            "n": self.n,
            "independent_n": self.independent_n,
            "attempted_n": self.attempted_n,
            **{name: values[name] for name in ("failure_n", "skipped_n", "unmeasured_n", "unknown_n")},
        }


@dataclass(frozen=True, slots=True)
class Sample:
    """The measured rows of one metric; `places` are theirs in the columns, ascending. `metric` None: none is named."""

    columns: Columns
    metric: str | None
    places: tuple[int, ...]

    @property
    def ascending(self) -> list[float]:
        """The values, sorted; made anew each time, since they may be a million."""
        if self.metric is None:
            return []
        column = self.columns.values(self.metric)
        return sorted(column[place] for place in self.places)

    def counts(self) -> Counts:
        columns = self.columns
        return Counts(
            n=len(self.places),
            independent_n=_distinct_trials(columns, self.places),
            failure_n=columns.outcome_count(RowOutcome.FAILED),
            skipped_n=columns.outcome_count(RowOutcome.SKIPPED),
            unmeasured_n=columns.outcome_count(RowOutcome.OK) - len(self.places),
            unknown_n=columns.outcome_count(RowOutcome.UNKNOWN),
        )

    def doubts(self) -> tuple[Doubt, ...]:
        """What the rows make doubtful: the same content twice, or runs that are missing."""
        found = {Doubt.REPEATED_CONTENT: self._repeats(), Doubt.RUN_GAPS: has_run_gaps(self.columns)}
        return tuple(doubt for doubt, is_there in found.items() if is_there)

    def by_session(self) -> dict[int, list[float]]:
        """The sorted values of each session, by its number."""
        values: dict[int, list[float]] = {}
        if self.metric is not None:
            column = self.columns.values(self.metric)
            for place in self.places:
                values.setdefault(self.columns.sessions[place], []).append(column[place])
        for session in values.values():
            session.sort()
        return values

    def _repeats(self) -> bool:
        """Whether two rows with a telling value of this metric are equal in all but their trial and their time."""
        contents = self.columns.contents
        seen: set[int] = set()
        for place in self.places:
            number = contents[place]
            if not number:
                continue
            if number in seen and self._tells(place):
                return True
            seen.add(number)
        return False

    def _tells(self, place: int) -> bool:
        value = 0.0 if self.metric is None else self.columns.values(self.metric)[place]
        if value.is_integer():
            return False
        others = (self.columns.values(name)[place] for name in self.columns.metrics)
        fractional = sum(not (math.isnan(number) or number.is_integer()) for number in others)
        digits = len(Decimal(repr(value)).normalize().as_tuple().digits)
        return fractional >= _TELLING_FRACTIONS or digits >= _TELLING_DIGITS


def sample_of(columns: Columns, metric: str | None) -> Sample:
    """The sample of one metric; None: of a population whose rows name no metric."""
    if metric is None:
        return Sample(columns, None, ())
    values = columns.values(metric)
    places = tuple(
        place
        for place, (value, outcome) in enumerate(zip(values, columns.outcomes, strict=True))
        if outcome == OK and not math.isnan(value)
    )
    return Sample(columns, metric, places)


def samples_of(columns: Columns) -> Iterator[Sample]:
    """A sample for each metric that some row names, by name; one without a metric where none is named."""
    if not columns.metrics:
        yield sample_of(columns, None)
    for metric in sorted(columns.metrics):
        yield sample_of(columns, metric)


def duplicate_trials(columns: Columns) -> int:
    """How many rows of the population, of any outcome, have the ID of a row before them."""
    known = [place for place in range(columns.rows) if _is_known(columns, place)]
    distinct = _distinct_trials(columns, known)
    return len(known) - (distinct or 0)


def has_run_gaps(columns: Columns) -> bool:
    """Whether the known runs of some session are not consecutive from 0 or 1."""
    for runs in _runs_by_session(columns, (place for place in range(columns.rows) if _is_known(columns, place))):
        distinct = [run for run, _ in groupby(runs)]
        if distinct[0] not in {0, 1} or distinct[-1] - distinct[0] + 1 != len(distinct):
            return True
    return False


def _is_known(columns: Columns, place: int) -> bool:
    return columns.sessions[place] != NO_SESSION and columns.runs[place] != NO_RUN


def _distinct_trials(columns: Columns, places: Iterable[int]) -> int | None:
    """How many different (bench_id, run) there are; None where one of them is missing."""
    held = list(places)
    if not all(_is_known(columns, place) for place in held):
        return None
    return sum(sum(1 for _ in groupby(runs)) for runs in _runs_by_session(columns, held))


def _runs_by_session(columns: Columns, places: Iterable[int]) -> Iterator[list[int]]:
    """The runs of each session, ascending."""
    runs: dict[int, list[int]] = {}
    for place in places:
        runs.setdefault(columns.sessions[place], []).append(columns.runs[place])
    for held in runs.values():
        held.sort()
        yield held

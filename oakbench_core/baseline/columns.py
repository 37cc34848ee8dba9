"""Rows, one after the other, into columns: what a sample needs of a row is kept, and the row is not.

Of a row stay its outcome, its session, its run, a hash of its content and the numbers that it measured: 21 bytes, and 8
for each metric. All else that a population's rows say is shared by them, or kept once for each distinct value.
"""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET

from oakbench_core.baseline.populations import (
    COMPARISON_FIELDS,
    Identity,
    PopulationKey,
    SubjectIdentity,
    measured,
)
from oakbench_core.baseline.row import content
from oakbench_core.baseline.vocabulary import GuardName, RowOutcome

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from msgspec import UnsetType

    from oakbench_core.baseline.row import CheckedRow, OperationRow, Oracles

NO_SESSION: Final = -1
NO_RUN: Final = -(2**63)
_NAN: Final = array("d", [float("nan")])  # stands for null inside a column of floats, and never leaves this package
_MOST_KEPT: Final = 8  # distinct conditions of one population: two are enough to refuse it, some more to say why
_OUTCOMES: Final = {outcome: number for number, outcome in enumerate(RowOutcome)}
OK: Final = _OUTCOMES[RowOutcome.OK]
_conditions = attrgetter(*COMPARISON_FIELDS, "subject", "subject_version", "subject_binary_sha256")


@dataclass(slots=True)
class GuardValues:
    """What the `ok` rows of a population say of one guard: the least value, nulls, and versions of the oracle."""

    least: float | None = None
    nulls: int = 0
    versions: set[str | int | None] = field(default_factory=set)

    def add(self, value: float | None, version: str | int | None, times: int) -> None:
        """Take what `times` rows say alike."""
        if value is None:
            self.nulls += times
        elif self.least is None or value < self.least:
            self.least = value
        if len(self.versions) <= _MOST_KEPT:
            self.versions.add(version)


@dataclass(slots=True)
class Columns:
    """The rows of one population. Columns have a place for each row; NaN in a metric's is no number."""

    key: PopulationKey
    identities: dict[Identity, None] = field(default_factory=dict)
    subjects: dict[SubjectIdentity, None] = field(default_factory=dict)
    outcomes: array[int] = field(default_factory=lambda: array("b"))
    sessions: array[int] = field(default_factory=lambda: array("i"))
    runs: array[int] = field(default_factory=lambda: array("q"))
    contents: array[int] = field(default_factory=lambda: array("Q"))
    metrics: dict[str, array[float]] = field(default_factory=dict)
    dates: set[str] = field(default_factory=set)
    _guards: dict[GuardName, GuardValues] = field(default_factory=lambda: {name: GuardValues() for name in GuardName})
    _oracles: Oracles | UnsetType | None = None
    _oracles_times: int = 0  # `ok` rows in a row whose oracles said this, and are not in `_guards` yet

    @property
    def rows(self) -> int:
        return len(self.outcomes)

    def outcome_count(self, outcome: RowOutcome) -> int:
        return self.outcomes.count(_OUTCOMES[outcome])

    def add_oracles(self, oracles: Oracles | UnsetType | None) -> None:
        """Take what the oracles of an `ok` row found. Most rows say what the one before them said."""
        if self._oracles_times and oracles == self._oracles:
            self._oracles_times += 1
            return
        _take(self._guards, self._oracles, self._oracles_times)
        self._oracles, self._oracles_times = oracles, 1

    @property
    def guards(self) -> Mapping[GuardName, GuardValues]:
        """What the `ok` rows say of each guard."""
        _take(self._guards, self._oracles, self._oracles_times)
        self._oracles_times = 0
        return self._guards

    def values(self, metric: str) -> array[float]:
        """The column of a metric, one number a row, NaN where an `ok` row has none or the row is not `ok`."""
        column = self.metrics[metric]
        column.extend(_NAN * (self.rows - len(column)))
        return column


class Table:
    """Rows by population, in the order in which the populations were first met."""

    def __init__(self) -> None:
        self.populations: dict[PopulationKey, Columns] = {}
        self.session_names: list[str] = []
        self._session_numbers: dict[str, int] = {}
        self._met: dict[tuple[Hashable, ...], tuple[Columns, int]] = {}

    def __iter__(self) -> Iterator[Columns]:
        return iter(self.populations.values())

    def add(self, checked: CheckedRow) -> None:
        """Take what a sample needs of one row."""
        row = checked.row
        outcome = row.outcome
        met = (outcome is RowOutcome.SKIPPED, *_conditions(row))
        known = self._met.get(met)
        columns, conditions = known if known is not None else self._meet(row, met)
        place = len(columns.outcomes)
        columns.outcomes.append(_OUTCOMES[outcome])
        columns.sessions.append(self._session(row.bench_id) if row.bench_id else NO_SESSION)
        columns.runs.append(row.run if type(row.run) is int else NO_RUN)
        if outcome is RowOutcome.OK:
            columns.contents.append(_add_measured(columns, row, place, conditions))
        else:
            columns.contents.append(0)
            for name in row.metrics:
                if name not in columns.metrics:
                    columns.metrics[name] = array("d")

    def _session(self, name: str) -> int:
        number = self._session_numbers.get(name)
        if number is None:
            number = self._session_numbers[name] = len(self.session_names)
            self.session_names.append(name)
        return number

    def _meet(self, row: OperationRow, met: tuple[Hashable, ...]) -> tuple[Columns, int]:
        """The population of a row whose conditions were not met before, and a number for these conditions."""
        number = len(self._met)
        key = PopulationKey(row.lane, row.scenario, row.operation, _known(row.track), row.subject)
        columns = self.populations.get(key)
        if columns is None:
            columns = self.populations[key] = Columns(key)
        identity = tuple(measured(name, getattr(row, name)) for name in COMPARISON_FIELDS)
        subject = SubjectIdentity(_known(row.subject_version), _known(row.subject_binary_sha256))
        if len(columns.identities) < _MOST_KEPT:
            columns.identities[identity] = None
        # Of a skipped row no binary ran, so that none was found out: that is no second binary.
        tells = subject != (None, None) or row.outcome is not RowOutcome.SKIPPED
        if tells and len(columns.subjects) < _MOST_KEPT:
            columns.subjects[subject] = None
        if len(columns.identities) < _MOST_KEPT > len(columns.subjects):
            self._met[met] = columns, number
        return columns, number


def table_of(rows: Iterable[CheckedRow]) -> Table:
    table = Table()
    for row in rows:
        table.add(row)
    return table


def _add_measured(columns: Columns, row: OperationRow, place: int, conditions: int) -> int:
    """Take the numbers of an `ok` row; the hash of its content where a repetition would tell something, else 0."""
    telling = False
    metrics = columns.metrics
    for name, value in row.metrics.items():
        column = metrics.get(name)
        if column is None:
            column = metrics[name] = array("d")
        if value is None:
            continue
        if len(column) < place:
            column.extend(_NAN * (place - len(column)))
        column.append(value)
        telling = telling or not float(value).is_integer()
    columns.add_oracles(row.oracles)
    if row.at:
        columns.dates.add(row.at[:10])
    if not telling:
        return 0
    return int.from_bytes(hashlib.blake2b(content(row, conditions), digest_size=8).digest(), "little")


def _take(guards: Mapping[GuardName, GuardValues], oracles: Oracles | UnsetType | None, times: int) -> None:
    if not times:
        return
    output = oracles.output if oracles else None
    patch = oracles.patch if oracles else None
    version, recall, precision = (output.version, output.recall, output.precision) if output else (None, None, None)
    patch_version, applied = (patch.version, patch.apply_ok) if patch else (None, None)
    guards[GuardName.RECALL].add(_known(recall), _known(version), times)
    guards[GuardName.PRECISION].add(_known(precision), _known(version), times)
    guards[GuardName.PATCH_APPLY_OK].add(_known(applied), _known(patch_version), times)


def _known(value: Any) -> Any:
    return None if value is UNSET else value

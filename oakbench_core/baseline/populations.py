"""Populations: the rows of one subject under one key, as columns; what identifies them, and what disagrees.

Rule: rows are summarised together only where every `COMPARISON_FIELD`, the subject's version and its binary are the
same on each of them; a known value and a missing one are not the same. A row that was skipped ran nothing, and takes
part in no identity.

Memory: one number a metric and a row, and five small ones a row for its trial, its outcome and its content; no row is
kept.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.baseline.row import MeasuredRow, Outcome, has_aliases, normalised
from oakbench_core.canonical import canonical_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

COMPARISON_FIELDS: Final = (
    "lane",
    "track",
    "semantics_version",
    "scenario",
    "scenario_version",
    "operation",
    "fixture_version",
    "oracle_version",
    "environment_isolation",
    "runner_class",
    "cache_state",
    "load_state",
    "transport",
    "server",
    "shaping",
    "token_calibration",
    "agent",
    "agent_version",
    "model",
    "instruction_level",
)
"""Every condition that two populations must share to be compared (ADR-0009). The subject's version, its binary and its
prompt label are not among them, on purpose: they are what is compared."""

_ALL_LANES: Final = COMPARISON_FIELDS[:12]
_REMOTE: Final = ("transport", "server", "shaping")
_AGENT: Final = ("token_calibration", "agent", "agent_version", "model", "instruction_level")
_SENTINELS: Final = frozenset({"unknown", "n/a", "none", "default", "auto", ""})
_MAY_BE_SENTINEL: Final = frozenset({"cache_state", "load_state", "model"})
_SUBJECT_FIELDS: Final = ("subject_version", "subject_binary_sha256")

_NOT_CONTENT: Final = frozenset({"bench_id", "run", "at", "metrics", "extra"})
_as_written = attrgetter(*COMPARISON_FIELDS, *_SUBJECT_FIELDS)
_SENTINEL_PLACES: Final = tuple(COMPARISON_FIELDS.index(name) for name in sorted(_MAY_BE_SENTINEL))

NO_INDEX: Final = -1  # of a session's name, where a row has none
_OUTCOMES: Final = tuple(Outcome)
_OK: Final = _OUTCOMES.index(Outcome.OK)


def applicable_fields(lane: str) -> tuple[str, ...]:
    """The comparison fields that a claim in that lane must know."""
    remote = _REMOTE if lane.startswith("remote") else ()
    return _ALL_LANES + remote + (_AGENT if lane.startswith("agent") else ())


def known(name: str, value: Any) -> Any:
    """The value of a comparison field, or None where it is a word for not knowing it."""
    if name in _MAY_BE_SENTINEL and isinstance(value, str) and value.strip().lower() in _SENTINELS:
        return None
    return value


class PopulationKey(NamedTuple):
    """Whose rows, of what. `track` may be null."""

    lane: str
    scenario: str
    operation: str
    track: str | None
    subject: str


def key_of(row: MeasuredRow) -> PopulationKey:
    return PopulationKey(row.lane, row.scenario, row.operation, row.track, row.subject)


def identity_of(row: MeasuredRow) -> tuple[Any, ...]:
    """The values of COMPARISON_FIELDS, then the subject's version and binary."""
    values = list(_as_written(row))
    for place in _SENTINEL_PLACES:
        values[place] = known(COMPARISON_FIELDS[place], values[place])
    if has_aliases(row):
        for place, name in enumerate(COMPARISON_FIELDS):
            values[place] = known(name, normalised(row, name))
    return tuple(values)


@dataclass(slots=True)
class Population:
    """The rows of one key, column by column; `rows` of them.

    `identity`: that of the first row that was attempted, None where there is none. `differing`: fields in which a later
    one disagrees → the values that were met.
    """

    key: PopulationKey
    rows: int = 0
    identity: tuple[Any, ...] | None = None
    differing: dict[str, list[Any]] = field(default_factory=dict)
    sessions: dict[str, int] = field(default_factory=dict)
    dates: set[str] = field(default_factory=set)
    output_versions: set[Any] = field(default_factory=set)
    patch_versions: set[Any] = field(default_factory=set)
    patch_passes: dict[bool | None, int] = field(default_factory=lambda: {True: 0, False: 0, None: 0})
    lowest_seen: dict[str, float] = field(default_factory=dict)
    unseen: dict[str, int] = field(default_factory=dict)
    _outcomes: array[int] = field(default_factory=lambda: array("b"))
    _sessions: array[int] = field(default_factory=lambda: array("l"))
    _runs: array[int] = field(default_factory=lambda: array("q"))
    _has_run: array[int] = field(default_factory=lambda: array("b"))
    _contents: array[int] = field(default_factory=lambda: array("Q"))
    _fractional: array[int] = field(default_factory=lambda: array("b"))
    _metrics: dict[str, array[float]] = field(default_factory=dict)

    def add(self, row: MeasuredRow) -> None:
        """Count one more row; its key is this population's."""
        if row.outcome is not Outcome.SKIPPED:
            self._identify(identity_of(row))
        session = NO_INDEX if not row.bench_id else self.sessions.setdefault(row.bench_id, len(self.sessions))
        has_run = isinstance(row.run, int) and abs(row.run) < 2**63
        self._outcomes.append(_OUTCOMES.index(row.outcome))
        self._sessions.append(session)
        self._runs.append(row.run if has_run else 0)  # type: ignore[arg-type]  # `has_run` says that it is an integer
        self._has_run.append(has_run)
        self._contents.append(_content(row))
        self._fractional.append(min(127, sum(not _is_whole(value) for value in row.metrics.values())))
        self._measure(row)
        self.rows += 1
        if row.at is not None:
            self.dates.add(row.at[:10])
        if row.outcome is Outcome.OK:
            self._judge(row)

    def _identify(self, identity: tuple[Any, ...]) -> None:
        if self.identity is None:
            self.identity = identity
        elif identity != self.identity:
            for name, first, value in zip((*COMPARISON_FIELDS, *_SUBJECT_FIELDS), self.identity, identity, strict=True):
                if value != first:
                    met = self.differing.setdefault(name, [first])
                    if value not in met:
                        met.append(value)

    def _measure(self, row: MeasuredRow) -> None:
        for name, value in row.metrics.items():
            column = self._metrics.get(name)
            if column is None:
                column = self._metrics[name] = array("d", [math.nan]) * self.rows
            if len(column) < self.rows:
                column.extend(array("d", [math.nan]) * (self.rows - len(column)))
            column.append(math.nan if value is None else value)

    def _judge(self, row: MeasuredRow) -> None:
        """Keep what guards ask for: the smallest recall and precision, and whether every patch applied."""
        output = None if row.oracles is None else row.oracles.output
        patch = None if row.oracles is None else row.oracles.patch
        self.output_versions.add(None if output is None else output.version)
        self.patch_versions.add(None if patch is None else patch.version)
        self.patch_passes[None if patch is None else patch.apply_ok] += 1
        for name in ("recall", "precision"):
            value = getattr(output, name, None)
            if value is None:
                self.unseen[name] = self.unseen.get(name, 0) + 1
            else:
                self.lowest_seen[name] = min(value, self.lowest_seen.get(name, math.inf))

    @property
    def metric_names(self) -> tuple[str, ...]:
        return tuple(sorted(self._metrics))

    @property
    def has_sessions(self) -> bool:
        """Whether every row names its session."""
        return NO_INDEX not in self._sessions

    @property
    def has_index_everywhere(self) -> bool:
        """Whether every row names its session and its trial by an integer."""
        return NO_INDEX not in self._sessions and 0 not in self._has_run

    def count(self, outcome: Outcome) -> int:
        return self._outcomes.count(_OUTCOMES.index(outcome))

    def values(self, metric: str, session: int | None = None) -> list[float]:
        """The observed values of the metric on successful rows, in their order; of one session if it is given."""
        column = self._metrics.get(metric, array("d"))
        return [
            value
            for value, outcome, of in zip(column, self._outcomes, self._sessions, strict=False)
            if outcome == _OK and not math.isnan(value) and (session is None or of == session)
        ]

    def independent(self, metric: str) -> int | None:
        """Distinct (bench_id, run) among the rows with a value; None where one of them does not tell.

        An operational count of distinct trials, no proof of statistical independence (ADR-0009).
        """
        trials = set()
        for place in self._measured(metric):
            if self._sessions[place] == NO_INDEX or not self._has_run[place]:
                return None
            trials.add((self._sessions[place], self._runs[place]))
        return len(trials)

    def _measured(self, metric: str) -> Iterator[int]:
        column = self._metrics.get(metric, array("d"))
        for place, value in enumerate(column):
            if self._outcomes[place] == _OK and not math.isnan(value):
                yield place

    @property
    def has_duplicate_trials(self) -> bool:
        """Whether two rows, whatever came of them, name the same trial."""
        told = [
            trial for trial, has_run in zip(self._trials(), self._has_run, strict=True) if has_run and trial[0] >= 0
        ]
        return len(set(told)) < len(told)

    def _trials(self) -> Iterator[tuple[int, int]]:
        return zip(self._sessions, self._runs, strict=True)

    @property
    def has_run_gaps(self) -> bool:
        """Whether the trials of some session are not numbered one after the other from 0 or 1."""
        met: dict[int, set[int]] = {}
        for (session, run), has_run in zip(self._trials(), self._has_run, strict=True):
            if has_run and session != NO_INDEX:
                met.setdefault(session, set()).add(run)
        return any(min(runs) not in {0, 1} or max(runs) - min(runs) + 1 != len(runs) for runs in met.values())

    def has_repeated_content(self, metric: str) -> bool:
        """Whether two measured rows are equal in all but their trial and their time, and too rich to be so by chance.

        Rich: the metric's value is no integer, and the row has two such metrics or the value six significant digits.
        """
        met: set[int] = set()
        column = self._metrics.get(metric, array("d"))
        for place in self._measured(metric):
            value = column[place]
            if value.is_integer() or not (self._fractional[place] >= 2 or _digits(value) >= 6):
                continue
            if self._contents[place] in met:
                return True
            met.add(self._contents[place])
        return False


def populations_of(rows: Iterable[MeasuredRow]) -> Mapping[PopulationKey, Population]:
    """The rows by their key, in the order in which the keys are met."""
    found: dict[PopulationKey, Population] = {}
    for row in rows:
        key = key_of(row)
        population = found.get(key)
        if population is None:
            population = found[key] = Population(key)
        population.add(row)
    return found


def disagreement(population: Population) -> str | None:
    """In which fields its rows disagree, in words; None: in none."""
    if not population.differing:
        return None
    told = (f"{name} ({', '.join(map(_shown, values))})" for name, values in population.differing.items())
    return f"its rows disagree in {'; '.join(told)}"


def _shown(value: Any) -> str:
    return "missing" if value is None else repr(value)


def _is_whole(value: float | None) -> bool:
    return value is None or float(value).is_integer()


def _digits(value: float) -> int:
    """Significant digits of the shortest decimal that reads back as the value."""
    mantissa = repr(abs(value)).partition("e")[0]
    return len(mantissa.replace(".", "").strip("0"))


def _content(row: MeasuredRow) -> int:
    """64 bits of what the row says beside its trial and its time: a million rows collide with chance 3e-8.

    For this process only: hashes of text differ from one to the next.
    """
    told = tuple(value for name, value in row.__dict__.items() if name not in _NOT_CONTENT)
    extra = None if row.extra is None else canonical_text(row.extra)
    return hash((told, frozenset(row.metrics.items()), extra)) & 0xFFFF_FFFF_FFFF_FFFF

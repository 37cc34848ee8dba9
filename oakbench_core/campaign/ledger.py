"""Every rule about a trial's state is in this file; no other module compares events with states.

The ledger folds events, one by one and in their order, into columns with one entry a scheduled trial: a few hundred
bytes each, whatever the journal holds. An event that breaks a rule changes nothing and is answered by what it breaks.
"""

from __future__ import annotations

from array import array
from copy import copy
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.execution import Chronicle
from oakbench_core.campaign.fields import utc_seconds
from oakbench_core.campaign.pool import Pool
from oakbench_core.campaign.row_rules import EXACT, row_violations
from oakbench_core.campaign.vocabulary import (
    RESOURCE_UNITS,
    CheckStatus,
    EventKind,
    SkipPhase,
    Standing,
    Terminal,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oakbench_core.campaign.evidence import EventLike, RowLike
    from oakbench_core.campaign.plan import Plan

RESOURCES: Final = tuple(RESOURCE_UNITS)
POPULATION_FIELDS: Final = (
    "runner_class",
    "os",
    "arch",
    "agent_version",
    "resolved_model",
    "subject_version",
    "subject_binary_sha256",
    "fixture_version",
    "oracle_version",
    "prompt_sha256",
    "environment_isolation",
    "cache_state",
    "load_state",
    "token_calibration",
)
_UNMEASURED: Final = float("nan")  # no row can hold a NaN, so inside a column of floats it can stand for null


class Step(StrEnum):
    """What an event says of a trial."""

    STARTED = "started"
    RESERVED = "recovered"
    SKIPPED_BEFORE_START = "skipped before its start"
    SKIPPED_AFTER_START = "skipped after its start"
    SUCCEEDED = "completed and verified"
    FAILED = "completed and not verified"
    TIMED_OUT = "timed out"
    INFRASTRUCTURE_FAILED = "ended by an infrastructure failure"


TRANSITIONS: Final[Mapping[tuple[Standing, Step], Standing]] = {
    (Standing.UNSTARTED, Step.STARTED): Standing.INTERRUPTED,
    (Standing.UNSTARTED, Step.RESERVED): Standing.UNCERTAIN,
    (Standing.UNSTARTED, Step.SKIPPED_BEFORE_START): Standing.SKIPPED_BEFORE_START,
    (Standing.INTERRUPTED, Step.SKIPPED_AFTER_START): Standing.SKIPPED_AFTER_START,
    (Standing.INTERRUPTED, Step.SUCCEEDED): Standing.VERIFIED_SUCCESS,
    (Standing.INTERRUPTED, Step.FAILED): Standing.TASK_FAILURE,
    (Standing.INTERRUPTED, Step.TIMED_OUT): Standing.TIMED_OUT,
    (Standing.INTERRUPTED, Step.INFRASTRUCTURE_FAILED): Standing.INFRASTRUCTURE_FAILURE,
}
"""The legal transitions, and no others (ADR-0010). A start without an end stays interrupted; so does a reservation."""


class Rule(StrEnum):
    """Which promise an event breaks: another plan's record is a foreign identity, the rest is no legal history."""

    IDENTITY = "identity"
    INVALID = "invalid"


class Violation(NamedTuple):
    rule: Rule
    text: str


class Accounting(NamedTuple):
    """How a row's provider counts; equal values are kept once."""

    provider: str | None
    input_includes_cached: bool | None
    output_includes_reasoning: bool | None
    cost_source: str | None
    price_table: str | None
    token_weights: tuple[tuple[str, float], ...] | None


class Ending(NamedTuple):
    """Why a trial ended as it did: the oracle's summary, or the reason of a skip or failure."""

    passed: int
    checks: int
    first_not_passed: str | None
    skip_reason: str | None
    instrument: str | None
    error_type: str | None


@dataclass(frozen=True, slots=True)
class Reservation:
    """One recovery on file: the trial reserved as an uncertain interruption, if any, and how it was decided."""

    trial_id: str | None
    kind: str
    reason: str


class Ledger:
    """The state of every scheduled trial after the events applied so far.

    `chronicle` is fed beside it, by whoever applies: no rule depends on what it holds.

    Columns are indexed by the trial's place in `plan.schedule`. `tallies[standing]` counts trials, so that the counts
    of the whole campaign cost nothing to ask for.
    """

    def __init__(self, plan: Plan) -> None:
        size = len(plan.schedule)
        self.plan = plan
        self.standings = bytearray(size)
        self.tallies = [0] * len(Standing)
        self.tallies[Standing.UNSTARTED] = size
        self.timeout_differs = bytearray(size)
        self.started_at = array("d", [_UNMEASURED]) * size  # seconds since 1970; NaN: not said
        self.ended_at = array("d", [_UNMEASURED]) * size
        self.events = dict.fromkeys(EventKind, 0)
        self.in_flight: dict[int, None] = {}  # started since the last `opened`, no end on file
        self.observed_charge_s = Decimal(0)
        self.reserved_s = 0
        self.unmeasured_charges = 0
        self.reservations: list[Reservation] = []
        self.is_opened = False  # by an `opened` that no `closed` and no recovery followed
        self.chronicle = Chronicle()
        self.last_runner: Any = None  # the `runner` of the last `opened`
        self.last_stop: Any = None  # the `stop` of a `closed` that nothing followed
        self._values = {name: array("d", [_UNMEASURED]) * size for name in RESOURCES}
        self._columns = tuple(self._values.values())
        self._populations: Pool[tuple[Any, ...]] = Pool()
        self._accountings: Pool[Accounting] = Pool()
        self._endings: Pool[Ending] = Pool()
        self._population = array("i", [0]) * size
        self._accounting = array("i", [0]) * size
        self._ending = array("i", [0]) * size
        self._next_unstarted = 0
        checks = {
            (workflow_name, task_name): tuple(check.name for check in task.oracle.checks)
            for workflow_name, workflow in plan.document.workflows.items()
            for task_name, task in workflow.tasks.items()
        }
        self._check_names = [checks[trial.workflow, trial.task] for trial in plan.schedule]

    def standing(self, trial: int) -> Standing:
        return Standing(self.standings[trial])

    def resource(self, name: str, trial: int) -> int | float | None:
        """The observed value, in the unit that the name says; None: unmeasured."""
        value = self._values[name][trial]
        if value != value:  # noqa: PLR0124 - only NaN differs from itself, and math.isnan costs a call
            return None
        return value if name in _FRACTIONAL else int(value)

    def observations(self, name: str, trials: Iterable[int]) -> list[int | float | None]:
        """What `resource` gives for each of the trials, in their order: one pass over a column."""
        whole = name not in _FRACTIONAL
        values = map(self._values[name].__getitem__, trials)
        return [None if value != value else int(value) if whole else value for value in values]  # noqa: PLR0124 - as above

    def population(self, trial: int) -> tuple[Any, ...] | None:
        """The row's population fields in the order of `POPULATION_FIELDS`; None: no row, or none recorded."""
        return self._populations.value(self._population[trial])

    def population_number(self, trial: int) -> int:
        """A number equal for trials of equal population, 0 where there is none: cheap to group by."""
        return self._population[trial]

    def accounting(self, trial: int) -> Accounting | None:
        return self._accountings.value(self._accounting[trial])

    def accounting_number(self, trial: int) -> int:
        return self._accounting[trial]

    def ending(self, trial: int) -> Ending | None:
        return self._endings.value(self._ending[trial])

    @property
    def next_unstarted(self) -> int | None:
        """The place of the first unstarted trial of the schedule: what a runner would admit next."""
        place = self._next_unstarted
        while place < len(self.standings) and self.standings[place]:
            place += 1
        self._next_unstarted = place
        return place if place < len(self.standings) else None

    def first_unstarted(self, beginning: str = "") -> str | None:
        """The ID of the first unstarted trial of the schedule whose ID begins so."""
        first = self.next_unstarted
        for place in range(len(self.standings) if first is None else first, len(self.standings)):
            trial_id = self.plan.schedule[place].trial_id
            if self.standings[place] == Standing.UNSTARTED and trial_id.startswith(beginning):
                return trial_id
        return None

    def may_start(self, *, proved: bool) -> bool:
        """Whether the last runner could have been starting a trial; `proved`: it is known that it was trying."""
        return self.is_opened and (proved or len(self.in_flight) < self.last_runner.max_parallel)

    def foreseeing(self, event: EventLike) -> Ledger:
        """This ledger after one more `recovered`, which must be legal; this one stays as it is.

        The columns are shared: a recovery changes no trial's start, end or row.
        """
        foreseen = copy(self)
        foreseen.standings, foreseen.tallies = bytearray(self.standings), list(self.tallies)
        foreseen.events, foreseen.in_flight = dict(self.events), dict(self.in_flight)
        foreseen.reservations, foreseen.chronicle = list(self.reservations), self.chronicle.copy()
        if violations := foreseen.apply(event):
            raise ValueError(violations)
        foreseen.chronicle.note(event)
        return foreseen

    def apply(self, event: EventLike) -> tuple[Violation, ...]:
        """Fold one event in; empty if it was legal, else every rule it breaks, and nothing has changed."""
        if event.plan_sha256 != self.plan.plan_sha256:
            return (Violation(Rule.IDENTITY, f"plan_sha256 is of another plan: {event.plan_sha256}"),)
        kind = event.event
        if kind in _OF_THE_RUNNER:
            self._note_runner(kind, event)
        elif violations := self._apply_to_trial(kind, event):
            return violations
        self.events[_KINDS[kind]] += 1
        return ()

    def _note_runner(self, kind: str, event: Any) -> None:
        self.in_flight.clear()
        self.is_opened = kind == EventKind.OPENED
        if kind == EventKind.CLOSED:
            self.last_stop = event.stop
            return
        self.last_runner, self.last_stop = event.runner, None

    def _apply_to_trial(self, kind: str, event: Any) -> tuple[Violation, ...]:
        trial_id = event.trial_id
        if trial_id is None and kind == EventKind.RECOVERED:
            self._note_recovery(event)
            return ()
        trial = self.plan.index.get(trial_id)
        if trial is None:
            return (Violation(Rule.INVALID, f"trial_id {trial_id!r} is not in the plan"),)
        step = _step(kind, event)
        before = _STANDINGS[self.standings[trial]]
        after = TRANSITIONS.get((before, step))
        violations = self._broken_by_row(trial, event) if kind == EventKind.FINISHED else ()
        if after is None:
            standing = before.name.lower().replace("_", " ")
            violations = (Violation(Rule.INVALID, f"{trial_id} is {standing}, it cannot be {step}"), *violations)
        if violations or after is None:
            return violations
        self._move(trial, before, after)
        if kind == EventKind.STARTED:
            self._note_start(trial, event)
        elif kind == EventKind.FINISHED:
            self._note_end(trial, after, event)
        else:
            self.reserved_s += self.plan.schedule[trial].timeout_s
            self._note_recovery(event)
        return ()

    def _broken_by_row(self, trial: int, event: Any) -> tuple[Violation, ...]:
        entry = self.plan.schedule[trial]
        names = self._check_names[trial]
        broken = row_violations(event.row, event.terminal, entry, self.plan.campaign_id, names)
        return tuple([Violation(Rule.INVALID, text) for text in broken])

    def _move(self, trial: int, before: Standing, after: Standing) -> None:
        self.standings[trial] = after
        self.tallies[before] -= 1
        self.tallies[after] += 1

    def _note_recovery(self, event: Any) -> None:
        recovery = event.recovery
        self.in_flight.clear()
        self.is_opened = False
        self.last_stop = None
        self.reservations.append(Reservation(event.trial_id, recovery.kind, recovery.reason))

    def _note_start(self, trial: int, event: Any) -> None:
        # What a lost attempt spent is unknown: its whole timeout is reserved until its end is on file.
        self.reserved_s += self.plan.schedule[trial].timeout_s
        self.in_flight[trial] = None
        if event.at is not None:
            self.started_at[trial] = utc_seconds(event.at)

    def _note_end(self, trial: int, after: Standing, event: Any) -> None:
        row: RowLike = event.row
        entry = self.plan.schedule[trial]
        if event.at is not None:
            self.ended_at[trial] = utc_seconds(event.at)
        resources = row.resources
        if resources is not None:
            for column, value in zip(self._columns, _resource_values(resources), strict=True):
                if value is not None:
                    column[trial] = value
        self._population[trial] = self._populations.number(_population_of(row))
        self._accounting[trial] = self._accountings.number(_accounting_of(row))
        self._ending[trial] = self._endings.number(_ending_of(row))
        self.timeout_differs[trial] = row.timeout_s != entry.timeout_s
        if after is Standing.SKIPPED_BEFORE_START:
            return
        self.in_flight.pop(trial, None)
        duration = None if resources is None else resources.duration_s
        if duration is None:
            self.unmeasured_charges += 1
        else:
            self.reserved_s -= entry.timeout_s
            self.observed_charge_s = EXACT.add(self.observed_charge_s, Decimal(repr(duration)))


_STANDINGS: Final = tuple(Standing)
_KINDS: Final = {kind.value: kind for kind in EventKind}
_OF_THE_RUNNER: Final = frozenset({EventKind.OPENED.value, EventKind.CLOSED.value})
_resource_values = attrgetter(*RESOURCES)
_FRACTIONAL: Final = frozenset({"duration_s", "cost_usd", "cost_weighted_tokens"})


def _step(kind: str, event: Any) -> Step:
    if kind == EventKind.STARTED:
        return Step.STARTED
    if kind == EventKind.RECOVERED:
        return Step.RESERVED
    match event.terminal:
        case Terminal.COMPLETED:
            return Step.SUCCEEDED if event.row.verified_success else Step.FAILED
        case Terminal.TIMED_OUT:
            return Step.TIMED_OUT
        case Terminal.INFRASTRUCTURE_FAILURE:
            return Step.INFRASTRUCTURE_FAILED
    skip = event.row.skip
    before_start = skip is not None and skip.phase == SkipPhase.BEFORE_START
    return Step.SKIPPED_BEFORE_START if before_start else Step.SKIPPED_AFTER_START


def _population_of(row: RowLike) -> tuple[Any, ...] | None:
    population = row.population
    return None if population is None else _population_fields(population)


_population_fields = attrgetter(*POPULATION_FIELDS)


def _accounting_of(row: RowLike) -> Accounting | None:
    accounting = row.accounting
    if accounting is None:
        return None
    weights = accounting.token_weights
    return Accounting(
        provider=accounting.provider,
        input_includes_cached=accounting.input_includes_cached,
        output_includes_reasoning=accounting.output_includes_reasoning,
        cost_source=accounting.cost_source,
        price_table=accounting.price_table,
        token_weights=None if weights is None else tuple(sorted(weights.items())),
    )


def _ending_of(row: RowLike) -> Ending:
    checks = row.oracle.checks if row.oracle else ()
    not_passed = [check.name for check in checks if check.status != CheckStatus.PASS]
    return Ending(
        passed=len(checks) - len(not_passed),
        checks=len(checks),
        first_not_passed=not_passed[0] if not_passed else None,
        skip_reason=row.skip.reason if row.skip else None,
        instrument=row.skip.instrument if row.skip else None,
        error_type=row.error.type if row.error else None,
    )

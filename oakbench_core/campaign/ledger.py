"""Every rule about a trial's state is in this file; no other module compares events with states.

The ledger folds events, one by one and in their order, into columns with one entry a scheduled trial: a few hundred
bytes each, whatever the journal holds. An event that breaks a rule changes nothing and is answered by what it breaks.
"""

from __future__ import annotations

from array import array
from copy import copy
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.charges import Charges
from oakbench_core.campaign.endings import Endings, Step
from oakbench_core.campaign.execution import Chronicle
from oakbench_core.campaign.row_columns import UNMEASURED, RowColumns
from oakbench_core.campaign.row_rules import is_plain, row_violations
from oakbench_core.campaign.vocabulary import EventKind, Standing
from oakbench_core.forms import utc_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from decimal import Decimal

    from oakbench_core.campaign.endings import Ending
    from oakbench_core.campaign.evidence import EventLike
    from oakbench_core.campaign.plan import Plan

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


@dataclass(frozen=True, slots=True)
class Reservation:
    """One recovery on file: the trial reserved as an uncertain interruption, if any, and how it was decided."""

    trial_id: str | None
    kind: str
    reason: str


class Ledger(RowColumns):
    """The state of every scheduled trial after the events applied so far, and what the rows of the ended ones say.

    `chronicle` is fed beside it, by whoever applies: no rule depends on what it holds.

    Columns are indexed by the trial's place in `plan.schedule`. `tallies[standing]` counts trials, so that the counts
    of the whole campaign cost nothing to ask for.
    """

    def __init__(self, plan: Plan) -> None:
        size = len(plan.schedule)
        super().__init__(size)
        self.plan = plan
        self.standings = bytearray(size)
        self.tallies = [0] * len(Standing)
        self.tallies[Standing.UNSTARTED] = size
        self.timeout_differs = bytearray(size)
        self.started_at = array("d", [UNMEASURED]) * size  # seconds since 1970; NaN: not said
        self.ended_at = array("d", [UNMEASURED]) * size
        self.events = dict.fromkeys(EventKind, 0)
        self.in_flight: dict[int, None] = {}  # started since the last `opened`, no end on file
        self._charges = Charges()
        self.reserved_s = 0
        self.unmeasured_charges = 0
        self.reservations: list[Reservation] = []
        self.is_opened = False  # by an `opened` that no `closed` and no recovery followed
        self.chronicle = Chronicle()
        self.last_runner: Any = None  # the `runner` of the last `opened`
        self.last_stop: Any = None  # the `stop` of a `closed` that nothing followed
        self._endings, self._ending = Endings(), array("i", [0]) * size
        self._uncharged: list[float] = []  # durations of the events that are being applied
        self._next_unstarted = 0
        # Asked of the plan once: three look-ups for each event would cost as much as its transition.
        self._plan_sha256, self._campaign_id = plan.plan_sha256, plan.campaign_id
        self._schedule, self._index = plan.schedule, plan.index
        self._judges = {
            (workflow_name, task_name): self._endings.of_task(tuple(check.name for check in task.oracle.checks))
            for workflow_name, workflow in plan.document.workflows.items()
            for task_name, task in workflow.tasks.items()
        }

    def standing(self, trial: int) -> Standing:
        return _STANDINGS[self.standings[trial]]

    def ending(self, trial: int) -> Ending | None:
        return self._endings.value(self._ending[trial])

    @property
    def observed_charge_s(self) -> Decimal:
        """Seconds: the exact sum of the durations of the trials that ended with one."""
        return self._charges.total_s

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
        if event.plan_sha256 != self._plan_sha256:
            return (Violation(Rule.IDENTITY, f"plan_sha256 is of another plan: {event.plan_sha256}"),)
        kind: Any = event.event
        trial_id: Any = event.trial_id
        trial = self._index.get(trial_id)
        if trial is None:
            violations = self._apply_to_campaign(kind, event)
        else:
            at_s = None if event.at is None else utc_seconds(event.at)
            violations = self._end(trial, event, at_s) if kind == _FINISHED else self._begin(trial, kind, event, at_s)
            self._charge()
        if not violations:
            self.events[kind] += 1
        return violations

    def apply_all(self, events: Iterable[EventLike], times_s: Iterable[float]) -> list[int]:
        """Fold in events of trials as `apply` does, up to the first that it would refuse: the trials' places.

        `times_s` are the `utc_seconds` of their `at`. Whoever has many events should give many: what can be done once
        for all of them is.
        """
        places: list[int] = []
        find, plan_sha256, counts = self._index.get, self._plan_sha256, self.events
        for event, at_s in zip(events, times_s, strict=True):
            trial_id: Any = event.trial_id
            kind: Any = event.event
            trial = find(trial_id)
            if trial is None or event.plan_sha256 != plan_sha256:
                break
            if self._end(trial, event, at_s) if kind == _FINISHED else self._begin(trial, kind, event, at_s):
                break
            counts[kind] += 1
            places.append(trial)
        self._charge()
        return places

    def _begin(self, trial: int, kind: str, event: Any, at_s: float | None) -> tuple[Violation, ...]:
        before = self.standings[trial]
        step = _STEPS_OF_KINDS[kind]
        after = _AFTER[step][before]
        if after is None:
            return (_illegal(event.trial_id, before, step),)
        self.standings[trial] = after
        self.tallies[before] -= 1
        self.tallies[after] += 1
        # What a lost attempt spent is unknown: its whole timeout is reserved until its end is on file.
        self.reserved_s += self._schedule[trial].timeout_s
        if step is _RESERVED:
            self._note_recovery(event)
            return ()
        self.in_flight[trial] = None
        if at_s is not None:
            self.started_at[trial] = at_s
        return ()

    def _end(self, trial: int, event: Any, at_s: float | None) -> tuple[Violation, ...]:
        row, entry, before = event.row, self._schedule[trial], self.standings[trial]
        step, broken, ending = self._judges[entry.workflow, entry.task].judge(row, event.terminal)
        after = _AFTER[step][before]
        if after is None or broken or not is_plain(row, entry, self._campaign_id):
            illegal = (_illegal(event.trial_id, before, step),) if after is None else ()
            broken = row_violations(row, entry, self._campaign_id, broken)
            if after is None or broken:
                return (*illegal, *[Violation(Rule.INVALID, text) for text in broken])
        self.standings[trial] = after
        self.tallies[before] -= 1
        self.tallies[after] += 1
        self._ending[trial] = ending
        if at_s is not None:
            self.ended_at[trial] = at_s
        self._keep(trial, row)
        if row.timeout_s != entry.timeout_s:
            self.timeout_differs[trial] = True
        if after is not _SKIPPED_BEFORE_START:
            self.in_flight.pop(trial, None)
            duration_s = None if row.resources is None else row.resources.duration_s
            if duration_s is None:
                self.unmeasured_charges += 1
            else:
                self.reserved_s -= entry.timeout_s
                self._uncharged.append(duration_s)
        return ()

    def _apply_to_campaign(self, kind: str, event: Any) -> tuple[Violation, ...]:
        if event.trial_id is not None:
            return (Violation(Rule.INVALID, f"trial_id {event.trial_id!r} is not in the plan"),)
        if kind == EventKind.RECOVERED:
            self._note_recovery(event)
        else:
            self._note_runner(kind, event)
        return ()

    def _note_runner(self, kind: str, event: Any) -> None:
        self.in_flight.clear()
        self.is_opened = kind == EventKind.OPENED
        if kind == EventKind.CLOSED:
            self.last_stop = event.stop
            return
        self.last_runner, self.last_stop = event.runner, None

    def _charge(self) -> None:
        if self._uncharged:
            self._charges = Charges(self._uncharged, self._charges)
            self._uncharged.clear()

    def _note_recovery(self, event: Any) -> None:
        recovery = event.recovery
        self.in_flight.clear()
        self.is_opened = False
        self.last_stop = None
        self.reservations.append(Reservation(event.trial_id, recovery.kind, recovery.reason))


_STANDINGS: Final = tuple(Standing)
_AFTER: Final = {step: tuple(TRANSITIONS.get((before, step)) for before in Standing) for step in Step}
_STEPS_OF_KINDS: Final[Mapping[str, Step]] = {EventKind.STARTED: Step.STARTED, EventKind.RECOVERED: Step.RESERVED}
# Names of what the hot path compares with: in Python 3.11 an enum's member is found by a call.
_FINISHED: Final = EventKind.FINISHED
_RESERVED: Final = Step.RESERVED
_SKIPPED_BEFORE_START: Final = Standing.SKIPPED_BEFORE_START


def _illegal(trial_id: str, before: int, step: Step) -> Violation:
    standing = Standing(before).name.lower().replace("_", " ")
    return Violation(Rule.INVALID, f"{trial_id} is {standing}, it cannot be {step}")

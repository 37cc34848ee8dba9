"""What the reader hands to the screen: one moment of a campaign, frozen.

Rule: a snapshot never changes. It shares the ledger's columns with the reader, and masks them by its own copy of the
standings: a trial's columns are written once, at its start and at its end, so what stood at the snapshot's moment is
read unchanged afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.campaign.vocabulary import Standing
from oakbench_tui.view.glyphs import SHOWN_BY_STANDING, Shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from oakbench_core.campaign.admission import Admission
    from oakbench_core.campaign.endings import Ending
    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_core.errors import Problem

ENDED: Final = frozenset(
    {
        Standing.SKIPPED_BEFORE_START,
        Standing.SKIPPED_AFTER_START,
        Standing.VERIFIED_SUCCESS,
        Standing.TASK_FAILURE,
        Standing.TIMED_OUT,
        Standing.INFRASTRUCTURE_FAILURE,
    }
)
"""Standings with a terminal event, hence with a row."""


class Chip(StrEnum):
    """The one word of the strip that says what the journal is."""

    WAITING = "WAITING"
    LIVE = "LIVE"
    STOPPED = "STOPPED"
    COMPLETE = "COMPLETE"
    TORN = "TORN"
    UNCERTAIN = "UNCERTAIN"
    INVALID = "INVALID"
    BEHIND_HEAD = "BEHIND HEAD"
    UNKNOWN = "UNKNOWN"
    UNREADABLE = "UNREADABLE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One resource over the started trials of the campaign.

    `total` is the sum of what was observed where a report would give one for these rows together, else None: nothing
    observed, or values that must not be added (then `mixed` says so). `unknown_source`: a cost nobody vouches for, so
    that the sum is no total however complete it is. `running`: of the started trials, those that may still be measured.
    """

    name: str
    observed: int
    started: int
    total: int | Decimal | None
    mixed: bool = False
    unknown_source: bool = False
    running: int = 0

    @property
    def unmeasured(self) -> int:
        """Started trials without a value, those that still run among them."""
        return self.started - self.observed


class Foreseen(NamedTuple):
    """What a recovery would append: the trial that it would reserve, if any, and the words of the format."""

    trial_id: str | None
    kind: str
    reason: str


class Failure(NamedTuple):
    """Why nothing can be shown at the moment: which file or folder, what is found there, what a person can do.

    `contradicts`: it can be read, and is not what was opened.
    """

    place: str
    rule: str
    next_step: str
    contradicts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the reader knows of the journal as a file.

    `state` is a word of the table in the format's description of journal states; `writer_lives` is None where liveness
    cannot be told. `size_bytes` is the file's size, `read_bytes` how far it is folded. Times are seconds since 1970,
    `rate_mb_s` the speed of catching up while `read_bytes` is behind. `leftovers` counts trials that have artifacts
    although there is no journal, or an empty one.
    """

    state: str
    writer_lives: bool | None = None
    stop_reason: str | None = None
    seq: int | None = None
    last_hash: str | None = None
    size_bytes: int = 0
    read_bytes: int = 0
    rate_mb_s: float | None = None
    last_growth: float | None = None
    last_at: float | None = None
    host: str | None = None
    pid: int | None = None
    max_parallel: int | None = None
    problems: tuple[Problem, ...] = ()
    tail_kind: str | None = None
    tail_offset: int | None = None
    tail_bytes: int | None = None
    foreseen: Foreseen | None = None
    replaced: int = 0  # how often the file under the console was replaced since it opened
    failure: Failure | None = None
    leftovers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A trial that a live runner has started. `last_output` is the newest time of its artifacts; None: none seen."""

    place: int
    started_at: float | None
    last_output: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A campaign at one moment. `at` is when it was taken (seconds since 1970), `version` grows with each one.

    `measured` is of the whole campaign, `groups` of each of its groups, in the order of `Grouping`.
    """

    version: int
    at: float
    ledger: Ledger
    standings: bytes
    tallies: tuple[int, ...]
    running: tuple[Running, ...]
    admission: Admission
    at_worst: int | None
    measured: tuple[Measured, ...]
    groups: tuple[tuple[Measured, ...], ...]
    reading: Reading
    events: int
    newest: int | None = None  # the trial that the last event names

    @property
    def plan(self) -> Plan:
        return self.ledger.plan

    @property
    def scheduled(self) -> int:
        return len(self.standings)

    @property
    def chip(self) -> Chip:
        return chip_of(self.reading, self.tallies)

    @property
    def sound(self) -> bool:
        """Whether figures may be shown at all."""
        return self.chip not in {Chip.INVALID, Chip.BEHIND_HEAD, Chip.UNREADABLE}

    def counts(self) -> Mapping[Shown, int]:
        """Every scheduled trial once, by what it is shown as; the counts add up to the schedule."""
        counts = dict.fromkeys(Shown, 0)
        for standing, tally in zip(Standing, self.tallies, strict=True):
            counts[SHOWN_BY_STANDING[standing]] += tally
        counts[Shown.INTERRUPTED] -= len(self.running)
        counts[Shown.RUNNING] += len(self.running)
        return counts

    @property
    def started(self) -> int:
        """Started trials: interrupted, finished, or skipped after their start."""
        return self.scheduled - self.tallies[Standing.UNSTARTED] - self.tallies[Standing.SKIPPED_BEFORE_START]

    def trial(self, place: int) -> ScheduledTrial:
        return self.plan.schedule[place]

    def standing(self, place: int) -> Standing:
        return Standing(self.standings[place])

    def shown(self, place: int) -> Shown:
        shown = SHOWN_BY_STANDING[self.standings[place]]
        if shown is Shown.INTERRUPTED and any(trial.place == place for trial in self.running):
            return Shown.RUNNING
        return shown

    def has_row(self, place: int) -> bool:
        return self.standings[place] in ENDED

    def resource(self, name: str, place: int) -> int | float | None:
        """The observed value; None where it is unmeasured, and where the trial has not ended."""
        return self.ledger.resource(name, place) if self.has_row(place) else None

    def ending(self, place: int) -> Ending | None:
        return self.ledger.ending(place) if self.has_row(place) else None

    def started_at(self, place: int) -> float | None:
        """When the trial started, if its start is on file and says when."""
        if self.standings[place] in {Standing.UNSTARTED, Standing.SKIPPED_BEFORE_START, Standing.UNCERTAIN}:
            return None
        return _known(self.ledger.started_at[place])

    def ended_at(self, place: int) -> float | None:
        return _known(self.ledger.ended_at[place]) if self.has_row(place) else None

    def running_at(self, place: int) -> Running | None:
        return next((trial for trial in self.running if trial.place == place), None)


def _known(value: float) -> float | None:
    return None if value != value else value  # noqa: PLR0124 - NaN: the event did not say when


_BY_STATE: Final[Mapping[str, Chip]] = {
    "INVALID": Chip.INVALID,
    "BEHIND_HEAD": Chip.BEHIND_HEAD,
    "TORN": Chip.TORN,
    "ZEROS": Chip.TORN,
    "RECOVERY_PENDING": Chip.TORN,
    "UNCERTAIN_TAIL": Chip.UNCERTAIN,
}


def chip_of(reading: Reading, tallies: tuple[int, ...]) -> Chip:
    """The word of the strip; what makes figures doubtful comes before what a runner does."""
    if reading.failure is not None:
        return Chip.INVALID if reading.failure.contradicts else Chip.UNREADABLE
    if reading.state in _BY_STATE:
        return _BY_STATE[reading.state]
    if reading.writer_lives:
        return Chip.LIVE
    if reading.state in {"ABSENT", "EMPTY"}:
        # Until its end was reached once, nothing is known of a journal but that it is there.
        return Chip.WAITING if reading.rate_mb_s is None else Chip.UNKNOWN
    if not (tallies[Standing.UNSTARTED] or tallies[Standing.INTERRUPTED] or tallies[Standing.UNCERTAIN]):
        return Chip.COMPLETE
    return Chip.UNKNOWN if reading.writer_lives is None else Chip.STOPPED


def longest_running(snapshot: Snapshot) -> tuple[Running, ...]:
    """The running trials, the one that started first in front; those without a time last."""
    return tuple(sorted(snapshot.running, key=lambda t: (t.started_at is None, t.started_at or 0.0)))

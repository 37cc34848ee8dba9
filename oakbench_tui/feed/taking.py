"""From the reader's moving parts to a frozen snapshot, and whether there is anything new to hand over."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.campaign.admission import admissible_at_worst, admission
from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.durable.lock import Liveness
from oakbench_core.durable.tail import JournalState
from oakbench_core.forms import utc_seconds
from oakbench_core.running.artifacts import artifact_folder
from oakbench_tui.feed.artifacts import Leftovers
from oakbench_tui.view.measuring import Grouping, Measuring
from oakbench_tui.view.snapshot import Foreseen, Reading, Running, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from decimal import Decimal
    from pathlib import Path

    from oakbench_core.campaign.admission import Admission
    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.journal import JournalReader
    from oakbench_core.durable.tail import Tail
    from oakbench_tui.view.snapshot import Failure, Measured

LIVES: Final = {Liveness.WRITING: True, Liveness.FREE: False, Liveness.UNKNOWN: None}
NO_RECORDS: Final = frozenset({JournalState.ABSENT, JournalState.EMPTY})
_OUTPUTS_OF: Final = 8  # running trials whose artifacts are looked at
_WORST_EVERY_S: Final = 1.0  # the count of what is still admitted goes through the schedule where timeouts differ


class Taker:
    """What is remembered between two snapshots of one campaign folder."""

    def __init__(self, folder: Path, plan: Plan, clock: Callable[[], float]) -> None:
        self._folder = folder
        self._clock = clock
        self.grouping = Grouping(plan)
        self._measuring = Measuring(self.grouping)
        self._uniform_timeout = next(iter({trial.timeout_s for trial in plan.schedule}), 0)
        if any(trial.timeout_s != self._uniform_timeout for trial in plan.schedule):
            self._uniform_timeout = 0
        self._worst: _Worst | None = None
        self._state = JournalState.ABSENT
        self._catching_up = True
        self._replaced = 0
        self._failure: Failure | None = None
        self._leftovers = Leftovers(folder, plan)
        self._begun: tuple[float, int] = (time.monotonic(), 0)
        self._touched = True
        self._newest: int | None = None
        self._reserved: int | None = None  # the trial that a recovery would reserve

    def note(
        self, reader: JournalReader, state: JournalState | None, touched: Iterable[int], failure: Failure | None
    ) -> tuple[int, ...]:
        """What one poll found. `state` None: more is to be read, or it cannot be. `failure`: why nothing is shown.

        Returns the places whose trials look otherwise although no event on file names them.
        """
        if state is JournalState.REPLACED:
            self._replaced += 1
            self._state = JournalState.ABSENT  # what stands there now is not known yet
            self._measuring = Measuring(self.grouping)
            self._newest, self._worst = None, None
            self._begun = (time.monotonic(), 0)
            self._touched = True
        elif state is not None:
            self._state = state
        self._failure = failure
        self._catching_up = failure is None and state in {None, JournalState.REPLACED}
        places = list(touched)
        if places:
            self._touched, self._newest = True, places[-1]
        self._measuring.note(reader.ledger, places)
        return self._note_reserved(reader)

    def _note_reserved(self, reader: JournalReader) -> tuple[int, ...]:
        before, self._reserved = self._reserved, reserved_place(reader.tail, reader.plan)
        if before == self._reserved:
            return ()
        self._touched = True
        return tuple(place for place in (before, self._reserved) if place is not None)

    def snapshot(self, reader: JournalReader, before: Snapshot | None) -> Snapshot:
        """The moment as it is now; `before` itself where nothing has changed since."""
        reading = self._reading(reader)
        ledger = reader.ledger_after_recovery
        running = running_trials(self._folder, ledger) if reading.writer_lives else ()
        if before is not None and not self._touched and (reading, running) == (before.reading, before.running):
            return before
        self._touched = False
        account = admission(ledger)
        return Snapshot(
            version=0 if before is None else before.version + 1,
            at=self._clock(),
            ledger=ledger,
            standings=bytes(ledger.standings),
            tallies=tuple(ledger.tallies),
            running=running,
            admission=account,
            at_worst=self._at_worst(ledger, account),
            measured=with_running(self._measured(), len(running)),
            groups=groups_with_running(self._groups(), running, self.grouping),
            reading=reading,
            newest=self._newest,
            events=sum(reader.ledger.events.values()),
        )

    def _measured(self) -> tuple[Measured, ...]:
        measured = self._measuring.campaign()
        return measured if self._reserved is None else _with_one_more_start(measured)

    def _groups(self) -> tuple[tuple[Measured, ...], ...]:
        groups = self._measuring.groups()
        if self._reserved is None:
            return groups
        number = self.grouping.number_at[self._reserved]
        return (*groups[:number], _with_one_more_start(groups[number]), *groups[number + 1 :])

    def _reading(self, reader: JournalReader) -> Reading:
        fold, runner, stop = reader.fold, reader.ledger.last_runner, reader.ledger.last_stop
        tail = None if self._catching_up else reader.tail
        knows = not self._catching_up and self._failure is None
        reading = Reading(
            state=str(self._state),
            writer_lives=LIVES[reader.liveness] if knows else None,
            stop_reason=None if stop is None else str(stop.reason),
            seq=fold.last_seq,
            last_hash=fold.last_hash,
            size_bytes=reader.size,
            read_bytes=reader.offset,
            last_growth=last_growth(reader.path),
            last_at=None if fold.last_at is None else utc_seconds(fold.last_at),
            problems=() if self._catching_up else reader.problems,
            replaced=self._replaced,
            failure=self._failure,
            leftovers=self._leftovers.count() if knows and self._state in NO_RECORDS else 0,
        )
        if runner is not None:
            reading = replace(reading, host=runner.host, pid=runner.pid, max_parallel=runner.max_parallel)
        if tail is not None:
            reading = replace(
                reading,
                tail_kind=str(tail.kind),
                tail_offset=tail.offset,
                tail_bytes=tail.size,
                foreseen=foreseen(tail),
            )
        if self._catching_up:
            began, offset = self._begun
            spent = max(time.monotonic() - began, 1e-6)
            return replace(reading, rate_mb_s=(reader.offset - offset) / spent / 1e6)
        self._begun = (time.monotonic(), reader.offset)
        return reading

    def _at_worst(self, ledger: Ledger, account: Admission) -> int | None:
        if account.remaining_s is None:
            return None
        unstarted = ledger.tallies[Standing.UNSTARTED]
        if self._uniform_timeout:
            admitted = int(account.remaining_s // self._uniform_timeout) if account.remaining_s > 0 else 0
            return min(admitted, unstarted)
        if self._worst is None or (self._worst.remaining_s, self._worst.unstarted) != (account.remaining_s, unstarted):
            self._worst = self._count_at_worst(ledger, account.remaining_s, unstarted)
        return self._worst.admitted

    def _count_at_worst(self, ledger: Ledger, remaining_s: Decimal, unstarted: int) -> _Worst:
        """Goes through the schedule, at most once a second: in between it says what is admitted at the least."""
        now, before = time.monotonic(), self._worst
        if before is not None and now < before.again_at:
            self._touched = True  # the next look counts again, whether anything happens or not
            started = before.unstarted - unstarted
            return before._replace(admitted=max(before.admitted - started, 0), unstarted=unstarted, remaining_s=None)
        admitted = admissible_at_worst(ledger) or 0
        return _Worst(admitted, unstarted, remaining_s, now + _WORST_EVERY_S)


class _Worst(NamedTuple):
    """How many trials were admitted at worst, at a moment with so much left; `remaining_s` None: a lower bound."""

    admitted: int
    unstarted: int
    remaining_s: Decimal | None
    again_at: float


def reserved_place(tail: Tail | None, plan: Plan) -> int | None:
    """The place of the trial that a recovery would reserve; None: it would reserve none."""
    event = None if tail is None else tail.would_recover
    return None if event is None or event["trial_id"] is None else plan.index[event["trial_id"]]


def foreseen(tail: Tail) -> Foreseen | None:
    """What a recovery would say of the tail."""
    event = tail.would_recover
    if event is None:
        return None
    return Foreseen(event["trial_id"], event["recovery"]["kind"], event["recovery"]["reason"])


def with_running(measured: tuple[Measured, ...], count: int) -> tuple[Measured, ...]:
    """Of these trials `count` still run."""
    return tuple(replace(each, running=count) for each in measured) if count else measured


def groups_with_running(
    groups: tuple[tuple[Measured, ...], ...], running: Iterable[Running], grouping: Grouping
) -> tuple[tuple[Measured, ...], ...]:
    """What is measured of each group, with how many of its trials still run."""
    counts = Counter(grouping.number_at[trial.place] for trial in running)
    return tuple(with_running(group, counts[number]) for number, group in enumerate(groups)) if counts else groups


def _with_one_more_start(measured: tuple[Measured, ...]) -> tuple[Measured, ...]:
    return tuple(replace(each, started=each.started + 1) for each in measured)


def _known(value: float) -> float | None:
    return None if value != value else value  # noqa: PLR0124 - NaN: the event did not say when


def last_growth(path: Path) -> float | None:
    """When the file last changed; None where it cannot be looked at."""
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def running_trials(folder: Path, ledger: Ledger) -> tuple[Running, ...]:
    """What a live runner has started and not ended, in the order of the starts."""
    return tuple(
        Running(
            place=place,
            started_at=_known(ledger.started_at[place]),
            last_output=_last_output(artifact_folder(folder, ledger.plan.schedule[place].trial_id))
            if number < _OUTPUTS_OF
            else None,
        )
        for number, place in enumerate(ledger.in_flight)
    )


def _last_output(artifacts: Path) -> float | None:
    """When the trial last wrote an artifact; None where there are none to be seen."""
    try:
        return max((entry.stat().st_mtime for entry in artifacts.iterdir()), default=None)
    except OSError:
        return None

"""The loop of a run: what is admitted next, what is waited for, and what stops it.

Trials are admitted in the schedule's order, each only while a place is free and the budget holds its whole timeout,
with those in flight reserved as a whole. Where the budget would admit it once a trial in flight has ended for less, the
loop waits and asks again; it never stops for want of budget while a trial is in flight. A stop admits nothing more, and
what is in flight goes to its end. One thread decides, and writes the journal.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.admission import admission
from oakbench_core.campaign.vocabulary import ErrorType, Standing, StopReason, Terminal
from oakbench_core.errors import ExitCode, JournalError, OakbenchError, PoisonedError
from oakbench_core.running.attempt import Attempted
from oakbench_core.running.commands import AttemptInterruptedError
from oakbench_core.running.listening import Listener, TrialEnd
from oakbench_core.running.readiness import expect_outside
from oakbench_core.running.rows import Ending, HostFacts, Seen, row_of, skipped_row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from oakbench_core.campaign.definition import RunTable
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_core.durable.writer import JournalWriter
    from oakbench_core.running.clocks import Clocks
    from oakbench_core.running.failures import FailureWatch
    from oakbench_core.running.flight import Flights
    from oakbench_core.running.lookups import Lookups
    from oakbench_core.running.stopping import StopSwitch

_GIB: Final = 1 << 30
_NOT_ENDED: Final = (Standing.UNSTARTED, Standing.INTERRUPTED, Standing.UNCERTAIN)


class Stop(NamedTuple):
    """Why a run ends, as the journal's `closed` says it."""

    reason: StopReason
    code: int
    detail: str | None = None


class RunLimits(NamedTuple):
    """How much a run does at most: `starts` trials, and none more after `seconds`; None: no such limit."""

    starts: int | None = None
    seconds: float | None = None


NO_LIMITS: Final = RunLimits()


class _Wait(NamedTuple):
    """Nothing can be admitted before a trial in flight has ended, or so many seconds are over."""

    seconds: float | None = None


@dataclass(slots=True, kw_only=True)
class RunLoop:
    """`folders`: what must have free disk, by what it is called. `root`: of the workspaces."""

    plan: Plan
    settings: RunTable
    limits: RunLimits
    writer: JournalWriter
    lookups: Lookups
    host: HostFacts
    flights: Flights
    failures: FailureWatch
    switch: StopSwitch
    listener: Listener
    clocks: Clocks
    root: Path
    folders: Mapping[str, Path]
    _in_flight: set[int] = field(default_factory=set)
    _starts: int = 0
    _stop: Stop | None = None
    _begun: float = 0.0

    def until_stopped(self) -> Stop:
        """Run until nothing is in flight and nothing more is to be admitted.

        Raises:
            PlatformError: as `expect_outside`; what was in flight has gone to its end.
            PoisonedError: the outcome of a write is unknown; what was in flight was ended.
        """
        self._begun = self.clocks.boottime()
        try:
            while (wait := self._admitted()) is not None:
                self._land(wait.seconds)
        except PoisonedError:
            self._abandon()
            raise
        except OakbenchError:
            self._drain()
            raise
        except BaseException:  # a defect of ours
            self._abandon()
            raise
        return self._asked_to_stop() or self._stop or Stop(StopReason.EXHAUSTED, ExitCode.DONE)

    def _admitted(self) -> _Wait | None:
        """Admit what can be; what is to be waited for then, or None: the run is over."""
        while (place := self.writer.ledger.next_unstarted) is not None and not self._is_stopped():
            wait = self._step(place)
            if wait is not None:
                return wait
        return _Wait() if self._in_flight else None

    def _is_stopped(self) -> bool:
        return self._stop is not None or self._asked_to_stop() is not None

    def _stop_for(self, stop: Stop) -> None:
        """Admit nothing more. With trials in flight a user wants to know why nothing more begins."""
        if self._stop is None:
            self._stop = stop
            if self._in_flight and stop.detail is not None:
                self.listener.stopping(stop.detail, len(self._in_flight))

    def _asked_to_stop(self) -> Stop | None:
        number = self.switch.signal
        return None if number is None else Stop(StopReason.SIGNAL, 128 + number, self.switch.why)

    def _step(self, place: int) -> _Wait | None:
        """Skip or start one trial, or note why the run stops; what is to be waited for before either."""
        if len(self._in_flight) >= self.settings.max_parallel:
            return _Wait()
        trial = self.plan.schedule[place]
        if contradictions := self.lookups.contradictions(trial):
            self._stop_for(_changed(contradictions))
            return None
        skip = self.lookups.skip_of(trial)
        if skip is not None:
            row = skipped_row(self.plan, trial, self.host, skip)
            self.writer.append_finished(trial.trial_id, skip.terminal, row)
            self._tell_end(trial, skip.terminal, row)
            return None
        refusal = self._refusal(trial)
        if isinstance(refusal, _Wait):
            return refusal
        if refusal is not None:
            self._stop_for(refusal)
        else:
            self._start(place, trial)
        return None

    def _refusal(self, trial: ScheduledTrial) -> Stop | _Wait | None:
        """Why the trial is not admitted, and so no other after it; of several reasons the one that weighs most.

        Raises:
            PlatformError: as `expect_outside`.
        """
        expect_outside(self.root)
        if changes := self.lookups.changes_of(trial):
            return _changed(changes)
        if stop := self._self_stop():
            return stop
        hold_s = self.failures.hold_s()
        if hold_s is None or hold_s > 0:
            return _Wait(hold_s)
        account = admission(self.writer.ledger)
        if account.next_admissible is not False:
            return None
        if self._in_flight:  # each of them is reserved as a whole, and may end for less
            return _Wait()
        detail = f"{account.remaining_s:f} s remain, the next trial needs {trial.timeout_s} s"
        return Stop(StopReason.BUDGET, ExitCode.BUDGET, detail)

    def _self_stop(self) -> Stop | None:
        code = ExitCode.SELF_STOPPED
        if self.failures.halted is not None:
            return Stop(StopReason.HALTED, code, self.failures.halted)
        for what, folder in self.folders.items():
            free = shutil.disk_usage(folder).free
            if free < self.settings.min_free_gib * _GIB:
                detail = (
                    f"{free / _GIB:.1f} GiB are free on the disk of {what}, fewer than {self.settings.min_free_gib}"
                )
                return Stop(StopReason.DISK, code, detail)
        if self.limits.starts is not None and self._starts >= self.limits.starts:
            return Stop(StopReason.LIMIT, code, f"it was to start {self.limits.starts:,} trials, and has")
        if self.limits.seconds is not None and self._left_s() <= 0:
            return Stop(
                StopReason.LIMIT, code, f"it was to start trials for {self.limits.seconds:,.0f} s, which are over"
            )
        return None

    def _left_s(self) -> float:
        """Seconds until the run may start nothing more, by the clock that counts while the machine sleeps."""
        return float(self.limits.seconds or 0) - (self.clocks.boottime() - self._begun)

    def _start(self, place: int, trial: ScheduledTrial) -> None:
        self.writer.append_started(trial.trial_id)
        self.flights.start(place)
        self._in_flight.add(place)
        self._starts += 1
        self.failures.started(trial)
        self.listener.started(trial)

    def _land(self, hold_s: float | None) -> None:
        """Wait for a trial to end, or for the hold to be over, and make the end durable."""
        if hold_s is not None:
            if self.failures.is_hold_new():
                self.listener.holding(hold_s)
            if self.limits.seconds is not None:
                hold_s = min(hold_s, max(self._left_s(), 0.0))
        landing = self.flights.next_landing(hold_s)
        if landing is None:
            return
        self._in_flight.discard(landing.place)
        trial = self.plan.schedule[landing.place]
        if isinstance(landing.result, AttemptInterruptedError):
            self.failures.gone(trial)
            self.listener.interrupted(trial)
        elif isinstance(landing.result, Exception):
            self._finish(trial, self._lost(trial, landing.result))
        elif isinstance(landing.result, BaseException):
            raise landing.result
        else:
            self._finish(trial, landing.result)

    def _lost(self, trial: ScheduledTrial, error: Exception) -> Attempted:
        """What is on file of a trial whose thread failed for a reason of ours: nothing of it was seen."""
        message = f"the thread of the trial failed: {type(error).__name__}"
        ending = Ending(Terminal.INFRASTRUCTURE_FAILURE, error=(ErrorType.WORKER_LOST, message))
        return Attempted(ending.terminal, row_of(self.plan, trial, self.host, Seen(), ending))

    def _finish(self, trial: ScheduledTrial, attempted: Attempted) -> None:
        """Make a trial's end durable. A row that no journal takes is our failure, and ends the trial as one."""
        terminal, row = attempted
        try:
            self.writer.append_finished(trial.trial_id, terminal, row)
        except JournalError as error:
            rules = "; ".join(str(problem) for problem in error.problems)
            ending = Ending(
                Terminal.INFRASTRUCTURE_FAILURE, error=(ErrorType.RUNNER_ERROR, f"its row was refused: {rules}")
            )
            terminal, row = ending.terminal, row_of(self.plan, trial, self.host, Seen(), ending)
            self.writer.append_finished(trial.trial_id, terminal, row)
        self.failures.ended(trial, terminal, row)
        self._tell_end(trial, terminal, row)
        if self.failures.halted is not None:
            self._stop_for(Stop(StopReason.HALTED, ExitCode.SELF_STOPPED, self.failures.halted))

    def _tell_end(self, trial: ScheduledTrial, terminal: Terminal, row: Mapping[str, Any]) -> None:
        tallies = self.writer.ledger.tallies
        ended = sum(tallies) - sum(tallies[standing] for standing in _NOT_ENDED)
        self.listener.ended(TrialEnd(trial, terminal, row, ended))

    def _drain(self) -> None:
        """Let what is in flight go to its end, and make each end durable."""
        try:
            while self._in_flight:
                self._land(None)
        except BaseException:
            self._abandon()
            raise

    def _abandon(self) -> None:
        """End what is in flight, without a word in the journal."""
        self.switch.abandon()
        while self._in_flight:
            landing = self.flights.next_landing(None)
            if landing is not None:
                self._in_flight.discard(landing.place)


def _changed(changes: tuple[str, ...]) -> Stop:
    return Stop(StopReason.CHANGED_INPUT, ExitCode.IDENTITY, "; ".join(changes))

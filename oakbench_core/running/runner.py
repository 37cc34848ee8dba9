"""The runner: one trial after another, in the schedule's order, while the budget admits the next one's whole timeout.

What it has to know of earlier runs it takes from the journal, and from nothing else. `started` is durable before
anything of a trial happens, its end is durable before the next is looked at; running again goes on with what is
unstarted, and an interruption stays on file.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from oakbench_core.campaign.admission import admission
from oakbench_core.campaign.vocabulary import ErrorType, StopReason, Terminal
from oakbench_core.durable.writer import JournalWriter, RunnerFacts
from oakbench_core.errors import ExitCode, JournalError
from oakbench_core.running.attempt import AttemptRequest, attempt
from oakbench_core.running.commands import AttemptInterruptedError
from oakbench_core.running.leftovers import clear_leftovers
from oakbench_core.running.lookups import Lookups
from oakbench_core.running.readiness import expect_outside, expect_runnable
from oakbench_core.running.rows import LONGEST_MESSAGE, Ending, HostFacts, Seen, plain, row_of, skipped_row
from oakbench_core.running.runner_class import runner_class
from oakbench_core.running.supervisor import ForkServer
from oakbench_core.running.workspace import workspaces_root

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Any

    from oakbench_core.campaign.definition import RunTable
    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_core.durable.recovery import Repair
    from oakbench_core.running.leftovers import Cleared
    from oakbench_core.running.stopping import StopSwitch

_GIB: Final = 1 << 30


class TrialEnd(NamedTuple):
    """A trial that has just ended: its row, and its place in the schedule, counted from 1."""

    trial: ScheduledTrial
    terminal: Terminal
    row: Mapping[str, Any]
    number: int


class RunEnd(NamedTuple):
    """Why a run ended in order, as the journal's `closed` says it, and what is on file by then."""

    reason: StopReason
    code: int
    detail: str | None
    ledger: Ledger


class Listener(Protocol):
    """Who is told how a run goes, in the runner's thread, each time when the record of it is durable."""

    def repaired(self, repair: Repair) -> None:
        """The end that an earlier runner left was brought into order."""

    def cleared(self, cleared: Cleared, root: Path) -> None:
        """What an earlier runner that was killed left below the workspaces root was ended and removed."""

    def opened(self, ledger: Ledger) -> None:
        """The journal is this runner's; nothing has been started."""

    def started(self, trial: ScheduledTrial) -> None: ...

    def ended(self, end: TrialEnd) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What is run, and with what.

    `workspaces`: the root that the user chose; None: the default one. `unsafe_filesystem`: the user said to go on where
    nothing is known of the journal's file system.
    """

    plan: Plan
    folder: Path
    settings: RunTable
    environment: Mapping[str, str]
    tool: str
    clock: Callable[[], str]
    workspaces: Path | None = None
    unsafe_filesystem: bool = False


def run_campaign(request: RunRequest, switch: StopSwitch, listener: Listener) -> RunEnd:
    """Run what is unstarted of a campaign, until the schedule is exhausted or something stops it.

    Raises:
        PlatformError: as `workspaces_root` and `JournalWriter.open`, or a trial made its workspaces part of a project.
        DocumentError: as `expect_runnable`.
        LockedError, JournalError, IdentityError: as `JournalWriter.open`; nothing was written.
        PoisonedError: the outcome of a write is unknown; nothing is running.
    """
    request = replace(request, folder=request.folder.absolute())  # a supervisor stands elsewhere
    root = workspaces_root(request.plan.plan_sha256, request.environment, request.workspaces)
    expect_outside(root)
    expect_runnable(request.plan, request.environment)
    with ForkServer() as server, _opened(request) as writer:
        if writer.repaired is not None:
            listener.repaired(writer.repaired)
        if cleared := clear_leftovers(root, (trial.trial_id for trial in request.plan.schedule)):
            listener.cleared(cleared, root)
        listener.opened(writer.ledger)
        system = os.uname()
        run = _Run(
            request=request,
            writer=writer,
            server=server,
            switch=switch,
            listener=listener,
            root=root,
            lookups=Lookups(request.plan, request.folder, request.environment),
            host=HostFacts(system.sysname.lower(), system.machine, runner_class()),
        )
        reason, code, detail = run.until_stopped()
        detail = plain(detail, LONGEST_MESSAGE)
        writer.append_closed(reason, code, detail)
        return RunEnd(reason, code, detail, writer.ledger)


def _opened(request: RunRequest) -> JournalWriter:
    settings = request.settings.model_dump(mode="json")
    facts = RunnerFacts(
        tool=request.tool, max_parallel=1, settings=settings, unsafe_filesystem=request.unsafe_filesystem
    )
    return JournalWriter.open(request.folder, request.plan, clock=request.clock, runner=facts)


_Stop = tuple[StopReason, int, str | None]


@dataclass(slots=True, kw_only=True)
class _Run:
    request: RunRequest
    writer: JournalWriter
    server: ForkServer
    switch: StopSwitch
    listener: Listener
    root: Path
    lookups: Lookups
    host: HostFacts
    failures_in_row: dict[str, int] = field(default_factory=dict)

    def until_stopped(self) -> _Stop:
        while (place := self.writer.ledger.next_unstarted) is not None:
            if stop := self._asked_to_stop() or self._step(place):
                return stop
        return self._asked_to_stop() or (StopReason.EXHAUSTED, ExitCode.DONE, None)

    def _step(self, place: int) -> _Stop | None:
        """Bring one trial to its end; why the run stops instead, or after it."""
        trial = self.request.plan.schedule[place]
        if contradictions := self.lookups.contradictions(trial):
            return _changed(contradictions)
        skip = self.lookups.skip_of(trial)
        if skip is None:
            return self._refusal(trial) or self._attempt(place, trial)
        row = skipped_row(self.request.plan, trial, self.host, skip)
        self.writer.append_finished(trial.trial_id, skip.terminal, row)
        self.listener.ended(TrialEnd(trial, skip.terminal, row, place + 1))
        return None

    def _asked_to_stop(self) -> _Stop | None:
        number = self.switch.signal
        return None if number is None else (StopReason.SIGNAL, 128 + number, self.switch.why)

    def _refusal(self, trial: ScheduledTrial) -> _Stop | None:
        """Why the trial is not admitted, and so no other after it; of several reasons the one that weighs most.

        Raises:
            PlatformError: as `expect_outside`.
        """
        expect_outside(self.root)
        if changes := self.lookups.changes_of(trial):
            return _changed(changes)
        settings = self.request.settings
        for what, folder in (("workspaces", self.root), ("the campaign folder", self.request.folder)):
            free = shutil.disk_usage(folder).free
            if free < settings.min_free_gib * _GIB:
                detail = f"{free / _GIB:.1f} GiB are free on the disk of {what}, fewer than {settings.min_free_gib}"
                return StopReason.DISK, ExitCode.SELF_STOPPED, detail
        account = admission(self.writer.ledger)
        if account.next_admissible is False:
            detail = f"{account.remaining_s:f} s remain, the next trial needs {trial.timeout_s} s"
            return StopReason.BUDGET, ExitCode.BUDGET, detail
        return None

    def _attempt(self, place: int, trial: ScheduledTrial) -> _Stop | None:
        request, settings = self.request, self.request.settings
        wanted = AttemptRequest(
            plan=request.plan,
            place=place,
            folder=request.folder,
            workspaces=self.root,
            environment=request.environment,
            host=self.host,
            grace_s=settings.grace_s,
            output_cap_bytes=settings.output_cap_mib << 20,
            keep_workspaces=settings.keep_workspaces,
        )
        self.writer.append_started(trial.trial_id)
        self.listener.started(trial)
        try:
            terminal, row = attempt(wanted, self.server, end_now=self.switch.end_now)
        except AttemptInterruptedError:
            return self._asked_to_stop()
        terminal, row = self._finish(trial, terminal, row)
        self.listener.ended(TrialEnd(trial, terminal, row, place + 1))
        return self._halted(trial, terminal, row)

    def _finish(
        self, trial: ScheduledTrial, terminal: Terminal, row: dict[str, Any]
    ) -> tuple[Terminal, dict[str, Any]]:
        """Make the trial's end durable. A row that no journal takes is our failure, and ends the trial as one."""
        try:
            self.writer.append_finished(trial.trial_id, terminal, row)
        except JournalError as error:
            rules = "; ".join(str(problem) for problem in error.problems)
            ending = Ending(
                Terminal.INFRASTRUCTURE_FAILURE, error=(ErrorType.RUNNER_ERROR, f"its row was refused: {rules}")
            )
            terminal, row = ending.terminal, row_of(self.request.plan, trial, self.host, Seen(), ending)
            self.writer.append_finished(trial.trial_id, terminal, row)
        return terminal, row

    def _halted(self, trial: ScheduledTrial, terminal: Terminal, row: Mapping[str, Any]) -> _Stop | None:
        """A stop after too many infrastructure failures of one agent in a row; a skip neither counts nor resets.

        Earlier runs do not count: running again is how a user says that the cause is gone.
        """
        limit = self.request.settings.halt_after
        if terminal is Terminal.INFRASTRUCTURE_FAILURE:
            failures = self.failures_in_row[trial.agent] = self.failures_in_row.get(trial.agent, 0) + 1
            if limit and failures >= limit:
                error = row["error"]
                detail = f"{failures} infrastructure failures of {trial.agent} in a row, the last: {error['type']}"
                return StopReason.HALTED, ExitCode.SELF_STOPPED, f"{detail}: {error['message']}"
        elif terminal is not Terminal.SKIPPED:
            self.failures_in_row[trial.agent] = 0
        return None


def _changed(changes: tuple[str, ...]) -> _Stop:
    return StopReason.CHANGED_INPUT, ExitCode.IDENTITY, "; ".join(changes)

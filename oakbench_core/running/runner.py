"""The runner: one trial after another, in the schedule's order, while the budget admits the next one's whole timeout.

It keeps nothing that is not in the journal. `started` is durable before anything of a trial happens, its end is durable
before the next is looked at; running again goes on with what is unstarted, and an interruption stays on file.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.campaign.admission import admission
from oakbench_core.campaign.overriding import effective_agent
from oakbench_core.campaign.vocabulary import Adapter, StopReason, Terminal
from oakbench_core.durable.writer import JournalWriter, RunnerFacts
from oakbench_core.errors import DocumentError, ExitCode, Problem
from oakbench_core.running.attempt import AttemptRequest, attempt
from oakbench_core.running.commands import AttemptInterruptedError
from oakbench_core.running.environment import unset_names
from oakbench_core.running.leftovers import end_leftovers
from oakbench_core.running.lookups import Lookups
from oakbench_core.running.rows import HostFacts, skipped_row
from oakbench_core.running.runner_class import runner_class
from oakbench_core.running.supervisor import ForkServer
from oakbench_core.running.workspace import workspaces_root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from oakbench_core.campaign.definition import RunTable
    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import Agent, ScheduledTrial
    from oakbench_core.running.stopping import StopSwitch

_GIB: Final = 1 << 30


class TrialEnd(NamedTuple):
    """A trial that has just ended: its place in the schedule, its row, and how many have ended by now."""

    trial: ScheduledTrial
    terminal: Terminal
    row: Mapping[str, Any]
    ended: int


class RunEnd(NamedTuple):
    """Why a run ended in order, as the journal's `closed` says it."""

    reason: StopReason
    code: int
    detail: str | None
    ledger: Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What is run, and with what. `workspaces`: the root that the user chose; None: the default one."""

    plan: Plan
    folder: Path
    settings: RunTable
    environment: Mapping[str, str]
    tool: str
    clock: Callable[[], str]
    workspaces: Path | None = None


def run_campaign(request: RunRequest, switch: StopSwitch, tell: Callable[[TrialEnd], None]) -> RunEnd:
    """Run what is unstarted of a campaign, until the schedule is exhausted or something stops it.

    Raises:
        DocumentError: an imported plan, an adapter that is not built, a variable that an agent needs and is not set.
        LockedError, PlatformError, JournalError, PoisonedError: as the journal's writer.
    """
    refuse_unrunnable(request.plan, request.environment)
    root = workspaces_root(request.plan.plan_sha256, request.environment, request.workspaces)
    facts = RunnerFacts(tool=request.tool, max_parallel=1, settings=request.settings.model_dump(mode="json"))
    with (
        ForkServer() as server,
        JournalWriter.open(request.folder, request.plan, clock=request.clock, runner=facts) as writer,
    ):
        end_leftovers(root)
        run = _Run(request, writer, server, switch, tell, root)
        reason, code, detail = run.until_stopped()
        writer.append_closed(reason, code, detail)
        return RunEnd(reason, code, detail, writer.ledger)


def refuse_unrunnable(plan: Plan, environment: Mapping[str, str]) -> None:
    """Refuse a plan that cannot be run here, before anything is written.

    Raises:
        DocumentError: with everything that stands against it.
    """
    problems = []
    if plan.document.provenance.source == "import":
        rule = "an imported plan was run by another tool: it is read and reported, not run"
        problems.append(Problem(path="$.provenance.source", rule=rule))
    for path, agent in _agents(plan):
        if agent.adapter is not Adapter.COMMAND:
            problems.append(Problem(path=f"{path}.adapter", rule=f"the adapter {agent.adapter} cannot be run yet"))
        if agent.login or agent.cleanup:
            problems.append(Problem(path=path, rule="login files and cleanup commands cannot be used yet"))
        problems += [
            Problem(path=f"{path}.env", rule=f"the variable {name} is not set here")
            for name in unset_names(environment, agent)
        ]
    if problems:
        raise DocumentError("this plan cannot be run", problems)


def _agents(plan: Plan) -> Iterator[tuple[str, Agent]]:
    """Every agent as some trial starts it, with its place in the plan."""
    for name, subject_name in sorted({(trial.agent, trial.subject) for trial in plan.schedule}):
        override = plan.document.subjects[subject_name].agent
        path = f"$.agents.{name}" if override is None else f"$.subjects.{subject_name}.agent"
        yield path, effective_agent(plan.document.agents[name], override)


_Stop = tuple[StopReason, int, str | None]


class _Run:
    def __init__(
        self,
        request: RunRequest,
        writer: JournalWriter,
        server: ForkServer,
        switch: StopSwitch,
        tell: Callable[[TrialEnd], None],
        root: Path,
    ) -> None:
        self._request, self._writer, self._server, self._switch, self._tell = request, writer, server, switch, tell
        self._root = root
        self._lookups = Lookups(request.plan, request.folder, request.environment)
        system = os.uname()
        self._host = HostFacts(system.sysname.lower(), system.machine, runner_class())
        self._failures_in_row: dict[str, int] = {}

    def until_stopped(self) -> _Stop:
        schedule, ledger = self._request.plan.schedule, self._writer.ledger
        while (place := ledger.next_unstarted) is not None:
            trial = schedule[place]
            if stop := self._asked_to_stop():
                return stop
            skip = self._lookups.skip_of(trial)
            if skip is not None:
                row = skipped_row(self._request.plan, trial, self._host, skip)
                self._finish(trial, Terminal.SKIPPED, row)
            elif stop := self._refusal(trial) or self._attempt(place, trial):
                return stop
        return self._asked_to_stop() or (StopReason.EXHAUSTED, ExitCode.DONE, None)

    def _asked_to_stop(self) -> _Stop | None:
        number = self._switch.signal
        return None if number is None else (StopReason.SIGNAL, 128 + number, None)

    def _refusal(self, trial: ScheduledTrial) -> _Stop | None:
        """Why the trial is not admitted, and so no other after it."""
        account = admission(self._writer.ledger)
        if account.next_admissible is False:
            detail = f"{account.remaining_s} s remain, the next trial needs {trial.timeout_s} s"
            return StopReason.BUDGET, ExitCode.BUDGET, detail
        settings = self._request.settings
        for folder in (self._root, self._request.folder):
            free = shutil.disk_usage(folder).free
            if free < settings.min_free_gib * _GIB:
                detail = f"{free / _GIB:.1f} GiB are free on the disk of {folder}, less than {settings.min_free_gib}"
                return StopReason.DISK, ExitCode.SELF_STOPPED, detail
        if changes := self._lookups.changes_of(trial):
            return StopReason.CHANGED_INPUT, ExitCode.IDENTITY, "; ".join(changes)
        if leftover := self._lookups.leftover_of(trial):
            return StopReason.CHANGED_INPUT, ExitCode.IDENTITY, leftover
        return None

    def _attempt(self, place: int, trial: ScheduledTrial) -> _Stop | None:
        request, settings = self._request, self._request.settings
        wanted = AttemptRequest(
            plan=request.plan,
            place=place,
            folder=request.folder,
            workspaces=self._root,
            environment=request.environment,
            host=self._host,
            grace_s=settings.grace_s,
            output_cap_bytes=settings.output_cap_mib << 20,
            keep_workspaces=settings.keep_workspaces,
        )
        self._writer.append_started(trial.trial_id)
        try:
            terminal, row = attempt(wanted, self._server, end_now=self._switch.end_now)
        except AttemptInterruptedError:
            return self._asked_to_stop()
        self._finish(trial, terminal, row)
        return self._halted(trial, terminal, row)

    def _finish(self, trial: ScheduledTrial, terminal: Terminal, row: dict[str, Any]) -> None:
        self._writer.append_finished(trial.trial_id, terminal, row)
        ledger = self._writer.ledger
        self._tell(TrialEnd(trial, terminal, row, len(ledger.standings) - sum(ledger.tallies[:3])))

    def _halted(self, trial: ScheduledTrial, terminal: Terminal, row: Mapping[str, Any]) -> _Stop | None:
        """A stop after too many infrastructure failures of one agent in a row; a skip neither counts nor resets."""
        limit = self._request.settings.halt_after
        if terminal is Terminal.INFRASTRUCTURE_FAILURE:
            failures = self._failures_in_row[trial.agent] = self._failures_in_row.get(trial.agent, 0) + 1
            if limit and failures >= limit:
                error = row["error"]
                detail = f"{failures} infrastructure failures of {trial.agent} in a row, the last: {error['type']}"
                return StopReason.HALTED, ExitCode.SELF_STOPPED, f"{detail}: {error['message']}"
        elif terminal is not Terminal.SKIPPED:
            self._failures_in_row[trial.agent] = 0
        return None

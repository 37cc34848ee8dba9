"""The runner: what is unstarted of a campaign, in the schedule's order, while the budget admits whole timeouts.

What it has to know of earlier runs it takes from the journal, and from nothing else. `started` is durable before
anything of a trial happens, its end is durable before anything that it makes room for; running again goes on with what
is unstarted, and an interruption stays on file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from oakbench_core.durable.writer import JournalWriter, RunnerFacts
from oakbench_core.running.attempt import Attempted, AttemptRequest, attempt
from oakbench_core.running.cleanup import clean_up_after
from oakbench_core.running.clocks import Clocks, SystemClocks
from oakbench_core.running.failures import FailureWatch
from oakbench_core.running.flight import ThreadedFlights
from oakbench_core.running.leftovers import end_leftovers
from oakbench_core.running.listening import Listener, RunEnd, TrialEnd
from oakbench_core.running.lookups import Lookups
from oakbench_core.running.occupancy import occupied, remove_abandoned
from oakbench_core.running.readiness import expect_outside, expect_runnable
from oakbench_core.running.rows import LONGEST_MESSAGE, HostFacts, plain
from oakbench_core.running.run_loop import NO_LIMITS, RunLimits, RunLoop
from oakbench_core.running.runner_class import runner_class
from oakbench_core.running.supervisor import ForkServer
from oakbench_core.running.workspace import workspaces_root

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from oakbench_core.campaign.definition import RunTable
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.running.stopping import StopSwitch

__all__ = ["Listener", "RunEnd", "RunLimits", "RunRequest", "TrialEnd", "run_campaign"]


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
    limits: RunLimits = NO_LIMITS
    clocks: Clocks = field(default_factory=SystemClocks)


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
        if left := _left_behind(end_leftovers(root), remove_abandoned(root)):
            listener.noticed(f"of an earlier run that was killed, below {root}: {left}")
        with occupied(root) as token:
            stage = _Stage(request=request, root=root, token=token, server=server, writer=writer, listener=listener)
            stage.clean_up_after_the_last()
            listener.opened(writer.ledger)
            reason, code, detail = stage.loop(switch).until_stopped()
        detail = plain(detail, LONGEST_MESSAGE)
        writer.append_closed(reason, code, detail)
        return RunEnd(reason, code, detail, writer.ledger)


def _opened(request: RunRequest) -> JournalWriter:
    settings = request.settings.model_dump(mode="json")
    facts = RunnerFacts(
        tool=request.tool,
        max_parallel=request.settings.max_parallel,
        settings=settings,
        unsafe_filesystem=request.unsafe_filesystem,
    )
    return JournalWriter.open(request.folder, request.plan, clock=request.clock, runner=facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stage:
    """What a run stands on, from the moment that the journal is its own."""

    request: RunRequest
    root: Path
    token: str
    server: ForkServer
    writer: JournalWriter
    listener: Listener

    def clean_up_after_the_last(self) -> None:
        """Run the cleanup of the trials that a killed runner has left."""
        for place in self.writer.left_in_flight:
            trial_id = self.request.plan.schedule[place].trial_id
            for failure in clean_up_after(self._wanted(place), self.server):
                self.listener.noticed(f"after the interrupted {trial_id}: {failure}")

    def loop(self, switch: StopSwitch) -> RunLoop:
        request = self.request

        def attempted(place: int) -> Attempted:
            return attempt(self._wanted(place), self.server, end_now=switch.end_now, clocks=request.clocks)

        flights = ThreadedFlights(attempted)
        switch.wake.append(flights.wake)
        return RunLoop(
            plan=request.plan,
            settings=request.settings,
            limits=request.limits,
            writer=self.writer,
            lookups=Lookups(request.plan, request.folder, request.environment),
            host=_host(),
            flights=flights,
            failures=FailureWatch(request.settings, request.clocks),
            switch=switch,
            listener=self.listener,
            clocks=request.clocks,
            root=self.root,
            folders={"workspaces": self.root, "the campaign folder": request.folder},
        )

    def _wanted(self, place: int) -> AttemptRequest:
        request, settings = self.request, self.request.settings
        return AttemptRequest(
            plan=request.plan,
            place=place,
            folder=request.folder,
            workspaces=self.root,
            environment=request.environment,
            host=_host(),
            grace_s=settings.grace_s,
            output_cap_bytes=settings.output_cap_mib << 20,
            keep_workspaces=settings.keep_workspaces,
            run_token=self.token,
        )


def _left_behind(processes: int, workspaces: int) -> str:
    """What was found and is gone now, in words; nothing where nothing was."""
    ended = f"{processes:,} process{'' if processes == 1 else 'es'} ended"
    removed = f"{workspaces:,} workspace{'' if workspaces == 1 else 's'} removed"
    return ", ".join([ended] * bool(processes) + [removed] * bool(workspaces))


@cache
def _host() -> HostFacts:
    system = os.uname()
    return HostFacts(system.sysname.lower(), system.machine, runner_class())

"""One attempt at a trial: everything between its durable start and its row.

Workspace from the fixture, setup, the agent, its tree gone, what it changed, oracle files laid down, checks. Nothing
that an agent does raises here; what goes wrong on our side ends the trial as an infrastructure failure that says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.vocabulary import ErrorType, Terminal
from oakbench_core.errors import OakbenchError
from oakbench_core.running.agent_run import AgentRun
from oakbench_core.running.artifacts import CHANGES, LARGEST_CHANGES, ORACLE, TrialArtifacts
from oakbench_core.running.changes import Before, Change
from oakbench_core.running.cleanup import clean_up
from oakbench_core.running.clocks import Clocks, SystemClocks
from oakbench_core.running.commands import AttemptInterruptedError, TrialFailureError
from oakbench_core.running.difference import difference
from oakbench_core.running.leftovers import end_leftovers
from oakbench_core.running.login import read_logins
from oakbench_core.running.oracle import judge, report
from oakbench_core.running.preparation import lay_down, prepare
from oakbench_core.running.rows import Ending, HostFacts, Seen, agent_of, ending_of, plain, row_of
from oakbench_core.running.secrecy import Secrets, secret_variables
from oakbench_core.running.supervise.channel import NOT_STARTED, TIMED_OUT
from oakbench_core.running.supervisor import SupervisorLostError
from oakbench_core.running.workspace import keep_workspace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from threading import Event
    from typing import Literal

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.running.commands import TrialCommands
    from oakbench_core.running.supervisor import ForkServer, Supervisor

KILLED: Final = -9


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRequest:
    """What is attempted, and with what.

    `place` is the trial's index in the plan's schedule; `workspaces` is what `workspaces_root` gave; `environment` is
    the runner's own; `output_cap_bytes` is of each of the agent's two streams; `run_token` is what `occupied` gave.
    """

    plan: Plan
    place: int
    folder: Path
    workspaces: Path
    environment: Mapping[str, str]
    host: HostFacts
    grace_s: float = 10.0
    output_cap_bytes: int = 64 << 20
    keep_workspaces: Literal["none", "failed", "all"] = "failed"
    run_token: str = ""


class Attempted(NamedTuple):
    """What the `finished` event says."""

    terminal: Terminal
    row: dict[str, Any]


def attempt(request: AttemptRequest, server: ForkServer, *, end_now: Event, clocks: Clocks | None = None) -> Attempted:
    """Run one trial to its end; when this returns or raises, nothing that it started is alive.

    Args:
        request: the trial.
        server: makes the supervisor.
        end_now: where another thread or a signal sets it, the trial's tree is ended (TERM, grace, KILL).
        clocks: for the suspension of the machine; the machine's own if not given.

    Raises:
        AttemptInterruptedError: `end_now` was set: there is no terminal event.
    """
    return _Attempt(request, server, end_now, clocks or SystemClocks()).attempted()


class _Attempt:
    def __init__(self, request: AttemptRequest, server: ForkServer, end_now: Event, clocks: Clocks) -> None:
        self._request, self._end_now, self._clocks = request, end_now, clocks
        self._plan = request.plan
        self._trial = request.plan.schedule[request.place]
        self._task = self._plan.task(self._trial)
        self._agent = agent_of(self._plan, self._trial)
        self._secrets = Secrets(secret_variables(request.environment, self._agent))
        self._replacer = self._secrets.replacer()
        self._server = server
        self._seen = Seen()
        self._commands: TrialCommands | None = None

    def attempted(self) -> Attempted:
        try:
            ending = self._ending()
        except AttemptInterruptedError:
            if self._commands is not None:
                self._discard(self._commands)
            raise
        try:
            if self._commands is not None:
                self._clean_up(self._commands)
            self._keep(ending)
        except Exception as error:  # noqa: BLE001 - as in `_ending`: what is ours to answer for is on file, not a crash
            ending = _failed(ErrorType.RUNNER_ERROR, _described(error))
        ending = self._without_secrets(ending)
        row = row_of(self._plan, self._trial, self._request.host, self._seen, ending)
        return Attempted(ending.terminal, row)

    def _ending(self) -> Ending:
        try:
            artifacts = TrialArtifacts(self._request.folder, self._trial.trial_id)
            self._log_in()
            supervisor = self._server.supervisor()
            try:
                return self._supervised(supervisor, artifacts)
            finally:
                self._let_go(supervisor)
        except AttemptInterruptedError:
            raise
        except TrialFailureError as failure:
            return _failed(failure.kind, str(failure))
        except SupervisorLostError as lost:
            return _failed(ErrorType.SUPERVISOR_LOST, str(lost))
        except Exception as error:  # noqa: BLE001 - the one place where a defect of ours becomes a recorded failure
            return _failed(ErrorType.RUNNER_ERROR, _described(error))

    def _log_in(self) -> None:
        try:
            logins = read_logins(self._request.environment, self._agent)
        except OakbenchError as error:
            raise TrialFailureError(ErrorType.SETUP_FAILED, str(error)) from None
        self._know(self._secrets.with_logins(logins))

    def _know(self, secrets: Secrets) -> None:
        self._secrets, self._replacer = secrets, secrets.replacer()

    def _let_go(self, supervisor: Supervisor) -> None:
        supervisor.close()
        if supervisor.farewell is None:  # the server is lost too: nobody has inherited what was left
            end_leftovers(self._request.workspaces)
        elif supervisor.farewell.left:
            self._seen.extra["processes_left"] = supervisor.farewell.left

    def _supervised(self, supervisor: Supervisor, artifacts: TrialArtifacts) -> Ending:
        self._seen.duration_s = 0.0  # measured: until the agent is launched it has run for no time
        self._commands = commands = prepare(self._request, supervisor, self._secrets, self._end_now, self._discard)
        before = Before(commands.places.workspace, commands.places.hidden / "before")
        ran = AgentRun(
            trial=self._trial, agent=self._agent, commands=commands, artifacts=artifacts, seen=self._seen,
            clocks=self._clocks,
        )  # fmt: skip
        outcome, failure = ran.to_its_end()
        self._know(self._secrets.with_logins(ran.renewed))
        self._commands = commands = replace(commands, secrets=self._secrets)
        changes = before.changes(commands.places.workspace)
        diff = difference(commands.places.workspace, before, changes, self._replacer)
        self._seen.artifacts["changes"] = artifacts.write(CHANGES, diff, cap_bytes=LARGEST_CHANGES)
        if outcome.cause == NOT_STARTED:
            return _failed(ErrorType.AGENT_NOT_STARTED, str(outcome.problem))
        if outcome.cause == TIMED_OUT:
            return Ending(Terminal.TIMED_OUT, verified=False)
        if outcome.exit_code == KILLED:
            return _failed(
                ErrorType.AGENT_KILLED, "the agent was killed by a signal that was not ours (out of memory?)"
            )
        if failure is not None:
            return _failed(failure.kind, failure.message)
        self._judge(commands, artifacts, changes)
        return ending_of(self._seen.checks)

    def _judge(self, commands: TrialCommands, artifacts: TrialArtifacts, changes: tuple[Change, ...]) -> None:
        lay_down(self._request.folder, self._task.oracle.files_sha256, commands.places.oracle)
        for judged in judge(self._task.oracle.checks, commands, changes):
            self._seen.checks.append(judged._replace(detail=self._public(judged.detail)))
        pieces = (self._replacer.whole(piece) for judged in self._seen.checks for piece in report(judged))
        self._seen.artifacts["oracle"] = artifacts.write(ORACLE, pieces)

    def _clean_up(self, commands: TrialCommands) -> None:
        failures = clean_up((*self._agent.cleanup, *self._task.cleanup), commands, self._server)
        if failures:
            noted = self._seen.extra.setdefault("cleanup_failed", [])
            noted += [plain(self._replacer.text(failure)) for failure in failures]

    def _discard(self, commands: TrialCommands) -> None:
        """Leave nothing of a workspace that has no use any more."""
        self._clean_up(commands)
        commands.places.remove()

    def _keep(self, ending: Ending) -> None:
        """Keep or remove the workspace; that it could not be done is said in the row, and ends nothing."""
        commands, wanted = self._commands, self._request.keep_workspaces
        if commands is not None and (wanted == "all" or (wanted == "failed" and not ending.verified)):
            target = self._request.folder / "workspaces" / self._trial.trial_id
            try:
                keep_workspace(commands.places.workspace, target)
                self._seen.artifacts["workspace"] = str(target.relative_to(self._request.folder))
            except OSError as error:
                self._seen.extra["workspace_not_kept"] = plain(_described(error))
        self._remove()

    def _remove(self) -> None:
        refused = None if self._commands is None else self._commands.places.remove()
        if refused is not None:
            self._seen.extra["workspace_not_removed"] = plain(_described(refused))

    def _public(self, text: str | None) -> str | None:
        return None if text is None else self._replacer.text(text)

    def _without_secrets(self, ending: Ending) -> Ending:
        error, skip = ending.error, ending.skip
        if error is not None:
            error = error[0], self._replacer.text(error[1])
        if skip is not None:
            skip = skip[0], skip[1], self._public(skip[2]), self._public(skip[3])
        return ending._replace(error=error, skip=skip)


def _failed(kind: ErrorType, message: str) -> Ending:
    return Ending(Terminal.INFRASTRUCTURE_FAILURE, error=(kind, message))


def _described(error: BaseException) -> str:
    """What an error of ours is, without text that might come from anywhere."""
    if isinstance(error, OakbenchError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    place = "" if at is None else f" in {Path(at.tb_frame.f_code.co_filename).name}, line {at.tb_lineno}"
    return f"{type(error).__name__}{place}"

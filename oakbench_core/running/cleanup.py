"""Cleanup commands: for what no process tree holds, such as a container. They follow every trial, however it ended.

They run under a supervisor of their own when the trial's tree is gone, without the agent's secrets, and change nothing
of the trial's ending. What a killed runner could not clean up, the next one does.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Final

from oakbench_core.errors import OakbenchError
from oakbench_core.running.commands import TrialFailureError
from oakbench_core.running.preparation import trial_commands
from oakbench_core.running.rows import agent_of
from oakbench_core.running.secrecy import Secrets, secret_variables
from oakbench_core.running.supervise.channel import NOT_STARTED, TIMED_OUT
from oakbench_core.running.supervisor import SupervisorLostError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from oakbench_core.campaign.plan_document import Command
    from oakbench_core.running.attempt import AttemptRequest
    from oakbench_core.running.commands import TrialCommands
    from oakbench_core.running.supervisor import ForkServer, Supervisor

CLEANUP_TIMEOUT_S: Final = 60
_SHOWN_OUTPUT: Final = 500


def clean_up(listed: Sequence[Command], commands: TrialCommands, server: ForkServer) -> list[str]:
    """Run the commands to their end, also where the runner was told to end; what failed, in words."""
    # The request to end is answered by this very work: it does not end it.
    return _all_failures(listed, lambda supervisor: replace(commands, supervisor=supervisor, end_now=Event()), server)


def clean_up_after(request: AttemptRequest, server: ForkServer) -> list[str]:
    """The cleanup of a trial that a killed runner has left; what failed, in words."""
    trial = request.plan.schedule[request.place]
    agent = agent_of(request.plan, trial)
    secrets = Secrets(secret_variables(request.environment, agent))
    made: list[TrialCommands] = []

    def commands(supervisor: Supervisor) -> TrialCommands:
        made.append(trial_commands(request, supervisor, secrets, Event()))
        return made[0]

    failures = _all_failures((*agent.cleanup, *request.plan.task(trial).cleanup), commands, server)
    for one in made:
        one.places.remove()
    return [secrets.replacer().text(failure) for failure in failures]


def _all_failures(
    listed: Sequence[Command], commands: Callable[[Supervisor], TrialCommands], server: ForkServer
) -> list[str]:
    if not listed:
        return []
    failures: list[str] = []
    try:
        with server.supervisor() as supervisor:
            failures.extend(_failures(listed, commands(supervisor)))
    except (TrialFailureError, SupervisorLostError, OakbenchError) as error:
        failures.append(str(error))
    except OSError as error:
        failures.append(f"{error.strerror}: {error.filename}" if error.filename else str(error.strerror))
    return failures


def _failures(listed: Sequence[Command], commands: TrialCommands) -> Iterator[str]:
    workspace = commands.places.workspace
    cwd = workspace if workspace.is_dir() else commands.places.temporary
    for command in listed:
        argv = commands.argv(command)
        finished = commands.run(argv, timeout_s=CLEANUP_TIMEOUT_S, cwd=cwd)
        outcome = finished.outcome
        if outcome.cause == NOT_STARTED:
            yield f"cleanup {outcome.problem}"
        elif outcome.cause == TIMED_OUT:
            yield f"cleanup `{shlex.join(argv)}` did not end within {CLEANUP_TIMEOUT_S} s"
        elif outcome.exit_code != 0:
            said = finished.stderr.read_bytes() or finished.stdout.read_bytes()
            text = said[-_SHOWN_OUTPUT:].decode(errors="replace").strip()
            yield f"cleanup `{shlex.join(argv)}` ended with {outcome.exit_code}" + (f": {text}" if text else "")

"""A trial before its agent: its workspace from the fixture, its prompt and inputs, its setup.

A preparation that fails is tried three times, each time in a new workspace with a new HOME.
"""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.vocabulary import ErrorType
from oakbench_core.errors import OakbenchError
from oakbench_core.running.commands import TrialCommands, TrialFailureError, numbers
from oakbench_core.running.environment import search_path, trial_environment
from oakbench_core.running.executables import find_executable
from oakbench_core.running.rows import agent_of, prompt_of
from oakbench_core.running.supervise.channel import NOT_STARTED, TIMED_OUT
from oakbench_core.running.trees import copy_tree, tree_sha256
from oakbench_core.running.workspace import new_places

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from threading import Event

    from oakbench_core.running.attempt import AttemptRequest
    from oakbench_core.running.commands import Finished
    from oakbench_core.running.secrecy import Secrets
    from oakbench_core.running.supervisor import Supervisor
    from oakbench_core.running.workspace import Places

TRIES: Final = 3
_SHOWN_OUTPUT: Final = 1000


def prepare(
    request: AttemptRequest,
    supervisor: Supervisor,
    secrets: Secrets,
    end_now: Event,
    discard: Callable[[TrialCommands], None] | None = None,
) -> TrialCommands:
    """The trial's commands in a workspace that is ready for its agent; `discard` takes away what a failed try has left.

    Raises:
        TrialFailureError: setup_failed, after the last try.
        AttemptInterruptedError, SupervisorLostError: as `TrialCommands.supervised`.
    """
    problem = ""
    for _ in range(TRIES):
        commands = trial_commands(request, supervisor, secrets, end_now)
        is_ready = False
        try:
            problem = _problem(request, commands)
            is_ready = not problem
        finally:
            if not is_ready:
                (discard or _remove)(commands)
        if is_ready:
            return commands
    raise TrialFailureError(ErrorType.SETUP_FAILED, f"{problem} (tried {TRIES} times)")


def lay_down(folder: Path, sha256: str | None, target: Path) -> None:
    """Copy a frozen tree, and test that the copy is it.

    Raises:
        OakbenchError, OSError: it is not there, or is another one.
    """
    if sha256 is None:
        return
    copy_tree(folder / "inputs" / sha256, target)
    found = tree_sha256(target)
    if found != sha256:
        raise OakbenchError(f"inputs/{sha256} is not what was frozen: its tree hashes to {found}")


def _remove(commands: TrialCommands) -> None:
    commands.places.remove()


def _problem(request: AttemptRequest, commands: TrialCommands) -> str:
    """Make the workspace ready; what is wrong with it, or nothing."""
    trial = request.plan.schedule[request.place]
    task, places = request.plan.task(trial), commands.places
    try:
        if task.fixture_sha256 is None:
            places.workspace.mkdir(mode=0o755)
        lay_down(request.folder, task.fixture_sha256, places.workspace)
        lay_down(request.folder, request.plan.document.workflows[trial.workflow].inputs_sha256, places.inputs)
        places.prompt_file.write_text(commands.values["prompt"], encoding="utf-8")
    except OakbenchError as error:
        return f"the workspace could not be made: {error}"
    except OSError as error:
        return f"the workspace could not be made: {error.strerror}: {error.filename}"
    deadline = time.monotonic() + task.setup_timeout_s
    for command in (*task.setup, *request.plan.subject(trial).setup):
        argv = commands.argv(command)
        finished = commands.run(argv, timeout_s=max(0.0, deadline - time.monotonic()))
        if finished.outcome.exit_code != 0 or finished.outcome.cause == TIMED_OUT:
            return _said(argv, finished, task.setup_timeout_s)
    return ""


def trial_commands(request: AttemptRequest, supervisor: Supervisor, secrets: Secrets, end_now: Event) -> TrialCommands:
    """The commands of a trial in new folders of its own; its workspace is not made yet."""
    places = new_places(request.workspaces, request.plan.schedule[request.place].trial_id, request.run_token)
    agent = agent_of(request.plan, request.plan.schedule[request.place])
    return TrialCommands(
        supervisor=supervisor,
        places=places,
        environment=trial_environment(request.environment, agent, places),
        values=_values(request, places),
        secrets=secrets,
        output_cap_bytes=request.output_cap_bytes,
        grace_s=request.grace_s,
        end_now=end_now,
        numbers=numbers(),
    )


def _values(request: AttemptRequest, places: Places) -> dict[str, str]:
    """What stands for each placeholder; one that the plan has nothing for has no value."""
    trial = request.plan.schedule[request.place]
    subject, agent = request.plan.subject(trial), agent_of(request.plan, trial)
    values = {f"subject.{name}": value for name, value in subject.parameters.items()}
    if subject.binary is not None:
        found = find_executable(subject.binary, search_path(request.environment))
        values["subject.binary"] = subject.binary if found is None else str(found)
    model = trial.model or agent.model
    if model is not None:
        values["model"] = model
    return values | {
        "workspace": str(places.workspace),
        "prompt": prompt_of(request.plan, trial),
        "prompt_file": str(places.prompt_file),
        "usage_file": str(places.usage_file),
        "task": trial.task,
        "trial_id": trial.trial_id,
        "oracle": str(places.oracle),
        "inputs": str(places.inputs),
    }


def _said(argv: list[str], finished: Finished, timeout_s: int) -> str:
    outcome = finished.outcome
    if outcome.cause == NOT_STARTED:
        return f"setup {outcome.problem}"
    how = f"did not end within {timeout_s} s" if outcome.cause == TIMED_OUT else f"ended with {outcome.exit_code}"
    output = finished.stderr.read_bytes() or finished.stdout.read_bytes()
    text = output[-_SHOWN_OUTPUT:].decode(errors="replace").strip()
    return f"setup `{shlex.join(argv)}` {how}" + (f": {text}" if text else "")

"""What stands against a run before it begins: found before anything is written, and told all together."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from oakbench_core.campaign.definition_secrets import secrets_in
from oakbench_core.campaign.definition_values import is_login_path
from oakbench_core.campaign.overriding import effective_agent
from oakbench_core.campaign.placeholders import TemplateError
from oakbench_core.campaign.vocabulary import Adapter
from oakbench_core.durable.journal import journal_path
from oakbench_core.durable.lock import LockState, probe_lock
from oakbench_core.durable.opening import failures_named, open_to_read
from oakbench_core.errors import DocumentError, LockedError, OakbenchError, PlatformError, Problem
from oakbench_core.running.agents.streams import READERS
from oakbench_core.running.environment import unset_names
from oakbench_core.running.login import login_secrets, read_logins
from oakbench_core.running.rows import prompt_of
from oakbench_core.running.secrecy import secret_variables
from oakbench_core.running.workspace import marker_above

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import Agent


def expect_no_runner(folder: Path) -> None:
    """A look at the journal's lock, which takes and writes nothing. The lock itself is taken with the journal.

    Raises:
        LockedError: another runner writes the journal of this campaign.
    """
    path = journal_path(folder)
    try:
        descriptor = open_to_read(path)
    except OakbenchError:  # not there yet; or what it is instead is said by whoever opens it to write
        return
    try:
        state = probe_lock(descriptor)
    finally:
        os.close(descriptor)
    if state is LockState.HELD:
        rule = "another runner writes this journal"
        raise LockedError(
            f"{path}: {rule}",
            [Problem(rule=rule, file=str(path))],
            next_step="look on with `watch`; a run that is stopped (SIGSTOP) holds its campaign too",
        )


def expect_runnable(plan: Plan, environment: Mapping[str, str]) -> None:
    """Refuse a plan that cannot be run here.

    Raises:
        DocumentError: with everything that stands against it.
    """
    problems = [*_of_source(plan), *_of_agents(plan, environment), *_of_tasks(plan), *_of_secrets(plan, environment)]
    found = dict.fromkeys(problems)
    if found:
        raise DocumentError("this plan cannot be run", found, next_step=_setting(_unset(plan, environment)))


def expect_outside(root: Path) -> None:
    """The workspaces root as it has to be before each trial, made anew where a trial removed it.

    Raises:
        PlatformError: it has become a part of a repository or project, or cannot be made.
    """
    marker = marker_above(root)
    if marker is not None:
        rule = f"workspaces must stand outside every repository, and {marker} is in or above them"
        raise PlatformError(
            "this folder is refused for workspaces",
            [Problem(file=str(root), rule=rule)],
            next_step="a trial may have made it: look at it, move it away, and run again",
        )
    with failures_named(root, "make the folder for workspaces"):
        root.mkdir(mode=0o700, parents=True, exist_ok=True)


def _unset(plan: Plan, environment: Mapping[str, str]) -> list[str]:
    """The variables that some trial's agent is to have and the runner has not."""
    names = {name for _, agent in _agents(plan) for name in unset_names(environment, agent)}
    return sorted(names)


def _setting(names: list[str]) -> str | None:
    if not names:
        return None
    exports = " ".join(f"{name}=…" for name in names)
    return f"`export {exports}` in the shell that starts the run, and run again; no file keeps their values"


def _agents(plan: Plan) -> Iterator[tuple[str, Agent]]:
    """Every agent as some trial starts it, by its place in the plan."""
    for name, subject_name in sorted({(trial.agent, trial.subject) for trial in plan.schedule}):
        override = plan.document.subjects[subject_name].agent
        path = f"$.agents.{name}" if override is None else f"$.subjects.{subject_name}.agent"
        yield path, effective_agent(plan.document.agents[name], override)


def _of_source(plan: Plan) -> Iterator[Problem]:
    if plan.document.provenance.source == "import":
        rule = "an imported plan was run by another tool: it is read and reported, not run"
        yield Problem(path="$.provenance.source", rule=rule)


def _of_agents(plan: Plan, environment: Mapping[str, str]) -> Iterator[Problem]:
    for path, agent in _agents(plan):
        yield from _of_agent(path, agent, environment)


def _of_agent(path: str, agent: Agent, environment: Mapping[str, str]) -> Iterator[Problem]:
    if agent.adapter is not Adapter.COMMAND and agent.adapter not in READERS:
        yield Problem(path=f"{path}.adapter", rule=f"the adapter {agent.adapter} cannot be run")
    if agent.adapter is Adapter.MOCK and not agent.mock:
        yield Problem(path=f"{path}.mock", rule="expected true: a scripted agent proves instrumentation only")
    if not agent.argv:
        yield Problem(path=f"{path}.argv", rule="expected a program, found none")
    for name in unset_names(environment, agent):
        yield Problem(path=f"{path}.env", rule=f"the variable {name} is not set here")
    if agent.home == "inherit" and not environment.get("HOME"):
        yield Problem(path=f"{path}.home", rule="HOME is not set here, so there is none to inherit")
    yield from _of_login(f"{path}.login", agent, environment)


def _of_login(path: str, agent: Agent, environment: Mapping[str, str]) -> Iterator[Problem]:
    if agent.login and agent.home == "inherit":
        yield Problem(path=path, rule="expected no login files where HOME is inherited: they would be written over")
    outside = [name for name in agent.login if not is_login_path(name)]
    if outside:
        yield Problem(path=path, rule=f"expected files below HOME, such as ~/.codex/auth.json, found {outside[0]!r}")
        return
    try:
        read_logins(environment, agent)
    except OakbenchError as error:
        yield from (Problem(path=path, rule=problem.rule) for problem in error.problems)


def _of_secrets(plan: Plan, environment: Mapping[str, str]) -> Iterator[Problem]:
    """Secrets that somebody wrote into the definition, so that they stand in the plan."""
    secrets: list[tuple[str, str]] = []
    for name, subject in {(trial.agent, trial.subject) for trial in plan.schedule}:
        agent = effective_agent(plan.document.agents[name], plan.document.subjects[subject].agent)
        secrets += [(value, variable) for variable, value in secret_variables(environment, agent).items()]
        with suppress(OakbenchError):  # that it cannot be read is said elsewhere
            secrets += login_secrets(read_logins(environment, agent))
    if secrets:
        parts = plan.document.model_dump(mode="json", by_alias=True, include={"workflows", "agents", "subjects"})
        yield from secrets_in(parts, secrets)


def _of_tasks(plan: Plan) -> Iterator[Problem]:
    places = {(trial.workflow, trial.task, trial.instruction_level, trial.subject): trial for trial in plan.schedule}
    for (workflow, name, level, subject), trial in sorted(places.items()):
        path, task = f"$.workflows.{workflow}.tasks.{name}", plan.task(trial)
        if not task.oracle.checks:
            yield Problem(path=f"{path}.oracle.checks", rule="expected a check: without one nothing is verified")
        try:
            prompt_of(plan, trial)
        except TemplateError as error:
            rule = f"it cannot be filled in for the subject {subject}: {error.message}"
            yield Problem(path=f"{path}.prompts.{level}", rule=rule)

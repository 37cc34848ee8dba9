"""What a trial would be started with, before it is: its prompt, its argv, the names of its environment's variables.

Folders of a trial have other names each time, and repetitions other IDs: their placeholders stand as they are. Values
of the environment are shown nowhere.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.campaign.placeholders import expand
from oakbench_core.running.environment import search_path, trial_environment, unset_names
from oakbench_core.running.executables import find_executable
from oakbench_core.running.rows import agent_of, prompt_of
from oakbench_core.running.workspace import Places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import ScheduledTrial

LEFT: Final = ("workspace", "prompt_file", "usage_file", "trial_id", "oracle", "inputs")
"""The placeholders whose values are not known before a trial starts."""

_NOWHERE: Final = Places(Path(), Path(), Path(), Path())


class Preview(NamedTuple):
    """Trials that differ in their repetition only.

    `environment`: names of all variables that the agent gets; `secret`: those of them that are passed on from the
    runner's environment; `unset`: those of these that are not set there.
    """

    trial_ids: tuple[str, ...]
    workflow: str
    task: str
    instruction_level: str
    agent: str
    subject: str
    timeout_s: int
    prompt: str
    argv: tuple[str, ...]
    environment: tuple[str, ...]
    secret: tuple[str, ...]
    unset: tuple[str, ...]


def previews(plan: Plan, environment: Mapping[str, str]) -> Iterator[Preview]:
    """Every kind of trial of the schedule, in the order of the schedule; `environment` is the runner's."""
    kinds: dict[tuple[str, ...], list[ScheduledTrial]] = {}
    for trial in plan.schedule:
        kind = (trial.workflow, trial.task, trial.instruction_level, trial.agent, trial.subject)
        kinds.setdefault(kind, []).append(trial)
    for trials in kinds.values():
        yield _preview(plan, trials, environment)


def _preview(plan: Plan, trials: list[ScheduledTrial], environment: Mapping[str, str]) -> Preview:
    trial = trials[0]
    agent = agent_of(plan, trial)
    values = _values(plan, trial, environment)
    given = trial_environment(environment, agent, _NOWHERE)
    return Preview(
        trial_ids=tuple(one.trial_id for one in trials),
        workflow=trial.workflow,
        task=trial.task,
        instruction_level=trial.instruction_level,
        agent=trial.agent,
        subject=trial.subject,
        timeout_s=trial.timeout_s,
        prompt=values["prompt"],
        argv=tuple(expand(word, values) for word in agent.argv),
        environment=tuple(dict.fromkeys((*given, *agent.env))),
        secret=tuple(agent.env),
        unset=unset_names(environment, agent),
    )


def _values(plan: Plan, trial: ScheduledTrial, environment: Mapping[str, str]) -> dict[str, str]:
    subject, model = plan.subject(trial), trial.model or agent_of(plan, trial).model
    values = {f"subject.{name}": value for name, value in subject.parameters.items()}
    if subject.binary is not None:
        found = find_executable(subject.binary, search_path(environment))
        values["subject.binary"] = subject.binary if found is None else os.fspath(found)
    if model is not None:
        values["model"] = model
    left = {name: f"{{{name}}}" for name in LEFT}
    return values | left | {"task": trial.task, "prompt": prompt_of(plan, trial)}

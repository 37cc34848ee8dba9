"""A checked definition and what freezing found out → the plan document: the same from the same.

Prompts, argv, setup and checks go into the plan as templates; they get their values when a trial runs. Agents and
subjects that no trial uses stay out of it. Defaults are written out: a reader of the plan needs no list of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.definition import (
    AgentOverrideTable,
    AgentTable,
    ChangesCheckTable,
    CheckTable,
    CommandCheckTable,
    Definition,
    PricesTable,
    SubjectTable,
    TaskTable,
    tasks_of,
)
from oakbench_core.campaign.definition_reach import Reach, tasks_reached
from oakbench_core.campaign.plan import plan_hash
from oakbench_core.campaign.schedule import Place, ordered
from oakbench_core.errors import DocumentError, Problem
from oakbench_core.forms import MAX_ID_LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PLAN_SCHEMA: Final = "oakbench.plan/1"


class Program(NamedTuple):
    """What was found of an agent's or subject's program; null where it was not asked for or is not there."""

    version: str | None = None
    binary_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What freezing found out. Trees are given by the JSON path of the key that names them, programs by their table's.

    `campaign_id` stands above the definition's own; `runner_class` is said of this host where the definition says none.
    """

    campaign_id: str
    created_at: str
    tool: str
    definition_sha256: str
    runner_class: str
    trees: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, Program] = field(default_factory=dict)


def expanded(definition: Definition, value: Mapping[str, Any], found: Found) -> dict[str, Any]:
    """The plan document, its hash included, of a definition; `value` is the mapping that it was read from.

    Raises:
        DocumentError: a trial's ID would be too long.
    """
    reached = tasks_reached(value)
    campaign = definition.campaign
    agents = {name for reach in reached for name in reach.agents}
    subjects = {name for reach in reached for name in reach.subjects}
    document: dict[str, Any] = {
        "schema": PLAN_SCHEMA,
        "plan_sha256": "",
        "campaign_id": found.campaign_id,
        "created_at": found.created_at,
        "seed": campaign.seed,
        "participants": campaign.participants,
        "admission_budget_s": campaign.admission_budget_s,
        "compares": [str(name) for name in campaign.compares],
        "population": {
            "runner_class": campaign.runner_class or found.runner_class,
            "environment_isolation": campaign.environment_isolation,
            "cache_state": campaign.cache_state,
            "load_state": campaign.load_state,
        },
        "workflows": _workflows(definition, found),
        "agents": {
            name: _agent(table, found.programs.get(f"$.agents.{name}", Program()))
            for name, table in definition.agents.items()
            if name in agents
        },
        "subjects": {
            name: _subject(table, found.programs.get(f"$.subjects.{name}", Program()))
            for name, table in definition.subjects.items()
            if name in subjects
        },
        "schedule": _schedule(definition, reached),
        "provenance": {
            "tool": found.tool,
            "definition_sha256": found.definition_sha256,
            "source": "definition",
            "parent": None,
        },
    }
    document["plan_sha256"] = plan_hash(document)
    return document


def _command(command: str | tuple[str, ...]) -> str | list[str]:
    return command if isinstance(command, str) else list(command)


def _commands(commands: Iterable[str | tuple[str, ...]]) -> list[str | list[str]]:
    return [_command(command) for command in commands]


def _workflows(definition: Definition, found: Found) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for name, workflow in definition.workflows.items():
        path = f"$.workflows.{name}"
        tasks = tasks_of(name, workflow)
        document[name] = {
            "version": workflow.version,
            "inputs_sha256": found.trees.get(f"{path}.inputs"),
            "tasks": {
                task_name: _task(task, path if task is workflow else f"{path}.tasks.{task_name}", found)
                for task_name, task in tasks.items()
            },
        }
    return document


def _task(task: TaskTable, path: str, found: Found) -> dict[str, Any]:
    return {
        "fixture_sha256": found.trees.get(f"{path}.fixture"),
        "prompts": {level: prompt for level, prompt in task.prompts.items() if isinstance(prompt, str)},
        "setup": _commands(task.setup),
        "setup_timeout_s": task.setup_timeout_s,
        "cleanup": _commands(task.cleanup),
        "instruments": list(task.instruments),
        "oracle": {
            "version": task.oracle.version,
            "files_sha256": found.trees.get(f"{path}.oracle.files"),
            "checks": [_check(check) for check in task.oracle.checks],
        },
    }


def _check(check: CheckTable) -> dict[str, Any]:
    if isinstance(check, CommandCheckTable):
        return {
            "name": check.name,
            "kind": "command",
            "run": _command(check.run),
            "exit": check.exit,
            "stdout": check.stdout,
            "stdout_regex": check.stdout_regex,
            "instruments": list(check.instruments),
            "timeout_s": check.timeout_s,
        }
    if isinstance(check, ChangesCheckTable):
        return {
            "name": check.name,
            "kind": "changes",
            "may_change": None if check.may_change is None else list(check.may_change),
            "must_change": None if check.must_change is None else list(check.must_change),
        }
    return {
        "name": check.name,
        "kind": "file",
        "path": check.path,
        "present": check.present,
        "contains": check.contains,
        "sha256": check.sha256,
    }


def _agent(agent: AgentTable, program: Program) -> dict[str, Any]:
    return {
        "adapter": agent.adapter,
        "model": agent.model,
        "argv": list(agent.argv),
        "env": list(agent.env),
        "set_env": dict(agent.set_env),
        "home": agent.home,
        "login": list(agent.login),
        "cleanup": _commands(agent.cleanup),
        "mock": agent.mock or agent.adapter == "mock",
        "may_be_missing": agent.may_be_missing,
        "version": program.version,
        "binary_sha256": program.binary_sha256,
        "prices": None if agent.prices is None else _prices(agent.prices),
        "token_weights": None if agent.token_weights is None else dict(agent.token_weights),
    }


def _subject(subject: SubjectTable, program: Program) -> dict[str, Any]:
    return {
        "binary": subject.binary,
        "version": program.version,
        "binary_sha256": program.binary_sha256,
        "parameters": dict(subject.parameters),
        "setup": _commands(subject.setup),
        "instruments": list(subject.instruments),
        "may_be_missing": subject.may_be_missing,
        "unsupported": dict(subject.unsupported),
        "agent": None if subject.agent is None else _override(subject.agent),
    }


def _override(override: AgentOverrideTable) -> dict[str, Any]:
    """Only the keys that it gives: each of them replaces the agent's."""
    given = {name: getattr(override, name) for name in type(override).model_fields}
    return {name: _plain(value) for name, value in given.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, PricesTable):
        return _prices(value)
    return list(value) if isinstance(value, tuple) else value


def _prices(prices: PricesTable) -> dict[str, str]:
    return prices.model_dump(exclude_none=True)


def _schedule(definition: Definition, reached: Iterable[Reach]) -> list[dict[str, Any]]:
    entries: dict[Place, dict[str, Any]] = {}
    for reach in reached:
        # A block's trials agree in their model. Where one subject brings its own, none of them has the agent's.
        overridden = any(definition.subjects[name].agent is not None for name in reach.subjects)
        for agent in reach.agents:
            model = None if overridden else definition.agents[agent].model
            for level in reach.instruction_levels:
                for repetition in range(1, reach.repetitions + 1):
                    block = f"{reach.workflow}.{reach.task}.{level}.{agent}.r{repetition:03d}"
                    entries |= {
                        Place(repetition, block, subject): {
                            "trial_id": f"{block}.{subject}",
                            "block_id": block,
                            "workflow": reach.workflow,
                            "task": reach.task,
                            "instruction_level": level,
                            "agent": agent,
                            "model": model,
                            "subject": subject,
                            "repetition": repetition,
                            "timeout_s": reach.timeout_s,
                            "retry_of": None,
                        }
                        for subject in reach.subjects
                    }
    _expect_short(entries)
    return [entries[place] for place in ordered(entries, definition.campaign.seed)]


def _expect_short(entries: Mapping[Place, dict[str, Any]]) -> None:
    longest = max((entry["trial_id"] for entry in entries.values()), key=len)
    if len(longest) > MAX_ID_LENGTH:
        rule = f"expected trial IDs of at most {MAX_ID_LENGTH} characters, found {len(longest)}: {longest}"
        raise DocumentError("this definition is refused", [Problem(path="$.workflows", rule=rule)])

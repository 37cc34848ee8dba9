"""What was planned, for a reader of figures: who was to do what, with which prompts, judged how, on which machine.

Rule: everything is of the plan, but for `recorded` and `accounting`, which are of the rows; nothing of it is a figure.
Values of environment variables are in no plan; of `set_env` the names alone are repeated here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.populations import ordered, recorded
from oakbench_core.campaign.row_columns import POPULATION_FIELDS
from oakbench_core.canonical import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import Agent, Subject, Task

RECORDED: Final = ("runner_class", "os", "arch", "agent_version", "resolved_model")
"""The population fields whose recorded values are listed: the machine, and who answered."""


ACCOUNTING: Final = ("provider", "input_includes_cached", "output_includes_reasoning", "cost_source", "price_table")


def setting_of(ledger: Ledger, judged: Iterable[int]) -> dict[str, Any]:
    """What the scheduled trials were to be; of the rows of the trials at `judged` (those with a verdict) what it was.

    A prompt is given by the SHA-256 of its text as frozen, before a subject's parameters are filled in.
    """
    plan, places = ledger.plan, list(judged)
    document, schedule = plan.document, plan.schedule
    tasks = sorted({(trial.workflow, trial.task) for trial in schedule})
    return {
        "created_at": document.created_at,
        "seed": document.seed,
        "tool": document.provenance.tool,
        "definition_sha256": document.provenance.definition_sha256,
        "conditions": document.population.model_dump(),
        "recorded": _recorded(ledger, places),
        "accounting": _accounting(ledger, places),
        "blocks": len({trial.block_id for trial in schedule}),
        "repetitions": len({trial.repetition for trial in schedule}),
        "timeouts_s": sorted({trial.timeout_s for trial in schedule}),
        "workflows": [
            _workflow(plan, name, [task for workflow, task in tasks if workflow == name])
            for name in sorted({workflow for workflow, _ in tasks})
        ],
        "agents": [_agent(name, document.agents[name]) for name in sorted({trial.agent for trial in schedule})],
        "subjects": [_subject(name, document.subjects[name]) for name in sorted({trial.subject for trial in schedule})],
    }


def _recorded(ledger: Ledger, judged: Iterable[int]) -> dict[str, list[Any]]:
    alike = {ledger.population_number(place): place for place in judged}
    rows = [recorded(ledger, place) for place in alike.values()]
    return {name: ordered({row[POPULATION_FIELDS.index(name)] for row in rows}) for name in RECORDED}


def _accounting(ledger: Ledger, judged: Iterable[int]) -> dict[str, list[Any]]:
    """How the rows say that they count: where that differs, amounts of different rows are not of one kind."""
    alike = {ledger.accounting_number(place): place for place in judged}
    rows = [ledger.accounting(place) for place in alike.values()]
    return {name: ordered({_plain(getattr(row, name, None)) for row in rows}) for name in ACCOUNTING}


def _plain(value: object) -> object:
    """The JSON word of a member of a closed list."""
    return str(value) if isinstance(value, str) else value


def _workflow(plan: Plan, name: str, tasks: list[str]) -> dict[str, Any]:
    workflow = plan.document.workflows[name]
    return {
        "workflow": name,
        "version": workflow.version,
        "inputs_sha256": workflow.inputs_sha256,
        "tasks": [_task(task, workflow.tasks[task]) for task in tasks],
    }


def _task(name: str, task: Task) -> dict[str, Any]:
    return {
        "task": name,
        "fixture_sha256": task.fixture_sha256,
        "prompts": {level: sha256_hex(prompt) for level, prompt in sorted(task.prompts.items())},
        "oracle": {
            "version": task.oracle.version,
            "files_sha256": task.oracle.files_sha256,
            "checks": [{"name": check.name, "kind": check.kind} for check in task.oracle.checks],
        },
    }


def _agent(name: str, agent: Agent) -> dict[str, Any]:
    return {
        "agent": name,
        "adapter": agent.adapter.value,
        "argv": list(agent.argv),
        "model": agent.model,
        "version": agent.version,
        "binary_sha256": agent.binary_sha256,
        "home": agent.home,
        "env": list(agent.env),
        "set_env": sorted(agent.set_env),
        "mock": agent.mock,
    }


def _subject(name: str, subject: Subject) -> dict[str, Any]:
    changes = subject.agent
    return {
        "subject": name,
        "binary": subject.binary,
        "version": subject.version,
        "binary_sha256": subject.binary_sha256,
        "agent": changes
        and {
            "adapter": changes.adapter and changes.adapter.value,
            "argv": None if changes.argv is None else list(changes.argv),
            "model": changes.model,
        },
    }

"""A checked plan: the frozen schedule with its hash, and what a ledger and a report ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from oakbench_core.campaign.fields import checked
from oakbench_core.campaign.plan_document import (
    PlanDocument,
    ScheduledTrial,
    Subject,
    Task,
)
from oakbench_core.canonical import canonical_text, plain_problems, sha256_hex
from oakbench_core.errors import DocumentError, IdentityError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan that passed every test. `index` gives a trial's place in the schedule by its ID."""

    document: PlanDocument
    index: Mapping[str, int]

    @property
    def campaign_id(self) -> str:
        return self.document.campaign_id

    @property
    def plan_sha256(self) -> str:
        return self.document.plan_sha256

    @property
    def schedule(self) -> tuple[ScheduledTrial, ...]:
        return self.document.schedule

    @property
    def admission_budget_s(self) -> int | None:
        """Seconds of subprocess time that the campaign may reserve or spend; None: no budget."""
        return self.document.admission_budget_s

    @property
    def is_mock(self) -> bool:
        """Whether any scheduled agent is scripted, so that the campaign proves instrumentation only."""
        agents = {trial.agent for trial in self.schedule}
        return any(self.document.agents[name].mock for name in agents)

    def task(self, trial: ScheduledTrial) -> Task:
        return self.document.workflows[trial.workflow].tasks[trial.task]

    def subject(self, trial: ScheduledTrial) -> Subject:
        return self.document.subjects[trial.subject]

    def check_names(self, trial: ScheduledTrial) -> tuple[str, ...]:
        """The names of the trial's oracle checks, in the plan's order; empty for an import without checks."""
        return tuple(check.name for check in self.task(trial).oracle.checks)


@cache
def _document_type() -> TypeAdapter[PlanDocument]:
    return TypeAdapter(PlanDocument)


def plan_hash(document: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical text of the plan, as written, without its `plan_sha256` key."""
    return sha256_hex(canonical_text({k: v for k, v in document.items() if k != "plan_sha256"}))


def plan_from_document(value: Any) -> Plan:
    """The plan of a parsed plan.json (a mapping of plain JSON data).

    Raises:
        DocumentError: with every problem of form or of meaning (exit 40).
        IdentityError: sound, but `plan_sha256` is not the hash of its content: it was edited (exit 31).
    """
    if isinstance(value, Plan):
        return value
    if isinstance(value, Mapping) and not isinstance(value, dict):
        value = dict(value)
    read = checked(_document_type(), value)
    document, problems = read
    if document is not None:
        problems = tuple(_contradictions(document))
    if document is None or problems:
        raise DocumentError("this plan is refused", problems)
    try:
        found = plan_hash(value)
    except UnicodeEncodeError:  # text of a mapping that was never a file may hold what no file can
        raise DocumentError("this plan is refused", plain_problems(value)) from None
    if found != document.plan_sha256:
        raise IdentityError(
            "this plan is not the frozen one",
            [
                Problem(
                    path="$.plan_sha256",
                    rule=f"its content hashes to {found}, it says {document.plan_sha256}: "
                    "something in it was changed after freezing",
                )
            ],
            next_step="take back the change (the folder's copy in version control has the frozen plan)",
        )
    index = {trial.trial_id: number for number, trial in enumerate(document.schedule)}
    return Plan(document=document, index=index)


def _contradictions(document: PlanDocument) -> Iterator[Problem]:
    """What each part may hold, but not all of them together."""
    yield from _duplicate_names(document)
    yield from _schedule_names(document)
    yield from _duplicate_trials(document)
    yield from _mixed_blocks(document)


def _duplicate_names(document: PlanDocument) -> Iterator[Problem]:
    for workflow_name, workflow in document.workflows.items():
        for task_name, task in workflow.tasks.items():
            names = [check.name for check in task.oracle.checks]
            for name in sorted({name for name in names if names.count(name) > 1}):
                yield Problem(
                    path=f"$.workflows.{workflow_name}.tasks.{task_name}.oracle.checks",
                    rule=f"two checks are called {name!r}",
                )
            for number, check in enumerate(task.oracle.checks):
                if check.kind == "changes" and check.may_change is check.must_change is None:
                    yield Problem(
                        path=f"$.workflows.{workflow_name}.tasks.{task_name}.oracle.checks[{number}]",
                        rule="expected `may_change` or `must_change`",
                    )
    if len(set(document.compares)) < len(document.compares):
        yield Problem(path="$.compares", rule="a field stands there twice")


def _schedule_names(document: PlanDocument) -> Iterator[Problem]:
    for number, trial in enumerate(document.schedule):
        path = f"$.schedule[{number}]"
        workflow = document.workflows.get(trial.workflow)
        task = workflow.tasks.get(trial.task) if workflow else None
        if workflow is None:
            yield Problem(path=f"{path}.workflow", rule=f"no workflow is called {trial.workflow!r}")
        elif task is None:
            yield Problem(path=f"{path}.task", rule=f"no task of {trial.workflow!r} is called {trial.task!r}")
        elif trial.instruction_level not in task.prompts:
            yield Problem(
                path=f"{path}.instruction_level",
                rule=f"the task has no prompt of the level {trial.instruction_level!r}",
            )
        if trial.agent not in document.agents:
            yield Problem(path=f"{path}.agent", rule=f"no agent is called {trial.agent!r}")
        subject = document.subjects.get(trial.subject)
        if subject is None:
            yield Problem(path=f"{path}.subject", rule=f"no subject is called {trial.subject!r}")
        elif subject.agent is not None and trial.model is not None:
            yield Problem(path=f"{path}.model", rule="expected null: the subject overrides the agent")


def _repeated(document: PlanDocument, key: Callable[[ScheduledTrial], object], rule: str) -> Iterator[Problem]:
    first: dict[object, int] = {}
    for number, trial in enumerate(document.schedule):
        earlier = first.setdefault(key(trial), number)
        if earlier != number:
            yield Problem(path=f"$.schedule[{number}]", rule=f"{rule} stands already at $.schedule[{earlier}]")


def _condition(trial: ScheduledTrial) -> tuple[object, ...]:
    return (
        trial.workflow,
        trial.task,
        trial.instruction_level,
        trial.agent,
        trial.model,
        trial.repetition,
    )


def _duplicate_trials(document: PlanDocument) -> Iterator[Problem]:
    yield from _repeated(document, lambda trial: trial.trial_id.lower(), "this trial ID (case ignored)")
    yield from _repeated(
        document,
        lambda trial: (*_condition(trial), trial.subject),
        "this workflow, task, level, agent, model, repetition and subject",
    )
    yield from _repeated(document, lambda trial: (trial.block_id, trial.subject), "this subject of the block")


def _mixed_blocks(document: PlanDocument) -> Iterator[Problem]:
    first: dict[str, ScheduledTrial] = {}
    for number, trial in enumerate(document.schedule):
        sibling = first.setdefault(trial.block_id.lower(), trial)
        if sibling.block_id != trial.block_id:
            yield Problem(
                path=f"$.schedule[{number}].block_id",
                rule=f"differs from {sibling.block_id!r} in case only",
            )
        elif (*_condition(sibling), sibling.timeout_s) != (*_condition(trial), trial.timeout_s):
            yield Problem(
                path=f"$.schedule[{number}]",
                rule="the trials of a block agree in all but their subject, this one does not agree "
                f"with {sibling.trial_id!r}",
            )

"""A checked plan: the frozen schedule with its hash, and what a ledger and a report ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import asdict
from pydantic import TypeAdapter

from oakbench_core.campaign.plan_document import (
    PlanDocument,
    ScheduledTrial,
    Subject,
    Task,
)
from oakbench_core.campaign.plan_text import canonical_sha256, read_parts
from oakbench_core.canonical import canonical_text, plain_problems, sha256_hex
from oakbench_core.errors import DocumentError, IdentityError, Problem
from oakbench_core.shapes import checked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_CONDITION: Final = ("workflow", "task", "instruction_level", "agent", "model", "repetition")
_names = attrgetter("workflow", "task", "instruction_level", "agent", "model", "subject")
_condition_and_subject = attrgetter(*_CONDITION, "subject")
_trial_id = attrgetter("trial_id")
_block_and_subject = attrgetter("block_id", "subject")
_shared_by_block = attrgetter("block_id", *_CONDITION, "timeout_s")


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
    return _plan(document)


def plan_from_text(text: bytes) -> Plan | None:
    """The plan of the bytes of a plan.json, in a third of the time of `parse_strict` and `plan_from_document`.

    None where this way does not prove that the plan is sound: it may be sound all the same, or be refused, and those
    two say which and why. What is accepted here is accepted there, and is the same plan.
    """
    read = read_parts(text)
    if read is None:
        return None
    head, schedule = read
    # The models of all but the schedule; of that, one entry stands for the others, which are of the same types.
    checked_head = checked(_document_type(), {**head, "schedule": [asdict(schedule[0])]})
    document, problems = checked_head
    if document is None or problems:
        return None
    document = document.model_copy(update={"schedule": schedule})
    if any(_contradictions(document)):
        return None
    return _plan(document) if canonical_sha256(head, schedule, text) == document.plan_sha256 else None


def _plan(document: PlanDocument) -> Plan:
    index = {trial.trial_id: number for number, trial in enumerate(document.schedule)}
    return Plan(document=document, index=index)


def _contradictions(document: PlanDocument) -> Iterator[Problem]:
    """What each part may hold, but not all of them together."""
    yield from _duplicate_names(document)
    yield from _schedule_names(document)
    if not _is_regular(document.schedule):
        yield from _duplicate_trials(document)
        yield from _mixed_blocks(document)


def _is_regular(schedule: tuple[ScheduledTrial, ...]) -> bool:
    """Whether each block has a condition of its own and a subject once: then nothing of it is there twice or mixed."""
    blocks = set(map(_shared_by_block, schedule))
    return (
        len({block_id.lower() for block_id, *_ in blocks}) == len(blocks)
        and len({shared[1:-1] for shared in blocks}) == len(blocks)  # without block and timeout: the condition
        and len(set(map(_block_and_subject, schedule))) == len(schedule)
        and len(set(map(str.lower, map(_trial_id, schedule)))) == len(schedule)
    )


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
    # Hundreds of thousands of trials share a few hundred combinations of names: each is looked up once.
    samples = dict(zip(map(_names, document.schedule), document.schedule, strict=True))
    broken = {names: tuple(_unknown_names(document, trial)) for names, trial in samples.items()}
    if any(broken.values()):
        for number, trial in enumerate(document.schedule):
            for key, rule in broken[_names(trial)]:
                yield Problem(path=f"$.schedule[{number}].{key}", rule=rule)


def _unknown_names(document: PlanDocument, trial: ScheduledTrial) -> Iterator[tuple[str, str]]:
    """Keys of the entry, each with what is wrong with the name there."""
    workflow = document.workflows.get(trial.workflow)
    task = workflow.tasks.get(trial.task) if workflow else None
    if workflow is None:
        yield "workflow", f"no workflow is called {trial.workflow!r}"
    elif task is None:
        yield "task", f"no task of {trial.workflow!r} is called {trial.task!r}"
    elif trial.instruction_level not in task.prompts:
        yield "instruction_level", f"the task has no prompt of the level {trial.instruction_level!r}"
    if trial.agent not in document.agents:
        yield "agent", f"no agent is called {trial.agent!r}"
    subject = document.subjects.get(trial.subject)
    if subject is None:
        yield "subject", f"no subject is called {trial.subject!r}"
    elif subject.agent is not None and trial.model is not None:
        yield "model", "expected null: the subject overrides the agent"


def _repeated(document: PlanDocument, key: Callable[[ScheduledTrial], object], rule: str) -> Iterator[Problem]:
    if len(set(map(key, document.schedule))) == len(document.schedule):
        return
    first: dict[object, int] = {}
    for number, trial in enumerate(document.schedule):
        earlier = first.setdefault(key(trial), number)
        if earlier != number:
            yield Problem(path=f"$.schedule[{number}]", rule=f"{rule} stands already at $.schedule[{earlier}]")


def _duplicate_trials(document: PlanDocument) -> Iterator[Problem]:
    yield from _repeated(document, lambda trial: trial.trial_id.lower(), "this trial ID (case ignored)")
    yield from _repeated(
        document,
        _condition_and_subject,
        "this workflow, task, level, agent, model, repetition and subject",
    )
    yield from _repeated(document, _block_and_subject, "this subject of the block")


def _mixed_blocks(document: PlanDocument) -> Iterator[Problem]:
    blocks = set(map(_shared_by_block, document.schedule))
    if len({block_id.lower() for block_id, *_ in blocks}) == len(blocks):
        return
    first: dict[str, ScheduledTrial] = {}
    for number, trial in enumerate(document.schedule):
        sibling = first.setdefault(trial.block_id.lower(), trial)
        if sibling.block_id != trial.block_id:
            yield Problem(
                path=f"$.schedule[{number}].block_id",
                rule=f"differs from {sibling.block_id!r} in case only",
            )
        elif _shared_by_block(sibling) != _shared_by_block(trial):
            yield Problem(
                path=f"$.schedule[{number}]",
                rule="the trials of a block agree in all but their subject, this one does not agree "
                f"with {sibling.trial_id!r}",
            )

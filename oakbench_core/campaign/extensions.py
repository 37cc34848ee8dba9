"""What a definition schedules beyond an earlier campaign: more subjects, tasks, instruction levels, repetitions.

Rule: what both name is the same in both; a changed meaning needs another name. What was only found on the machine, a
version or a hash, may have changed meanwhile: that is told, and nothing is pooled over the two campaigns anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.derived_plans import derived
from oakbench_core.errors import Problem
from oakbench_core.shapes import Document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import ScheduledTrial

_FOUND: Final = frozenset({"version", "binary_sha256"})
"""What freezing finds out of an agent or a subject."""

_MAY_GROW: Final = frozenset({"prompts", "parameters", "unsupported"})
_KEYS_OF_TREES: Final = {"fixture_sha256": "fixture", "files_sha256": "files", "inputs_sha256": "inputs"}
_ADVICE: Final = "give what has changed another name, or freeze without --parent"


class Drift(NamedTuple):
    """Something of the machine that is not what it was: where it stands in the plan, then and now."""

    path: str
    parent: str | None
    found: str | None


def changed_meanings(plan: Plan, parent: Plan) -> Iterator[Problem]:
    """Everything that both plans name and that is not the same in both, by its place in the definition."""
    for name in plan.document.workflows.keys() & parent.document.workflows.keys():
        ours, theirs = plan.document.workflows[name], parent.document.workflows[name]
        path = f"$.workflows.{name}"
        yield from _differences(path, ours, theirs, but={"tasks"})
        for task in ours.tasks.keys() & theirs.tasks.keys():
            yield from _differences(f"{path}.tasks.{task}", ours.tasks[task], theirs.tasks[task])
    for key in ("agents", "subjects"):
        ours, theirs = getattr(plan.document, key), getattr(parent.document, key)
        for name in ours.keys() & theirs.keys():
            yield from _differences(f"$.{key}.{name}", ours[name], theirs[name], but=_FOUND)
    yield from _changed_timeouts(plan, parent)


def drifts(plan: Plan, parent: Plan) -> list[Drift]:
    """Versions and hashes of programs, and the kind of machine, that are others than the parent's."""
    found = [
        Drift("population.runner_class", *_pair(parent.document.population, plan.document.population, "runner_class"))
    ]
    for key in ("agents", "subjects"):
        ours, theirs = getattr(plan.document, key), getattr(parent.document, key)
        for name in sorted(ours.keys() & theirs.keys()):
            found += [Drift(f"{key}.{name}.{what}", *_pair(theirs[name], ours[name], what)) for what in sorted(_FOUND)]
    return [drift for drift in found if drift.parent != drift.found]


def extended(document: Mapping[str, Any], plan: Plan, parent: Plan, finished: int) -> dict[str, Any] | None:
    """The plan document without the trials that the parent has, its hash included; None where nothing is left.

    `plan` is that of the document; `finished` is how many results of the parent were known.
    """
    known = {_condition(trial) for trial in parent.schedule}
    lacking = [
        entry
        for entry, trial in zip(document["schedule"], plan.schedule, strict=True)
        if _condition(trial) not in known
    ]
    return derived(document, lacking, parent, "extension", finished) if lacking else None


def reused_identities(document: Mapping[str, Any], parent: Plan) -> Iterator[Problem]:
    """Trial IDs that the parent gave to other trials."""
    known = {trial.trial_id.lower() for trial in parent.schedule}
    for entry in document["schedule"]:
        if entry["trial_id"].lower() in known:
            rule = f"the parent has another trial called {entry['trial_id']}: {_ADVICE}"
            yield Problem(path=f"$.workflows.{entry['workflow']}", rule=rule)


def _condition(trial: ScheduledTrial) -> tuple[object, ...]:
    """What a trial is; its model follows from its agent and subject."""
    return trial.workflow, trial.task, trial.instruction_level, trial.agent, trial.subject, trial.repetition


def _differences(
    path: str, ours: Document, theirs: Document, *, but: frozenset[str] | set[str] = frozenset()
) -> Iterator[Problem]:
    for name in type(ours).model_fields:
        if name in but:
            continue
        key = f"{path}.{_KEYS_OF_TREES.get(name, name)}"
        a, b = getattr(ours, name), getattr(theirs, name)
        if name in _MAY_GROW:
            yield from (_changed(f"{key}.{inner}") for inner in a.keys() & b.keys() if a[inner] != b[inner])
            yield from (_changed(f"{key}.{inner}") for inner in b.keys() - a.keys() if name != "prompts")
        elif isinstance(a, Document) and isinstance(b, Document):
            yield from _differences(key, a, b)
        elif a != b:
            yield _changed(key)


def _changed(path: str) -> Problem:
    return Problem(path=path, rule=f"is not what the parent has under this name: {_ADVICE}")


def _changed_timeouts(plan: Plan, parent: Plan) -> Iterator[Problem]:
    ours, theirs = _timeouts(plan), _timeouts(parent)
    for place in ours.keys() & theirs.keys():
        if ours[place] != theirs[place]:
            workflow, task = place
            rule = f"its trials have {_listed(ours[place])} s, in the parent {_listed(theirs[place])} s: {_ADVICE}"
            yield Problem(path=f"$.workflows.{workflow}.tasks.{task}.timeout_s", rule=rule)


def _timeouts(plan: Plan) -> dict[tuple[str, str], set[int]]:
    found: dict[tuple[str, str], set[int]] = {}
    for trial in plan.schedule:
        found.setdefault((trial.workflow, trial.task), set()).add(trial.timeout_s)
    return found


def _listed(numbers: set[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _pair(theirs: Any, ours: Any, name: str) -> tuple[str | None, str | None]:
    return getattr(theirs, name), getattr(ours, name)

"""`freeze --parent`: of what a definition schedules, what an earlier campaign lacks; that one stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from oakbench_core.campaign.derived_plans import expect_own_plan, finished_trials, trees_of
from oakbench_core.campaign.extensions import Drift, changed_meanings, drifts, extended, reused_identities
from oakbench_core.campaign.plan import Plan, plan_from_document
from oakbench_core.running.following import NothingToScheduleError, Parent, parent_campaign
from oakbench_core.running.removing import remove_tree

if TYPE_CHECKING:
    from pathlib import Path

    from oakbench_core.running.definition_file import DefinitionSource


class Extension(NamedTuple):
    """The plan of what was lacking. `drifts`: what of the machine is not what it was for the parent."""

    document: dict[str, Any]
    plan: Plan
    parent: Parent
    drifts: tuple[Drift, ...]


def extension(source: DefinitionSource, document: dict[str, Any], plan: Plan, folder: Path) -> Extension:
    """The part of a definition's plan that the campaign in `folder` lacks.

    Raises:
        NothingToScheduleError: it has every trial.
        DocumentError: the definition gives another meaning to something that the parent has, or the parent is an
            import.
        OakbenchError: as `parent_campaign`.
    """
    parent = parent_campaign(folder)
    expect_own_plan(parent.plan, "extended")
    if changed := list(changed_meanings(plan, parent.plan)):
        raise source.refusal(changed)
    lacking = extended(document, plan, parent.plan, finished_trials(parent.ledger))
    if lacking is None:
        raise NothingToScheduleError(
            f"the campaign in {folder} has every trial of this definition, so there is nothing to freeze",
            next_step="add subjects, tasks, instruction levels or repetitions; `retry` tries trials again",
        )
    if reused := list(reused_identities(lacking, parent.plan)):
        raise source.refusal(reused)
    return Extension(lacking, plan_from_document(lacking), parent, tuple(drifts(plan, parent.plan)))


def drop_unneeded(inputs: Path, plan: Plan) -> None:
    """Remove the trees that no trial of the plan needs from the new folder `inputs`."""
    needed = trees_of(plan)
    for tree in inputs.iterdir():
        if tree.name not in needed:
            remove_tree(tree)

"""`retry`: a campaign folder that tries whole blocks of another campaign again; the original stays as it is."""

from __future__ import annotations

import os
import re
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.derived_plans import expect_own_plan, trees_of
from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.campaign.retries import RetryFacts, RetryKind, Selection, retried, selected
from oakbench_core.canonical import parse_strict
from oakbench_core.durable.documents import PLAN_NAME, write_document
from oakbench_core.durable.opening import failures_named, read_whole
from oakbench_core.errors import UsageError
from oakbench_core.forms import NAME_PATTERN
from oakbench_core.running.campaign_folder import expect_free, new_campaign_folder, put_plan, time_of_freezing
from oakbench_core.running.definition_file import DEFINITION_NAME, run_settings
from oakbench_core.running.following import NothingToScheduleError, Parent, copy_inputs, expect_apart, parent_campaign
from oakbench_core.running.freezing import Frozen
from oakbench_core.running.lookups import Lookups
from oakbench_core.running.programs import absent_of_plan, missing_instruments
from oakbench_core.running.readiness import expect_no_runner

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan


_WORDS: Final = {
    RetryKind.INTERRUPTED: "interrupted",
    RetryKind.INFRASTRUCTURE: "an infrastructure failure",
    RetryKind.SKIPPED: "skipped",
    RetryKind.UNSTARTED: "unstarted",
}


class Retry(NamedTuple):
    """A campaign folder that was made, whom it follows, and what was picked.

    `changed`: what it needs of this machine that is not the frozen one any more; a run would stop there.
    """

    frozen: Frozen
    parent: Parent
    selection: Selection
    changed: tuple[str, ...]


def retry(
    folder: Path,
    target: Path,
    kinds: Collection[RetryKind],
    *,
    campaign_id: str | None = None,
    budget_s: int | None = None,
) -> Retry:
    """Make the campaign folder `target` of the blocks of `folder` that hold a trial of these kinds.

    Args:
        folder: the campaign's; it is only read.
        target: the new folder.
        kinds: which trials are asked for.
        campaign_id: the new campaign's name; None: the parent's with the number of the attempt.
        budget_s: its admission budget; None: the parent's.

    Raises:
        NothingToScheduleError: no trial is of these kinds.
        UsageError: something stands at `target`, or it lies in `folder`; the name is none.
        LockedError: a runner is at work on the campaign: what becomes of its trials is not known yet.
        DocumentError: the plan is an import, or an identity would be too long.
        IdentityError: the folder's inputs are not the frozen ones.
        OakbenchError: as `parent_campaign`.
    """
    if campaign_id is not None and not re.fullmatch(NAME_PATTERN, campaign_id):
        raise UsageError(f"expected a campaign ID of the form {NAME_PATTERN}, found {campaign_id!r}")
    expect_no_runner(folder)
    parent = parent_campaign(folder)
    expect_own_plan(parent.plan, "retried")
    expect_free(target)
    expect_apart(target, folder)
    selection = selected(parent.ledger, kinds)
    if not selection.blocks:
        raise _nothing(selection, kinds)
    facts = RetryFacts(time_of_freezing(), f"oakbench {version('oakbench')}", campaign_id, budget_s)
    document = retried(_written(folder), parent.ledger, selection.blocks, facts)
    plan = plan_from_document(document)
    with new_campaign_folder(target) as staged:
        with failures_named(folder, "copy its inputs"):
            copy_inputs(folder, staged, trees_of(plan))
        if (folder / DEFINITION_NAME).exists():
            write_document(staged / DEFINITION_NAME, read_whole(folder / DEFINITION_NAME))
        put_plan(staged, document)
    search = os.environ.get("PATH", os.defpath)
    frozen = Frozen(
        folder=target,
        plan=plan,
        run=run_settings(target),
        absent=tuple(dict.fromkeys(absent_of_plan(plan, search))),
        missing_instruments=missing_instruments(plan, search),
    )
    return Retry(frozen, parent, selection, _changed_programs(plan, target))


def _written(folder: Path) -> dict[str, Any]:
    """The plan's document as it stands in the file, which has been read as a sound one."""
    document, _ = parse_strict(read_whole(folder / PLAN_NAME))
    return dict(document)


def _nothing(selection: Selection, kinds: Collection[RetryKind]) -> NothingToScheduleError:
    asked = " or ".join(_WORDS[kind] for kind in kinds)
    message = f"no trial of this campaign is {asked}, so there is nothing to retry"
    if selection.unsupported:
        message += f"; {selection.unsupported:,} were skipped as unsupported, which the frozen plan would do again"
    return NothingToScheduleError(
        message, next_step="`status` says what became of its trials; --unstarted, --skipped pick others"
    )


def _changed_programs(plan: Plan, folder: Path) -> tuple[str, ...]:
    lookups = Lookups(plan, folder, os.environ)
    kinds = {(trial.workflow, trial.task, trial.agent, trial.subject): trial for trial in plan.schedule}
    found = [change for trial in kinds.values() for change in lookups.changes_of(trial)]
    return tuple(dict.fromkeys(found))

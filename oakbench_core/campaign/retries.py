"""Which trials of a campaign are tried again, and the plan that does it.

Rule: whole blocks only, so that pairs can become complete; each trial under a new identity (`~2`, then `~3` …) that
names the one it retries. What a trial is asked to do, and how it is judged, stays what was frozen.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.derived_plans import derived, finished_trials
from oakbench_core.campaign.schedule import Place, ordered
from oakbench_core.campaign.vocabulary import SkipReason, Standing
from oakbench_core.errors import DocumentError, Problem
from oakbench_core.forms import MAX_ID_LENGTH

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import ScheduledTrial

_LONGEST_NAME: Final = 64
_ATTEMPT: Final = re.compile(r"~([0-9]+)$")
_OF_A_RETRY: Final = re.compile(r"-retry[0-9]+$")


class RetryKind(StrEnum):
    """Which trials are asked for, by what became of them."""

    INTERRUPTED = "interrupted"
    INFRASTRUCTURE = "infrastructure"
    SKIPPED = "skipped"
    UNSTARTED = "unstarted"


_KINDS: Final = {
    Standing.INTERRUPTED: RetryKind.INTERRUPTED,
    Standing.UNCERTAIN: RetryKind.INTERRUPTED,
    Standing.INFRASTRUCTURE_FAILURE: RetryKind.INFRASTRUCTURE,
    Standing.SKIPPED_BEFORE_START: RetryKind.SKIPPED,
    Standing.SKIPPED_AFTER_START: RetryKind.SKIPPED,
    Standing.UNSTARTED: RetryKind.UNSTARTED,
}


class Selection(NamedTuple):
    """`blocks`: the blocks that hold a trial that is asked for. `trials`: how many of these there are, by kind.

    `unsupported`: skipped trials that no block was picked for, since the frozen plan would skip them again.
    """

    blocks: frozenset[str]
    trials: Mapping[RetryKind, int]
    unsupported: int


class RetryFacts(NamedTuple):
    """What the new plan says of itself. `budget_s`: its admission budget; None: the parent's."""

    created_at: str
    tool: str
    campaign_id: str | None = None
    budget_s: int | None = None


def selected(ledger: Ledger, kinds: Collection[RetryKind]) -> Selection:
    """The blocks of the trials of these kinds."""
    blocks: set[str] = set()
    trials: Counter[RetryKind] = Counter()
    unsupported = 0
    for place, trial in enumerate(ledger.plan.schedule):
        kind = _KINDS.get(ledger.standing(place))
        if kind is None or kind not in kinds:
            continue
        ending = ledger.ending(place) if kind is RetryKind.SKIPPED else None
        if ending is not None and ending.skip_reason == SkipReason.UNSUPPORTED:
            unsupported += 1
            continue
        blocks.add(trial.block_id)
        trials[kind] += 1
    return Selection(frozenset(blocks), {kind: trials[kind] for kind in RetryKind if trials[kind]}, unsupported)


def retried(document: Mapping[str, Any], ledger: Ledger, blocks: Collection[str], facts: RetryFacts) -> dict[str, Any]:
    """The plan document of the follow-up, its hash included.

    Args:
        document: the parent's plan as it is written.
        ledger: what is on file of the parent.
        blocks: at least one of its blocks.
        facts: of the new plan.

    Raises:
        DocumentError: an identity would be too long.
    """
    plan = ledger.plan
    attempts = next_attempts(plan.schedule, blocks)
    entries = {}
    for entry in document["schedule"]:
        block = entry["block_id"]
        if block in attempts:
            new_block = renamed(block, attempts[block])
            entries[Place(entry["repetition"], new_block, entry["subject"])] = dict(entry) | {
                "trial_id": renamed(entry["trial_id"], attempts[block]),
                "block_id": new_block,
                "retry_of": entry["trial_id"],
            }
    _expect_short(entry["trial_id"] for entry in entries.values())
    schedule = [entries[place] for place in ordered(entries, plan.document.seed)]
    own = {
        "campaign_id": facts.campaign_id or name_of_retry(plan, max(attempts.values())),
        "created_at": facts.created_at,
        "admission_budget_s": plan.admission_budget_s if facts.budget_s is None else facts.budget_s,
        "provenance": dict(document["provenance"]) | {"tool": facts.tool},
    }
    return derived(dict(document) | own, schedule, plan, "retry", finished_trials(ledger))


def next_attempts(schedule: Iterable[ScheduledTrial], blocks: Collection[str]) -> dict[str, int]:
    """Block → the number of its next attempt, with which none of its new identities is one that exists."""
    members: dict[str, list[str]] = {}
    taken: set[str] = set()
    for trial in schedule:
        taken.update(name.lower() for name in (trial.trial_id, trial.block_id, trial.retry_of) if name is not None)
        if trial.block_id in blocks:
            members.setdefault(trial.block_id, [trial.block_id]).append(trial.trial_id)
    attempts = {}
    for block, names in members.items():
        attempt = 1 + max(map(_attempt_of, names))
        while any(renamed(name, attempt).lower() in taken for name in names):
            attempt += 1
        taken.update(renamed(name, attempt).lower() for name in names)
        attempts[block] = attempt
    return attempts


def renamed(name: str, attempt: int) -> str:
    """The ID of that attempt at the same thing."""
    return f"{_ATTEMPT.sub('', name)}~{attempt}"


def name_of_retry(plan: Plan, attempt: int) -> str:
    """The campaign's name with the number of the attempt, cut so that it stays a name."""
    parent = plan.document.provenance.parent
    name = plan.campaign_id
    if parent is not None and parent.kind == "retry":
        name = _OF_A_RETRY.sub("", name)
    suffix = f"-retry{attempt}"
    return name[: _LONGEST_NAME - len(suffix)] + suffix


def _attempt_of(name: str) -> int:
    found = _ATTEMPT.search(name)
    return int(found[1]) if found else 1


def _expect_short(names: Iterable[str]) -> None:
    longest = max(names, key=len)
    if len(longest) > MAX_ID_LENGTH:
        rule = f"expected trial IDs of at most {MAX_ID_LENGTH} characters, found {len(longest)}: {longest}"
        raise DocumentError("these trials cannot be retried", [Problem(path="$.schedule", rule=rule)])

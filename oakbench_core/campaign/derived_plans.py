"""What plans that follow another one have in common: only what they schedule, and whom they follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from oakbench_core.campaign.plan import plan_hash
from oakbench_core.campaign.vocabulary import Standing, State
from oakbench_core.errors import DocumentError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan


def expect_own_plan(plan: Plan, doing: str) -> None:
    """Refuse a plan that was reconstructed from another tool's files.

    Raises:
        DocumentError: it was.
    """
    if plan.document.provenance.source == "import":
        rule = f"an imported plan was run by another tool: it is read and reported, not {doing}"
        raise DocumentError("this campaign cannot be followed up", [Problem(path="$.provenance.source", rule=rule)])


def finished_trials(ledger: Ledger) -> int:
    """How many results of a campaign were known when a plan was made to follow it."""
    return sum(ledger.tallies[standing] for standing in Standing if standing.state is State.FINISHED)


def derived(
    document: Mapping[str, Any],
    schedule: Iterable[Mapping[str, Any]],
    parent: Plan,
    kind: Literal["retry", "extension"],
    finished: int,
) -> dict[str, Any]:
    """The plan document with another schedule, a parent, and its own hash; what no trial uses is left out of it."""
    entries = [dict(entry) for entry in schedule]
    tasks = {(entry["workflow"], entry["task"]) for entry in entries}
    agents = {entry["agent"] for entry in entries}
    subjects = {entry["subject"] for entry in entries}
    whose = {
        "campaign_id": parent.campaign_id,
        "plan_sha256": parent.plan_sha256,
        "kind": kind,
        "finished_trials": finished,
    }
    made = dict(document) | {
        "workflows": {
            name: dict(workflow)
            | {"tasks": {key: task for key, task in workflow["tasks"].items() if (name, key) in tasks}}
            for name, workflow in document["workflows"].items()
            if any(name == scheduled for scheduled, _ in tasks)
        },
        "agents": {name: agent for name, agent in document["agents"].items() if name in agents},
        "subjects": {name: subject for name, subject in document["subjects"].items() if name in subjects},
        "schedule": entries,
        "provenance": dict(document["provenance"]) | {"parent": whose},
    }
    made["plan_sha256"] = plan_hash(made)
    return made


def trees_of(plan: Plan) -> frozenset[str]:
    """The hashes of all trees that the plan names."""
    return frozenset(filter(None, _trees(plan)))


def _trees(plan: Plan) -> Iterator[str | None]:
    for workflow in plan.document.workflows.values():
        yield workflow.inputs_sha256
        for task in workflow.tasks.values():
            yield task.fixture_sha256
            yield task.oracle.files_sha256

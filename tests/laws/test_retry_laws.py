"""Retries: whole blocks, new identities, and nothing else that is new, however often it is done."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from oakbench_core.campaign.intake import fold
from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.campaign.plan_document import ScheduledTrial
from oakbench_core.campaign.retries import RetryFacts, RetryKind, next_attempts, renamed, retried, selected
from oakbench_core.campaign.schedule import Place, ordered
from tests.laws.strategies_report import Campaign, campaigns, fates, report

if TYPE_CHECKING:
    from oakbench_core.campaign.ledger import Ledger

Json = dict[str, Any]
FACTS = RetryFacts("2026-12-02T00:00:00Z", "test")
ASKED = {
    RetryKind.INTERRUPTED: {"interrupted", "uncertain"},
    RetryKind.INFRASTRUCTURE: {"infrastructure_failure"},
    RetryKind.SKIPPED: {"skipped", "operator", "skipped_after"},
    RetryKind.UNSTARTED: {"unstarted"},
}
kinds = st.frozensets(st.sampled_from(list(RetryKind)), min_size=1)


def ledger_of(campaign: Campaign) -> Ledger:
    return fold(campaign.plan, [event for trial in campaign.events() for event in trial])


@settings(max_examples=40)
@given(campaigns(), kinds)
def test_the_blocks_of_what_is_asked_for_are_picked_and_no_others(
    campaign: Campaign, wanted: frozenset[RetryKind]
) -> None:
    asked = set().union(*(ASKED[kind] for kind in wanted))
    expected = {
        trial.block_id for trial, fate in zip(campaign.plan.schedule, campaign.fates, strict=True) if fate.kind in asked
    }
    selection = selected(ledger_of(campaign), wanted)

    assert selection.blocks == expected
    assert sum(selection.trials.values()) == sum(fate.kind in asked for fate in campaign.fates)


@settings(max_examples=25)
@given(campaigns(), st.data())
def test_a_retry_changes_identities_and_nothing_of_what_is_asked_or_judged(
    campaign: Campaign, data: st.DataObject
) -> None:
    names = sorted({trial.block_id for trial in campaign.plan.schedule})
    blocks = data.draw(st.frozensets(st.sampled_from(names), min_size=1))
    before = copy.deepcopy(campaign.document)
    document = retried(campaign.document, ledger_of(campaign), blocks, FACTS)
    plan = plan_from_document(copy.deepcopy(document))
    parents = {entry["trial_id"]: entry for entry in campaign.document["schedule"]}
    own = ("trial_id", "block_id", "retry_of")

    assert campaign.document == before
    assert {entry["retry_of"] for entry in document["schedule"]} == {
        name for name, entry in parents.items() if entry["block_id"] in blocks
    }
    for entry in document["schedule"]:
        parent = parents[entry["retry_of"]]
        assert {key: entry[key] for key in entry if key not in own} == {
            key: parent[key] for key in parent if key not in own
        }
        assert (entry["trial_id"], entry["block_id"]) == (parent["trial_id"] + "~2", parent["block_id"] + "~2")
    for trial in plan.schedule:
        assert plan.task(trial) == campaign.plan.task(campaign.plan.schedule[campaign.plan.index[trial.retry_of or ""]])
    for key in ("agents", "subjects"):
        assert document[key].items() <= campaign.document[key].items()
    changed = {"plan_sha256", "campaign_id", "created_at", "schedule", "provenance", "workflows", "agents", "subjects"}
    assert {key: document[key] for key in document.keys() - changed} == {
        key: campaign.document[key] for key in campaign.document.keys() - changed
    }
    places = [Place(entry["repetition"], entry["block_id"], entry["subject"]) for entry in document["schedule"]]
    assert places == ordered(places, document["seed"])


@settings(max_examples=25)
@given(campaigns(), st.data())
def test_a_chain_of_retries_never_gives_an_identity_twice(campaign: Campaign, data: st.DataObject) -> None:
    seen = {trial.trial_id.lower() for trial in campaign.plan.schedule}
    links: dict[str, str] = {}
    names = ["c1-retry2", "c1-retry3", "c1-retry4"]
    for attempt, name in enumerate(names, start=2):
        blocks = data.draw(
            st.frozensets(st.sampled_from(sorted({t.block_id for t in campaign.plan.schedule})), min_size=1)
        )
        document = retried(campaign.document, ledger_of(campaign), blocks, FACTS)
        plan = plan_from_document(copy.deepcopy(document))
        ids = {trial.trial_id.lower() for trial in plan.schedule}
        parent = plan.document.provenance.parent

        assert not ids & seen
        assert all(trial.trial_id.endswith(f"~{attempt}") for trial in plan.schedule)
        assert plan.campaign_id == name
        assert parent is not None
        assert (parent.kind, parent.plan_sha256) == ("retry", campaign.plan.plan_sha256)
        assert parent.finished_trials == sum(
            fate.kind in {"success", "failure", "timed_out", "infrastructure_failure"} for fate in campaign.fates
        )
        links |= {trial.trial_id: trial.retry_of or "" for trial in plan.schedule}
        seen |= ids
        size = len(plan.schedule)
        campaign = Campaign(document, tuple(data.draw(st.lists(fates(), min_size=size, max_size=size))))
    for trial_id in links:
        chain = [trial_id]
        while chain[-1] in links:
            chain.append(links[chain[-1]])
        assert chain == [*(renamed(chain[-1], attempt) for attempt in range(len(chain), 1, -1)), chain[-1]]


def _entry(trial_id: str, block_id: str, retry_of: str | None) -> ScheduledTrial:
    return ScheduledTrial(
        trial_id=trial_id, block_id=block_id, workflow="w", task="t", instruction_level="l", agent="a", subject="s",
        repetition=1, timeout_s=1, model=None, retry_of=retry_of,
    )  # fmt: skip


odd_ids = st.builds(
    lambda name, attempt: name if attempt == 1 else f"{name}~{attempt}",
    st.sampled_from(["x", "X", "x.y", "z"]),
    st.integers(1, 4),
)


@given(st.lists(st.tuples(odd_ids, odd_ids, st.none() | odd_ids), min_size=1, max_size=12), st.data())
def test_identities_of_plans_from_elsewhere_are_not_met_again_either(
    ids: list[tuple[str, str, str | None]], data: st.DataObject
) -> None:
    schedule = [_entry(*one) for one in ids]
    blocks = data.draw(st.frozensets(st.sampled_from([entry.block_id for entry in schedule]), min_size=1))
    attempts = next_attempts(schedule, blocks)
    taken = {name.lower() for one in ids for name in one if name is not None}
    made = [renamed(entry.trial_id, attempts[entry.block_id]) for entry in schedule if entry.block_id in blocks]
    by_block: dict[str, set[str]] = {}
    for entry in schedule:
        if entry.block_id in blocks:
            by_block.setdefault(entry.block_id, set()).add(renamed(entry.trial_id, attempts[entry.block_id]).lower())

    assert attempts.keys() == blocks
    assert not {name.lower() for name in made} & taken
    assert not {renamed(block, attempt).lower() for block, attempt in attempts.items()} & taken
    assert sum(map(len, by_block.values())) == len(set().union(*by_block.values()))


@settings(max_examples=15)
@given(campaigns(alike=True), st.data())
def test_no_interval_is_given_of_a_retry_and_its_report_says_so(campaign: Campaign, data: st.DataObject) -> None:
    blocks = frozenset(trial.block_id for trial in campaign.plan.schedule)
    document = retried(campaign.document, ledger_of(campaign), blocks, FACTS)
    size = len(document["schedule"])
    fate = st.lists(fates(("success", "failure"), alike=True), min_size=size, max_size=size)
    summary = report(Campaign(document, tuple(data.draw(fate))))

    assert "retry_campaign" in {notice["code"] for notice in summary["notices"]}
    assert all(group["success"]["wilson"] is None for group in summary["groups"])
    assert all("retry_selection" in group["success"]["omitted"] for group in summary["groups"])
    assert all(pair["interval"] is None for pair in summary["pairs"])

"""Laws of the report over random legal campaigns: what no campaign may ever make it say."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oakbench_core.campaign.report import report_campaign
from oakbench_core.campaign.report_document import ReportDocument
from oakbench_core.canonical import canonical_text, sha256_hex
from oakbench_core.errors import JournalError
from oakbench_core.rendering.markdown import render_markdown
from tests.campaigns import Json, opened, sealed
from tests.laws.strategies_report import RESOLVED, Campaign, Fate, campaigns, fates, report

laws = settings(max_examples=60)


def group_at(campaign: Campaign, summary: Json, place: int) -> Json:
    """The group that the trial at `place` of the schedule belongs to."""
    trial = campaign.document["schedule"][place]
    [group] = [group for group in summary["groups"] if all(group["key"][name] == trial[name] for name in group["key"])]
    return dict(group)


def places_of(campaign: Campaign, *kinds: str) -> list[int]:
    return [place for place, fate in enumerate(campaign.fates) if fate.kind in kinds]


@pytest.mark.clause("A10-21")
@laws
@given(campaigns())
def test_every_trial_is_counted_in_one_state_and_groups_add_up_to_the_campaign(campaign: Campaign) -> None:
    summary = report(campaign)

    for counts in (summary["counts"], *(group["counts"] for group in summary["groups"])):
        assert counts["scheduled"] == sum(counts[s] for s in ("unstarted", "interrupted", "skipped", "finished"))
        outcomes = ("verified_success", "task_failure", "timed_out", "infrastructure_failure")
        assert counts["finished"] == sum(counts[outcome] for outcome in outcomes)
        assert counts["started"] == counts["interrupted"] + counts["skipped_after_start"] + counts["finished"]
        assert counts["resolved"] == counts["started"] - counts["interrupted"]
        assert counts["skipped"] == counts["skipped_before_start"] + counts["skipped_after_start"]
    for name, total in summary["counts"].items():
        assert total == sum(group["counts"][name] for group in summary["groups"])
    assert summary["counts"]["interrupted_uncertain"] == len(places_of(campaign, "uncertain"))
    for pair in summary["pairs"]:
        blocks = pair["blocks"]
        assert blocks["scheduled"] == blocks["complete"] + blocks["incomplete"] + blocks["excluded"]
        assert sum(blocks["reasons"].values()) == blocks["incomplete"] + blocks["excluded"]
        assert sum(pair["lost_side"].values()) == blocks["incomplete"]
        assert sum(pair["table"].values()) == blocks["complete"]


@pytest.mark.clause("A10-08")
@laws
@given(campaigns())
def test_a_report_is_plain_json_of_the_published_shape_and_hashes_to_what_it_says(campaign: Campaign) -> None:
    summary = report(campaign)
    text = json.dumps(summary, ensure_ascii=False, allow_nan=False)

    assert json.loads(text) == summary
    assert type(json.loads(text)["counts"]["scheduled"]) is int
    ReportDocument.model_validate(summary)
    sealed_part = {key: value for key, value in summary.items() if key != "summary_sha256"}
    assert summary["summary_sha256"] == sha256_hex(canonical_text(sealed_part))


@pytest.mark.clause("A10-39")
@laws
@given(campaigns())
def test_no_campaign_is_ever_eligible_for_a_claim(campaign: Campaign) -> None:
    summary = report(campaign)

    assert summary["evidence_class"] == "diagnostic_agent_campaign"
    assert summary["claim_eligible"] is False
    assert "Not claim-eligible" in render_markdown(summary)
    assert "Not claim-eligible" in render_markdown({**summary, "claim_eligible": True})


@pytest.mark.clause("A10-32", "A10-50")
@laws
@given(campaigns(alike=True), fates(("failure", "timed_out"), alike=True), st.data())
def test_a_further_failure_lowers_no_total_and_raises_no_fraction(
    campaign: Campaign, failure: Fate, data: st.DataObject
) -> None:
    unstarted = places_of(campaign, "unstarted")
    assume(unstarted)
    place = data.draw(st.sampled_from(unstarted))
    before = group_at(campaign, report(campaign), place)
    after = group_at(campaign, report(campaign.with_fate(place, failure)), place)

    if before["success"]["fraction"] is not None:
        assert after["success"]["fraction"] <= before["success"]["fraction"]
    assert after["success"]["schedule_bounds"]["low"] <= before["success"]["schedule_bounds"]["low"]
    for name, use in after["resources"].items():
        earlier = before["resources"][name]
        assert use["observed"] >= earlier["observed"]
        for figure in ("partial_sum", "complete_total"):
            if use[figure] is not None and earlier[figure] is not None:
                assert use[figure] >= earlier[figure]


@pytest.mark.clause("A10-28", "A10-29", "A10-30")
@laws
@given(campaigns(alike=True), st.sampled_from(["duration_s", "input_tokens", "cost_usd"]), st.data())
def test_a_value_lost_takes_the_complete_total_and_leaves_the_sum_of_the_rest(
    campaign: Campaign, name: str, data: st.DataObject
) -> None:
    measured = [
        place for place in places_of(campaign, *RESOLVED) if dict(campaign.fates[place].resources)[name] is not None
    ]
    assume(measured)
    place = data.draw(st.sampled_from(measured))
    fate = campaign.fates[place]
    lost = replace(fate, resources=tuple((dict(fate.resources) | {name: None}).items()))
    before = group_at(campaign, report(campaign), place)["resources"][name]
    after = group_at(campaign, report(campaign.with_fate(place, lost)), place)["resources"][name]

    assert (after["observed"], after["started"]) == (before["observed"] - 1, before["started"])
    assert after["complete_total"] is None
    assert {"incomplete_coverage", "unmeasured"} & set(after["omitted"])
    assert (after["partial_sum"] is None) == (after["observed"] == 0)
    if after["partial_sum"] is not None:
        assert after["partial_sum"] == pytest.approx(before["partial_sum"] - dict(fate.resources)[name])


@pytest.mark.clause("A10-23")
@laws
@given(campaigns(), st.data())
def test_no_fate_of_a_missing_trial_leaves_the_bounds(campaign: Campaign, data: st.DataObject) -> None:
    missing = places_of(campaign, "unstarted", "interrupted")
    assume(missing)
    resolved = campaign
    for place in missing:
        resolved = resolved.with_fate(place, data.draw(fates(("success", "failure", "timed_out"), alike=True)))
    before, after = report(campaign), report(resolved)

    for earlier, later in zip(before["groups"], after["groups"], strict=True):
        bounds, now = earlier["success"]["schedule_bounds"], later["success"]["schedule_bounds"]
        assert bounds["low"] <= now["low"] <= now["high"] <= bounds["high"]
        if earlier["counts"]["unstarted"] == 0 and earlier["success"]["fraction"] is not None:
            low, high = earlier["success"]["lower_bound"], earlier["success"]["upper_bound"]
            assert low <= later["success"]["fraction"] <= high
    for earlier, later in zip(before["pairs"], after["pairs"], strict=True):
        if later["blocks"]["excluded"] > earlier["blocks"]["excluded"]:
            continue  # a block that turned out incomparable says less than one verdict of it did
        assert earlier["bounds"]["low"] <= later["bounds"]["low"]
        assert later["bounds"]["high"] <= earlier["bounds"]["high"]
        if later["blocks"]["complete"] == later["blocks"]["scheduled"]:
            assert later["difference"] == later["bounds"]["low"] == later["bounds"]["high"]


@pytest.mark.clause("A10-22", "A10-24", "A10-25")
@laws
@given(campaigns())
def test_an_interval_stands_only_where_nothing_could_still_move_it(campaign: Campaign) -> None:
    for group in report(campaign)["groups"]:
        counts, success = group["counts"], group["success"]
        assert success["started"] == counts["started"]
        assert success["verified"] == counts["verified_success"]
        if success["fraction"] is not None:
            assert success["fraction"] == counts["verified_success"] / counts["started"]
        assert (success["wilson"] is None) == bool(success["omitted"])
        if counts["interrupted"] or counts["skipped"] or not counts["started"]:
            assert success["wilson"] is None
        if success["final"]:
            assert success["wilson"] is not None
            assert counts["finished"] == counts["scheduled"]


RENAMED = {"a": "x-a", "b": "x-b", "c": "x-c"}
MIRRORED = {"a": "z", "b": "y", "c": "x"}


def renamed(campaign: Campaign, names: dict[str, str]) -> Campaign:
    document = copy.deepcopy(campaign.document)
    document["subjects"] = {names[name]: subject for name, subject in document["subjects"].items()}
    for trial in document["schedule"]:
        trial["subject"] = names[trial["subject"]]
        trial["trial_id"] = f"{trial['block_id']}.{trial['subject']}"
    return replace(campaign, document=sealed(document))


def without_names(value: Any) -> Any:
    """A summary without what a subject's name is part of: keys, hashes and the seed of the bootstrap."""
    if isinstance(value, dict):
        hidden = {"key", "plan_sha256", "summary_sha256", "subjects"}
        return {name: without_names(inner) for name, inner in value.items() if name not in hidden}
    return [without_names(inner) for inner in value] if isinstance(value, list) else value


@laws
@given(campaigns())
def test_the_names_of_subjects_change_no_figure(campaign: Campaign) -> None:
    assert without_names(report(renamed(campaign, RENAMED))) == without_names(report(campaign))


@laws
@given(campaigns())
def test_a_pair_the_other_way_round_is_the_exact_mirror(campaign: Campaign) -> None:
    here = {(pair["key"]["instruction_level"], pair["key"]["a"], pair["key"]["b"]): pair
            for pair in report(campaign)["pairs"]}  # fmt: skip
    for mirrored in report(renamed(campaign, MIRRORED))["pairs"]:
        back = {new: old for old, new in MIRRORED.items()}
        key = mirrored["key"]
        pair = here[key["instruction_level"], back[key["b"]], back[key["a"]]]

        assert mirrored["blocks"] == pair["blocks"]
        assert mirrored["omitted"] == pair["omitted"]
        assert mirrored["table"] == {
            "both": pair["table"]["both"],
            "only_a": pair["table"]["only_b"],
            "only_b": pair["table"]["only_a"],
            "neither": pair["table"]["neither"],
        }
        assert mirrored["lost_side"] == {
            "a": pair["lost_side"]["b"],
            "b": pair["lost_side"]["a"],
            "both": pair["lost_side"]["both"],
        }
        for figure in ("bounds", "newcombe"):
            if pair[figure] is not None:
                assert (mirrored[figure]["low"], mirrored[figure]["high"]) == (
                    -pair[figure]["high"],
                    -pair[figure]["low"],
                )
        if pair["difference"] is not None:
            assert mirrored["difference"] == -pair["difference"]
            assert mirrored["tasks"]["mean_difference"] == -pair["tasks"]["mean_difference"]
        assert (mirrored["tasks"]["a_ahead"], mirrored["tasks"]["disagreeing"]) == (
            pair["tasks"]["b_ahead"],
            pair["tasks"]["disagreeing"],
        )
        for name, use in pair["resources"].items():
            there = mirrored["resources"][name]
            assert (there["blocks"], there["omitted"]) == (use["blocks"], use["omitted"])
            assert (there["total_a"], there["total_b"]) == (use["total_b"], use["total_a"])
            assert there["difference"] == (None if use["difference"] is None else -use["difference"])


@laws
@given(campaigns(), st.data())
def test_neither_the_order_over_trials_nor_transport_fields_change_a_byte(
    campaign: Campaign, data: st.DataObject
) -> None:
    per_trial = campaign.events()
    straight = [event for trial in per_trial for event in trial]
    turns = data.draw(st.permutations([place for place, trial in enumerate(per_trial) for _ in trial]))
    waiting = [iter(trial) for trial in per_trial]
    shuffled = [next(waiting[place]) for place in turns]
    carried = [
        {"seq": number, "v": 1, "writer": "0" * 32, "at": "2026-11-30T00:00:00Z", "hash": "1" * 32} | event
        for number, event in enumerate([opened(campaign.plan), *shuffled])
    ]
    backwards = [json.loads(json.dumps(dict(reversed(event.items())))) for event in shuffled]
    expected = report(campaign, straight)

    for events in (shuffled, backwards, iter(shuffled)):
        assert json.dumps(report(campaign, events)) == json.dumps(expected)
    told = report(campaign, carried)
    assert told.pop("execution")["last_seq"] == len(carried) - 1
    assert told | {"execution": None, "summary_sha256": expected["summary_sha256"]} == expected


@pytest.mark.clause("A10-06")
@laws
@given(campaigns(), st.data())
def test_any_event_given_twice_is_invalid_and_every_one_is_named(campaign: Campaign, data: st.DataObject) -> None:
    events = [event for trial in campaign.events() for event in trial]
    assume(events)
    doubled = data.draw(st.lists(st.integers(0, len(events) - 1), min_size=1, max_size=4, unique=True))
    again = [events[number] for number in doubled]

    with pytest.raises(JournalError) as caught:
        report_campaign(campaign.plan, events + again)

    named = {problem.path for problem in caught.value.problems}
    assert named == {f"$[{len(events) + extra}]" for extra in range(len(again))}


@pytest.mark.clause("A10-11")
@laws
@given(campaigns(), campaigns())
def test_a_group_says_the_same_whatever_other_conditions_hold(campaign: Campaign, other: Campaign) -> None:
    """A second workflow, never started before the first was done, changes none of the first one's own figures."""
    joined = copy.deepcopy(campaign.document)
    joined["workflows"]["z"] = other.document["workflows"]["w"]
    joined["subjects"] = other.document["subjects"] | joined["subjects"]
    moved = [
        trial | {"workflow": "z", "trial_id": f"z.{trial['trial_id']}", "block_id": f"z.{trial['block_id']}"}
        for trial in other.document["schedule"]
    ]
    joined["schedule"] = joined["schedule"] + moved
    both = Campaign(sealed(joined), campaign.fates + other.fates)
    alone = report(campaign)
    beside = [group for group in report(both)["groups"] if group["key"]["workflow"] == "w"]

    def own(group: Json) -> Json:
        resources = copy.deepcopy(group["resources"])
        for use in resources.values():
            del use["total_per_verified_success"]  # needs a final group, and finality depends on the whole schedule
        counts = {name: count for name, count in group["counts"].items() if name != "schedule_gaps"}
        return {"key": group["key"], "counts": counts, "population": group["population"], "resources": resources}

    assert [own(group) for group in beside] == [own(group) for group in alone["groups"]]


@pytest.mark.clause("A10-26")
@laws
@given(campaigns())
def test_every_count_of_what_is_not_known_stays_visible_in_the_markdown(campaign: Campaign) -> None:
    summary = report(campaign)
    markdown = render_markdown(summary)

    for counts in (summary["counts"], *(group["counts"] for group in summary["groups"])):
        assert (
            f"{counts['scheduled']} scheduled = {counts['unstarted']} unstarted + {counts['interrupted']} interrupted "
            f"({counts['interrupted_uncertain']} uncertain) + {counts['skipped']} skipped "
            f"({counts['skipped_before_start']} before the start, {counts['skipped_after_start']} after) + "
            f"{counts['finished']} finished"
        ) in markdown
    for pair in summary["pairs"]:
        blocks = pair["blocks"]
        assert (
            f"{blocks['scheduled']} scheduled = {blocks['complete']} complete + {blocks['incomplete']} incomplete + "
            f"{blocks['excluded']} excluded"
        ) in markdown

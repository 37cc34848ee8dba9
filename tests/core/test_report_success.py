"""The verified-success fraction, its bounds and its interval: each code that withholds it, alone and in order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.campaign.report import report_campaign
from tests.campaigns import (
    Json,
    finished,
    plan,
    plan_document,
    recovered,
    run,
    skipped_after_start,
    skipped_before_start,
    started,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan

RETRY = {
    "tool": "test",
    "definition_sha256": "0" * 64,
    "source": "definition",
    "parent": {"campaign_id": "c0", "plan_sha256": "1" * 64, "kind": "retry", "finished_trials": 3},
}


def one_group(**arguments: Any) -> Plan:
    """A plan of one task and one subject: trial n is its repetition n + 1."""
    return plan(**{"tasks": ["t"], "subjects": ["git"], "repetitions": 4} | arguments)


def success(plan: Plan, *events: Json, **arguments: Any) -> Json:
    [group] = report_campaign(plan, events, **arguments)["groups"]
    return dict(group["success"])


def ended(plan: Plan, *places: int, **changes: Any) -> list[Json]:
    return [event for place in places for event in run(plan, place, **changes)]


def test_the_figures_of_a_real_campaign_are_those_published_with_it(data_dir: Path) -> None:
    folder = data_dir / "haiku-opus-371"
    events = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    summary = report_campaign(json.loads((folder / "plan.json").read_text()), events)
    haiku, opus = summary["groups"]
    [pair] = summary["pairs"]

    counts = ("scheduled", "finished", "verified_success", "task_failure", "timed_out")
    assert [summary["counts"][name] for name in counts] == [742, 742, 728, 13, 1]
    assert summary["completeness"] == "complete"
    for group, verified, fraction, low, high, duration in (
        (haiku, 360, 0.970350, 0.947695, 0.983365, 16651.746),
        (opus, 368, 0.991914, 0.976499, 0.997246, 10072.807),
    ):
        given = group["success"]
        assert (given["verified"], given["started"], given["final"]) == (verified, 371, True)
        assert round(given["fraction"], 6) == fraction
        assert (round(given["wilson"]["low"], 6), round(given["wilson"]["high"], 6)) == (low, high)
        assert round(group["resources"]["duration_s"]["complete_total"], 3) == duration
    tokens = haiku["resources"]["input_tokens"]
    assert (tokens["observed"], tokens["started"], tokens["partial_sum"]) == (370, 371, 33759)
    assert (tokens["complete_total"], tokens["omitted"]) == (None, ["incomplete_coverage"])
    assert pair["table"] == {"both": 357, "only_a": 3, "only_b": 11, "neither": 0}
    assert round(pair["difference"], 6) == -0.021563
    assert pair["final"]


@pytest.mark.clause("A10-22")
def test_the_denominator_is_started_trials_and_an_interrupted_one_is_no_success() -> None:
    p = one_group()
    given = success(p, *ended(p, 0, 1), started(p, 2))

    assert (given["verified"], given["started"], given["fraction"]) == (2, 3, 2 / 3)
    assert (given["lower_bound"], given["upper_bound"]) == (2 / 3, 1.0)
    assert given["schedule_bounds"] == {"low": 0.5, "high": 1.0}


def test_bounds_give_every_trial_without_a_verdict_both_ways_and_no_other() -> None:
    p = one_group(repetitions=8)
    given = success(
        p,
        *ended(p, 0, 1),
        *ended(p, 2, verified=False),
        *ended(p, 3, terminal="timed_out"),
        *ended(p, 4, terminal="infrastructure_failure"),
        started(p, 5),
        started(p, 6),
        skipped_after_start(p, 6),
        skipped_before_start(p, 7),
    )

    assert (given["fraction"], given["lower_bound"], given["upper_bound"]) == (2 / 7, 2 / 7, 5 / 7)
    assert given["schedule_bounds"] == {"low": 2 / 8, "high": 6 / 8}


CODES: dict[str, Callable[[Plan], list[Json]]] = {
    "unresolved_started": lambda p: [*ended(p, 0, 1, 2), started(p, 3)],
    "schedule_open": lambda p: ended(p, 0, 1, 2),
    "timeout_mismatch": lambda p: [*ended(p, 0, 1, 2), *run(p, 3, timeout_s=99)],
    "mixed_population": lambda p: [*ended(p, 0, 1, 2), *run(p, 3, population={"os": "linux"})],
    "other_skipped": lambda p: [*ended(p, 0, 1, 2), skipped_before_start(p, 3, "operator")],
    "instrument_skipped": lambda p: [*ended(p, 0, 1, 2), skipped_before_start(p, 3)],
}


@pytest.mark.clause("A10-12", "A10-24", "A10-25")
@pytest.mark.parametrize("code", CODES)
def test_each_code_alone_withholds_the_interval_and_finality(code: str) -> None:
    p = one_group()
    given = success(p, *CODES[code](p))

    assert given["omitted"] == [code]
    assert given["wilson"] is None
    assert not given["final"]


def test_a_clean_group_has_an_interval_and_is_final() -> None:
    p = one_group()
    given = success(p, *ended(p, 0, 1, 2, 3))

    assert given["omitted"] == []
    assert given["final"]
    assert given["wilson"]["high"] == 1.0
    assert given["wilson"]["confidence"] == 0.95


@pytest.mark.clause("A10-25")
@pytest.mark.parametrize("reason", ["missing_instrument", "unsupported"])
def test_a_skip_for_an_instrument_withholds_the_interval_before_and_after_the_start(reason: str) -> None:
    p = one_group()
    skip = {"phase": "after_start", "reason": reason, "instrument": None, "detail": None}
    before = success(p, *ended(p, 0, 1, 2), skipped_before_start(p, 3, reason))
    after = success(p, *ended(p, 0, 1, 2), started(p, 3), finished(p, 3, "skipped", skip=skip))

    assert before["omitted"] == after["omitted"] == ["instrument_skipped"]
    assert (before["started"], after["started"]) == (3, 4)


@pytest.mark.clause("A10-18")
def test_an_uncertain_reservation_is_a_started_trial_without_an_end() -> None:
    p = one_group()
    given = success(p, *ended(p, 0, 1, 2), recovered(p, 3))

    assert given["started"] == 4
    assert given["omitted"] == ["unresolved_started"]


def test_nothing_started_has_no_fraction_but_schedule_bounds() -> None:
    p = one_group()
    given = success(p)

    assert (given["fraction"], given["lower_bound"], given["upper_bound"]) == (None, None, None)
    assert given["schedule_bounds"] == {"low": 0.0, "high": 1.0}
    assert given["omitted"] == ["no_started_trials", "schedule_open"]


def test_a_schedule_that_the_budget_closed_is_not_open() -> None:
    closed_at_two = one_group(budget_s=12)
    still_open = one_group(budget_s=13)
    two_trials = {"resources": {"duration_s": 1.5}}

    assert success(closed_at_two, *ended(closed_at_two, 0, 1, **two_trials))["omitted"] == []
    assert success(still_open, *ended(still_open, 0, 1, **two_trials))["omitted"] == ["schedule_open"]
    assert not success(closed_at_two, *ended(closed_at_two, 0, 1, **two_trials))["final"]


def test_a_trial_passed_over_anywhere_in_the_schedule_is_a_gap_of_its_own_group() -> None:
    p = plan(tasks=["t"], subjects=["git", "hg"], repetitions=2, budget_s=1)  # git, hg, git, hg
    git, hg = report_campaign(p, run(p, 3))["groups"]
    summary = report_campaign(p, run(p, 3))

    assert (git["counts"]["schedule_gaps"], hg["counts"]["schedule_gaps"]) == (2, 1)
    assert summary["counts"]["schedule_gaps"] == 3
    assert git["success"]["omitted"] == ["no_started_trials", "schedule_gaps"]
    assert hg["success"]["omitted"] == ["schedule_gaps"]
    assert summary["pairs"][0]["omitted"] == ["no_complete_blocks", "schedule_gaps"]


def test_codes_stand_in_the_order_of_the_specification() -> None:
    p = plan(tasks=["t"], subjects=["git"], repetitions=8, provenance=RETRY)
    events = [
        started(p, 1),
        skipped_before_start(p, 2),
        skipped_before_start(p, 3, "operator"),
        *run(p, 4, timeout_s=99),
        *run(p, 5, population={"os": "linux"}),
    ]
    numbered = [{"seq": number} | event for number, event in enumerate(events)]

    assert success(p, *numbered, as_of=99)["omitted"] == [
        "unresolved_started",
        "instrument_skipped",
        "other_skipped",
        "schedule_open",
        "schedule_gaps",
        "timeout_mismatch",
        "mixed_population",
        "retry_selection",
        "prefix_report",
    ]


@pytest.mark.clause("A10-43")
def test_an_interruption_stays_visible_after_the_rest_was_run() -> None:
    p = one_group()
    summary = report_campaign(p, [started(p, 0), *ended(p, 1, 2, 3)])

    assert summary["counts"]["interrupted"] == 1
    assert summary["completeness"] == "partial"
    assert summary["groups"][0]["success"]["omitted"] == ["unresolved_started"]


@pytest.mark.clause("A10-23")
def test_a_partial_fraction_is_not_final_until_the_last_trial_ended() -> None:
    p = one_group(budget_s=12)
    partial, whole = success(p, *ended(p, 0, 1)), success(p, *ended(p, 0, 1, 2, 3))

    assert partial["fraction"] == whole["fraction"] == 1.0
    assert (partial["final"], whole["final"]) == (False, True)


@pytest.mark.clause("A10-11")
def test_conditions_are_never_pooled() -> None:
    p = plan(levels=["guided", "plain"], workflows=["v", "w"], repetitions=1)
    groups = report_campaign(p, [event for place in range(len(p.schedule)) for event in run(p, place)])["groups"]
    keys = [(group["key"]["workflow"], group["key"]["instruction_level"], group["key"]["subject"]) for group in groups]

    assert keys == [(w, level, s) for w in "vw" for level in ("guided", "plain") for s in ("git", "hg")]
    assert all(group["counts"]["scheduled"] == group["tasks"] == 2 for group in groups)


def test_models_sort_with_null_first_and_are_groups_of_their_own() -> None:
    document = plan_document(tasks=["t"], subjects=["git"], repetitions=1)
    [entry] = document["schedule"]
    entries = [
        entry | {"trial_id": f"m{number}", "block_id": f"b{number}", "model": model}
        for number, model in enumerate(["zeta", None, "alpha"])
    ]
    p = plan(tasks=["t"], subjects=["git"], schedule=entries)

    assert [group["key"]["model"] for group in report_campaign(p, [])["groups"]] == [None, "alpha", "zeta"]

"""What trials used: coverage, partial sums, complete totals, and what is never added up."""

from __future__ import annotations

from typing import Any

import pytest

from oakbench_core.campaign.report import report_campaign
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS
from oakbench_core.errors import JournalError
from tests.campaigns import Json, plan, run, skipped_after_start, skipped_before_start, started


def use(name: str, *trials: Json, more: list[Json] | None = None, size: int | None = None, **changes: Any) -> Json:
    """One resource of a group whose trials are `run` with these keywords, in schedule order."""
    p = plan(tasks=["t"], subjects=["git"], repetitions=size or len(trials), budget_s=changes.pop("budget_s", None))
    events = [event for place, trial in enumerate(trials) for event in run(p, place, **trial)]
    [group] = report_campaign(p, [*events, *(more or [])])["groups"]
    return dict(group["resources"][name])


def measured(name: str, value: object, **changes: Any) -> Json:
    return {"resources": {name: value}, **changes}


def cost(usd: float | None, source: str | None, **changes: Any) -> Json:
    return measured("cost_usd", usd, accounting={"cost_source": source}, **changes)


@pytest.mark.clause("A10-30")
@pytest.mark.parametrize("name", RESOURCE_UNITS)
def test_nothing_observed_is_unmeasured_and_no_figure_is_zero(name: str) -> None:
    found = use(name, {"resources": {}}, {"resources": {}})

    assert found == {
        "unit": RESOURCE_UNITS[name],
        "started": 2,
        "observed": 0,
        "partial_sum": None,
        "complete_total": None,
        "on_success": {"n": 2, "observed": 0, "mean": None, "median": None},
        "total_per_verified_success": None,
        "sources": {},
        "omitted": ["unmeasured", "incomplete_coverage", "no_measured_success"],
    }


@pytest.mark.clause("A10-30")
def test_a_measured_zero_is_a_total_of_zero() -> None:
    found = use("turns", measured("turns", 0), measured("turns", 0))

    assert (found["observed"], found["partial_sum"], found["complete_total"]) == (2, 0, 0)
    assert found["on_success"] == {"n": 2, "observed": 2, "mean": 0.0, "median": 0.0}
    assert found["omitted"] == []


@pytest.mark.clause("A10-28", "A10-29")
def test_one_missing_value_leaves_coverage_and_partial_sum_and_takes_the_total() -> None:
    found = use("input_tokens", measured("input_tokens", 5), measured("input_tokens", None))

    assert (found["observed"], found["started"], found["partial_sum"]) == (1, 2, 5)
    assert (found["complete_total"], found["total_per_verified_success"]) == (None, None)
    assert found["omitted"] == ["incomplete_coverage"]


@pytest.mark.clause("A10-29")
def test_an_interrupted_attempt_takes_the_total() -> None:
    p = plan(tasks=["t"], subjects=["git"], repetitions=2)
    whole, cut = (
        report_campaign(p, [*run(p, 0), *last])["groups"][0]["resources"]["duration_s"]
        for last in (run(p, 1), [started(p, 1)])
    )

    assert (whole["complete_total"], cut["complete_total"]) == (3.0, None)
    assert (cut["observed"], cut["started"], cut["partial_sum"]) == (1, 2, 1.5)


@pytest.mark.clause("A10-31", "A10-32")
def test_totals_hold_the_failures_and_means_do_not() -> None:
    trials = (
        measured("turns", 1),
        measured("turns", 4),
        measured("turns", 100, verified=False),
        measured("turns", 1000, terminal="timed_out"),
        measured("turns", 10_000, terminal="infrastructure_failure"),
    )
    found = use("turns", *trials)

    assert found["complete_total"] == 11_105
    assert found["on_success"] == {"n": 2, "observed": 2, "mean": 2.5, "median": 2.5}
    assert found["total_per_verified_success"] == 11_105 / 2


def test_what_was_used_before_a_skip_counts_only_after_a_start() -> None:
    p = plan(tasks=["t"], subjects=["git"], repetitions=2)
    events = [skipped_before_start(p, 0), started(p, 1), skipped_after_start(p, 1, resources={"turns": 7})]
    [group] = report_campaign(p, events)["groups"]

    turns = group["resources"]["turns"]
    assert (turns["started"], turns["observed"], turns["complete_total"]) == (1, 1, 7)
    assert turns["omitted"] == ["no_measured_success"]


def test_a_total_per_success_needs_a_final_group_with_a_success() -> None:
    done = use("turns", measured("turns", 3), measured("turns", 4, verified=False))
    stopped = use("turns", measured("turns", 3), size=2, budget_s=10)
    failed = use("turns", measured("turns", 3, verified=False))

    assert done["total_per_verified_success"] == 7.0
    assert (stopped["complete_total"], stopped["total_per_verified_success"]) == (3, None)
    assert (failed["complete_total"], failed["total_per_verified_success"]) == (3, None)


@pytest.mark.clause("A10-50")
def test_costs_of_different_sources_stand_apart_and_are_not_added_up() -> None:
    found = use("cost_usd", cost(0.5, "provider"), cost(0.25, "price_table"), cost(1.0, "provider"))

    assert (found["observed"], found["partial_sum"], found["complete_total"]) == (3, None, None)
    assert found["on_success"] == {"n": 3, "observed": 3, "mean": None, "median": None}
    assert found["sources"] == {"price_table": {"observed": 1, "sum": 0.25}, "provider": {"observed": 2, "sum": 1.5}}
    assert found["omitted"] == ["mixed_sources"]


@pytest.mark.clause("A10-50")
def test_a_cost_that_does_not_say_its_source_has_no_complete_total() -> None:
    found = use("cost_usd", cost(0.5, None), cost(0.25, None))
    mixed = use("cost_usd", cost(0.5, None), cost(0.25, "provider"))

    assert (found["partial_sum"], found["complete_total"]) == (0.75, None)
    assert found["sources"] == {"unknown": {"observed": 2, "sum": 0.75}}
    assert found["omitted"] == ["accounting_unknown"]
    assert mixed["omitted"] == ["mixed_sources", "accounting_unknown"]


def test_the_source_of_a_cost_that_was_not_observed_mixes_nothing() -> None:
    found = use("cost_usd", cost(0.5, "provider"), cost(None, "price_table"))

    assert found["sources"] == {"provider": {"observed": 1, "sum": 0.5}}
    assert found["omitted"] == ["incomplete_coverage"]


def weighted(weight: float, tokens: int) -> Json:
    return {
        "resources": {"input_tokens": tokens, "cost_weighted_tokens": weight * tokens},
        "accounting": {"token_weights": {"input_tokens": weight}},
    }


@pytest.mark.clause("A10-33", "A10-50")
def test_tokens_under_two_weightings_give_coverage_and_nothing_else() -> None:
    alike = use("cost_weighted_tokens", weighted(2.0, 3), weighted(2.0, 4))
    mixed = use("cost_weighted_tokens", weighted(2.0, 3), weighted(1.0, 4))

    assert (alike["unit"], alike["complete_total"], alike["omitted"]) == ("weighted_tokens", 14.0, [])
    assert (mixed["observed"], mixed["partial_sum"], mixed["complete_total"]) == (2, None, None)
    assert mixed["on_success"] == {"n": 2, "observed": 2, "mean": None, "median": None}
    assert mixed["omitted"] == ["mixed_weights"]


@pytest.mark.clause("A10-12")
def test_mixed_populations_keep_their_sums_and_have_no_mean() -> None:
    found = use("turns", measured("turns", 1, population={"os": "linux"}), measured("turns", 2))

    assert found["complete_total"] == 3
    assert found["on_success"] == {"n": 2, "observed": 2, "mean": None, "median": None}
    assert found["omitted"] == ["mixed_population"]


def test_sums_of_seconds_are_exact() -> None:
    found = use("duration_s", *[measured("duration_s", 0.1)] * 10)

    assert found["complete_total"] == 1.0


def test_numbers_that_add_up_beyond_a_number_are_refused_and_no_infinity() -> None:
    p = plan(tasks=["t"], subjects=["git"], repetitions=2)
    for name in ("cost_usd", "duration_s"):
        events = [event for place in (0, 1) for event in run(p, place, resources={name: 1.7e308})]
        with pytest.raises(JournalError, match="beyond what a number can hold"):
            report_campaign(p, events)


def test_an_account_beyond_a_number_is_refused_where_no_group_alone_is() -> None:
    p = plan(tasks=["t"], subjects=["git", "hg"], repetitions=1)
    events = [event for place in (0, 1) for event in run(p, place, resources={"duration_s": 1.7e308})]

    with pytest.raises(JournalError, match="beyond what a number can hold"):
        report_campaign(p, events)

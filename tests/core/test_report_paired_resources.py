"""What both sides of a pair used: over the same blocks, and only where both count alike (report.md row 20)."""

from __future__ import annotations

from typing import Any

import pytest

from oakbench_core.campaign.report import report_campaign
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS
from tests.campaigns import Json, plan, run, started

CACHED = {"input_includes_cached": True}
REASONED = {"output_includes_reasoning": False}
NEEDS: dict[str, Json] = {
    "input_tokens": CACHED,
    "cached_input_tokens": CACHED,
    "cache_write_tokens": CACHED,
    "output_tokens": REASONED,
    "reasoning_tokens": REASONED,
    "cost_usd": {"cost_source": "provider"},
    "cost_weighted_tokens": {"token_weights": {"output_tokens": 1.0}},
}


def side(value: object, accounting: Json | None = None, name: str = "turns", **changes: Any) -> Json:
    resources = {name: value} | ({"output_tokens": value} if name == "cost_weighted_tokens" else {})
    return {"resources": resources, "accounting": accounting, **changes}


def paired(name: str, *blocks: tuple[Json, Json], extra: int = 0) -> Json:
    p = plan(tasks=["t"], repetitions=len(blocks) + extra, budget_s=10_000)
    sides = [one for block in blocks for one in block]
    [pair] = report_campaign(p, [e for place, one in enumerate(sides) for e in run(p, place, **one)])["pairs"]
    return dict(pair["resources"][name])


def test_totals_are_over_complete_blocks_with_a_value_on_both_sides_failures_included() -> None:
    found = paired(
        "turns",
        (side(3), side(5, verified=False)),
        (side(None), side(1000)),
        (side(1000), side(2000, timeout_s=99)),
        (side(1, terminal="timed_out"), side(7)),
        (side(1000), side(1000, terminal="infrastructure_failure")),
    )

    assert found == {"blocks": 2, "total_a": 4, "total_b": 12, "difference": -8, "omitted": []}


def test_no_such_block_is_unmeasured_and_not_zero() -> None:
    found = paired("turns", (side(3), side(None)), (side(None), side(4)))

    assert found == {"blocks": 0, "total_a": None, "total_b": None, "difference": None, "omitted": ["unmeasured"]}


def test_a_measured_zero_is_a_total_of_zero() -> None:
    assert paired("turns", (side(0), side(0)))["difference"] == 0


@pytest.mark.parametrize("name", sorted(set(RESOURCE_UNITS) - NEEDS.keys()))
def test_what_is_counted_alike_anywhere_needs_no_accounting(name: str) -> None:
    assert paired(name, (side(2, name=name), side(5, name=name)))["difference"] == -3


@pytest.mark.clause("A10-50")
@pytest.mark.parametrize("name", NEEDS)
def test_sides_that_say_how_they_count_and_count_alike_are_compared(name: str) -> None:
    found = paired(name, (side(2, NEEDS[name], name), side(5, NEEDS[name], name)))

    assert (found["total_a"], found["total_b"], found["difference"], found["omitted"]) == (2, 5, -3, [])


@pytest.mark.clause("A10-50")
@pytest.mark.parametrize("name", NEEDS)
@pytest.mark.parametrize("silent", [(0,), (1,), (0, 1)])
def test_a_side_that_does_not_say_how_it_counts_is_not_compared(name: str, silent: tuple[int, ...]) -> None:
    sides = [side(2, None if at in silent and name != "cost_weighted_tokens" else NEEDS[name], name) for at in (0, 1)]
    for at in silent:
        sides[at]["accounting"] = None
    found = paired(name, (sides[0], sides[1]))

    assert found["blocks"] == 1
    assert (found["total_a"], found["total_b"], found["difference"]) == (None, None, None)
    assert found["omitted"] == ["accounting_unknown"]


OTHERWISE: dict[str, Json] = {
    "input_includes_cached": {"input_includes_cached": False},
    "output_includes_reasoning": {"output_includes_reasoning": True},
    "cost_source": {"cost_source": "price_table"},
    "token_weights": {"token_weights": {"output_tokens": 2.0}},
}


@pytest.mark.clause("A10-50")
@pytest.mark.parametrize("name", NEEDS)
def test_sides_that_count_differently_are_not_compared(name: str) -> None:
    [field] = NEEDS[name]
    other = side(2, OTHERWISE[field], name)
    if name == "cost_weighted_tokens":
        other["resources"]["cost_weighted_tokens"] = 4
    found = paired(name, (side(2, NEEDS[name], name), other))

    assert found["difference"] is None
    assert found["omitted"] == ["mixed_weights" if name == "cost_weighted_tokens" else "mixed_sources"]


def test_every_code_stands_in_the_order_of_the_specification() -> None:
    blocks = [(side(1, {"cost_source": source}, "cost_usd"),) * 2 for source in ("provider", "price_table", None)]

    assert paired("cost_usd", *blocks)["omitted"] == ["accounting_unknown", "mixed_sources"]


def test_the_accounting_of_rows_that_are_not_used_decides_nothing() -> None:
    used = side(1, {"cost_source": "provider"}, "cost_usd")
    unused = side(None, {"cost_source": "price_table"}, "cost_usd")

    assert paired("cost_usd", (used, used), (used, unused))["omitted"] == []


def test_the_difference_is_exact_and_mirrors() -> None:
    p = plan(tasks=["t"], repetitions=3)
    values = [0.1, 0.3, 0.2, 0.3, 0.3, 0.6]
    there, back = (
        report_campaign(p, [e for place in range(6) for e in run(p, place, resources={"duration_s": order[place]})])
        for order in (values, [values[place ^ 1] for place in range(6)])
    )
    here, mirrored = (summary["pairs"][0]["resources"]["duration_s"] for summary in (there, back))

    assert here["difference"] == -mirrored["difference"]
    assert (here["total_a"], here["total_b"]) == (mirrored["total_b"], mirrored["total_a"])


@pytest.mark.clause("A10-50")
def test_what_is_withheld_of_a_pair_is_said_in_a_notice_with_its_name() -> None:
    p = plan(tasks=["t"], repetitions=1)
    events = [*run(p, 0, **side(5, CACHED, "input_tokens")), *run(p, 1, **side(4, None, "input_tokens"))]
    found = {notice["code"]: notice for notice in report_campaign(p, events)["notices"]}["accounting_unknown"]

    assert found["groups"] == []
    assert [pair["key"]["b"] for pair in found["pairs"]] == ["hg"]


def test_an_open_block_changes_nothing_of_the_complete_ones() -> None:
    p = plan(tasks=["t"], repetitions=2)
    events = [*run(p, 0, **side(1)), *run(p, 1, **side(2)), started(p, 2), *run(p, 3, **side(100))]

    assert report_campaign(p, events)["pairs"][0]["resources"]["turns"]["total_b"] == 2

"""Costs by a list of prices: exact, and never of a part."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.plan_document import Prices
from oakbench_core.campaign.pricing import price_table, priced

ALL = Prices(input="1.25", cached_input="0.125", cache_write="1.5", output="10", as_of="2026-12-01")
INSIDE = {"input_includes_cached": True, "output_includes_reasoning": True}
OUTSIDE = {"input_includes_cached": False, "output_includes_reasoning": True}
USED = {"input_tokens": 1_000_000, "cached_input_tokens": 400_000, "cache_write_tokens": 0, "output_tokens": 100_000}


def cost(accounting: dict[str, Any], prices: Prices = ALL, **used: int | None) -> float | None:
    return priced(USED | used, accounting, prices).usd


def test_cached_tokens_inside_of_input_are_paid_once() -> None:
    assert cost(INSIDE) == 0.75 + 0.05 + 1
    assert cost(OUTSIDE) == 1.25 + 0.05 + 1


def test_reasoning_outside_of_output_is_output_too() -> None:
    outside = INSIDE | {"output_includes_reasoning": False}

    assert cost(outside, reasoning_tokens=100_000) == 2.8
    assert cost(outside, reasoning_tokens=None) is None
    assert cost(INSIDE, reasoning_tokens=100_000) == 1.8


@pytest.mark.parametrize("name", ["input_tokens", "cached_input_tokens", "cache_write_tokens", "output_tokens"])
def test_a_count_that_is_needed_and_not_observed_gives_no_cost(name: str) -> None:
    usd, missing = priced(USED | {name: None}, INSIDE, ALL)

    assert usd is None
    assert missing is not None


def test_how_the_provider_counts_must_be_known_where_it_matters() -> None:
    assert cost({"output_includes_reasoning": True}) is None
    assert cost({"output_includes_reasoning": True}, cached_input_tokens=0) == 2.25
    assert cost({"input_includes_cached": True}) is None
    assert cost({"input_includes_cached": True}, reasoning_tokens=0) == 1.8


def test_what_has_no_price_gives_no_cost_unless_there_was_none_of_it() -> None:
    short = Prices(input="1", output="1")

    assert cost(INSIDE, short) is None
    assert cost(INSIDE, short, cached_input_tokens=0) == 1.1
    assert cost(INSIDE, short, cached_input_tokens=0, cache_write_tokens=None) == 1.1  # a provider without such a thing
    assert priced(USED | {"cache_write_tokens": 5}, INSIDE, Prices(input="1", cached_input="1", output="1")) == (
        None,
        "cache_write",
    )


def test_counts_that_contradict_their_accounting_give_no_cost() -> None:
    assert cost(INSIDE, cached_input_tokens=2_000_000) is None


@given(
    st.tuples(*[st.integers(0, 2**53 - 1)] * 4),
    st.lists(st.integers(0, 10**7).map(lambda n: f"{n // 10**4}.{n % 10**4:04}"), min_size=4, max_size=4),
    st.booleans(),
)
def test_a_cost_is_the_exact_sum_rounded_once(counts: tuple[int, ...], prices: list[str], inside: bool) -> None:
    fresh, cached, written, out = counts
    used = {
        "input_tokens": fresh + cached if inside else fresh,
        "cached_input_tokens": cached,
        "cache_write_tokens": written,
        "output_tokens": out,
    }
    listed = Prices(**dict(zip(("input", "cached_input", "cache_write", "output"), prices, strict=True)))
    exact = sum(Fraction(price) * count for price, count in zip(prices, counts, strict=True)) / 10**6

    assert priced(used, INSIDE if inside else OUTSIDE, listed).usd == float(exact)


def test_a_list_of_prices_has_one_name() -> None:
    assert price_table(ALL) == (
        "USD per million tokens as of 2026-12-01: input 1.25, cached_input 0.125, cache_write 1.5, output 10"
    )
    assert price_table(Prices(input="1", output="2")) == "USD per million tokens: input 1, output 2"

"""Laws of what the console shows: it conserves, it invents nothing, it says the same as the report."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakbench_core.campaign.intake import fold
from oakbench_tui.view.bars import shares
from oakbench_tui.view.budget import account
from oakbench_tui.view.equation import state_bar, trials_rows
from oakbench_tui.view.figures import fixed, fraction, seconds
from oakbench_tui.view.filter import parse_filter
from oakbench_tui.view.head import head
from oakbench_tui.view.layout import Frame
from oakbench_tui.view.listing import Listing, Order, Sort
from oakbench_tui.view.segments import cells, cut, cut_left, cut_middle, fitted, line_of, plain, width_of
from oakbench_tui.view.status import status_document, status_lines
from tests.laws.strategies_report import Campaign, campaigns, report
from tests.tui.snapshots import NOW, snapshot

if TYPE_CHECKING:
    from oakbench_tui.view.snapshot import Snapshot

texts = st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc", "Cf", "Mn", "Me", "Zl", "Zp", "Co", "Cn")))


def shot(campaign: Campaign) -> Snapshot:
    events = [event for trial in campaign.events() for event in trial]
    return snapshot(fold(campaign.plan, events))


@given(st.lists(st.integers(0, 10**6), max_size=9), st.integers(0, 80))
def test_a_bar_fills_its_width_and_rounds_nothing_away(amounts: list[int], width: int) -> None:
    dealt = shares(amounts, width)

    positive = sum(amount > 0 for amount in amounts)
    assert sum(dealt) == (width if positive else 0)
    assert all(share == 0 for share, amount in zip(dealt, amounts, strict=True) if amount == 0)
    if positive <= width:
        assert all(share > 0 for share, amount in zip(dealt, amounts, strict=True) if amount > 0)


@given(texts, st.integers(1, 40))
def test_cut_text_fits_and_text_that_fits_is_not_cut(text: str, width: int) -> None:
    for made in (cut(text, width), cut_left(text, width), cut_middle(text, width)):
        assert cells(made) <= width
        if cells(text) <= width:
            assert made == text
        else:
            assert "…" in made


@given(st.lists(texts, max_size=4), st.integers(1, 60))
def test_a_fitted_line_is_exactly_as_wide_as_asked(parts: list[str], width: int) -> None:
    assert width_of(fitted(line_of(*parts), width)) in {width, width - 1}  # a wide character may not fit the last cell
    assert width_of(fitted(line_of(*[part for part in parts if part.isascii()]), width)) == width


@pytest.mark.clause("A10-30")
@given(st.floats(0, 1e7, exclude_min=True), st.integers(0, 4))
def test_no_rounding_makes_a_zero_of_something(value: float, decimals: int) -> None:
    assert re.search("[1-9]", fixed(value, decimals))
    assert re.search("[1-9]", seconds(value))


@given(st.floats(0, 1))
def test_a_fraction_reads_as_none_or_all_only_where_it_is(value: float) -> None:
    assert (fraction(value) == "0.00") is (value == 0)
    assert (fraction(value) == "1.00") is (value == 1)


@settings(max_examples=30)
@given(campaigns(), st.integers(60, 200))
def test_the_state_equation_counts_every_trial_once(campaign: Campaign, width: int) -> None:
    held = shot(campaign)
    counts = report(campaign)["counts"]

    first, second = (plain(row) for row in trials_rows(held.counts(), width)[:2])

    left, right = first.split("=", 1)
    numbers = [int(number.replace(",", "")) for number in re.findall(r"[0-9,]+", right)]
    assert int(re.findall(r"[0-9,]+", left)[-1].replace(",", "")) == counts["scheduled"] == sum(numbers)
    outcomes = [int(number.replace(",", "")) for number in re.findall(r"[0-9,]+", second.split("=")[-1])]
    assert sum(outcomes) == counts["finished"]
    assert width_of(state_bar(held.counts(), width)) == width


@settings(max_examples=30)
@given(campaigns())
def test_the_budget_adds_up_as_it_is_shown(campaign: Campaign) -> None:
    held = account(shot(campaign))
    if held is None:
        return

    shown = held.observed_s + held.reserved_s + held.in_flight_s + held.remaining_s
    assert shown == held.budget_s
    assert abs(held.remaining_s - held.exact_remaining_s) <= Decimal("0.01")


@settings(max_examples=30)
@given(campaigns())
def test_what_is_measured_is_what_the_report_says_group_by_group(campaign: Campaign) -> None:
    held = shot(campaign)

    groups = report(campaign)["groups"]

    assert len(groups) == len(held.groups)
    for document, measured in zip(groups, held.groups, strict=True):
        for name, each in zip(document["resources"], measured, strict=True):
            expected = document["resources"][name]
            assert (each.name, each.observed, each.started) == (name, expected["observed"], expected["started"])
            if each.total is None or expected["partial_sum"] is None:
                assert each.total is expected["partial_sum"] is None
            else:
                assert float(each.total) == pytest.approx(expected["partial_sum"], rel=1e-15)
            complete = each.total is not None and not each.unmeasured and not each.unknown_source
            assert complete is (expected["complete_total"] is not None)


@settings(max_examples=30)
@given(campaigns())
def test_the_status_says_what_the_report_counts(campaign: Campaign) -> None:
    held = shot(campaign)
    summary = report(campaign)

    document = status_document(held, now=NOW)

    same = {key: value for key, value in document["counts"].items() if key != "running"}
    assert same == {key: summary["counts"][key] for key in same}
    admission = {key: value for key, value in document["admission"].items() if key != "admissible_at_worst"}
    assert admission == summary["admission"]
    assert f"{summary['counts']['scheduled']:,} scheduled" in "\n".join(status_lines(held, now=NOW))


@settings(max_examples=30)
@given(campaigns(), st.integers(20, 220), st.integers(6, 60))
def test_every_row_of_the_head_is_as_wide_as_the_screen(campaign: Campaign, width: int, height: int) -> None:
    rows = head(shot(campaign), Frame(width=width, height=height, now=NOW))

    assert {width_of(row) for row in rows} == {width}


@settings(max_examples=30)
@given(campaigns(), st.sampled_from(["unstarted", "interrupted", "skipped", "finished", "uncertain"]))
def test_a_state_and_its_inverse_part_the_schedule(campaign: Campaign, state: str) -> None:
    held = shot(campaign)

    inside = list(parse_filter(f"state:{state}").places(held))
    outside = list(parse_filter(f"!state:{state}").places(held))

    assert sorted(inside + outside) == list(range(held.scheduled))
    counts = report(campaign)["counts"]
    assert len(inside) == counts["interrupted_uncertain" if state == "uncertain" else state]


@settings(max_examples=30)
@given(campaigns(), st.sampled_from(Sort), st.booleans())
def test_sorting_loses_no_trial_and_what_is_unmeasured_stands_last(
    campaign: Campaign, sort: Sort, reverse: bool
) -> None:
    held = shot(campaign)

    listing = Listing(held, order=Order(sort, reverse))

    assert sorted(listing.places) == list(range(held.scheduled))
    if sort is Sort.DURATION:
        values = [held.resource("duration_s", place) for place in listing.places]
        known = [value for value in values if value is not None]
        assert values[: len(known)] == sorted(known, reverse=reverse)

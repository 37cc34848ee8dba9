"""The task table of a pair: every task weighs the same, repeats of one disagree visibly, and no interval is given."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

from oakbench_core.campaign.report import report_campaign
from tests.campaigns import Json, plan, run, started
from tests.laws.strategies_report import Campaign, campaigns, report

CODES = {"+": (True, False), "-": (False, True), "=": (True, True), "0": (False, False)}


def tasks_of(*repeats: str) -> Json:
    """The table of a pair whose task n had these outcomes, a character each repeat: + a alone, - b alone, = both, 0."""
    width = max(map(len, repeats))
    p = plan(tasks=[f"t{number}" for number in range(len(repeats))], repetitions=width)
    events: list[Json] = []
    for place, trial in enumerate(p.schedule):
        outcomes = repeats[int(trial.task[1:])]
        if trial.repetition <= len(outcomes):
            verified = CODES[outcomes[trial.repetition - 1]][trial.subject == "hg"]
            events += run(p, place, verified=verified)
    [pair] = report_campaign(p, events)["pairs"]
    return dict(pair["tasks"])


def test_tasks_are_counted_by_who_is_ahead_in_them() -> None:
    assert tasks_of("+", "+", "-", "=", "0") == {
        "distinct": 5,
        "a_ahead": 2,
        "b_ahead": 1,
        "equal": 2,
        "disagreeing": 0,
        "mean_difference": 0.2,
    }


def test_a_task_with_more_complete_blocks_weighs_no_more() -> None:
    many = tasks_of("++++", "-")

    assert (many["a_ahead"], many["b_ahead"], many["mean_difference"]) == (1, 1, 0.0)


def test_the_mean_over_tasks_is_rounded_once() -> None:
    thirds = tasks_of("+==", "+==", "===")

    assert thirds["mean_difference"] == float(Fraction(2, 9))


@pytest.mark.parametrize(("repeats", "disagreeing"), [("==", 0), ("+=", 1), ("-=", 1), ("+-", 1), ("00", 0), ("++", 0)])
def test_a_task_disagrees_where_a_subject_s_verdict_differs_between_its_repeats(repeats: str, disagreeing: int) -> None:
    assert tasks_of(repeats)["disagreeing"] == disagreeing


def test_without_a_complete_block_there_is_no_mean_and_no_task() -> None:
    p = plan(repetitions=1)
    [pair] = report_campaign(p, [started(p, 0)])["pairs"]

    assert pair["tasks"] == {
        "distinct": 0,
        "a_ahead": 0,
        "b_ahead": 0,
        "equal": 0,
        "disagreeing": 0,
        "mean_difference": None,
    }


def test_a_task_of_an_incomplete_block_alone_is_not_in_the_table() -> None:
    p = plan(repetitions=1)
    [pair] = report_campaign(p, [*run(p, 0), *run(p, 1), started(p, 2)])["pairs"]

    assert pair["tasks"]["distinct"] == 1


@settings(max_examples=60)
@given(campaigns())
def test_the_table_conserves_and_its_mean_stays_within_1(campaign: Campaign) -> None:
    for pair in report(campaign)["pairs"]:
        tasks: dict[str, Any] = pair["tasks"]
        assert tasks["a_ahead"] + tasks["b_ahead"] + tasks["equal"] == tasks["distinct"]
        assert tasks["disagreeing"] <= tasks["distinct"] <= pair["blocks"]["complete"]
        assert (tasks["mean_difference"] is None) == (pair["difference"] is None)
        if tasks["mean_difference"] is not None:
            assert -1 <= tasks["mean_difference"] <= 1
            if tasks["distinct"] == pair["blocks"]["complete"]:
                assert tasks["mean_difference"] == pair["difference"]

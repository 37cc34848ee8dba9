"""Paired differences: which blocks count, what excludes one, what the lost ones could still change."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.campaign.report import report_campaign, report_ledger
from oakbench_core.canonical import canonical_text
from oakbench_core.intervals import Interval, PairTable, Resampling, bootstrap, bootstrap_key, newcombe
from tests.campaigns import (
    Json,
    finished,
    folded,
    plan,
    plan_document,
    recovered,
    run,
    sealed,
    skipped_after_start,
    skipped_before_start,
    started,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from oakbench_core.campaign.plan import Plan

GOOD: Json = {}
BAD: Json = {"verified": False}
LATE: Json = {"terminal": "timed_out"}


def pair_of(*blocks: tuple[Json, Json], extra: int = 0, **arguments: Any) -> Json:
    """The pair of a plan whose blocks are `run` with these keywords; `extra` blocks stay unstarted."""
    p = plan(**{"tasks": ["t"], "repetitions": len(blocks) + extra, "budget_s": 10_000} | arguments)
    sides = [side for block in blocks for side in block]
    [pair] = report_campaign(p, [e for place, side in enumerate(sides) for e in run(p, place, **side)])["pairs"]
    return dict(pair)


def test_the_table_is_over_what_each_side_did_within_its_frozen_timeout() -> None:
    found = pair_of((GOOD, GOOD), (GOOD, BAD), (BAD, GOOD), (GOOD, LATE), (BAD, BAD), (LATE, LATE))

    assert found["table"] == {"both": 1, "only_a": 2, "only_b": 1, "neither": 2}
    assert found["timed_out"] == {"a": 1, "b": 2}
    assert found["difference"] == 1 / 6
    assert found["bounds"] == {"low": 1 / 6, "high": 1 / 6}
    assert found["final"]


@pytest.mark.clause("A10-34")
def test_intervals_are_over_complete_blocks_and_anyone_can_derive_them_again() -> None:
    p = plan(tasks=["t"], repetitions=3)
    [found] = report_campaign(p, [e for place in range(6) for e in run(p, place, verified=place != 3)])["pairs"]
    key = bootstrap_key(p.plan_sha256, canonical_text(found["key"]))
    source = Resampling(key=key, only_a=1, only_b=0, complete=3)
    table = PairTable(both=2, only_a=1, only_b=0, neither=0)

    assert found["bootstrap"] == {
        "method": "oakbench.bootstrap.v1",
        "draws": 10_000,
        "key": key,
        "n": 3,
        "only_a": 1,
        "only_b": 0,
    }
    assert (found["interval"]["low"], found["interval"]["high"]) == bootstrap(source)
    assert (found["newcombe"]["low"], found["newcombe"]["high"]) == newcombe(table)
    assert found["interval"]["degenerate"] is False


LOST: dict[str, Callable[[Plan, int], list[Json]]] = {
    "unstarted": lambda _p, _place: [],
    "interrupted": lambda p, place: [started(p, place)],
    "reserved": lambda p, place: [recovered(p, place)],
    "skipped": lambda p, place: [skipped_before_start(p, place)],
    "skipped_after": lambda p, place: [started(p, place), skipped_after_start(p, place)],
    "infrastructure_failure": lambda p, place: run(p, place, "infrastructure_failure"),
}
REASON = {"reserved": "interrupted", "skipped_after": "skipped"}
ORDER = ["unstarted", "interrupted", "skipped", "infrastructure_failure"]


@pytest.mark.clause("A10-35")
@pytest.mark.parametrize(("a", "b"), list(product(LOST, LOST)))
def test_a_block_without_a_verdict_counts_once_under_its_first_reason(a: str, b: str) -> None:
    p = plan(tasks=["t"], repetitions=1)
    [found] = report_campaign(p, LOST[a](p, 0) + LOST[b](p, 1))["pairs"]
    first = min(REASON.get(a, a), REASON.get(b, b), key=ORDER.index)

    assert found["blocks"] == {"scheduled": 1, "complete": 0, "incomplete": 1, "excluded": 0, "reasons": {first: 1}}
    assert found["lost_side"] == {"a": 0, "b": 0, "both": 1}
    assert (found["difference"], found["bounds"]) == (None, {"low": -1.0, "high": 1.0})
    assert found["omitted"][0] == "no_complete_blocks"
    assert found["interval"] is found["newcombe"] is found["bootstrap"] is None


@pytest.mark.clause("A10-35")
@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize(("verified", "bounds_of_a"), [(True, (0, 1)), (False, (-1, 0))])
def test_one_known_verdict_bounds_its_block(lost: str, verified: bool, bounds_of_a: tuple[int, int]) -> None:
    p = plan(tasks=["t"], repetitions=1)
    low, high = bounds_of_a
    [known_a] = report_campaign(p, run(p, 0, verified=verified) + LOST[lost](p, 1))["pairs"]
    [known_b] = report_campaign(p, LOST[lost](p, 0) + run(p, 1, verified=verified))["pairs"]

    assert known_a["bounds"] == {"low": low, "high": high}
    assert known_b["bounds"] == {"low": -high, "high": -low}
    assert known_a["lost_side"] == {"a": 0, "b": 1, "both": 0}
    assert known_b["lost_side"] == {"a": 1, "b": 0, "both": 0}


@pytest.mark.clause("A10-27", "A10-35")
@pytest.mark.parametrize("side", [0, 1])
def test_another_timeout_than_the_frozen_one_excludes_its_block_and_is_counted(side: int) -> None:
    deviating: list[Json] = [GOOD, GOOD]
    deviating[side] = {"timeout_s": 99}
    found = pair_of((GOOD, BAD), (GOOD, GOOD), (deviating[0], deviating[1]))

    assert found["blocks"] == {
        "scheduled": 3,
        "complete": 2,
        "incomplete": 0,
        "excluded": 1,
        "reasons": {"timeout_mismatch": 1},
    }
    assert found["table"] == {"both": 1, "only_a": 1, "only_b": 0, "neither": 0}
    assert found["bounds"] == {"low": 0 / 3, "high": 2 / 3}
    assert not found["final"]


@pytest.mark.clause("A10-13")
@pytest.mark.parametrize(("a", "b"), [("linux", "darwin"), ("linux", None), (None, "linux")])
def test_sides_that_ran_under_other_conditions_exclude_their_block(a: str | None, b: str | None) -> None:
    found = pair_of((GOOD, GOOD), (GOOD, BAD), ({"population": {"os": a}}, {"population": {"os": b}}))

    assert found["blocks"]["reasons"] == {"identity_mismatch": 1}
    assert found["identity"]["agrees"] is False
    [difference] = found["identity"]["differing"]
    assert difference["field"] == "os"
    assert set(difference["values"]) == {a, b}


def test_what_is_the_subject_or_its_prompt_may_differ_and_is_named_as_treatment() -> None:
    git = {"population": {"subject_version": "1", "subject_binary_sha256": "a", "prompt_sha256": "p"}}
    hg = {"population": {"subject_version": "1", "subject_binary_sha256": "b", "prompt_sha256": "q"}}
    found = pair_of((git, hg), (git, hg))

    assert found["identity"]["agrees"]
    assert found["identity"]["treatment"] == [
        {"field": "prompt_sha256", "values": ["p", "q"]},
        {"field": "subject_binary_sha256", "values": ["a", "b"]},
    ]
    assert found["final"]


@pytest.mark.parametrize("field", ["resolved_model", "agent_version", "environment_isolation"])
def test_what_the_plan_compares_is_treatment_and_else_a_mismatch(field: str) -> None:
    block = {"population": {field: "x"}}, {"population": {field: "y"}}
    compared, not_compared = pair_of(block, block, compares=[field]), pair_of(block, block)
    difference = [{"field": field, "values": ["x", "y"]}]

    assert (compared["identity"]["differing"], compared["identity"]["treatment"]) == ([], difference)
    assert (not_compared["identity"]["differing"], not_compared["identity"]["treatment"]) == (difference, [])
    assert compared["blocks"]["complete"] == not_compared["blocks"]["excluded"] == 2


def test_the_exemption_of_timed_out_rows_holds_for_pairs() -> None:
    known, silent = {"population": {"resolved_model": "m"}}, {"terminal": "timed_out"}
    found = pair_of((known, silent), (known, known), (silent, known))

    assert found["identity"]["agrees"]
    assert found["blocks"]["complete"] == 3


def test_a_frozen_value_stands_among_those_that_differ() -> None:
    block = {"population": {"fixture_version": "x"}}, {"population": {"fixture_version": "y"}}
    found = pair_of(block, block)

    assert found["identity"]["differing"] == [{"field": "fixture_version", "values": ["0" * 64, "x", "y"]}]


def test_a_side_whose_complete_blocks_are_no_one_population_has_no_interval() -> None:
    linux, darwin = {"population": {"os": "linux"}}, {"population": {"os": "darwin"}}
    found = pair_of((linux, linux), (darwin, darwin))

    assert found["identity"]["agrees"]
    assert found["blocks"]["complete"] == 2
    assert found["omitted"] == ["mixed_population"]
    assert not found["final"]


def test_rows_outside_the_complete_blocks_mix_no_population_of_a_pair() -> None:
    linux, darwin = {"population": {"os": "linux"}}, {"population": {"os": "darwin"}}
    found = pair_of((linux, linux), (linux, linux), (linux, darwin))

    assert found["omitted"] == []
    assert found["interval"] is not None


@pytest.mark.clause("A10-37")
def test_a_single_block_gets_no_interval_of_either_kind() -> None:
    found = pair_of((GOOD, BAD))

    assert found["difference"] == 1.0
    assert found["omitted"] == ["singleton"]
    assert found["interval"] is found["newcombe"] is found["bootstrap"] is None
    assert not found["final"]


def test_an_open_schedule_withholds_the_interval_and_a_closed_one_does_not() -> None:
    still_open = pair_of((GOOD, BAD), (GOOD, GOOD), extra=1)
    stopped = pair_of((GOOD, BAD), (GOOD, GOOD), extra=1, budget_s=8)

    assert still_open["omitted"] == ["schedule_open"]
    assert stopped["omitted"] == []
    assert stopped["interval"] is not None
    assert not stopped["final"]


def test_no_disagreement_is_degenerate_and_newcombe_keeps_its_width() -> None:
    found = pair_of((GOOD, GOOD), (GOOD, GOOD), (BAD, BAD))

    assert found["interval"] == {"low": 0.0, "high": 0.0, "confidence": 0.95, "degenerate": True}
    assert found["newcombe"]["low"] < 0 < found["newcombe"]["high"]


def test_every_two_subjects_that_share_a_block_are_a_pair_and_no_others() -> None:
    document = plan_document(tasks=["t", "u"], subjects=["git", "hg", "jj"], repetitions=1)
    kept = [e for e in document["schedule"] if (e["task"], e["subject"]) not in {("t", "jj"), ("u", "git")}]
    p = plan_from_document(sealed({**document, "schedule": kept}))
    summary = report_campaign(p, [])

    assert [(pair["key"]["a"], pair["key"]["b"]) for pair in summary["pairs"]] == [("git", "hg"), ("hg", "jj")]
    assert summary["comparisons"] == {"count": 2, "adjusted": False}


def test_the_interval_is_asked_for_only_where_it_is_given() -> None:
    asked: list[Resampling] = []

    def resample(source: Resampling) -> Interval:
        asked.append(source)
        return Interval(-0.5, 0.5)

    p = plan(tasks=["t"], levels=["guided", "plain"], repetitions=2)
    guided = [place for place, trial in enumerate(p.schedule) if trial.instruction_level == "guided"]
    ledger = folded(p, *(e for place in guided for e in [started(p, place), finished(p, place)]))
    guided_pair, plain_pair = report_ledger(ledger, resample=resample)["pairs"]

    assert [source.complete for source in asked] == [2]
    assert (guided_pair["interval"]["low"], guided_pair["interval"]["high"]) == (-0.5, 0.5)
    assert plain_pair["interval"] is None


@pytest.mark.clause("A10-13")
def test_a_fixture_that_both_sides_share_but_the_plan_did_not_freeze_excludes_the_block() -> None:
    p = plan()
    off_plan = {"fixture_version": "1" * 64}
    events = [e for place in range(2) for e in run(p, place, population=off_plan)]
    events += [e for place in range(2, 8) for e in run(p, place)]

    pair = report_campaign(p, events)["pairs"][0]

    assert pair["blocks"]["reasons"] == {"identity_mismatch": 1}
    assert pair["identity"]["differing"] == [{"field": "fixture_version", "values": ["0" * 64, "1" * 64]}]


def test_a_block_that_the_schedule_passed_over_withholds_the_interval_of_each_of_its_pairs() -> None:
    p = plan(subjects=("a", "b", "c"), tasks=("t",), repetitions=2)
    events = [e for place in (0, 1, 3, 4, 5) for e in run(p, place)]

    pairs = report_campaign(p, events)["pairs"]

    assert all("schedule_gaps" in pair["omitted"] and pair["interval"] is None for pair in pairs)

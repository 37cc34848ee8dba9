"""Laws of verdicts: what can only leave more open, what excludes what, and what changes nothing."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oakbench_core import build_book, scorecard
from oakbench_core.baseline.figures import figure_of
from oakbench_core.baseline.judging import EQUAL, judged, ratio_of
from oakbench_core.baseline.vocabulary import Direction, Statistic, Verdict
from oakbench_core.intervals import Interval, order_statistic_ranks
from tests.core.baseline.staging import oak_rows, row, rows, spread, target

logs = st.floats(-3, 3)
widths = st.floats(0, 2)
floors = st.just(0.0) | st.floats(0, 2)
ratios = st.floats(0.05, 20) | st.just(1.0)
directions = st.sampled_from(Direction)
intervals = st.tuples(logs, widths).map(lambda ends: Interval(ends[0], ends[0] + ends[1]))
values = st.lists(st.floats(0.5, 500), min_size=6, max_size=40)
DECIDED = {Verdict.GREEN, Verdict.RED}


@given(intervals, directions, ratios, floors, st.floats(0, 2))
def test_a_larger_floor_never_decides_what_was_open_nor_turns_one_decision_into_the_other(
    interval: Interval, direction: Direction, ratio: float, floor: float, more: float
) -> None:
    before, _ = judged(interval, direction, ratio, floor)
    after, _ = judged(interval, direction, ratio, floor + more)

    assert after in {before, Verdict.AMBER}


@given(intervals, directions, ratios, floors, widths, widths)
def test_a_wider_interval_never_decides_what_was_open(
    interval: Interval, direction: Direction, ratio: float, floor: float, below: float, above: float
) -> None:
    before, _ = judged(interval, direction, ratio, floor)
    after, _ = judged(Interval(interval.low - below, interval.high + above), direction, ratio, floor)

    assert after in {before, Verdict.AMBER}


@given(intervals, ratios, floors)
def test_the_verdict_is_the_specification_s_inequality(interval: Interval, ratio: float, floor: float) -> None:
    low, high, wanted, noise = (math.exp(x) for x in (interval.low, interval.high, math.log(ratio), floor))
    distances = [interval.high + floor, interval.low - floor, interval.low + floor, interval.high - floor]
    assume(all(abs(distance - math.log(ratio)) > 1e-9 for distance in distances))
    assume(abs(abs(math.log(ratio)) - floor) > 1e-9)
    below = ratio != 1 and floor > abs(math.log(ratio))

    lower, _ = judged(interval, Direction.LOWER, ratio, floor)
    assert (lower is Verdict.GREEN) is (high * noise <= wanted and not below)
    assert (lower is Verdict.RED) is (low / noise > wanted and not below)
    higher, _ = judged(interval, Direction.HIGHER, ratio, floor)
    assert (higher is Verdict.GREEN) is (low / noise >= wanted and not below)
    assert (higher is Verdict.RED) is (high * noise < wanted and not below)


@given(intervals, ratios, st.sampled_from([0.0, 1.0, 0.999, 1.001, -1.0]), directions)
def test_green_and_red_exclude_each_other_at_the_very_edge(
    interval: Interval, ratio: float, tolerances: float, direction: Direction
) -> None:
    point = math.log(ratio) + tolerances * EQUAL
    touching = Interval(point, point + (interval.high - interval.low))

    verdict, codes = judged(touching, direction, ratio, 0.0)
    assert (verdict is Verdict.AMBER) is bool(codes)


def test_a_difference_under_a_billionth_of_a_thousandth_is_none_and_one_of_it_is() -> None:
    for distance, verdict in ((0.99 * EQUAL, Verdict.GREEN), (EQUAL, Verdict.RED)):
        assert judged(Interval(distance, distance), Direction.LOWER, 1.0, 0.0) == (verdict, ())
        assert judged(Interval(-distance, -distance), Direction.HIGHER, 1.0, 0.0) == (verdict, ())


@given(intervals, ratios, floors)
def test_lower_and_higher_are_mirror_images(interval: Interval, ratio: float, floor: float) -> None:
    assume(abs(interval.high + floor - math.log(ratio)) > 1e-9)
    assume(abs(interval.low - floor - math.log(ratio)) > 1e-9)

    one, _ = judged(interval, Direction.LOWER, ratio, floor)
    mirrored = Interval(-interval.high, -interval.low)
    other, _ = judged(mirrored, Direction.HIGHER, 1 / ratio, floor)
    assert one is other


@given(values, values, st.floats(-8, 8).map(math.exp), ratios, floors, directions)
def test_scaling_both_sides_changes_nothing(
    one: list[float], other: list[float], factor: float, ratio: float, floor: float, direction: Direction
) -> None:
    def verdict(scale: float) -> tuple[Verdict, float]:
        a = figure_of(sorted(scale * value for value in one), Statistic.MEDIAN, 0.95)
        b = figure_of(sorted(scale * value for value in other), Statistic.MEDIAN, 0.95)
        assert a.value is not None
        assert b.value is not None
        found = ratio_of(a.value, a.interval, b.value, b.interval)
        assert found.interval is not None
        edge = min(abs(end + sign * floor - math.log(ratio)) for end in found.interval for sign in (1, -1))
        assume(edge > 1e-9)
        return judged(found.interval, direction, ratio, floor)[0], found.log

    (before, log), (after, scaled_log) = verdict(1.0), verdict(factor)
    assert before is after
    assert scaled_log == pytest.approx(log, abs=1e-9)


@given(values, st.floats(0, 0.5), st.sampled_from(["lower", "higher"]))
@settings(max_examples=40)
def test_two_identical_populations_at_target_1_are_never_green_with_a_floor_or_a_width(
    measured: list[float], floor: float, direction: str
) -> None:
    saved = build_book(rows(measured))
    noise = {
        "value": floor,
        "method": "aa_pairs",
        "sessions": 2,
        "pairs": 1,
        "min_session_rows": 6,
        "session_range": floor,
    }
    (cell, p99) = saved["cells"]
    assume(floor > 1e-9 or math.log(cell["interval"]["high"] / cell["interval"]["low"]) > 1e-9)
    document = saved | {"cells": [cell | {"noise_floor": noise}, p99]}
    asked = target(candidate="git", target_ratio=1, direction=direction, guards=[])

    for mode in ("claim", "diagnostic"):
        (found,) = scorecard(document, rows(measured), [asked], mode)["results"]
        assert found["verdict"] != "GREEN"
        assert found["statistical_verdict"] == "AMBER"


RANK = {"GREEN": 2, "AMBER": 1, "RED": 0, "UNMEASURED": -1, "INVALID": -2}
medians = st.sampled_from([60.0, 79.0, 80.0, 81.0, 95.0])


def judgement(baseline: list[dict[str, Any]], candidates: list[dict[str, Any]], mode: str) -> dict[str, Any]:
    noise = [row(bench_id=f"aa{n}", metrics={"wall_ms": 100.5}) for n in range(4)]
    (found,) = scorecard(build_book(baseline, noise), candidates, [target()], mode)["results"]
    held: dict[str, Any] = found
    return held


@given(medians, st.sampled_from([6, 10, 30, 31]), st.sets(st.integers(0, 5)), st.booleans(), st.data())
@settings(max_examples=40)
def test_duplicating_rows_never_improves_a_claim(
    median: float, n: int, places: set[int], with_ids: bool, data: st.DataObject
) -> None:
    ids = {} if with_ids else {"bench_id": None}
    baseline, candidates = rows(spread(100.0, n), **ids), oak_rows(n, median, **ids)
    before = judgement(baseline, candidates, "claim")
    times = data.draw(st.integers(1, 4))

    def again(held: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [*held, *(one for _ in range(times) for place, one in enumerate(held) if place in places)]

    for one, other in (
        (again(baseline), candidates),
        (baseline, again(candidates)),
        (again(baseline), again(candidates)),
    ):
        after = judgement(one, other, "claim")
        assert RANK[after["verdict"]] <= max(RANK[before["verdict"]], RANK["AMBER"])
        assert not (after["claim_eligible"] and not before["claim_eligible"])


@given(
    medians,
    st.sampled_from([6, 10, 30]),
    st.sets(st.integers(0, 5), min_size=1),
    st.sampled_from(["claim", "diagnostic"]),
)
@settings(max_examples=20)
def test_a_candidate_s_trial_that_stands_twice_is_invalid_in_both_modes(
    median: float, n: int, places: set[int], mode: str
) -> None:
    candidates = oak_rows(n, median)
    twice = [
        *candidates,
        *(one | {"metrics": {"wall_ms": 1.5}} for place, one in enumerate(candidates) if place in places),
    ]

    assert judgement(rows(spread(100.0, n)), twice, mode)["verdict"] == "INVALID"


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=400), st.sampled_from(Statistic), st.floats(0.5, 0.999))
def test_a_figure_is_one_of_its_sample_s_values_or_between_two_and_inside_its_interval(
    sample: list[float], statistic: Statistic, confidence: float
) -> None:
    figure = figure_of(sorted(sample), statistic, confidence)

    assert figure.value is not None
    assert min(sample) <= figure.value <= max(sample)
    interval = figure.interval
    assert (interval.low is None) is (interval.high is None) is (interval.achieved_confidence is None)
    if interval.low is not None and interval.high is not None and interval.achieved_confidence is not None:
        assert interval.low <= figure.value <= interval.high
        assert {interval.low, interval.high} <= set(sample)
        assert confidence <= interval.achieved_confidence <= 1


@given(st.integers(6, 3000), st.floats(0.5, 0.999), st.floats(0.5, 0.999))
def test_more_confidence_never_narrows_an_interval_and_more_values_never_lose_it(
    n: int, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    for quantile in (Fraction(1, 2), Fraction(99, 100)):
        narrow, wide = order_statistic_ranks(n, quantile, low), order_statistic_ranks(n, quantile, high)
        if wide is not None:
            assert narrow is not None
            assert wide.low <= narrow.low
            assert narrow.high <= wide.high
            assert order_statistic_ranks(n + 1, quantile, high) is not None

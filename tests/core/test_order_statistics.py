"""Intervals of order statistics, and MOVER: worked values, and somebody else's binomial distribution."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy import stats

from oakbench_core.intervals import Interval, mover_difference, order_statistic_ranks

MEDIAN, P99 = Fraction(1, 2), Fraction(99, 100)


@pytest.mark.parametrize(
    ("n", "expected"), [(0, None), (1, None), (5, None), (6, (1, 6)), (30, (10, 21)), (100, (40, 61))]
)
def test_a_median_has_an_interval_from_six_values_on_and_the_ranks_of_the_tables(
    n: int, expected: tuple[int, int] | None
) -> None:
    ranks = order_statistic_ranks(n, MEDIAN, 0.95)

    assert (ranks and (ranks.low, ranks.high)) == expected


def test_a_p99_has_a_two_sided_interval_from_368_values_on() -> None:
    assert order_statistic_ranks(367, P99, 0.95) is None
    ranks = order_statistic_ranks(368, P99, 0.95)

    assert ranks is not None
    assert ranks.high == 368


def test_six_values_achieve_exactly_one_minus_two_of_sixty_four() -> None:
    ranks = order_statistic_ranks(6, MEDIAN, 0.95)

    assert ranks is not None
    assert ranks.achieved_confidence == 1 - 2 / 64


def test_a_confidence_that_a_sample_meets_exactly_is_met() -> None:
    assert order_statistic_ranks(5, MEDIAN, 0.9375) is not None
    assert order_statistic_ranks(5, MEDIAN, 0.9376) is None


@pytest.mark.parametrize("quantile", [MEDIAN, P99, Fraction(1, 100)])
@pytest.mark.parametrize("n", [6, 7, 99, 368, 1000, 12_345, 250_000])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_ranks_are_the_narrowest_with_tails_of_half_the_rest(n: int, quantile: Fraction, confidence: float) -> None:
    under = stats.binom(n, float(quantile))
    half = (1 - confidence) / 2
    ranks = order_statistic_ranks(n, quantile, confidence)

    if ranks is None:
        assert under.cdf(0) > half or under.sf(n - 1) > half
        return
    assert 1 <= ranks.low < ranks.high <= n
    assert under.cdf(ranks.low - 1) <= half < under.cdf(ranks.low)
    assert under.sf(ranks.high - 1) <= half < under.sf(ranks.high - 2)
    expected = under.cdf(ranks.high - 1) - under.cdf(ranks.low - 1)
    assert ranks.achieved_confidence == pytest.approx(expected, abs=1e-9)
    assert ranks.achieved_confidence >= confidence


@pytest.mark.parametrize(
    ("n", "quantile", "confidence"), [(-1, MEDIAN, 0.95), (6, Fraction(1), 0.95), (6, MEDIAN, 1.0)]
)
def test_what_is_no_question_has_no_answer(n: int, quantile: Fraction, confidence: float) -> None:
    with pytest.raises(ValueError, match="no interval"):
        order_statistic_ranks(n, quantile, confidence)


def test_mover_takes_of_each_side_the_half_that_moves_the_difference_its_way() -> None:
    found = mover_difference(5.0, Interval(4.0, 7.0), 2.0, Interval(1.5, 2.25))

    assert found.low == pytest.approx(3 - math.sqrt(1 + 0.0625))
    assert found.high == pytest.approx(3 + math.sqrt(4 + 0.25))

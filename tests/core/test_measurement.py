"""Null is not zero: what a sample with missing values may say of itself."""

from __future__ import annotations

import math

import pytest

from oakbench_core.measurement import Sample, exact_sum, sample


@pytest.mark.clause("A10-30")
def test_a_missing_value_is_not_a_zero() -> None:
    with_zero, with_missing = sample([4, 0, 2]), sample([4, None, 2])

    assert (with_zero.n, with_zero.of, with_zero.complete_total) == (3, 3, 6)
    assert (with_missing.n, with_missing.of, with_missing.complete_total) == (2, 3, None)
    assert with_zero.partial_sum == with_missing.partial_sum == 6
    assert (with_zero.mean, with_missing.mean) == (2, 3)


@pytest.mark.clause("A10-30")
def test_nothing_observed_has_no_figures() -> None:
    for nothing in (sample([None, None]), sample([])):
        assert nothing.n == 0
        assert not nothing.complete
        assert nothing.partial_sum is None
        assert nothing.complete_total is None
        assert nothing.mean is None
        assert nothing.median is None


def test_a_measured_zero_is_a_figure() -> None:
    zero = sample([0])

    assert zero.partial_sum == zero.complete_total == zero.mean == zero.median == 0
    assert zero.complete


@pytest.mark.parametrize(("values", "middle"), [([7], 7), ([1, 4], 2.5), ([9, 1, 2], 2), ([8, 1, 3, 2], 2.5)])
def test_the_median_of_an_even_count_is_the_mean_of_the_middle_two(values: list[int], middle: float) -> None:
    assert sample(values).median == middle


def test_the_median_of_the_largest_number_is_that_number() -> None:
    assert sample([1.7976931348623157e308]).median == 1.7976931348623157e308


def test_sums_of_floats_are_rounded_once_whatever_their_order() -> None:
    values = [0.1] * 10 + [1e16, 1.0]

    assert exact_sum([0.1] * 10) == 1.0
    assert exact_sum(values) == exact_sum(reversed(values)) == math.fsum(values)


def test_sums_of_integers_are_integers_and_lose_no_unit() -> None:
    total = exact_sum([2**53 - 1] * 3)

    assert isinstance(total, int)
    assert total == 3 * (2**53 - 1)
    assert exact_sum([1, 0.5]) == 1.5
    assert exact_sum([]) == 0


def test_a_sum_beyond_a_float_is_an_error_and_no_infinity() -> None:
    with pytest.raises(OverflowError):
        exact_sum([1e308, 1e308])


def test_no_more_can_be_observed_than_there_was() -> None:
    with pytest.raises(ValueError, match="2 values observed of 1"):
        Sample((1.0, 2.0), 1)

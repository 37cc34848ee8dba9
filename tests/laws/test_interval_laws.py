"""Laws of intervals: bounds, mirror, monotony, and independence of how they are computed."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oakbench_core.intervals import (
    Interval,
    PairTable,
    Resampling,
    bootstrap,
    draw_sums,
    halves_before,
    newcombe,
    wilson,
)
from oakbench_core.measurement import exact_sum, sample

fractions_of_trials = st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
tables = st.builds(
    PairTable,
    both=st.integers(0, 400),
    only_a=st.integers(0, 400),
    only_b=st.integers(0, 400),
    neither=st.integers(0, 400),
).filter(lambda table: table.complete > 0)
resamplings = st.builds(
    lambda key, a, b, zero, draws: Resampling(
        key=f"{key:032x}", only_a=a, only_b=b, complete=a + b + zero, draws=draws
    ),
    st.integers(0, 2**128 - 1),
    st.integers(0, 40),
    st.integers(0, 40),
    st.integers(1, 60),
    st.integers(1, 120),
)
values = st.lists(st.none() | st.integers(0, 2**53 - 1) | st.floats(0, 1e12), max_size=30)


@given(fractions_of_trials)
def test_wilson_holds_its_fraction_and_stays_within_0_and_1(counts: tuple[int, int]) -> None:
    successes, trials = counts
    low, high = wilson(successes, trials)

    assert 0.0 <= low <= successes / trials <= high <= 1.0
    assert low < high


@given(fractions_of_trials)
def test_wilson_of_the_failures_is_the_mirror(counts: tuple[int, int]) -> None:
    successes, trials = counts
    low, high = wilson(successes, trials)

    assert wilson(trials - successes, trials) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@given(fractions_of_trials)
def test_wilson_rises_with_every_success(counts: tuple[int, int]) -> None:
    successes, trials = counts
    assume(successes < trials)
    here, next_one = wilson(successes, trials), wilson(successes + 1, trials)

    assert here.low < next_one.low
    assert here.high < next_one.high


@given(tables)
def test_newcombe_holds_its_difference_and_mirrors_to_the_bit(table: PairTable) -> None:
    interval = newcombe(table)
    swapped = PairTable(both=table.both, only_a=table.only_b, only_b=table.only_a, neither=table.neither)

    assert -1.0 <= interval.low <= table.difference <= interval.high <= 1.0
    assert newcombe(swapped) == interval.mirrored()
    assert interval.mirrored().mirrored() == interval


@settings(max_examples=60)
@given(resamplings, st.integers(1, 300))
def test_the_chunk_size_changes_no_draw(source: Resampling, chunk_words: int) -> None:
    chunked = draw_sums(source, chunk_words=chunk_words).tolist()

    assert chunked == draw_sums(source).tolist()
    assert len(chunked) == source.draws
    assert all(-source.complete <= total <= source.complete for total in chunked)


@given(st.integers(1, 2**32 - 1), st.data())
def test_the_threshold_parts_the_halves_exactly_where_the_block_changes(complete: int, data: st.DataObject) -> None:
    blocks = data.draw(st.integers(0, complete))
    threshold = halves_before(blocks, complete)

    assert 0 <= threshold <= 2**32
    assert threshold == 0 or (threshold - 1) * complete >> 32 < blocks
    assert threshold == 2**32 or threshold * complete >> 32 >= blocks


@settings(max_examples=60)
@given(resamplings, st.sampled_from([5_000, 9_000, 9_500, 9_900]))
def test_the_interval_of_the_negated_draws_is_the_exact_mirror(source: Resampling, confidence_bp: int) -> None:
    interval = bootstrap(source, confidence_bp=confidence_bp)
    negated = sorted(-total for total in draw_sums(source).tolist())
    rank = source.draws * (10_000 - confidence_bp) // 20_000
    low, high = negated[rank], negated[source.draws - 1 - rank]

    assert interval.mirrored() == Interval(low / source.complete, high / source.complete)


@settings(max_examples=60)
@given(resamplings)
def test_a_one_sided_sample_never_crosses_zero(source: Resampling) -> None:
    one_sided = Resampling(key=source.key, only_a=source.only_a, only_b=0, complete=source.complete)

    assert 0.0 <= bootstrap(one_sided).low <= bootstrap(one_sided).high <= 1.0


@given(st.lists(st.floats(0, 1e12), max_size=40))
def test_a_sum_of_floats_is_the_rational_sum_rounded_once(numbers: list[float]) -> None:
    assert exact_sum(numbers) == float(sum(map(Fraction, numbers)))


@given(values, st.randoms(use_true_random=False))
def test_the_order_of_values_changes_no_figure(held: list[float | None], random: object) -> None:
    shuffled = list(held)
    assert hasattr(random, "shuffle")
    random.shuffle(shuffled)
    here, there = sample(held), sample(shuffled)

    assert (here.n, here.partial_sum, here.complete_total) == (
        there.n,
        there.partial_sum,
        there.complete_total,
    )
    assert (here.mean, here.median) == (there.mean, there.median)


@given(values, st.data())
def test_a_value_lost_removes_the_complete_total_and_only_lowers_the_partial_sum(
    held: list[float | None], data: st.DataObject
) -> None:
    assume(held)
    lost = data.draw(st.integers(0, len(held) - 1))
    after = sample([None if i == lost else value for i, value in enumerate(held)])
    before = sample(held)

    assert after.of == before.of
    assert after.complete_total is None
    assert (after.partial_sum or 0) <= (before.partial_sum or 0)
    assert (after.partial_sum is None) == (after.n == 0)

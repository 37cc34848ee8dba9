"""Wilson and Newcombe against the printed tables, and what no sample can have is refused."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from oakbench_core.intervals import Interval, PairTable, Resampling, bootstrap, newcombe, wilson


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_values_of_newcombe_1998_table_1(successes: int, trials: int, low: float, high: float) -> None:
    interval = wilson(successes, trials)

    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_wilson_gives_the_figures_of_a_real_campaign() -> None:
    haiku, opus = wilson(360, 371), wilson(368, 371)

    assert [round(end, 6) for end in haiku] == [0.947695, 0.983365]
    assert [round(end, 6) for end in opus] == [0.976499, 0.997246]


@pytest.mark.parametrize("trials", [1, 2, 3, 7, 371, 50_000, 10**9])
def test_wilson_ends_are_exact_where_the_sample_is_all_of_one_kind(trials: int) -> None:
    assert wilson(0, trials).low == 0.0
    assert wilson(trials, trials).high == 1.0
    assert 0 < wilson(0, trials).high < 1
    assert 0 < wilson(trials, trials).low < 1


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (-1, 3), (4, 3)])
def test_wilson_refuses_counts_that_no_sample_has(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="no fraction"):
        wilson(successes, trials)


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        ((20, 12, 2, 16), 0.0562, 0.3292),
        ((36, 12, 2, 0), 0.0569, 0.3404),
        ((0, 0, 0, 50), -0.0713, 0.0713),
    ],
)
def test_newcombe_gives_the_values_of_method_10(table: tuple[int, int, int, int], low: float, high: float) -> None:
    both, only_a, only_b, neither = table
    interval = newcombe(PairTable(both=both, only_a=only_a, only_b=only_b, neither=neither))

    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def _by_definition(a: int, b: int, c: int, d: int) -> Interval:
    """Method 10 as the text of the rule reads, case by case."""
    n = a + b + c + d
    determinant = a * d - b * c
    product = (a + b) * (c + d) * (a + c) * (b + d)
    if product == 0 or 0 <= determinant <= n / 2:
        phi = 0.0
    elif determinant > n / 2:
        phi = (determinant - n / 2) / math.sqrt(product)
    else:
        phi = determinant / math.sqrt(product)
    p1, p2 = (a + b) / n, (a + c) / n
    (l1, u1), (l2, u2) = wilson(a + b, n), wilson(a + c, n)
    below = (p1 - l1) ** 2 - 2 * phi * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2
    above = (u1 - p1) ** 2 - 2 * phi * (u1 - p1) * (p2 - l2) + (p2 - l2) ** 2
    return Interval((b - c) / n - math.sqrt(below), (b - c) / n + math.sqrt(above))


def test_newcombe_follows_the_rule_for_every_table_of_up_to_eight_blocks() -> None:
    for n in range(1, 9):
        for a in range(n + 1):
            for b in range(n + 1 - a):
                for c in range(n + 1 - a - b):
                    d = n - a - b - c
                    got = newcombe(PairTable(both=a, only_a=b, only_b=c, neither=d))
                    assert got == pytest.approx(_by_definition(a, b, c, d), abs=1e-12)


@pytest.mark.parametrize(
    "counts",
    [
        {"only_a": 1, "only_b": 0, "complete": 0},
        {"only_a": 0, "only_b": 0, "complete": 0},
        {"only_a": -1, "only_b": 1, "complete": 3},
        {"only_a": 2, "only_b": 2, "complete": 3},
        {"only_a": 0, "only_b": 0, "complete": 2**32},
        {"only_a": 0, "only_b": 0, "complete": 3, "draws": 0},
    ],
)
def test_bootstrap_refuses_blocks_that_cannot_be_drawn_from(counts: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="no blocks to draw from"):
        Resampling(key="0" * 32, **counts)


@pytest.mark.parametrize("confidence_bp", [-1, 0, 10_000])
def test_bootstrap_refuses_a_confidence_that_has_no_rank(confidence_bp: int) -> None:
    source = Resampling(key="0" * 32, only_a=1, only_b=1, complete=3)

    with pytest.raises(ValueError, match="no confidence"):
        bootstrap(source, confidence_bp=confidence_bp)


def test_looking_at_counts_does_not_load_numpy() -> None:
    script = (
        "import sys, oakbench_core.intervals as i;"
        "i.wilson(1, 2); i.newcombe(i.PairTable(both=1, only_a=1, only_b=1, neither=1));"
        "sys.exit('numpy' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0

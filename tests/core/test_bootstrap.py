"""The block bootstrap: the published vectors, an independent stream, and exact distributions."""

from __future__ import annotations

import hashlib
import itertools
import json
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from oakbench_core.canonical import canonical_text
from oakbench_core.intervals import Interval, Resampling, bootstrap, bootstrap_key, draw_sums

if TYPE_CHECKING:
    from collections.abc import Iterator

VECTORS: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "vectors.json").read_text(encoding="utf-8")
)["bootstrap"]
KEY: Final[str] = VECTORS["key"]


def _philox_words(key: int) -> Iterator[int]:
    """Philox-4x64-10 (Salmon et al. 2011) in Python; numpy counts from 1."""
    mask = 2**64 - 1
    for count in itertools.count(1):
        c = [count >> (64 * i) & mask for i in range(4)]
        k0, k1 = key & mask, key >> 64
        for _ in range(10):
            first, second = 0xD2E7470EE14C6C93 * c[0], 0xCA5A826395121157 * c[2]
            c = [
                (second >> 64) ^ c[1] ^ k0,
                second & mask,
                (first >> 64) ^ c[3] ^ k1,
                first & mask,
            ]
            k0, k1 = (k0 + 0x9E3779B97F4A7C15) & mask, (k1 + 0xBB67AE8584CAA73B) & mask
        yield from c


def _sums_by_lookup(source: Resampling) -> list[int]:
    """The sums as the rule reads: every half looks up its block."""
    n = source.complete
    zeros = n - source.only_a - source.only_b
    blocks = [1] * source.only_a + [-1] * source.only_b + [0] * zeros
    words = _philox_words(int.from_bytes(bytes.fromhex(source.key), "little"))
    halves = (half for word in words for half in (word >> 32, word & 0xFFFFFFFF))
    return [sum(blocks[next(halves) * n >> 32] for _ in range(n)) for _ in range(source.draws)]


def _exact_tail(source: Resampling) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The exact distribution function of one draw's sum, over -n ... n, by FFT of the trinomial."""
    n = source.complete
    step = np.zeros(2 * n + 1)
    step[0] = (n - source.only_a - source.only_b) / n
    step[1] += source.only_a / n
    step[-1] += source.only_b / n
    mass = np.fft.ifft(np.fft.fft(step) ** n).real
    return np.cumsum(np.roll(mass, n))


def test_the_key_of_a_pair_is_the_published_one() -> None:
    assert bootstrap_key(VECTORS["plan_sha256"], canonical_text(VECTORS["pair"])) == KEY


def test_an_independent_philox_gives_the_published_words_and_those_of_numpy() -> None:
    key = int.from_bytes(bytes.fromhex(KEY), "little")
    words = list(itertools.islice(_philox_words(key), 400))

    assert [f"0x{word:x}" for word in words[:4]] == VECTORS["words"]
    assert words == np.random.Philox(key=key).random_raw(400).tolist()


@pytest.mark.clause("A10-34")
@pytest.mark.parametrize("vector", VECTORS["intervals"], ids=lambda v: str(v["complete"]))
def test_intervals_are_the_published_ones_to_the_bit(vector: dict[str, Any]) -> None:
    source = Resampling(
        key=KEY,
        only_a=vector["only_a"],
        only_b=vector["only_b"],
        complete=vector["complete"],
    )

    assert bootstrap(source) == Interval(vector["low"], vector["high"])


@pytest.mark.clause("A10-34")
def test_every_draw_is_the_published_one_in_the_published_order() -> None:
    vector = VECTORS["order_sensitive"]
    source = Resampling(
        key=KEY,
        only_a=vector["only_a"],
        only_b=vector["only_b"],
        complete=vector["complete"],
    )
    sums = draw_sums(source).tolist()
    text = "\n".join(map(str, sums))

    assert sums[:8] == vector["first_draw_sums"]
    assert (
        hashlib.sha256(text.encode()).hexdigest()
        == vector["sha256_of_all_10000_sums_in_draw_order_decimal_joined_by_LF"]
    )
    low, high = vector["low_sum"] / 97, vector["high_sum"] / 97
    assert bootstrap(source) == Interval(low, high)


@pytest.mark.parametrize("counts", [(2, 1, 9), (3, 4, 10), (1, 0, 1), (0, 2, 2), (0, 0, 5)])
def test_counting_under_thresholds_gives_what_looking_up_blocks_gives(
    counts: tuple[int, int, int],
) -> None:
    only_a, only_b, complete = counts
    source = Resampling(key=KEY, only_a=only_a, only_b=only_b, complete=complete, draws=301)

    assert draw_sums(source).tolist() == _sums_by_lookup(source)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_draws_are_distributed_as_a_full_enumeration_of_small_samples(n: int) -> None:
    for only_a, only_b in itertools.product(range(n + 1), repeat=2):
        if only_a + only_b > n:
            continue
        blocks = [1] * only_a + [-1] * only_b + [0] * (n - only_a - only_b)
        exact = Counter(sum(draw) for draw in itertools.product(blocks, repeat=n))
        source = Resampling(key=KEY, only_a=only_a, only_b=only_b, complete=n, draws=20_000)
        drawn = Counter(draw_sums(source).tolist())

        assert set(drawn) <= set(exact)
        for total, ways in exact.items():
            assert drawn[total] / 20_000 == pytest.approx(ways / n**n, abs=0.02)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_interval_ends_are_quantiles_of_the_full_enumeration(n: int) -> None:
    for only_a, only_b in itertools.product(range(n + 1), repeat=2):
        if only_a + only_b > n:
            continue
        blocks = [1] * only_a + [-1] * only_b + [0] * (n - only_a - only_b)
        totals = sorted(sum(draw) for draw in itertools.product(blocks, repeat=n))
        low, high = (round(end * n) for end in bootstrap(Resampling(key=KEY, only_a=only_a, only_b=only_b, complete=n)))

        # As below: order statistics of 10,000 draws stray from a tail of 0.025 by a standard error of 0.0016.
        for end, tail in ((low, 0.025), (high, 0.975)):
            assert sum(total < end for total in totals) / len(totals) < tail + 0.007
            assert sum(total <= end for total in totals) / len(totals) > tail - 0.007


@pytest.mark.parametrize("counts", [(9, 4, 30), (40, 35, 371), (150, 0, 1000), (700, 900, 5001)])
def test_interval_ends_are_quantiles_of_the_exact_trinomial_distribution(
    counts: tuple[int, int, int],
) -> None:
    only_a, only_b, complete = counts
    source = Resampling(key=KEY, only_a=only_a, only_b=only_b, complete=complete)
    below = _exact_tail(source)
    low, high = (round(end * complete) for end in bootstrap(source))

    # Order statistics of 10,000 draws stray from a tail of 0.025 by a standard error of 0.0016.
    assert below[low - 1 + complete] < 0.025 + 0.007
    assert below[low + complete] > 0.025 - 0.007
    assert below[high - 1 + complete] < 0.975 + 0.007
    assert below[high + complete] > 0.975 - 0.007


@pytest.mark.parametrize("complete", [1, 2, 7, 10, 97, 1000])
@pytest.mark.parametrize("draws", [1, 2, 257])
def test_the_chunk_size_changes_nothing(complete: int, draws: int) -> None:
    source = Resampling(key=KEY, only_a=complete // 3, only_b=complete // 4, complete=complete, draws=draws)
    whole = draw_sums(source, chunk_words=10**6).tolist()

    for chunk_words in (1, 2, 13, 100, 999):
        assert draw_sums(source, chunk_words=chunk_words).tolist() == whole
    assert len(whole) == draws


def test_the_memory_stays_flat_over_the_draws() -> None:
    def peak(draws: int) -> int:
        source = Resampling(key=KEY, only_a=900, only_b=700, complete=50_000, draws=draws)
        tracemalloc.start()
        draw_sums(source)
        try:
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(2)
    assert peak(400) < 8 * 2**20
    assert peak(400) < peak(40) + 2**16


def test_another_plan_or_another_pair_draws_otherwise() -> None:
    text = canonical_text(VECTORS["pair"])
    keys = {
        bootstrap_key("0" * 64, text),
        bootstrap_key("1" + "0" * 63, text),
        bootstrap_key("0" * 64, text.replace("git", "got")),
    }

    assert len(keys) == 3
    sums = {tuple(draw_sums(Resampling(key=key, only_a=9, only_b=9, complete=40, draws=50)).tolist()) for key in keys}
    assert len(sums) == 3

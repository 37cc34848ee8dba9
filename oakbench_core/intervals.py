"""Intervals for fractions and for paired differences; this file knows counts and no campaign.

Rule: an interval is a function of counts and, for the bootstrap, of a key that anyone can derive
again. Whether an interval may be *given* is decided where the evidence is known; here it is only
computed, and counts that no sample can have raise ValueError.

- Wilson, E. B. (1927), J. Am. Stat. Assoc. 22, 209-212: score interval of one fraction.
- Newcombe, R. G. (1998), Stat. Med. 17, 2635-2650: method 10, square-and-add for a paired
  difference, with a continuity-corrected phi.
- Percentile bootstrap over blocks (Efron 1979), `oakbench.bootstrap.v1`: drawn from the raw Philox
  stream, the only stream that numpy promises to keep for ever.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

Z_95: Final = 1.959963984540054  # the standard normal quantile of 0.975
CONFIDENCE: Final = 0.95
CONFIDENCE_BP: Final = 9_500  # the same in basis points, for the bootstrap's integer ranks
BOOTSTRAP_METHOD: Final = "oakbench.bootstrap.v1"
BOOTSTRAP_DRAWS: Final = 10_000

_HALF_RANGE: Final = 2**32  # a half is one of this many equally likely 32-bit numbers
_CHUNK_WORDS: Final = 2**17  # 1 MiB of the stream at a time: memory stays flat, and the chunk stays in the cache


class Interval(NamedTuple):
    """The lower and the upper end, both inside it."""

    low: float
    high: float

    def mirrored(self) -> Interval:
        """The interval of the difference the other way round (b - a)."""
        return Interval(0.0 - self.high, 0.0 - self.low)  # a minus sign would turn 0.0 into -0.0


def wilson(successes: int, trials: int) -> Interval:
    """Wilson's 95 % score interval of `successes` / `trials`, without continuity correction.

    Exactly 0.0 below at no success and exactly 1.0 above at no failure, where rounding could leave
    a residue.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"no fraction: {successes} of {trials}")
    squared = Z_95 * Z_95
    centre = (successes + squared / 2) / (trials + squared)
    spread = successes * (trials - successes) / trials + squared / 4
    half_width = Z_95 * math.sqrt(spread) / (trials + squared)
    return Interval(
        0.0 if successes == 0 else centre - half_width,
        1.0 if successes == trials else centre + half_width,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTable:
    """Blocks by which side of a pair was verified: `both`, `only_a`, `only_b` or `neither`."""

    both: int
    only_a: int
    only_b: int
    neither: int

    @property
    def complete(self) -> int:
        return self.both + self.only_a + self.only_b + self.neither

    @property
    def difference(self) -> float:
        """The verified fraction of a less that of b; needs at least one block."""
        return (self.only_a - self.only_b) / self.complete


def _corrected_phi(table: PairTable) -> float:
    """Newcombe's correlation of the sides; a positive cross product is brought nearer to 0."""
    a, b, c, d = table.both, table.only_a, table.only_b, table.neither
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    cross = a * d - b * c
    if margins == 0 or 0 <= 2 * cross <= table.complete:
        return 0.0
    corrected = cross - table.complete / 2 if cross > 0 else cross
    return corrected / math.sqrt(margins)


def _square_and_add(first: float, second: float, phi: float) -> float:
    # Both squares before the product: the sum is then the same to the bit with the sides exchanged.
    return math.sqrt(max(0.0, (first * first + second * second) - 2 * phi * (first * second)))


def newcombe(table: PairTable) -> Interval:
    """Newcombe's 95 % interval, method 10, of the paired difference of two fractions."""
    n = table.complete
    successes_a, successes_b = table.both + table.only_a, table.both + table.only_b
    a, b = wilson(successes_a, n), wilson(successes_b, n)
    fraction_a, fraction_b = successes_a / n, successes_b / n
    phi = _corrected_phi(table)
    below = _square_and_add(fraction_a - a.low, b.high - fraction_b, phi)
    above = _square_and_add(a.high - fraction_a, fraction_b - b.low, phi)
    return Interval(max(-1.0, table.difference - below), min(1.0, table.difference + above))


def bootstrap_key(plan_sha256: str, pair_text: str) -> str:
    """The Philox key of one pair of one plan, as the 32 hex digits that a report records.

    `pair_text` is the canonical JSON of the pair's key. Hashed is the method's name, NUL, the
    plan's hash, NUL, the text; the first 16 bytes of the digest are the key, read as a
    little-endian integer where a number is needed.
    """
    text = f"{BOOTSTRAP_METHOD}\0{plan_sha256}\0{pair_text}"
    return hashlib.sha256(text.encode()).digest()[:16].hex()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """What the block bootstrap draws from.

    Of `complete` blocks `only_a` count +1 and `only_b` count -1. They stand sorted: all +1, all -1,
    then 0. `key` is what `bootstrap_key` gives.
    """

    key: str
    only_a: int
    only_b: int
    complete: int
    draws: int = BOOTSTRAP_DRAWS

    def __post_init__(self) -> None:
        counts = (self.only_a, self.only_b, self.complete - self.only_a - self.only_b)
        if min(counts) < 0 or not 1 <= self.complete < _HALF_RANGE or self.draws < 1:
            raise ValueError(f"no blocks to draw from: {self}")


def _halves(source: Resampling, chunk_words: int) -> Iterator[NDArray[np.uint32]]:
    """The stream in 32-bit halves, one row a draw; the last row may be one draw too many.

    Two draws take 2n halves, which is n whole words: only the word that two draws of odd n share
    needs its high half brought before its low half, since within one draw the order of the halves
    changes no count.
    """
    import numpy as np

    n = source.complete
    stream = np.random.Philox(key=int.from_bytes(bytes.fromhex(source.key), "little"))
    couples_left = -(-source.draws // 2)
    while couples_left:
        couples = min(couples_left, max(1, chunk_words // n))
        couples_left -= couples
        words = stream.random_raw(couples * n).astype("<u8", copy=False)
        halves = words.view("<u4").reshape(couples, 2 * n)
        if n % 2:
            halves[:, [n - 1, n]] = halves[:, [n, n - 1]]
        yield halves.reshape(2 * couples, n)


def halves_before(blocks: int, complete: int) -> int:
    """How many of the 2^32 halves stand for one of the first `blocks`: the h with (h * complete) >> 32 < blocks."""
    return -(-blocks * _HALF_RANGE // complete)


def draw_sums(source: Resampling, *, chunk_words: int = _CHUNK_WORDS) -> NDArray[np.int64]:
    """The sum of the n differences of each draw, in the order drawn.

    Half h stands for block (h * n) >> 32. Blocks are sorted, so h is a +1 exactly if it is under one threshold, and +1
    or -1 exactly if it is under another: counting halves gives the sums without looking up a block. `chunk_words`
    bounds the memory and changes no sum.
    """
    import numpy as np

    below_plus = halves_before(source.only_a, source.complete)
    below_zero = halves_before(source.only_a + source.only_b, source.complete)
    parts = []
    for halves in _halves(source, chunk_words):
        steps = np.zeros(halves.shape, dtype=np.int8)
        if below_zero:  # thresholds less one fit in 32 bits even where every half is under them
            steps -= halves <= np.uint32(below_zero - 1)
        if below_plus:
            steps += np.int8(2) * (halves <= np.uint32(below_plus - 1))
        parts.append(steps.sum(axis=1, dtype=np.int64))
    return np.concatenate(parts)[: source.draws]


def bootstrap(source: Resampling, *, confidence_bp: int = CONFIDENCE_BP) -> Interval:
    """The percentile interval of the difference a - b over `source.draws` resamples.

    The ends are order statistics of the integer sums, as far from either end, divided once; so the
    interval of b - a over the same draws is the exact mirror.
    """
    if not 0 < confidence_bp < 10_000:
        raise ValueError(f"no confidence in basis points: {confidence_bp}")
    sums = draw_sums(source)
    sums.sort()
    rank = source.draws * (10_000 - confidence_bp) // 20_000
    low, high = int(sums[rank]), int(sums[source.draws - 1 - rank])
    return Interval(low / source.complete, high / source.complete)


class RankInterval(NamedTuple):
    """An interval between two of the sorted values, by their ranks from 1, and the confidence that it has exactly."""

    low: int
    high: int
    achieved: float


def order_statistics(n: int, hundredths: int, confidence: float) -> RankInterval | None:
    """The two-sided distribution-free interval of the quantile `hundredths`/100 of n values; None: there is none.

    Equal tails: each end is the innermost order statistic whose tail, a sum of binomial probabilities, is at most
    (1 - confidence)/2 (David, H. A. & Nagaraja, H. N. (2003), Order Statistics, 7.1). The ranks hold for any continuous
    distribution; with ties the interval covers at least as often.
    """
    tail = (1.0 - confidence) / 2
    below = _last_rank(n, hundredths, tail)
    above = _last_rank(n, 100 - hundredths, tail)  # counted from the other end
    if below is None or above is None:
        return None
    return RankInterval(below[0], n + 1 - above[0], 1.0 - below[1] - above[1])


def _last_rank(n: int, hundredths: int, tail: float) -> tuple[int, float] | None:
    """The greatest rank r with P(Binomial(n, hundredths/100) < r) at most `tail`, and that probability."""
    share = hundredths / 100
    rank, total = 0, 0.0
    # From far below the quantile on: what is left out is less than a float can add.
    start = max(0, math.floor(n * share - 40.0 * math.sqrt(n * share * (1.0 - share)) - 40.0))
    for successes in range(start, n):
        grown = total + _binomial(n, successes, share)
        if grown > tail:
            break
        rank, total = successes + 1, grown
    return None if rank == 0 else (rank, total)


def _binomial(n: int, successes: int, share: float) -> float:
    """The probability of so many successes of n; exact for halves up to 1,000, where a level may fall on a tail."""
    if n <= 1_000:
        return math.comb(n, successes) * share**successes * (1.0 - share) ** (n - successes)
    chosen = math.lgamma(n + 1) - math.lgamma(successes + 1) - math.lgamma(n - successes + 1)
    return math.exp(chosen + successes * math.log(share) + (n - successes) * math.log1p(-share))

"""Intervals for fractions and for paired differences; this file knows counts and no campaign.

Rule: an interval is a function of counts and, for the bootstrap, of a key that anyone can derive
again. Whether an interval may be *given* is decided where the evidence is known; here it is only
computed, and counts that no sample can have raise ValueError.

- Wilson, E. B. (1927), J. Am. Stat. Assoc. 22, 209-212: score interval of one fraction.
- Newcombe, R. G. (1998), Stat. Med. 17, 2635-2650: method 10, square-and-add for a paired
  difference, with a continuity-corrected phi.
- Order statistics (David, H. A. and Nagaraja, H. N., Order Statistics, 3rd ed., 7.1): exact and
  distribution-free for a quantile, from the binomial distribution of how many values lie under it.
- MOVER (Zou, G. Y. and Donner, A. (2008), Stat. Med. 27, 1693-1702): an interval of a difference from
  the two sides' own intervals, which need not be symmetric.
- Percentile bootstrap over blocks (Efron 1979), `oakbench.bootstrap.v1`: drawn from the raw Philox
  stream, the only stream that numpy promises to keep for ever.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
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

_WEIGHT_BITS: Final = 192  # of the largest binomial weight: integers, so that every machine finds the same ranks
_TIE_BITS: Final = 100  # weights are cut to integers; a tail above its share by less than 2^-100 of the whole is a tie
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


@dataclass(frozen=True, slots=True)
class RankInterval:
    """Two order statistics around a quantile, by rank from 1, and the probability that it lies between them."""

    low: int
    high: int
    achieved_confidence: float


def _binomial_weights(n: int, numerator: int, denominator: int) -> tuple[int, list[int]]:
    """Integer weights proportional to the binomial probabilities, and the count that the first stands for.

    Counts left out at either end have less than 2^-128 of the largest weight.
    """
    against = denominator - numerator
    mode = min((n + 1) * numerator // denominator, n)
    least = 1 << (_WEIGHT_BITS - 128)
    below, above = [], [1 << _WEIGHT_BITS]
    weight = above[0]
    for count in range(mode, 0, -1):
        weight = weight * count * against // ((n - count + 1) * numerator)
        if weight < least:
            break
        below.append(weight)
    for count in range(mode, n):
        weight = above[-1] * (n - count) * numerator // ((count + 1) * against)
        if weight < least:
            break
        above.append(weight)
    return mode - len(below), below[::-1] + above


@lru_cache(maxsize=1024)
def order_statistic_ranks(n: int, quantile: Fraction, confidence: float) -> RankInterval | None:
    """The narrowest equal-tailed interval of order statistics that holds the quantile with this confidence.

    With B of n values under the quantile, the interval of the ranks low and high misses it below with
    P(B < low) and above with P(B >= high); neither exceeds half of what the confidence leaves. None:
    n values are too few for that. `confidence` is read as the decimal that it is written as.
    """
    if not 0 < quantile < 1 or not 0 < confidence < 1 or n < 0:
        raise ValueError(f"no interval: n {n}, quantile {quantile}, confidence {confidence}")
    first, weights = _binomial_weights(n, quantile.numerator, quantile.denominator)
    whole = sum(weights)
    share = (1 - Fraction(repr(confidence))) / 2
    room = (whole * share.numerator + (whole >> _TIE_BITS)) // share.denominator
    low, below = first, 0
    while below + weights[low - first] <= room:
        below += weights[low - first]
        low += 1
    high, above = first + len(weights), 0
    while above + weights[high - 1 - first] <= room:
        high -= 1
        above += weights[high - first]
    if low < 1 or high > n:
        return None
    return RankInterval(low, high, (whole - below - above) / whole)


def mover_difference(a: float, of_a: Interval, b: float, of_b: Interval) -> Interval:
    """MOVER's interval of a - b from each side's figure and the interval around it."""
    difference = a - b
    return Interval(
        difference - math.hypot(a - of_a.low, of_b.high - b),
        difference + math.hypot(of_a.high - a, b - of_b.low),
    )

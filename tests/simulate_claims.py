"""How often a ratio's interval covers, and how often a GREEN is false: the tables of docs/simulation.md.

    python tests/simulate_claims.py [--runs N] [--write]

Every draw goes through the code that judges real rows: `figure_of`, `ratio_of`, `noise_floor`, `judged`.
"""

from __future__ import annotations

import argparse
import math
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from oakbench_core.baseline.figures import figure_of
from oakbench_core.baseline.judging import judged, ratio_of
from oakbench_core.baseline.noise import noise_floor
from oakbench_core.baseline.vocabulary import Direction, Statistic, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from oakbench_core.baseline.figures import Figure

    Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "simulation.md"
MARK: Final = "<!-- tables: tests/simulate_claims.py -->\n"
SIZES: Final = ((6, 6), (10, 10), (30, 30), (100, 100), (100, 30))
SPREAD: Final = 0.1  # standard deviation of a row's logarithm within a session
TARGET: Final = 0.8
PAIRS: Final = (0, 1, 2, 5, 10)
ROWS: Final = 30


def _ticks(chance: np.random.Generator, n: int) -> NDArray[np.float64]:
    """A clock that counts in twentieths of the median: most values are tied."""
    return np.maximum(np.round(np.exp(chance.normal(0, SPREAD, n)) * 20), 1) / 20


def _two_ways(chance: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Three runs of five take the short way; the median lies in it."""
    return np.exp(chance.normal(0, SPREAD, n)) * np.where(chance.random(n) < 0.6, 1.0, 3.0)


class Shape(NamedTuple):
    name: str
    draw: Draw


SHAPES: Final = (
    Shape("log-normal, spread 0.1", lambda chance, n: np.exp(chance.normal(0, SPREAD, n))),
    Shape("log-normal, spread 1", lambda chance, n: np.exp(chance.normal(0, 1, n))),
    Shape("Pareto, index 1.5", lambda chance, n: 1 + chance.pareto(1.5, n)),
    Shape("two ways, 3 of 5 short", _two_ways),
    Shape("ticks of a coarse clock", _ticks),
)


def _figure(values: NDArray[np.float64], statistic: Statistic = Statistic.MEDIAN) -> Figure:
    return figure_of(sorted(values.tolist()), statistic, 0.95)


def covers(chance: np.random.Generator, draw: Draw, sizes: tuple[int, int], statistic: Statistic) -> bool:
    """Whether the interval of the ratio of two equal populations holds 1."""
    candidate, baseline = (_figure(draw(chance, n), statistic) for n in sizes)
    ratio = ratio_of(candidate.value or 0, candidate.interval, baseline.value or 0, baseline.interval)
    return ratio.interval is not None and ratio.interval.low <= 0 <= ratio.interval.high


def is_green(chance: np.random.Generator, session_spread: float, pairs: int) -> bool:
    """Whether a candidate whose true ratio is the target is called GREEN, each side measured in one session."""

    def session(level: float) -> NDArray[np.float64]:
        return level * np.exp(chance.normal(0, session_spread) + chance.normal(0, SPREAD, ROWS))

    candidate, baseline = _figure(session(TARGET)), _figure(session(1.0))
    floor = None
    if pairs:
        sessions = {f"{number:03}": sorted(session(1.0).tolist()) for number in range(2 * pairs)}
        floor = noise_floor(sessions, Statistic.MEDIAN)
    ratio = ratio_of(candidate.value or 0, candidate.interval, baseline.value or 0, baseline.interval)
    verdict, _ = judged(ratio.interval, Direction.LOWER, TARGET, 0.0 if floor is None else floor.value)
    return verdict is Verdict.GREEN


def share(runs: int, seed: int, happens: Callable[[np.random.Generator], bool]) -> float:
    chance = np.random.Generator(np.random.Philox(seed))
    return sum(happens(chance) for _ in range(runs)) / runs


def coverage_rows(runs: int) -> Iterator[tuple[str, list[float]]]:
    """Coverage of 95 % intervals of medians, by population and sizes."""
    for seed, shape in enumerate(SHAPES):
        covering = [partial(covers, draw=shape.draw, sizes=sizes, statistic=Statistic.MEDIAN) for sizes in SIZES]
        yield f"median, {shape.name}", [share(runs, seed, happens) for happens in covering]


def p99_coverage(runs: int) -> dict[int, float]:
    """The same of a p99, by the number of values of each side."""
    return {
        n: share(runs, n, partial(covers, draw=SHAPES[0].draw, sizes=(n, n), statistic=Statistic.P99))
        for n in (368, 1000)
    }


def false_green_rows(runs: int) -> Iterator[tuple[str, list[float]]]:
    """GREEN at a true ratio equal to the target, by session effect and pairs of A/A sessions."""
    for name, effect in (("none", 0.0), ("half the spread within", 0.5), ("as large as the spread within", 1.0)):
        green = [partial(is_green, session_spread=effect * SPREAD, pairs=pairs) for pairs in PAIRS]
        yield name, [share(runs, 100 + pairs, happens) for pairs, happens in zip(PAIRS, green, strict=True)]


def tables(runs: int) -> str:
    """The tables in Markdown."""
    lines = [f"{runs:,} runs a figure, Philox streams.", ""]
    sizes = " | ".join(f"{a}/{b}" for a, b in SIZES)
    lines += [f"| coverage of the ratio's interval at 95 %; n of candidate / baseline | {sizes} |"]
    lines += [f"|---|{'---:|' * len(SIZES)}"]
    lines += [f"| {name} | {' | '.join(f'{value:.3f}' for value in row)} |" for name, row in coverage_rows(runs)]
    lines += ["", "| | n = 368 | n = 1,000 |", "|---|---:|---:|"]
    p99 = p99_coverage(max(runs // 10, 1))
    lines += [f"| p99, log-normal, spread 0.1 | {p99[368]:.3f} | {p99[1000]:.3f} |", ""]
    heads = ["no floor (f = 0)", *(f"K = {pairs}" for pairs in PAIRS[1:])]
    lines += [f"| GREEN at a true ratio equal to the target, n = {ROWS}; session effect | {' | '.join(heads)} |"]
    lines += [f"|---|{'---:|' * len(heads)}"]
    lines += [f"| {name} | {' | '.join(percent(value) for value in row)} |" for name, row in false_green_rows(runs)]
    return "\n".join(lines) + "\n"


def percent(value: float) -> str:
    return f"{100 * value:.2f} %"


def standard_error(share_: float, runs: int) -> float:
    return math.sqrt(max(share_ * (1 - share_), 1 / runs) / runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/simulation.md")
    options = parser.parse_args()
    text = tables(options.runs)
    if options.write:
        before, _, _ = PAGE.read_text().partition(MARK)
        PAGE.write_text(f"{before}{MARK}\n{text}")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()

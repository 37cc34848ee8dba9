"""Noise floors: how far two sessions of the same subject, binary and conditions lay apart.

Rule: from explicit A/A rows only, and nothing is invented: with fewer than two sessions, or a statistic that has no
logarithm, there is none. The largest of K disjoint pairs is exceeded by the next pair with probability 1/(K + 1).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.baseline.populations import Population

NOISE_METHOD: Final = "aa_pairs"


def statistic_of(values: list[float], statistic: str) -> float | None:
    """The median, or the value at rank ⌈99n/100⌉; None of no values."""
    if not values:
        return None
    ascending = sorted(values)
    if statistic == "p99":
        return ascending[-(-99 * len(ascending) // 100) - 1]
    below, above = ascending[(len(ascending) - 1) // 2], ascending[len(ascending) // 2]
    return below if below == above else below / 2 + above / 2  # halves first: the sum may be beyond a float


def noise_floor(noise: Population, metric: str, statistic: str) -> dict[str, Any] | None:
    """The floor of one cell, on the log scale; None where its sessions give none.

    Sessions are sorted by name and paired 1-2, 3-4 and so on; an odd last one joins the range alone.
    """
    logs: list[float] = []
    sizes: list[int] = []
    for name in sorted(noise.sessions):
        values = noise.values(metric, noise.sessions[name])
        found = statistic_of(values, statistic)
        if found is None:
            continue
        if found <= 0:
            return None
        logs.append(math.log(found))
        sizes.append(len(values))
    pairs = [abs(one - other) for one, other in zip(logs[::2], logs[1::2], strict=False)]
    if not pairs:
        return None
    return {
        "value": max(pairs),
        "method": NOISE_METHOD,
        "sessions": len(logs),
        "pairs": len(pairs),
        "min_session_rows": min(sizes),
        "session_range": max(logs) - min(logs),
    }


def noise_problems(noise: Population, baseline: Population) -> Iterator[Problem]:
    """Why these A/A rows are none of the baseline's subject, binary and conditions."""
    told = f"the A/A rows of {'/'.join(map(str, noise.key))}"
    if not noise.has_sessions:
        yield Problem(rule=f"{told}: expected a bench_id on each, which tells the sessions apart")
    if noise.differing:
        yield Problem(rule=f"{told} disagree among themselves in {', '.join(noise.differing)}")
    elif noise.identity is not None and baseline.identity is not None and noise.identity != baseline.identity:
        yield Problem(rule=f"{told} were measured under another identity or with another binary than the baseline's")

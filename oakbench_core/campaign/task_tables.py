"""How a pair's difference is spread over the tasks of its complete blocks (report.md row 19).

Rule: a table and no interval. Repeats of a task describe that task; the mean over tasks weighs every task once, however
often it was repeated, so that a task with many complete blocks cannot speak for the others.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oakbench_core.campaign.vocabulary import Standing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oakbench_core.campaign.ledger import Ledger


def task_table(ledger: Ledger, blocks: Iterable[tuple[int, int]]) -> dict[str, Any]:
    """The section `tasks` of complete blocks, each the places of its two sides.

    `a_ahead`, `b_ahead` and `equal` count tasks by the sign of their difference, `disagreeing` those of which a subject
    was verified in one repeat and not in another. `mean_difference` is the mean of the tasks' differences: exact
    fractions, one rounding; None without a complete block.
    """
    cells = _cells_by_task(ledger, blocks)
    ahead, disagreeing = Counter[int](), 0
    sums: Counter[int] = Counter()  # by how many blocks a task has: exact, however many tasks there are
    for counts in cells.values():
        only_a, only_b, size = counts[True, False], counts[False, True], counts.total()
        ahead[(only_a > only_b) - (only_a < only_b)] += 1
        sums[size] += only_a - only_b
        verified_a, verified_b = counts[True, True] + only_a, counts[True, True] + only_b
        disagreeing += 0 < verified_a < size or 0 < verified_b < size
    total = sum((Fraction(difference, size) for size, difference in sums.items()), Fraction())
    return {
        "distinct": len(cells),
        "a_ahead": ahead[1],
        "b_ahead": ahead[-1],
        "equal": ahead[0],
        "disagreeing": disagreeing,
        "mean_difference": float(total / len(cells)) if cells else None,
    }


def _cells_by_task(ledger: Ledger, blocks: Iterable[tuple[int, int]]) -> dict[str, Counter[tuple[bool, bool]]]:
    schedule, standings = ledger.plan.schedule, ledger.standings
    cells: dict[str, Counter[tuple[bool, bool]]] = {}
    for (task, a, b), count in Counter((schedule[a].task, standings[a], standings[b]) for a, b in blocks).items():
        verdicts = a == Standing.VERIFIED_SUCCESS, b == Standing.VERIFIED_SUCCESS
        cells.setdefault(task, Counter())[verdicts] += count
    return cells

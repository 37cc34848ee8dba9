"""P4: what a change costs on a list of 100,000 trials, against Textual's DataTable with the same rows.

    python -m tests.benchmarks.p4_console_table [ROWS]

Prints processor time from the call to the painted screen, for both, and their ratio (goals: one cell ≥ 150 times
cheaper, a page down ≥ 6, a filter to half ≥ 350, a sort ≥ 15).
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.widgets import DataTable

from oakbench_core.campaign.ledger import Ledger
from oakbench_core.campaign.plan import plan_from_document
from oakbench_tui.screens.session import Session
from oakbench_tui.screens.trial_list import TrialList
from oakbench_tui.view.filter import parse_filter
from oakbench_tui.view.listing import Order, Sort
from oakbench_tui.widgets.lines import Lines
from oakbench_tui.widgets.paint import Paint
from oakbench_tui.widgets.table import Table
from tests.benchmarks.console_stage import large_plan
from tests.tui.snapshots import NOW, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.pilot import Pilot

    from oakbench_tui.view.snapshot import Snapshot

GOALS = {"one cell": 150, "page down": 6, "filter to half": 350, "sort": 15}
SIZE = (160, 48)
ROUNDS = 5


class OurApp(App[None]):
    def __init__(self, held: Snapshot) -> None:
        super().__init__()
        paint = Paint()
        self.table = Table(paint, with_cursor=True)
        every = Lines(paint)
        nowhere: Any = None  # of the session only the clock is asked
        session = Session(folder=nowhere, feed=nowhere, paint=paint, out=nowhere, clock=lambda: NOW)
        self.trials = TrialList(session, self.table, every, held)
        self.every = every

    def compose(self) -> ComposeResult:
        yield self.table
        yield self.every

    def on_mount(self) -> None:
        self.trials.screen_size = SIZE
        self.trials.show()


class TheirApp(App[None]):
    def __init__(self, rows: list[tuple[str, str, str, str]]) -> None:
        super().__init__()
        self.table: DataTable[Any] = DataTable()
        self.rows = rows

    def compose(self) -> ComposeResult:
        yield self.table

    def on_mount(self) -> None:
        self.table.add_columns("state", "task", "subject", "number")
        self.table.add_rows(self.rows)


async def cost(pilot: Pilot[None], change: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Processor seconds of one change, painted; the least of some rounds."""
    spent = []
    for _ in range(rounds):
        await pilot.pause()
        before = time.process_time()
        change()
        await pilot.pause()
        spent.append(time.process_time() - before)
    return min(spent)


async def ours(held: Snapshot) -> dict[str, float]:
    app = OurApp(held)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        trials, listing = app.trials, app.trials.listing

        def rearranged(**wish: Any) -> None:
            listing.arrange(**wish)
            trials.show()

        orders = [Order(Sort.DURATION), Order(Sort.DURATION, reverse=True)] * ROUNDS
        filters = ["subject:hg", "subject:git"] * ROUNDS
        return {
            "one cell": await cost(pilot, lambda: trials.show(changed=frozenset({3}))),
            "page down": await cost(pilot, lambda: app.table.move_by(app.table.page)),
            "filter to half": await cost(pilot, lambda: rearranged(filter=parse_filter(filters.pop(0))), 2 * ROUNDS),
            "sort": await cost(pilot, lambda: rearranged(order=orders.pop(0))),
        }


async def theirs(rows: list[tuple[str, str, str, str]]) -> dict[str, float]:
    app = TheirApp(rows)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        table = app.table
        keys = list(table.rows)
        column, *_, last = table.columns
        words = iter(range(1000))

        def half() -> None:
            table.clear()
            table.add_rows(rows[::2])

        return {
            "one cell": await cost(pilot, lambda: table.update_cell(keys[3], column, f"x{next(words)}"), 3),
            "page down": await cost(pilot, table.action_page_down),
            "sort": await cost(pilot, lambda: table.sort(last, reverse=bool(next(words) % 2)), 2),
            "filter to half": await cost(pilot, half, 1),
        }


def main() -> None:
    given = [argument for argument in sys.argv[1:] if argument != "--small"]
    number = int(given[0]) if given else 2_000 if "--small" in sys.argv else 100_000
    plan = plan_from_document(large_plan(number))
    held = snapshot(Ledger(plan))
    rows = [("unstarted", trial.task, trial.subject, str(place)) for place, trial in enumerate(plan.schedule)]
    mine = asyncio.run(ours(held))
    other = asyncio.run(theirs(rows))
    sys.stdout.write(f"{len(rows):,} rows, processor time to painted\n")
    for name, goal in GOALS.items():
        ratio = other[name] / mine[name]
        figures = f"{mine[name] * 1000:9.2f} ms   DataTable {other[name] * 1000:10.2f} ms"
        sys.stdout.write(f"{name:15} {figures}   {ratio:8.1f} times (goal {goal})\n")


if __name__ == "__main__":
    main()

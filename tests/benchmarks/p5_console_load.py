"""P5: 2,000 trial changes a second on 100,000 trials at 10 Hz, with a person pressing keys.

    python -m tests.benchmarks.p5_console_load [TRIALS] [SECONDS]

Prints the share of a processor that the screen takes (reading left out: snapshots are handed over ready-made), and the
95th percentile from a key to its paint (goals: ≤ 15 %, ≤ 35 ms).
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from textual.events import Key

from oakbench_core.campaign.plan import plan_from_document
from oakbench_tui.app import ConsoleApp
from oakbench_tui.feed.reader import Feed
from oakbench_tui.screens.session import Session
from oakbench_tui.widgets.paint import Paint
from tests.benchmarks.console_stage import Stage, large_plan, percentile

if TYPE_CHECKING:
    from oakbench_tui.view.snapshot import Snapshot

HZ = 10
CHANGES_A_SECOND = 2000


class ReadyFeed(Feed):
    """Hands over what it is given; its thread is never started."""

    given: Snapshot
    changed: frozenset[int] = frozenset()

    def take(self) -> tuple[Snapshot, frozenset[int] | None]:
        return self.given, self.changed

    @property
    def latest(self) -> Snapshot:
        return getattr(self, "given", self._latest)


async def load(folder: Path, feed: ReadyFeed, seconds: float) -> tuple[float, list[float]]:
    app = ConsoleApp(Session(folder=folder, feed=feed, paint=Paint(), out=folder, fps=HZ))
    waits: list[float] = []
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.pause()
        places = itertools.cycle(range(feed.given.scheduled))
        before, end = time.process_time(), time.monotonic() + seconds
        while time.monotonic() < end:
            batch = frozenset(itertools.islice(places, CHANGES_A_SECOND // HZ))
            feed.given = replace(feed.given, version=feed.given.version + 1, newest=min(batch))
            feed.changed = batch
            app.console_screen.arrived()
            began = time.monotonic()
            painted = asyncio.Event()
            app.post_message(Key("j", "j"))
            app.call_later(lambda done=painted: app.call_after_refresh(done.set))
            await painted.wait()
            waits.append(time.monotonic() - began)
            await asyncio.sleep(max(1 / HZ - (time.monotonic() - began), 0))
        spent = time.process_time() - before
    return spent / seconds * 100, waits


def main() -> None:
    given = [argument for argument in sys.argv[1:] if argument != "--small"]
    small = "--small" in sys.argv
    trials = int(given[0]) if given else 2_000 if small else 100_000
    seconds = float(given[1]) if len(given) > 1 else 1 if small else 10
    plan = plan_from_document(large_plan(trials))
    with tempfile.TemporaryDirectory() as root:
        folder = Stage(Path(root) / "c", plan).folder
        feed = ReadyFeed(folder, plan)
        feed.given = feed.latest
        percent, waits = asyncio.run(load(folder, feed, seconds))
    late = percentile(waits, 0.95) * 1000
    sys.stdout.write(
        f"{len(plan.schedule):,} trials: {percent:.1f} % of a processor, key to paint 95th percentile {late:.0f} ms\n"
    )


if __name__ == "__main__":
    main()

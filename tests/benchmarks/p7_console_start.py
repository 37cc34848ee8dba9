"""P7: from the start of the program to the first paint of a large campaign.

    python -m tests.benchmarks.p7_console_start [TRIALS]

The yardstick is a minimal Textual program that reads the same plan with `orjson` and shows its number of trials (goal:
≤ 1.8 times its time). Both run on a pseudo-terminal; each figure is the best of three.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from oakbench_core.campaign.plan import plan_from_document
from tests.benchmarks.console_stage import Console, Stage, large_plan, watch

ROUNDS = 3
MINIMAL = """
import sys, orjson
from textual.app import App
from textual.widgets import Static
plan = orjson.loads(open(sys.argv[1], "rb").read())
class Minimal(App):
    def compose(self):
        yield Static(f"WAITING for {len(plan['schedule'])}")
Minimal().run()
"""


def first_paint_s(*command: str) -> float:
    began = time.monotonic()
    console = Console(*command)
    try:
        _, painted = console.until(lambda seen: b"WAITING" in seen)
    finally:
        console.close()
    return painted - began


def main() -> None:
    given = [argument for argument in sys.argv[1:] if argument != "--small"]
    trials = int(given[0]) if given else 1_000 if "--small" in sys.argv else 100_000
    plan = plan_from_document(large_plan(trials))
    with tempfile.TemporaryDirectory() as root:
        folder = Stage(Path(root) / "c", plan).folder
        theirs = [sys.executable, "-c", MINIMAL, str(folder / "plan.json")]
        mine = min(first_paint_s(*watch(folder)) for _ in range(ROUNDS))
        other = min(first_paint_s(*theirs) for _ in range(ROUNDS))
    figures = f"{mine:.2f} s, minimal program {other:.2f} s"
    sys.stdout.write(f"{len(plan.schedule):,} trials: first paint {figures}, {mine / other:.1f} times (goal 1.8)\n")


if __name__ == "__main__":
    main()

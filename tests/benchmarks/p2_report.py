"""P2: `report --format json` of 100,000 trials, 8 workflows, 3 subjects, against P1's yardstick and `import numpy`.

    python -m tests.benchmarks.p2_report [TRIALS] [--small]

Both are whole processes, their start included. The pairs' bootstrap is left out of the first figure (goal: ≤ 3 times
the yardstick); the second is of the command as it is, which draws it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.p1_read_journal import make_campaign
from tests.benchmarks.turns import module, whole

if TYPE_CHECKING:
    from oakbench_core.intervals import Interval, Resampling

NAME = "tests.benchmarks.p2_report"
YARDSTICK = """
import sys, numpy, orjson
with open(sys.argv[1], "rb") as file:
    for line in file:
        orjson.loads(line)
"""


def report_without_bootstrap(folder: Path) -> None:
    from oakbench_core.campaign.report import report_ledger
    from oakbench_core.durable.documents import load_plan
    from oakbench_core.durable.reading import read_journal
    from oakbench_core.intervals import Interval

    def nothing_drawn(_: Resampling) -> Interval:
        return Interval(0.0, 0.0)

    ledger = read_journal(folder, load_plan(folder)).ledger_after_recovery
    summary = report_ledger(ledger, resample=nothing_drawn)
    sys.stdout.write(json.dumps(summary, ensure_ascii=False, indent=1, allow_nan=False))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trials", type=int, nargs="?", default=100_000)
    parser.add_argument("--small", action="store_true", help="only see that it works: 1,000 trials")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        report_without_bootstrap(options.work)
        return
    trials = 1_000 if options.small else options.trials
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make_campaign(folder, 2 * trials)
        seconds = whole(
            {
                "report": module(NAME, "--work", folder),
                "yardstick": [sys.executable, "-c", YARDSTICK, str(folder / "journal.jsonl")],
                "command": module("oakbench_tui", "report", folder, "--format", "json"),
            }
        )
    ratio = seconds["report"] / seconds["yardstick"]
    sys.stdout.write(
        f"P2 {trials:,} trials: report without bootstrap {seconds['report']:.2f} s, yardstick "
        f"{seconds['yardstick']:.2f} s, ratio {ratio:.2f} (goal: 3); the command as it is {seconds['command']:.2f} s\n"
    )


if __name__ == "__main__":
    main()

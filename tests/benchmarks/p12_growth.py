"""P12: what each trial costs as campaigns grow: reading (P1), reporting (P2), opening the console (P7), its memory.

    python -m tests.benchmarks.p12_growth [TRIALS …] [--small]

Prints for 1,000, 10,000, 100,000 and 500,000 trials, each with a start and an end on file: processor microseconds a
trial for reading the journal and for a whole report, seconds from the start to the first paint, and bytes a trial that
the console holds above the plan once it has read everything (goals: linear or better, ≤ 250).
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks import p1_read_journal, p2_report
from tests.benchmarks.console_stage import Console, watch
from tests.benchmarks.p1_read_journal import make_campaign
from tests.benchmarks.turns import module, told, whole

SIZES = (1_000, 10_000, 100_000, 500_000)
PLAN_MB = """
import sys, json
from pathlib import Path
from oakbench_core.durable.documents import load_plan
from tests.benchmarks.turns import resident_mb
load_plan(Path("tests/recorded"))  # whatever reading a plan loads is loaded
before_mb = resident_mb()
plan = load_plan(Path(sys.argv[1]))
print(json.dumps([0, resident_mb() - before_mb]))
"""


class Cost(NamedTuple):
    read_us: float
    report_us: float
    paint_s: float
    console_mb: float


def console(folder: Path) -> tuple[float, float]:
    """Seconds to the first paint; megabytes when all of the journal is on the screen."""
    with (folder / "journal.jsonl").open("rb") as file:
        file.seek(-4096, 2)
        newest = json.loads(file.readlines()[-1])["seq"]
    began = time.monotonic()
    screen = Console(*watch(folder))
    try:
        seen, painted = screen.until(lambda seen: b"benchmark" in seen, 120)
        if f"{newest:,}".encode() not in seen:
            screen.until(lambda seen: f"{newest:,}".encode() in seen, 120)
        screen.read(1.0)
        status = Path(f"/proc/{screen.process.pid}/status").read_text().splitlines()
        memory = next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS:"))
    finally:
        screen.close()
    return painted - began, memory


def measured(folder: Path, trials: int) -> Cost:
    make_campaign(folder, 2 * trials)
    read = told({"read": module(p1_read_journal.NAME, "--work", "read", "--keep", folder)})["read"].seconds
    report = whole({"report": module(p2_report.NAME, "--work", folder)})["report"]
    painted, memory = console(folder)
    return Cost(read / trials * 1e6, report / trials * 1e6, painted, memory)


def main() -> None:
    given = [argument for argument in sys.argv[1:] if argument != "--small"]
    sizes = [int(argument) for argument in given] or ([200, 1_000] if "--small" in sys.argv else list(SIZES))
    base: tuple[int, float] | None = None
    for trials in sizes:
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root)
            cost = measured(folder, trials)
            plan_mb = told({"plan": [sys.executable, "-c", PLAN_MB, str(folder)]})["plan"].megabytes
        held_mb = cost.console_mb - plan_mb
        above = "" if base is None else f", {(held_mb - base[1]) * 2**20 / (trials - base[0]):,.0f} bytes a trial"
        base = base or (trials, held_mb)
        memory = f"console {cost.console_mb:,.0f} MB of which the plan {plan_mb:,.0f}{above}"
        sys.stdout.write(
            f"P12 {trials:,} trials: read {cost.read_us:.1f} µs, report {cost.report_us:.1f} µs a trial, "
            f"first paint {cost.paint_s:.2f} s, {memory}\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""P8 and P10: how soon an appended record is on the screen, and what the console costs while nothing is appended.

    python -m tests.benchmarks.p8_append_to_painted [APPENDS] [IDLE_SECONDS]

Prints the median and the 95th percentile from the append to its painted sequence number (goal: ≤ 150 ms at 10 Hz) and
how many of the appends were noticed; then processor time and bytes to the terminal a second of an idle console (goals:
≤ 0.7 %, ≤ 1 kB/s).
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.console_stage import Console, percentile, watch
from tests.tui.staging import live_stage, writer_lives


def append_to_painted(folder: Path, appends: int) -> list[float]:
    stage = live_stage(folder, ended=0, running=0, budget_s=None)
    waited = []
    with writer_lives(stage.journal):
        console = Console(*watch(stage.folder, "--fps", "10"))
        try:
            console.until(lambda seen: b"LIVE" in seen)
            console.read(1.0)
            for place in range(appends):
                stage.start(place)
                began = time.monotonic()
                _, painted = console.until(lambda seen: bool(seen.strip()))
                waited.append(painted - began)
                console.read(0.35)
        finally:
            console.close()
    return waited


def idle(folder: Path, seconds: float) -> tuple[float, float]:
    """Percent of one processor, and bytes a second."""
    stage = live_stage(folder, running=0)
    stage.close("signal", 130)
    console = Console(*watch(stage.folder))
    try:
        console.until(lambda seen: b"STOPPED" in seen)
        console.read(2.0)
        before = console.cpu_s()
        written = len(console.read(seconds))
        return (console.cpu_s() - before) / seconds * 100, written / seconds
    finally:
        console.close()


def main() -> None:
    given = [argument for argument in sys.argv[1:] if argument != "--small"]
    small = "--small" in sys.argv
    appends = int(given[0]) if given else 4 if small else 25
    seconds = float(given[1]) if len(given) > 1 else 1 if small else 20
    with tempfile.TemporaryDirectory() as root:
        waited = append_to_painted(Path(root) / "live", appends)
        percent, rate = idle(Path(root) / "idle", seconds)
    middle, late = percentile(waited, 0.5) * 1000, percentile(waited, 0.95) * 1000
    figures = f"median {middle:.0f} ms, 95th percentile {late:.0f} ms"
    sys.stdout.write(f"append to painted: {len(waited)} of {appends} noticed, {figures}\n")
    sys.stdout.write(f"idle: {percent:.2f} % of a processor, {rate:.0f} bytes a second to the terminal\n")


if __name__ == "__main__":
    main()

"""P11: what a run takes for a trial beside the trial's own work, against the start of one bare Python process.

    python tests/benchmarks/p11_trial_overhead.py [TRIALS] [--small]

A no-op agent (`true`), an empty fixture, one oracle check (`true`), the durable journal included; one trial at a time,
in this process. Prints the time of a trial, the yardstick's, and their ratio (goal: ≤ 3). The best of three rounds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from oakbench_core.durable.documents import load_plan
from oakbench_core.running.definition_file import run_settings
from oakbench_core.running.freezing import freeze
from oakbench_core.running.runner import RunRequest, run_campaign
from oakbench_core.running.stopping import StopSwitch

ROUNDS = 3
DEFINITION = """
[campaign]
id = "overhead"
repetitions = {trials}
timeout_s = 60
[run]
min_free_gib = 0
keep_workspaces = "none"
[subjects.s]
[agents.a]
adapter = "command"
argv = ["true"]
[workflows.w]
version = 1
fixture = "empty"
prompts.plain = "nothing"
oracle = {{ version = 1, checks = [{{ name = "ok", run = ["true"] }}] }}
"""


class Unheard:
    """A listener that says nothing; it notes when the run began."""

    def __init__(self) -> None:
        self.begun = 0.0

    def opened(self, _: object) -> None:
        self.begun = time.perf_counter()

    def repaired(self, _: object) -> None: ...
    def noticed(self, _: object) -> None: ...
    def started(self, _: object) -> None: ...
    def ended(self, _: object) -> None: ...
    def interrupted(self, _: object) -> None: ...
    def holding(self, _: object) -> None: ...
    def stopping(self, _: object, __: object) -> None: ...


def trial_s(place: Path, trials: int) -> float:
    (place / "empty").mkdir()
    (place / "campaign.toml").write_text(DEFINITION.format(trials=trials))
    folder = freeze(place, place / "campaign").folder
    request = RunRequest(
        plan=load_plan(folder),
        folder=folder,
        settings=run_settings(folder),
        environment=os.environ | {"XDG_STATE_HOME": str(place / "state")},
        tool="p11",
        clock=lambda: datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    )
    listener = Unheard()
    end = run_campaign(request, StopSwitch(), listener)
    seconds = time.perf_counter() - listener.begun
    if end.code:
        raise SystemExit(f"the run ended with {end.code}: {end.detail}")
    return seconds / trials


def bare_python_s(times: int) -> float:
    begun = time.perf_counter()
    for _ in range(times):
        subprocess.run([sys.executable, "-c", "pass"], check=True)
    return (time.perf_counter() - begun) / times


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("trials", nargs="?", type=int, default=100)
    parser.add_argument("--small", action="store_true", help="few trials, to see that it works")
    arguments = parser.parse_args()
    trials = 5 if arguments.small else arguments.trials
    ours, yardstick = [], []
    for _ in range(1 if arguments.small else ROUNDS):
        yardstick.append(bare_python_s(max(trials // 5, 3)))
        with tempfile.TemporaryDirectory() as place:
            ours.append(trial_s(Path(place), trials))
    sys.stdout.write(
        f"a trial: {min(ours) * 1000:.1f} ms; bare Python: {min(yardstick) * 1000:.1f} ms; "
        f"ratio {min(ours) / min(yardstick):.2f} (goal: at most 3)\n"
    )


if __name__ == "__main__":
    main()

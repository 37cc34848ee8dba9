"""P9: `report`, `status` and `verify` of a small campaign, against a typer command that prints.

    python -m tests.benchmarks.p9_start [ROUNDS] [--small]

Prints processor seconds of whole processes, the least of some rounds in turns, and the ratios (goal: ≤ 2).
"""

from __future__ import annotations

import sys

from tests.benchmarks.turns import ROOT, module, whole

PRINTS = """
import typer
app = typer.Typer()
@app.command()
def prints(word: str = "hello"):
    typer.echo(word)
app()
"""
COMMANDS = ("report", "status", "verify")


def main() -> None:
    given = [int(argument) for argument in sys.argv[1:] if argument != "--small"]
    rounds = given[0] if given else 1 if "--small" in sys.argv else 7
    folder = ROOT / "tests" / "recorded"
    seconds = whole(
        {"typer": [sys.executable, "-c", PRINTS]}
        | {command: module("oakbench_tui", command, folder) for command in COMMANDS},
        rounds,
    )
    figures = ", ".join(
        f"{command} {seconds[command]:.2f} s ({seconds[command] / seconds['typer']:.1f} times)" for command in COMMANDS
    )
    sys.stdout.write(f"P9 start: {figures}; a typer command {seconds['typer']:.2f} s (goal: 2 times)\n")


if __name__ == "__main__":
    main()

"""Works measured in processes of their own, in turns, so that whatever else a machine does falls on all of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent.parent


class Figure(NamedTuple):
    """Processor seconds (user and system), the least of all rounds, and megabytes, the most of all rounds."""

    seconds: float
    megabytes: float


def cpu_s(command: Sequence[str]) -> float:
    """Of a whole process, its start included."""
    before = os.times()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr.decode(errors='replace')[-500:]}")
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def whole(commands: Mapping[str, Sequence[str]], rounds: int = 3) -> dict[str, float]:
    """The least processor seconds of each command, as whole processes."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            taken[name].append(cpu_s(command))
    return {name: min(seconds) for name, seconds in taken.items()}


def told(commands: Mapping[str, Sequence[str]], rounds: int = 3) -> dict[str, Figure]:
    """Of commands that print [seconds, megabytes] of what they did."""
    figures: dict[str, list[list[float]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{command}: {done.stderr.decode(errors='replace')[-500:]}")
            figures[name].append(json.loads(done.stdout))
    return {
        name: Figure(min(seconds for seconds, _ in found), max(megabytes for _, megabytes in found))
        for name, found in figures.items()
    }


def module(name: str, *arguments: object) -> list[str]:
    """The command that runs a module of this tree."""
    return [sys.executable, "-m", name, *map(str, arguments)]


def resident_mb(*, peak: bool = False) -> float:
    """Memory of this process now, or the most since `forget_peak`."""
    field = "VmHWM:" if peak else "VmRSS:"
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")

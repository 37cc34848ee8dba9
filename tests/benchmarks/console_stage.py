"""Large staged campaigns for the console's benchmarks, and the real program on a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.campaigns import plan_document
from tests.tui.staging import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent.parent
ROWS, COLUMNS = 48, 160


def large_plan(trials: int) -> dict[str, Any]:
    """At least so many trials: 2 workflows, 5 tasks, 2 subjects, as many repetitions as it takes."""
    return plan_document(
        workflows=("bugfix", "upkeep"),
        tasks=("null-check", "lost-commit", "tidy-imports", "rename-api", "off-by-one"),
        subjects=("git", "hg"),
        repetitions=-(-trials // 20),
        timeout_s=600,
        mock=True,
        campaign_id="large",
    )


class Console:
    """The real program on a pseudo-terminal of 160 × 48; what it writes is collected."""

    def __init__(self, *command: str) -> None:
        self.descriptor, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color"}
        self.process = subprocess.Popen(
            command, stdin=inside, stdout=inside, stderr=inside, env=environment, cwd=ROOT, start_new_session=True
        )
        os.close(inside)

    def read(self, seconds: float) -> bytes:
        """What is written within so many seconds."""
        seen = b""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.descriptor], [], [], left)[0]:
                seen += os.read(self.descriptor, 1 << 16)
        return seen

    def until(self, holds: Callable[[bytes], object], patience_s: float = 60) -> tuple[bytes, float]:
        """What was written until it holds, and when that was (monotonic seconds)."""
        seen = b""
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            if select.select([self.descriptor], [], [], 0.5)[0]:
                seen += os.read(self.descriptor, 1 << 16)
                if holds(seen):
                    return seen, time.monotonic()
        raise TimeoutError(f"it never came: {seen[-300:]!r}")

    def cpu_s(self) -> float:
        """Processor seconds that the program has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.descriptor)


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def watch(folder: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "oakbench_tui", "watch", str(folder), *options]


__all__ = ["Console", "Stage", "large_plan", "percentile", "watch"]

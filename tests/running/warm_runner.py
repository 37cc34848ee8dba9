"""A program that runs `oakbench-tui run` again and again and kills it each time: `python -m tests.running.warm_runner`.

For each line `FOLDER GROWTHS DELAY_S` on its standard input it forks itself (its modules are loaded by then, so that
two hundred kills take a minute), the fork runs the command as it is, in a session of its own, and is killed (SIGKILL)
so many seconds after its journal has grown so many times; without delay that is mostly inside of a write. Then it
prints how many lines follow, and these: what the command had printed of trials that ended, which is acknowledged.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from oakbench_core.running import definition_file, readiness, runner, stopping
from oakbench_tui.cli.main import run

_PATIENCE_S = 30.0
LOADED = (definition_file, readiness, runner, stopping)  # what the command imports when it runs


def killed(folder: Path, growths: int, delay_s: float) -> list[str]:
    journal, ended = folder / "journal.jsonl", False
    to_read, to_write = os.pipe()
    victim = os.fork()
    if not victim:
        os.setsid()
        os.dup2(to_write, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os._exit(run(["run", str(folder)]))
    os.close(to_write)
    patience = time.monotonic() + _PATIENCE_S
    size = _size(journal)
    while growths and not ended and time.monotonic() < patience:
        ended = os.waitid(os.P_PID, victim, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        if (grown := _size(journal)) != size:
            size, growths = grown, growths - 1
    time.sleep(delay_s)
    os.kill(victim, signal.SIGKILL)
    with os.fdopen(to_read) as said:
        lines = said.readlines()
    os.waitpid(victim, 0)
    return lines


def _size(journal: Path) -> int:
    try:
        return journal.stat().st_size
    except FileNotFoundError:
        return 0


def main() -> None:
    for order in sys.stdin:
        folder, growths, delay_s = order.rsplit(" ", 2)
        lines = killed(Path(folder), int(growths), float(delay_s))
        sys.stdout.write(f"{len(lines)}\n{''.join(lines)}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

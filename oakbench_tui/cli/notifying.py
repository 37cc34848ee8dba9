"""`--notify CMD`: one command at the end of a run, whatever ended it, so that somebody wakes up.

It is the user's own, in the user's own environment. Its standard input is what the run said at its end; how it ended
stands in OAKBENCH_CODE, OAKBENCH_REASON and OAKBENCH_FOLDER. That it fails changes nothing of the run.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from oakbench_core.errors import ExitCode, OakbenchError
from oakbench_tui.cli.output import say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONGEST_S: Final = 60


class Note(Protocol):
    """Says how the run ended, for the command to know."""

    def __call__(self, code: int, reason: str, said: str = "") -> None: ...


@contextmanager
def notified(command: str | None, folder: Path) -> Iterator[Note]:
    """Run the command when this ends: with what was noted, or with the error that ended it."""
    noted: list[tuple[int, str, str]] = []

    def note(code: int, reason: str, said: str = "") -> None:
        noted.append((code, reason, said))

    try:
        yield note
    except OakbenchError as error:
        note(error.exit_code, "error", str(error))
        raise
    except Exception as error:
        note(ExitCode.DEFECT, "defect", type(error).__name__)
        raise
    finally:
        if command is not None and noted:
            _notify(command, folder, *noted[-1])


def _notify(command: str, folder: Path, code: int, reason: str, said: str) -> None:
    """Run the command with `sh -c`, for a minute at most."""
    facts = {"OAKBENCH_CODE": str(code), "OAKBENCH_REASON": reason, "OAKBENCH_FOLDER": str(folder)}
    try:
        done = subprocess.run(
            ["sh", "-c", command],  # noqa: S607 - the shell of the user's PATH
            input=said.encode(errors="replace"), env={**os.environ, **facts}, timeout=LONGEST_S, check=False, stdout=2,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        say(f"--notify did not end within {LONGEST_S} s")
    except KeyboardInterrupt:
        say("--notify was broken off")
    except OSError as error:
        say(f"--notify could not be started: {error.strerror}")
    else:
        if done.returncode:
            say(f"--notify ended with {done.returncode}")

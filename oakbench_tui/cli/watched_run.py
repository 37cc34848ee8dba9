"""A run with the console on it: the runner is a process of its own, and the console only reads its journal.

Closing the console leaves the run to its end, with lines of progress. The run never outlives us: whatever ends us ends
it in order, as after one ctrl+c.
"""

from __future__ import annotations

from signal import Signals
from typing import TYPE_CHECKING, Final

from oakbench_tui.cli.companion import Companion
from oakbench_tui.cli.output import say
from oakbench_tui.cli.terminal import console_looks, while_there_is_a_terminal

if TYPE_CHECKING:
    from pathlib import Path

_LAST_LINES: Final = 4
_ENDS_IN_ORDER: Final = "no further trial is started, and the running ones go to their end"
_GOES_ON: Final = (
    "the console is closed, and the run goes on here",
    "ctrl+c: no further trial, the running ones go to their end; ctrl+c again: these are ended too",
)


def run_watched(folder: Path, options: list[str]) -> int:
    """Run a campaign with the console on it: the run's exit code, or 128 and the number of the signal that ended us.

    Args:
        folder: the campaign's.
        options: of `run`, as on a command line.
    """
    from oakbench_tui.app import run_console

    looks, ended_by = console_looks(), 0
    with Companion(folder, options) as runner:
        if runner.has_begun(folder):
            with while_there_is_a_terminal():
                ended_by = run_console(folder, ascii_only=looks.ascii_only, no_color=looks.no_color)
            if runner.ended:
                for line in runner.last_lines(_LAST_LINES):
                    say(line)
            elif ended_by:
                runner.last_lines(0)
                say(f"the console was ended by {Signals(ended_by - 128).name}: {_ENDS_IN_ORDER}")
                runner.leave_alone()
            else:
                runner.last_lines(0)
                for line in _GOES_ON:
                    say(line)
        with runner.signals_handed_on():
            for line in runner.lines():
                say(line)
        return ended_by or runner.code

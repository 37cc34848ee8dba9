"""The program's first and last moments: ctrl+c and streams seen to, arguments in, one exit code out.

Errors become messages and exit codes here and nowhere else; no traceback reaches a user. Nothing is imported before
ctrl+c is seen to, not even from the standard library: it would be broken off in the middle, and say where.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # the standard library's own is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn


def run(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code (docs/exit-codes.md has the table)."""
    from oakbench_tui.cli.program import app

    return exit_code_of(lambda: app(args=arguments))


def exit_code_of(command: Callable[[], object]) -> int:
    """Run it; what goes wrong becomes a message and an exit code."""
    from oakbench_core.errors import ExitCode, OakbenchError
    from oakbench_tui.cli.interrupting import INTERRUPTED, was_interrupted
    from oakbench_tui.cli.output import PIPE_CLOSED, PipeClosedError, say_error
    from oakbench_tui.cli.refusals import answered

    try:
        command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except PipeClosedError:
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except OakbenchError as error:
        say_error(error)
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the last place where a defect of ours can be kept off the screen
        return INTERRUPTED if was_interrupted() else answered(error)
    return ExitCode.DONE


def main() -> None:
    """Run the command that the process was started for."""
    start(run)


def start(command: Callable[[], int]) -> NoReturn:
    """Be a process that runs this, and ends with its exit code."""
    try:
        from oakbench_tui.cli.interrupting import end_at_once, interruptible

        end_at_once()
    except KeyboardInterrupt:
        sys.exit(130)
    from oakbench_tui.cli import program  # noqa: F401 - the slow part of starting
    from oakbench_tui.cli.output import make_streams_ready

    make_streams_ready()
    sys.exit(interruptible(command))

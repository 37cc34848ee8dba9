"""Errors that no command has expected: what the system refuses is told as that, everything else is a defect of ours."""

from __future__ import annotations

import errno
from typing import Final

from oakbench_core.errors import ExitCode, PlatformError, Problem
from oakbench_tui.cli.crash import write_crash_file
from oakbench_tui.cli.output import PIPE_CLOSED, PipeClosedError, put, say, say_error

_REFUSALS: Final = frozenset(
    {
        errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE,
        errno.ENOMEM, errno.ENAMETOOLONG, errno.ELOOP, errno.ESTALE,
    }
)  # fmt: skip
"""What a system says of its state and not of our calls."""


def answered(error: Exception) -> int:
    """Say what became of an error that reached the end of the program; its exit code."""
    if isinstance(error, OSError):
        try:
            put("")  # the library of the command line writes help by itself, and leaves to us what it could not write
        except PipeClosedError:
            return PIPE_CLOSED
        except PlatformError as refusal:
            say_error(refusal)
            return refusal.exit_code
        if error.errno in _REFUSALS:
            say_error(_refusal(error))
            return ExitCode.PLATFORM
    return _defect(error)


def _refusal(error: OSError) -> PlatformError:
    rule = f"the system refuses: {error.strerror}"
    file = error.filename if isinstance(error.filename, str) else None
    return PlatformError(rule, [Problem(file=file, rule=rule)], next_step="see to that, and give the command again")


def _defect(error: Exception) -> int:
    name = type(error).__name__
    try:
        place = write_crash_file(error)
    except OSError as refused:
        say(f"oakbench: a defect of ours ({name}); its details could not be written down: {refused.strerror}")
        say("next: give the command again with a temporary folder (TMPDIR) that can be written to")
        return ExitCode.DEFECT
    say(f"oakbench: a defect of ours ({name}); the details are in {place}")
    say("next: please report it with that file; it names no value of your environment")
    return ExitCode.DEFECT

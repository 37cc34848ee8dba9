"""The one owner of stdout and stderr: data goes to stdout, messages go to stderr, and a closed pipe ends quietly."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from oakbench_core.display import display_safe

if TYPE_CHECKING:
    from oakbench_core.errors import OakbenchError

PIPE_CLOSED = 128 + signal.SIGPIPE


class PipeClosedError(Exception):
    """Whoever read our output has gone."""


def put(text: str) -> None:
    """Write data to stdout, as it is: callers pass text that is safe already."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes stdout once more at its end, and would complain there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise PipeClosedError from None


def put_line(text: str = "") -> None:
    put(f"{text}\n")


def say(text: str) -> None:
    """Write a message to stderr; hostile text in it is made visible."""
    try:
        sys.stderr.write(display_safe(text, keep_newlines=True) + "\n")
        sys.stderr.flush()
    except BrokenPipeError:
        raise PipeClosedError from None


def say_error(error: OakbenchError) -> None:
    """Every problem with its place, then the next step."""
    say(f"oakbench: {error}")
    if error.next_step:
        say(f"next: {error.next_step}")

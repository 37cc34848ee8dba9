"""The one owner of stdout and stderr: data goes to stdout, messages go to stderr.

A reader that has gone ends a command quietly. A stdout that takes nothing more for another reason is told, since the
data are lost; a stderr that does is not, since there is nobody to tell. What a stream's encoding has no character for
becomes an escape.
"""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TextIO

from oakbench_core.display import display_safe, display_short, shown_problem
from oakbench_core.errors import PlatformError, Problem

if TYPE_CHECKING:
    from oakbench_core.errors import OakbenchError

PIPE_CLOSED = 128 + signal.SIGPIPE
MOST_PROBLEMS: Final = 200
_STREAMS: Final = ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_RDWR))
_CLOSED: Final = "it is closed"


class PipeClosedError(Exception):
    """Whoever read our output has gone."""


def make_streams_ready() -> None:
    """To be called first: no file of ours takes the number of a stream that was closed, and every character is shown.

    A closed stdout is made one that refuses to be written to, so that its data are not lost without a word.
    """
    for number, flags in _STREAMS:
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # the lowest number that is free
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - of a descriptor, for good
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def put(text: str) -> None:
    """Write data to stdout, as it is: callers pass text that is safe already.

    Raises:
        PipeClosedError: whoever read it has gone.
        PlatformError: stdout takes nothing more.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _let_go(sys.stdout)
        raise PipeClosedError from None
    except OSError as error:
        _let_go(sys.stdout)
        reason = _CLOSED if error.errno == errno.EBADF else error.strerror or str(error)
        rule = f"what this command prints cannot be written: {reason}"
        raise PlatformError(
            f"stdout: {rule}",
            [Problem(file="stdout", rule=rule)],
            next_step="send it to a place that takes it; whatever else the command did is done",
        ) from error


def put_line(text: str = "") -> None:
    put(f"{text}\n")


def put_json(text: str) -> None:
    """Write JSON to stdout; what its encoding has no character for stands there as an escape of JSON."""
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = "".join(
            character if character.isascii() else json.dumps(character, ensure_ascii=True)[1:-1] for character in text
        )
    put(text)


def say(text: str) -> None:
    """Write a message to stderr; hostile text in it is made visible. A message that nobody can read is no failure."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(display_safe(text, keep_newlines=True) + "\n")
        sys.stderr.flush()
    except OSError:
        _let_go(sys.stderr)


def say_error(error: OakbenchError) -> None:
    """Every problem with its place, each cut to what a person can read, then the next step."""
    headline, problems = error.headline, error.problems
    lines = [str(shown_problem(problem)) for problem in problems[:MOST_PROBLEMS]]
    if headline is not None:
        lines = [display_short(headline), *(f"  {line}" for line in lines)]
    if len(problems) > MOST_PROBLEMS:
        lines.append(f"  … and {len(problems) - MOST_PROBLEMS:,} more problems")
    say("oakbench: " + "\n".join(lines))
    if error.next_step:
        say(f"next: {error.next_step}")


def _let_go(stream: TextIO) -> None:
    """Have what is still in the stream's buffer go nowhere: the interpreter would fail on it once more at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)

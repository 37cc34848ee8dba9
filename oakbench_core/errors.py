"""Every error that is the input's fault, and the one table of exit codes.

An error carries *all* problems found in its document, each with its place, so that nobody mends one line only to
meet the next. Text inside a problem may be hostile: whoever shows it to a person passes it through `display_safe`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


class ExitCode(IntEnum):
    """One table for all commands; `PRECEDENCE` says which wins where several apply."""

    DONE = 0
    GATE_NOT_MET = 1
    USAGE = 2
    INCOMPLETE = 10
    WRITER_LIVE = 11
    BUDGET = 12
    SELF_STOPPED = 13
    TORN = 20
    UNCERTAIN = 21
    INVALID = 30
    IDENTITY = 31
    MISSING_RECORDS = 32
    REFUSED = 40
    LOCKED = 41
    PLATFORM = 42
    POISONED = 43
    DEFECT = 70


PRECEDENCE: Final = (70, 2, 43, 41, 42, 31, 40, 32, 30, 21, 20, 13, 11, 12, 10, 1, 0)
"""Where several codes apply, the first of this order is the one that is returned."""


def strongest(codes: Iterable[int]) -> ExitCode:
    """The one code of several that a command returns; 0 of none."""
    return ExitCode(min(codes, key=PRECEDENCE.index, default=ExitCode.DONE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with an input.

    `rule` says what was expected and what was found; `file` is the path as the user gave it; `byte` is the offset from
    the start of the file, `line` counts from 1, `path` is a JSON path such as `$.schedule[3].timeout_s`.
    """

    rule: str
    file: str | None = None
    line: int | None = None
    byte: int | None = None
    path: str | None = None

    @property
    def place(self) -> str:
        """Where it is, in words: empty if nothing more is known than the rule."""
        parts = [
            self.file or "",
            f"line {self.line:,}" if self.line is not None else "",
            f"byte {self.byte:,}" if self.byte is not None else "",
            self.path or "",
        ]
        return ", ".join(part for part in parts if part)

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}" if self.place else self.rule


class OakbenchError(Exception):
    """The base of every error that is the input's fault.

    `problems` holds everything found, at least one entry; `next_step` is what the user can do now, if that is known.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.REFUSED

    def __init__(self, message: str, problems: Iterable[Problem] = (), *, next_step: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.problems = tuple(problems) or (Problem(rule=message),)
        self.next_step = next_step

    @property
    def file(self) -> str | None:
        return self.problems[0].file

    @property
    def line(self) -> int | None:
        return self.problems[0].line

    @property
    def path(self) -> str | None:
        return self.problems[0].path

    @property
    def rule(self) -> str:
        return self.problems[0].rule

    def __str__(self) -> str:
        listed = [str(problem) for problem in self.problems]
        return self.message if listed == [self.message] else "\n  ".join([self.message, *listed])


class UsageError(OakbenchError):
    """A path that is not there, an output that exists, a console without a terminal."""

    exit_code = ExitCode.USAGE


class DocumentError(OakbenchError):
    """A plan, definition, row or book that is refused."""

    exit_code = ExitCode.REFUSED


class IdentityError(OakbenchError):
    """A plan, record or input that is sound but is not the frozen one."""

    exit_code = ExitCode.IDENTITY


class JournalError(OakbenchError):
    """A journal, or a list of events, that proves nothing because something in it is invalid."""

    exit_code = ExitCode.INVALID


class LockedError(OakbenchError):
    """Another runner writes this journal."""

    exit_code = ExitCode.LOCKED


class PlatformError(OakbenchError):
    """A file system, platform, owner or permission that the promise of durability cannot be kept on."""

    exit_code = ExitCode.PLATFORM


class PoisonedError(OakbenchError):
    """The outcome of a write is unknown, so nothing more is written."""

    exit_code = ExitCode.POISONED

"""The oracle of a trial: its checks in the plan's order, after everything that the agent started is gone.

A check passes or fails; it is unmeasured where a program that it needs is missing or cannot be started, and that is
never the agent's failure. A program inside the workspace is the agent's work: where it is missing, the check fails.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

from oakbench_core.campaign.vocabulary import CheckStatus
from oakbench_core.running.executables import find_executable
from oakbench_core.running.globs import matches
from oakbench_core.running.supervise.channel import NOT_STARTED, TIMED_OUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oakbench_core.campaign.plan_document import ChangesCheck, Check, CommandCheck, FileCheck
    from oakbench_core.running.changes import Change
    from oakbench_core.running.commands import Finished, TrialCommands

TIMED_OUT_DETAIL: Final = "timed out"
LARGEST_SEARCHED: Final = 64 << 20
_EXCERPT: Final = 120


class Judged(NamedTuple):
    """The result of one check; `output` are the files that its command wrote, if it ran one."""

    name: str
    status: CheckStatus
    detail: str | None = None
    instrument: str | None = None
    argv: tuple[str, ...] = ()
    output: tuple[Path, ...] = ()


def judge(checks: Sequence[Check], commands: TrialCommands, changes: Sequence[Change]) -> Iterator[Judged]:
    """Every check's result; one that is unmeasured keeps no other from being made.

    Raises:
        AttemptInterruptedError, TrialFailureError, SupervisorLostError: as `TrialCommands.supervised`.
    """
    for check in checks:
        match check.kind:
            case "command":
                yield _command(check, commands)
            case "file":
                detail = _file_problem(check, commands.places.workspace)
                yield _verdict(check.name, detail)
            case "changes":
                yield _verdict(check.name, _changes_problem(check, [change.path for change in changes]))
            case _ as never:
                assert_never(never)


def report(judged: Judged) -> Iterator[bytes]:
    """What the `oracle` artifact says of one check: its result, command and output."""
    said = judged.status.value if judged.detail is None else f"{judged.status.value}, {judged.detail}"
    yield f"== {judged.name}: {said}\n".encode(errors="replace")
    if judged.argv:
        yield f"$ {shlex.join(judged.argv)}\n".encode(errors="replace")
    for stream, path in zip(("stdout", "stderr"), judged.output, strict=False):
        with suppress(FileNotFoundError):
            content = path.read_bytes()
            if content:
                yield f"-- {stream}\n".encode() + content + (b"" if content.endswith(b"\n") else b"\n")
    yield b"\n"


def _verdict(name: str, problem: str | None) -> Judged:
    return Judged(name, CheckStatus.PASS if problem is None else CheckStatus.FAIL, problem)


def _command(check: CommandCheck, commands: TrialCommands) -> Judged:
    instrument = check.instruments[0] if check.instruments else None
    path = commands.environment["PATH"]
    argv = commands.argv(check.run)
    for name in check.instruments:
        if find_executable(name, path) is None:
            return Judged(check.name, CheckStatus.UNMEASURED, f"{name} is not installed", name, tuple(argv))
    finished = commands.run(argv, timeout_s=check.timeout_s)
    output = (finished.stdout, finished.stderr)
    if finished.outcome.cause == NOT_STARTED:
        own = _is_inside(argv[0], commands.places.workspace)
        status = CheckStatus.FAIL if own else CheckStatus.UNMEASURED
        return Judged(check.name, status, finished.outcome.problem, instrument or argv[0], tuple(argv), output)
    problem = _command_problem(check, finished)
    return _verdict(check.name, problem)._replace(instrument=instrument, argv=tuple(argv), output=output)


def _is_inside(program: str, workspace: Path) -> bool:
    """Whether the agent may have made the program: a name without a slash is looked up elsewhere."""
    return "/" in program and Path(os.path.normpath(workspace / program)).is_relative_to(workspace)


def _command_problem(check: CommandCheck, finished: Finished) -> str | None:
    outcome = finished.outcome
    if outcome.cause == TIMED_OUT:
        return TIMED_OUT_DETAIL
    if outcome.exit_code != check.exit:
        return f"exit {outcome.exit_code}, expected {check.exit}"
    return None if check.stdout is check.stdout_regex is None else _output_problem(check, finished)


def _output_problem(check: CommandCheck, finished: Finished) -> str | None:
    if finished.outcome.stdout_cut:
        return f"{finished.outcome.stdout_bytes:,} bytes on stdout are more than can be compared"
    found = finished.stdout.read_bytes().decode(errors="replace")
    # As in a shell's `$(…)`, the line feeds at the end do not count, unless they are asked for.
    if check.stdout is not None and check.stdout not in {found, found.rstrip("\n")}:
        return f"stdout is {_shown(found)}, expected {_shown(check.stdout)}"
    if check.stdout_regex is not None and not re.search(check.stdout_regex, found, re.MULTILINE):
        return f"stdout {_shown(found)} has no match of {_shown(check.stdout_regex)}"
    return None


def _shown(text: str) -> str:
    return repr(text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…")


def _file_problem(check: FileCheck, workspace: Path) -> str | None:
    path = workspace / check.path
    try:
        inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(workspace))
        if not check.present:
            return f"{check.path} is there" if os.path.lexists(path) else None
        if inside and not path.exists():
            return f"{check.path} is not there"
        if not inside:
            return f"{check.path} leads out of the workspace"
        return _content_problem(check, path)
    except OSError as error:
        return f"{check.path} cannot be read: {error.strerror}"


def _content_problem(check: FileCheck, path: Path) -> str | None:
    if check.contains is None and check.sha256 is None:
        return None
    if not stat.S_ISREG(path.stat().st_mode):
        return f"{check.path} is no regular file"
    with path.open("rb") as file:
        if check.sha256 is not None and hashlib.file_digest(file, "sha256").hexdigest() != check.sha256:
            return f"{check.path} has another content"
        file.seek(0)
        if check.contains is not None and check.contains.encode() not in file.read(LARGEST_SEARCHED):
            return f"{check.path} does not contain {_shown(check.contains)}"
    return None


def _changes_problem(check: ChangesCheck, changed: list[str]) -> str | None:
    if check.may_change is not None:
        outside = [path for path in changed if not any(matches(path, glob) for glob in check.may_change)]
        if outside:
            more = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
            return f"{outside[0]}{more} changed, which may not"
    for glob in check.must_change or ():
        if not any(matches(path, glob) for path in changed):
            return f"nothing of {glob} changed, which must"
    return None

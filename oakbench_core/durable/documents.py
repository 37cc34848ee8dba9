"""The plan and exported documents as files: read whole, written whole or not at all."""

from __future__ import annotations

import os
import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.plan import Plan, plan_from_document, plan_from_text
from oakbench_core.canonical import parse_strict
from oakbench_core.durable.journal import JOURNAL_NAME
from oakbench_core.durable.opening import expect_regular, failures_named, in_folder, read_whole
from oakbench_core.errors import DocumentError, OakbenchError, Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

PLAN_NAME: Final = "plan.json"
_EVIDENCE: Final = frozenset({PLAN_NAME, JOURNAL_NAME})
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def load_plan(path: Path | str) -> Plan:
    """The checked plan at `path`: a plan.json, or the campaign folder that holds one.

    Raises:
        UsageError: there is no such file, or none can have this name.
        PlatformError: it is no regular file, or may not be read.
        DocumentError: it is refused; every problem has the file, and a JSON path or a line.
        IdentityError: it is sound, but not the frozen one: its content does not give its hash.
    """
    file = in_folder(Path(path), PLAN_NAME)
    text = read_whole(file)
    plan = plan_from_text(text)
    if plan is not None:
        return plan
    value, problems = parse_strict(text)
    if problems:
        raise DocumentError("this plan is refused", in_file(problems, file))
    try:
        return plan_from_document(value)
    except OakbenchError as error:
        raise type(error)(error.message, in_file(error.problems, file), next_step=error.next_step) from None


def in_file(problems: Iterable[Problem], file: Path) -> list[Problem]:
    """The problems, said to be of that file."""
    return [replace(problem, file=str(file)) for problem in problems]


def write_document(path: Path, content: bytes, *, overwrite: bool = False) -> None:
    """Write an exported document: whoever looks, and whatever is killed, finds the old file or the whole new one.

    Raises:
        UsageError: the file exists and `overwrite` is not said; its folder is not there; it would take the name of a
            campaign's plan or journal.
        PlatformError: a symbolic link, a FIFO, a directory or a device stands there, or the system refuses.
    """
    if path.name in _EVIDENCE:
        rule = "this is the name of a campaign's own evidence, no report is written over it"
        raise UsageError(f"{path}: {rule}", [Problem(rule=rule, file=str(path))])
    with failures_named(path, "write it"):
        _write(path, content, overwrite=overwrite)


def expect_new(path: Path) -> None:
    """Refuse a path at which something stands, before the work that is to stand there; errors as `write_document`."""
    with failures_named(path, "write it"):
        _expect_free(path, overwrite=False)


def write_plan(path: Path, content: bytes) -> None:
    """Write a new plan.json; errors as `write_document`, and never over an existing one."""
    with failures_named(path, "write it"):
        write_new(path, content)


def write_new(path: Path, content: bytes) -> None:
    """Write a new file; whoever calls names what the system refuses.

    Raises:
        UsageError, PlatformError: something stands there.
        OSError: the system refuses.
    """
    _write(path, content, overwrite=False)


def _write(path: Path, content: bytes, *, overwrite: bool) -> None:
    _expect_free(path, overwrite=overwrite)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        _write_synced(temporary, content)
        if overwrite:
            temporary.replace(path)
        else:
            _put(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _expect_free(path: Path, *, overwrite: bool) -> None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    expect_regular(status, path)
    if not overwrite:
        raise _exists(path)


def _exists(path: Path) -> UsageError:
    rule = "it exists already, and nothing is written over it"
    return UsageError(f"{path}: {rule}", [Problem(rule=rule, file=str(path))])


def _write_synced(path: Path, content: bytes) -> None:
    descriptor = os.open(path, _NEW, 0o666)  # the user's umask decides
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _put(temporary: Path, path: Path) -> None:
    """Give the file its name, unless something took the name meanwhile: a link, unlike a rename, replaces nothing."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # a file system without hard links
        _expect_free(path, overwrite=False)
        temporary.replace(path)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, _FOLDER)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

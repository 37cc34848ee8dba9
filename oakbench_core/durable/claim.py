"""How a writer comes by its journal: its own regular file, locked, read to the end, and found fit to be appended to."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.lock import LockState
from oakbench_core.durable.opening import expect_regular
from oakbench_core.durable.tail import JournalState, TornTailError, UncertainTailError
from oakbench_core.errors import LockedError, OakbenchError, PlatformError, Problem

if TYPE_CHECKING:
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.files import FileLayer
    from oakbench_core.durable.fold import Fold

_TO_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def claim(path: Path, files: FileLayer) -> int:
    """A locked descriptor of the journal at `path`, created (0600) if need be.

    Raises:
        LockedError: someone else holds the lock; nothing was written.
        PlatformError: it is not a regular file of this user with this one name.
        OSError: the system refuses.
    """
    with suppress(FileNotFoundError):
        _expect_own(files.status_at(path), path)
    descriptor = files.open(path, _TO_APPEND, 0o600)
    try:
        status = files.status(descriptor)
        _expect_own(status, path)
        _lock(descriptor, path, files)
        if not status.st_size:
            _sync_folder(path.parent, files)
    except BaseException:
        files.close(descriptor)
        raise
    return descriptor


def _lock(descriptor: int, path: Path, files: FileLayer) -> None:
    if not files.lock(descriptor):
        rule = "another runner writes this journal"
        raise LockedError(f"{path}: {rule}", [Problem(rule=rule, file=str(path))])


def _expect_own(status: os.stat_result, path: Path) -> None:
    """Refuse what another name or another user could change behind the writer."""
    expect_regular(status, path)
    if status.st_nlink != 1:
        rule = f"expected a file with one name, found {status.st_nlink} hard links"
    elif status.st_uid != os.geteuid():
        rule = f"expected a file of the user {os.geteuid()}, found one of {status.st_uid}"
    else:
        return
    raise PlatformError(f"{path}: {rule}", [Problem(rule=rule, file=str(path))])


def _sync_folder(folder: Path, files: FileLayer) -> None:
    descriptor = files.open(folder, _FOLDER, 0)
    try:
        files.sync(descriptor)
    finally:
        files.close(descriptor)


def read_to_end(path: Path, plan: Plan, descriptor: int, files: FileLayer) -> Fold:
    """The fold of what is on file, while the lock is held.

    Raises:
        JournalError, IdentityError: what is on file may not be appended to.
        PlatformError: the file changes although this process holds its lock.
    """
    with JournalReader(path, plan, probe=lambda _: LockState.FREE) as reader:
        while reader.poll().more:
            pass
        opened, here = files.status(descriptor), files.status_at(path)
        if not os.path.samestat(opened, here) or opened.st_size != reader.size:
            rule = "the file was changed while it was read"
            raise PlatformError(f"{path}: {rule}", [Problem(rule=rule, file=str(path))])
        if error := _not_appendable(reader):
            raise error
        return reader.fold


def _not_appendable(reader: JournalReader) -> OakbenchError | None:
    state = reader.state
    if state in {JournalState.CLEAN, JournalState.EMPTY}:
        return None
    message = f"{reader.path}: nothing is appended to a journal that is {state}"
    kind = UncertainTailError if state is JournalState.UNCERTAIN_TAIL else TornTailError
    return reader.refusal or kind(message, reader.problems)

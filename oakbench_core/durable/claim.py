"""How a writer comes by its journal: its own regular file, locked, read to the end, and found fit to be appended to."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from oakbench_core.durable.files import sync_folder
from oakbench_core.durable.head import HEAD_SIZE, head_path
from oakbench_core.durable.host import file_system
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.lock import LockState
from oakbench_core.durable.opening import expect_regular
from oakbench_core.durable.tail import JournalState, TornTailError
from oakbench_core.errors import LockedError, PlatformError, Problem

if TYPE_CHECKING:
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.files import FileLayer

_TO_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_TO_OVERWRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
KNOWN_FILE_SYSTEMS: Final = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "overlay", "tmpfs"})


def claim(path: Path, files: FileLayer, *, create: bool = True) -> int:
    """A locked descriptor of the journal at `path`, created (0600) if need be and if `create`.

    Raises:
        LockedError: someone else holds the lock; nothing was written.
        PlatformError: it is not a regular file of this user with this one name, or the platform is not Linux.
        OSError: the system refuses.
    """
    if sys.platform != "linux":
        rule = "a journal is written and recovered on Linux only; reading, reports and the console work here"
        raise PlatformError(f"{path}: {rule}", [Problem(rule=rule, file=str(path))])
    with suppress(FileNotFoundError):
        _expect_own(files.status_at(path), path)
    descriptor = files.open(path, _TO_APPEND | (os.O_CREAT if create else 0), 0o600)
    try:
        status = files.status(descriptor)
        _expect_own(status, path)
        _lock(descriptor, path, files)
        if not status.st_size:
            sync_folder(path.parent, files)
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


def open_head(journal: Path, files: FileLayer) -> int:
    """A descriptor of the head beside a journal, created (0600) if need be; whoever asks holds the journal's lock.

    Raises:
        PlatformError: it is not a regular file of this user with this one name.
        OSError: the system refuses.
    """
    path = head_path(journal)
    with suppress(FileNotFoundError):
        _expect_own(files.status_at(path), path)
    descriptor = files.open(path, _TO_OVERWRITE, 0o600)
    try:
        status = files.status(descriptor)
        _expect_own(status, path)
        if status.st_size > HEAD_SIZE:  # no head of ours; what stands after one would spoil every later one
            files.truncate(descriptor, 0)
    except BaseException:
        files.close(descriptor)
        raise
    return descriptor


def read_to_end(path: Path, plan: Plan, descriptor: int, files: FileLayer) -> JournalReader:
    """A reader that has read what is on file, closed again, while the lock is held.

    Raises:
        JournalError, IdentityError: what is on file gives no results.
        PlatformError: the file changes although this process holds its lock.
    """
    with JournalReader(path, plan, probe=lambda _: LockState.FREE) as reader:
        while reader.poll().more:
            pass
        opened, here = files.status(descriptor), files.status_at(path)
        if not os.path.samestat(opened, here) or opened.st_size != reader.size:
            rule = "the file was changed while it was read"
            raise PlatformError(f"{path}: {rule}", [Problem(rule=rule, file=str(path))])
    if reader.refusal is not None:
        raise reader.refusal
    return reader


def expect_missing_rightly(path: Path, plan: Plan) -> None:
    """Refuse to make a journal where one is missing: its head or a broken-off recovery says that there was one.

    Raises:
        JournalError: it does.
    """
    with JournalReader(path, plan) as reader:
        reader.poll(max_bytes=0)
        if reader.refusal is not None:
            raise reader.refusal
        if reader.state is JournalState.RECOVERY_PENDING:
            message = f"{path}: the journal is gone, and a recovery of it was broken off"
            raise TornTailError(message, reader.problems, next_step="put the journal back from a copy")


def expect_file_system(path: Path, *, unsafe: bool) -> None:
    """Refuse a file system of which it is not known that it keeps what it has synced.

    Raises:
        PlatformError: it is not known, and `unsafe` does not say to go on.
    """
    kind = file_system(path.parent)
    if kind in KNOWN_FILE_SYSTEMS or unsafe or not path.parent.exists():
        return
    rule = f"durability is promised on {', '.join(sorted(KNOWN_FILE_SYSTEMS))}, this is {kind or 'unknown'}"
    raise PlatformError(
        f"{path.parent}: {rule}",
        [Problem(rule=rule, file=str(path.parent))],
        next_step="use a folder on one of them, or go on with --unsafe-filesystem, which the journal and reports say",
    )

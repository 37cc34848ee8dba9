"""Opening what others wrote: only regular files, never waiting, every failure with a name and the path."""

from __future__ import annotations

import errno
import os
import shlex
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from oakbench_core.errors import PlatformError, Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# NONBLOCK: opening a FIFO must not wait for its writer; between the look and the opening it may have become one.
_TO_READ: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_KINDS: Final = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
    stat.S_IFLNK: "a symbolic link",
}


@contextmanager
def failures_named(path: Path, doing: str) -> Iterator[None]:
    """Turn what the system refuses into an error that says what was being done to which path.

    Raises:
        UsageError: the path is not there, or is none that a file can have.
        PlatformError: the system refuses.
    """
    if not _can_name_a_file(path):
        raise _error(UsageError, path, f"cannot {doing}: no file can have this name")
    try:
        yield
    except FileNotFoundError:
        raise _error(UsageError, path, f"cannot {doing}: there is no such file") from None
    except (NotADirectoryError, FileExistsError):  # the second from making the folders above
        raise _error(UsageError, path, f"cannot {doing}: a part of the path is no directory") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise _error(UsageError, path, f"cannot {doing}: the name is too long") from None
        raise system_refusal(error, path, doing) from error


def system_refusal(error: OSError, path: Path | str, doing: str) -> PlatformError:
    """The error that says what was being done to which path when the system refused, and what may help."""
    reason = "permission denied" if error.errno == errno.EACCES else error.strerror or str(error)
    rule = f"cannot {doing}: {reason}"
    return PlatformError(
        f"{path}: {rule}", [Problem(rule=rule, file=str(path))], next_step=_what_may_help(error.errno, str(path))
    )


def _what_may_help(number: int | None, path: str) -> str | None:
    match number:
        case errno.EACCES | errno.EPERM:
            return f"`ls -ld {shlex.quote(path)}` shows whose it is and who may; the folders above it count too"
        case errno.ENOSPC | errno.EDQUOT:
            return "make room on that disk, or use another, and give the command again"
        case errno.EROFS:
            return "use a folder that can be written to"
        case _:
            return None


def _can_name_a_file(path: Path) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _error(kind: type[UsageError | PlatformError], path: Path, rule: str) -> UsageError | PlatformError:
    return kind(f"{path}: {rule}", [Problem(rule=rule, file=str(path))])


def in_folder(path: Path, name: str) -> Path:
    """The file of that name if `path` is a folder, else `path` itself.

    Raises:
        UsageError: no file can have this name.
    """
    with failures_named(path, "read it"):
        return path / name if path.is_dir() else path


def expect_regular(status: os.stat_result, path: Path) -> None:
    """Refuse a FIFO, directory, device, socket or symbolic link.

    Raises:
        PlatformError: it is one.
    """
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise _error(PlatformError, path, f"expected a regular file, found {kind}")


def open_to_read(path: Path) -> int:
    """A descriptor of the regular file at `path`, following symbolic links.

    Raises:
        UsageError: the path is not there.
        PlatformError: it is no regular file, or may not be read.
    """
    with failures_named(path, "read it"):
        expect_regular(path.stat(), path)
        descriptor = os.open(path, _TO_READ)
        try:
            expect_regular(os.fstat(descriptor), path)
        except BaseException:
            os.close(descriptor)
            raise
    return descriptor


def read_whole(path: Path) -> bytes:
    """The bytes of the regular file at `path`; errors as `open_to_read`."""
    descriptor = open_to_read(path)
    with os.fdopen(descriptor, "rb") as file, failures_named(path, "read it"):
        return file.read()

"""Files that an agent may have made, opened without being led astray: no link is followed, no FIFO is waited for."""

from __future__ import annotations

import errno
import os
import stat
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_regular(path: Path | str, folder: int | None = None) -> IO[bytes]:
    """The file at `path`, to be read; `folder` is the descriptor that a relative path begins at.

    Raises:
        OSError: it is not there, may not be read, or is no regular file.
    """
    try:
        descriptor = os.open(path, _FLAGS, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP:  # what the system says of NOFOLLOW, in words that mean something else to people
            raise OSError(errno.ELOOP, "a symbolic link, which is not followed", str(path)) from None
        raise
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise OSError(errno.EINVAL, "no regular file", str(path))

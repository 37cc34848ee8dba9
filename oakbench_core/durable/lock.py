"""The writer's lock and its probe: an open-file-description lock on the journal itself.

No lock file and no decision by PID. The kernel lets the lock go when the last copy of the descriptor is closed, however
the process ends; unlike a POSIX lock it survives that the same process opens and closes the file elsewhere.
"""

from __future__ import annotations

import errno
import struct
import sys
from enum import StrEnum
from typing import Final

_FLOCK: Final = "hhqqi4x"  # struct flock: type, whence, start, length, pid; OFD locks want the pid 0


class LockState(StrEnum):
    """What the probe can tell. FREE: no writer on this machine holds a lock that is seen from here."""

    HELD = "held"
    FREE = "free"
    UNKNOWN = "unknown"


class Liveness(StrEnum):
    """Whether someone writes the journal; UNKNOWN where a free lock proves nothing."""

    WRITING = "writing"
    FREE = "free"
    UNKNOWN = "unknown"


def take_lock(descriptor: int) -> bool:
    """Take the lock, at once or not at all; False: someone else holds it.

    Raises:
        OSError: the lock cannot be taken here at all (ENOTSUP on platforms without such locks).
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOTSUP, "no open-file-description locks on this platform")
    import fcntl

    wanted = struct.pack(_FLOCK, fcntl.F_WRLCK, 0, 0, 0, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, wanted)
    except OSError as error:
        if error.errno in {errno.EAGAIN, errno.EACCES}:
            return False
        raise
    return True


def probe_lock(descriptor: int) -> LockState:
    """Who holds the lock, without taking anything; a read-only descriptor will do."""
    if sys.platform != "linux":
        return LockState.UNKNOWN
    import fcntl

    asked = struct.pack(_FLOCK, fcntl.F_WRLCK, 0, 0, 0, 0)
    try:
        answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, asked)
    except OSError:  # file systems without locks
        return LockState.UNKNOWN
    kind = struct.unpack(_FLOCK, answer)[0]
    return LockState.FREE if kind == fcntl.F_UNLCK else LockState.HELD

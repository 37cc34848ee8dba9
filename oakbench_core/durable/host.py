"""What a writer says of its host in `opened`, and what a reader compares with it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_MOUNTS = Path("/proc/self/mountinfo")


def boot_id() -> str | None:
    """What tells this start of this machine from every other; None where the system does not say."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip() or None
    except OSError:
        return None


def host_name() -> str:
    return os.uname().nodename


def file_system(path: Path) -> str | None:
    """The type of the file system that holds `path` (such as `ext4`); None where the system does not say."""
    try:
        device, mounts = path.stat().st_dev, _MOUNTS.read_bytes()
    except OSError:
        return None
    real = os.fsencode(path.resolve())
    # Bind mounts share a device and btrfs shows another than it mounts: the deepest mount point decides.
    found = [mount for mount in _parsed(mounts) if _holds(mount[0], real)]
    same_device = [mount for mount in found if mount[1] == device]
    deepest = max(reversed(same_device or found), key=lambda mount: len(mount[0]), default=None)
    return None if deepest is None else deepest[2].decode(errors="replace")


def _parsed(mounts: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    """Mount point, device and type of each line of mountinfo(5)."""
    for line in mounts.splitlines():
        before, _, after = line.partition(b" - ")
        fields, kinds = before.split(b" "), after.split(b" ")
        if len(fields) < 5:
            continue
        major, _, minor = fields[2].partition(b":")
        point = fields[4].decode("unicode_escape").encode("latin-1")
        yield point, os.makedev(int(major), int(minor)), kinds[0]


def _holds(point: bytes, path: bytes) -> bool:
    return point in {b"/", path} or path.startswith(point + b"/")

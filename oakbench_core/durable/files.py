"""The file operations that a writer and a recovery need.

They are a layer of their own, so that every one of them can be made to fail.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, Protocol

from oakbench_core.durable.lock import take_lock

if TYPE_CHECKING:
    from pathlib import Path

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class FileLayer(Protocol):
    """What is asked of the system; every operation may raise OSError."""

    def open(self, path: Path, flags: int, mode: int) -> int:
        """A descriptor of `path`."""

    def write(self, descriptor: int, content: bytes) -> int:
        """One system call; the number of bytes that it took."""

    def write_at(self, descriptor: int, content: bytes, offset: int) -> int:
        """One system call, at a place of its own; the number of bytes that it took."""

    def truncate(self, descriptor: int, size: int) -> None:
        """Cut the open file back to its first `size` bytes."""

    def rename(self, source: Path, target: Path) -> None:
        """Give a file another name of the same folder, in one step."""

    def make_folder(self, path: Path, mode: int) -> None:
        """Make one folder; FileExistsError if something stands there."""

    def sync_data(self, descriptor: int) -> None:
        """Return when the file's bytes and size are durable."""

    def sync(self, descriptor: int) -> None:
        """Return when a file, or a folder's names, are durable."""

    def status(self, descriptor: int) -> os.stat_result:
        """Of the open file."""

    def status_at(self, path: Path) -> os.stat_result:
        """Of what stands at `path`, a symbolic link not followed."""

    def lock(self, descriptor: int) -> bool:
        """Take the writer's lock, at once or not at all."""

    def close(self, descriptor: int) -> None:
        """Let the file, and the lock on it, go."""


def sync_folder(folder: Path, files: FileLayer) -> None:
    """Return when the folder's names are durable."""
    descriptor = files.open(folder, _FOLDER, 0)
    try:
        files.sync(descriptor)
    finally:
        files.close(descriptor)


class SystemFiles:
    """The system itself."""

    def open(self, path: Path, flags: int, mode: int) -> int:
        return os.open(path, flags, mode)

    def write(self, descriptor: int, content: bytes) -> int:
        return os.write(descriptor, content)

    def write_at(self, descriptor: int, content: bytes, offset: int) -> int:
        return os.pwrite(descriptor, content, offset)

    def truncate(self, descriptor: int, size: int) -> None:
        os.ftruncate(descriptor, size)

    def rename(self, source: Path, target: Path) -> None:
        source.replace(target)

    def make_folder(self, path: Path, mode: int) -> None:
        path.mkdir(mode)

    def sync_data(self, descriptor: int) -> None:
        os.fdatasync(descriptor)

    def sync(self, descriptor: int) -> None:
        os.fsync(descriptor)

    def status(self, descriptor: int) -> os.stat_result:
        return os.fstat(descriptor)

    def status_at(self, path: Path) -> os.stat_result:
        return path.lstat()

    def lock(self, descriptor: int) -> bool:
        return take_lock(descriptor)

    def close(self, descriptor: int) -> None:
        os.close(descriptor)

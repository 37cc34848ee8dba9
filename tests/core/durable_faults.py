"""The file layer with faults: the system's own, recorded, and failing where a test says so."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oakbench_core.durable.files import SystemFiles

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class FaultyFiles(SystemFiles):
    """`calls` names what was asked of a descriptor, in order; `failing` maps an operation to the errno it raises.

    `short` is the number of bytes that the next write takes, where it is not all.
    """

    calls: list[str] = field(default_factory=list)
    failing: dict[str, int] = field(default_factory=dict)
    short: int | None = None

    def _called(self, operation: str) -> None:
        self.calls.append(operation)
        if operation in self.failing:
            number = self.failing[operation]
            raise OSError(number, os.strerror(number))

    def open(self, path: Path, flags: int, mode: int) -> int:
        self._called("open folder" if flags & os.O_DIRECTORY else "open")
        return super().open(path, flags, mode)

    def write(self, descriptor: int, content: bytes) -> int:
        if self.failing.get("write") == errno.EIO and self.short is not None:
            super().write(descriptor, content[: self.short])  # some of it arrived before the error
        self._called("write")
        return super().write(descriptor, content if self.short is None else content[: self.short])

    def write_at(self, descriptor: int, content: bytes, offset: int) -> int:
        self._called("write_at")
        return super().write_at(descriptor, content, offset)

    def truncate(self, descriptor: int, size: int) -> None:
        self._called("truncate")
        super().truncate(descriptor, size)

    def rename(self, source: Path, target: Path) -> None:
        self._called("rename")
        super().rename(source, target)

    def make_folder(self, path: Path, mode: int) -> None:
        self._called("make_folder")
        super().make_folder(path, mode)

    def sync_data(self, descriptor: int) -> None:
        self._called("sync_data")
        super().sync_data(descriptor)

    def sync(self, descriptor: int) -> None:
        self._called("sync")
        super().sync(descriptor)

    def lock(self, descriptor: int) -> bool:
        self._called("lock")
        return super().lock(descriptor)

    def close(self, descriptor: int) -> None:
        self._called("close")
        super().close(descriptor)

"""A file layer that dies at one call: before it, after it, or in the middle of a write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oakbench_core.durable.files import SystemFiles

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class CrashError(BaseException):
    """The process is gone: nothing catches this, and no call after it changes anything."""


@dataclass
class MortalFiles(SystemFiles):
    """Dies at its call number `at` (from 0 on; None: never), of which `part` is done: 0 nothing, 1 all.

    Calls are those that change or sync something. A dead layer still closes descriptors, as the kernel does; nothing is
    really synced, for a process that dies loses nothing of what the kernel holds.
    """

    at: int | None = None
    part: float = 0.0
    calls: list[str] = field(default_factory=list)
    dead: bool = False

    def _call(self, name: str, whole: Callable[[], Any], partly: Callable[[], object] | None = None) -> Any:
        if self.dead:
            raise CrashError(name)
        number = len(self.calls)
        self.calls.append(name)
        if number != self.at:
            return whole()
        self.dead = True
        if self.part == 1:
            whole()
        elif self.part and partly is not None:
            partly()
        raise CrashError(name)

    def _share(self, content: bytes) -> bytes:
        return content[: int(len(content) * self.part)]

    def open(self, path: Path, flags: int, mode: int) -> int:
        return int(self._call(f"open {path.name}", lambda: super(MortalFiles, self).open(path, flags, mode)))

    def write(self, descriptor: int, content: bytes) -> int:
        write = super().write
        return int(
            self._call("write", lambda: write(descriptor, content), lambda: write(descriptor, self._share(content)))
        )

    def write_at(self, descriptor: int, content: bytes, offset: int) -> int:
        write = super().write_at
        return int(
            self._call(
                "write_at",
                lambda: write(descriptor, content, offset),
                lambda: write(descriptor, self._share(content), offset),
            )
        )

    def truncate(self, descriptor: int, size: int) -> None:
        truncate = super().truncate
        self._call("truncate", lambda: truncate(descriptor, size))

    def rename(self, source: Path, target: Path) -> None:
        rename = super().rename
        self._call("rename", lambda: rename(source, target))

    def make_folder(self, path: Path, mode: int) -> None:
        make = super().make_folder
        self._call("make_folder", lambda: make(path, mode))

    def sync_data(self, descriptor: int) -> None:  # noqa: ARG002 - the layer's
        self._call("sync_data", lambda: None)

    def sync(self, descriptor: int) -> None:  # noqa: ARG002 - the layer's
        self._call("sync", lambda: None)

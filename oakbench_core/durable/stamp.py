"""By what a file is known again, and that it was touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    import os


class FileStamp(NamedTuple):
    """Equal of a file that nobody touched in between, as far as the system's clock tells."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Self:
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)

    def is_same_file(self, other: FileStamp) -> bool:
        return self[:2] == other[:2]

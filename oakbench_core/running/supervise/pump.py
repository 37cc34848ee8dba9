"""One stream of a command: from its pipe to a file, secrets replaced, cut at a cap, and drained for ever after.

The file is closed when the command's tree is gone, not when the pipe ends: a process outside the tree may hold it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .replacing import Replacer

_CHUNK: Final = 1 << 18
_MOST_AT_THE_END: Final = 1 << 24  # a pipe holds 1 MiB at most, unless someone outside the tree goes on writing
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Pump:
    """`write_end` is for the command; `seen` counts its bytes, `cut` says that not all of them are in the file."""

    def __init__(self, path: str, cap_bytes: int, replacer: Replacer) -> None:
        self.seen = 0
        self.cut = False
        self._file = os.open(path, _NEW_FILE, 0o600)
        self._read_end, self.write_end = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self._read_end, False)
        self._replacer = replacer
        self._cap = cap_bytes
        self._room = cap_bytes
        self._lost: OSError | None = None

    def fileno(self) -> int:
        return self._read_end

    def launched(self) -> None:
        """Only the command holds the writing end from now on."""
        os.close(self.write_end)
        self.write_end = -1

    def move(self) -> int | None:
        """Take what is there, one read; 0 where every writer has closed the pipe, None where nothing is there."""
        try:
            chunk = os.read(self._read_end, _CHUNK)
        except BlockingIOError:
            return None
        self.seen += len(chunk)
        if not self.cut:
            self._put(self._replacer.feed(chunk))
        return len(chunk)

    def finish(self) -> None:
        """Take what is left in the pipe, write what was held back, say what was cut, and close."""
        moved = 0
        while moved < _MOST_AT_THE_END and (size := self.move()):
            moved += size
        if not self.cut:
            self._put(self._replacer.finish())
        if self.cut:
            why = f"the first {self._cap:,} are kept" if self._lost is None else f"not written: {self._lost.strerror}"
            self._write(f"\n[output cut: {self.seen:,} bytes came, {why}]\n".encode())
        self.close()

    def close(self) -> None:
        if self.write_end >= 0:
            self.launched()
        os.close(self._read_end)
        os.close(self._file)

    def _put(self, content: bytes) -> None:
        if len(content) > self._room:
            self.cut = True
            content = content[: self._room]
        self._room -= len(content)
        self._write(content)

    def _write(self, content: bytes) -> None:
        view = memoryview(content)
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError as error:  # no space: the agent must not notice, so the pipe is drained all the same
            self._lost, self.cut = error, True

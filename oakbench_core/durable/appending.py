"""One record, one write, one sync, the head, and only then acknowledged.

What went wrong inside a write cannot be known, so nothing is tried again: whoever appends is poisoned and writes
nothing further. Every record passes the reader's own tests before it is written.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from oakbench_core.durable.claim import open_head
from oakbench_core.durable.framing import BadLineError, encode_record, first_link
from oakbench_core.durable.head import Head, encode_head
from oakbench_core.errors import JournalError, PoisonedError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from oakbench_core.campaign.vocabulary import EventKind
    from oakbench_core.durable.files import FileLayer
    from oakbench_core.durable.fold import Fold


class Acknowledged(NamedTuple):
    """A record that is durable: its place, its size in bytes with the LF, its hash."""

    seq: int
    offset: int
    size: int
    hash: str


class Appender:
    """Appends to a journal whose lock this process holds; it owns the descriptor.

    Raises PoisonedError where the outcome of a write is unknown, and at every call after that.
    """

    def __init__(self, path: Path, fold: Fold, descriptor: int, files: FileLayer, clock: Callable[[], str]) -> None:
        self.path = path
        self.fold = fold
        self._descriptor = descriptor
        self._files = files
        self._clock = clock
        self._head = open_head(path, files)
        self._doubt: str | None = None  # what is not known of the last write; set before it, taken back after its sync

    def close(self) -> None:
        """Let both files and the lock go."""
        for descriptor in (self._head, self._descriptor):
            if descriptor >= 0:
                self._files.close(descriptor)
        self._head = self._descriptor = -1
        self._doubt = self._doubt or "the writer was closed"

    def append(self, kind: EventKind, trial_id: str | None, payload: Mapping[str, Any], *, writer: str) -> Acknowledged:
        """Make one record durable.

        Raises:
            JournalError: no reader would accept it; nothing was written.
            PoisonedError: its outcome is unknown.
        """
        if self._doubt is not None:
            raise self._poisoned()
        seq, offset = self.fold.records, self.fold.offset
        plan_sha256 = self.fold.plan.plan_sha256
        fields = {
            "event": str(kind),
            "trial_id": trial_id,
            "seq": seq,
            "v": 1,
            "plan_sha256": plan_sha256,
            "writer": writer,
            "at": self._clock(),
            **payload,
        }
        try:
            line = encode_record(fields, self.fold.last_hash or first_link(plan_sha256))
            self.fold.take_line(line[:-1])
        except BadLineError as error:
            raise JournalError(f"{self.path}: no such record is written", error.problems) from None
        except (ValueError, RecursionError) as error:
            raise JournalError(f"{self.path}: this record has no JSON: {error}") from error
        self.fold.touched.clear()
        self._make_durable(line, offset, Head(seq, offset + len(line), str(self.fold.last_hash)))
        return Acknowledged(seq, offset, len(line), str(self.fold.last_hash))

    def append_newline(self) -> None:
        """Add the LF that the last record lacks."""
        self._make_durable(b"\n", self.fold.offset - 1, None)

    def cut(self, size: int) -> None:
        """Cut the file back to its good records; durable when this returns."""
        self._doubt = "the cut was broken off"
        try:
            self._expect_size(size)
            self._files.truncate(self._descriptor, self.fold.offset)
            self._files.sync(self._descriptor)
            self._expect_size(self.fold.offset)
        except OSError as error:
            self._doubt = error.strerror or str(error)
            raise self._poisoned() from error
        self._doubt = None

    def _make_durable(self, line: bytes, offset: int, head: Head | None) -> None:
        self._doubt = "the write was broken off"
        try:
            self._expect_size(offset)
            self._expect_all(self._files.write(self._descriptor, line), line)
            self._files.sync_data(self._descriptor)
            self._expect_size(offset + len(line))
            if head is not None:
                content = encode_head(head)
                self._expect_all(self._files.write_at(self._head, content, 0), content)
        except OSError as error:
            self._doubt = error.strerror or str(error)
            raise self._poisoned() from error
        self._doubt = None

    def _expect_all(self, written: int, content: bytes) -> None:
        if written != len(content):
            self._doubt = f"{written:,} of {len(content):,} bytes were written"
            raise self._poisoned()

    def _expect_size(self, size: int) -> None:
        opened, here = self._files.status(self._descriptor), self._files.status_at(self.path)
        if not os.path.samestat(opened, here):
            self._doubt = "another file stands at its path"
        elif opened.st_size != size:
            self._doubt = f"it has {opened.st_size:,} bytes where {size:,} were expected: someone else wrote to it"
        else:
            return
        raise self._poisoned()

    def _poisoned(self) -> PoisonedError:
        return PoisonedError(
            "the outcome of a write is unknown, so nothing more is written",
            [Problem(rule=str(self._doubt), file=str(self.path), byte=self.fold.offset)],
            next_step="read what is on file with `verify`",
        )

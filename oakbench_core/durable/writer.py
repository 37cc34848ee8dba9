"""The journal's writer: one record, one write, one sync, and only then is it acknowledged.

Acknowledged ⊆ journal ⊆ attempted. What went wrong inside a write cannot be known, so nothing is tried again: the
writer is poisoned and writes nothing further. Every record passes the reader's own tests before it is written.
"""

from __future__ import annotations

import os
import secrets
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pydantic import TypeAdapter

from oakbench_core.campaign.fields import checked
from oakbench_core.campaign.row import Row
from oakbench_core.campaign.vocabulary import EventKind, StopReason, Terminal
from oakbench_core.durable.claim import claim, read_to_end
from oakbench_core.durable.files import FileLayer, SystemFiles
from oakbench_core.durable.framing import BadLineError, encode_record, first_link
from oakbench_core.durable.host import boot_id, file_system, host_name
from oakbench_core.durable.journal import journal_path
from oakbench_core.durable.opening import failures_named
from oakbench_core.errors import JournalError, PoisonedError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.fold import Fold


class Acknowledged(NamedTuple):
    """A record that is durable: its place, its size in bytes with the LF, its hash."""

    seq: int
    offset: int
    size: int
    hash: str


class RunnerFacts(NamedTuple):
    """What `opened` says of the program that writes; what it says of the host is observed."""

    tool: str | None = None
    max_parallel: int = 1
    settings: Mapping[str, Any] | None = None


@cache
def _row_type() -> TypeAdapter[Row]:
    return TypeAdapter(Row)


class JournalWriter:
    """The one writer of a journal, from `open` until `close`; `ledger` holds what is on file.

    Every `append_…` returns when its record is durable, and raises JournalError, with nothing written, for a record
    that no reader would accept, PoisonedError where the outcome of a write is unknown, and at every call after that.
    """

    def __init__(self, path: Path, fold: Fold, descriptor: int, files: FileLayer, clock: Callable[[], str]) -> None:
        self.path = path
        self._fold = fold
        self._descriptor = descriptor
        self._files = files
        self._clock = clock
        self._writer_id = secrets.token_hex(16)
        self._doubt: str | None = None  # what is not known of the last write; set before it, taken back after its sync

    @classmethod
    def open(
        cls,
        path: Path,
        plan: Plan,
        *,
        clock: Callable[[], str],
        runner: RunnerFacts | None = None,
        files: FileLayer | None = None,
    ) -> Self:
        """Lock the journal at `path` (or of that campaign folder), read it to its end, and append `opened`.

        Args:
            path: a file of that name is created (0600) if there is none; its folder must be there.
            plan: the plan that the journal is of.
            clock: the time now, as UTC text.
            runner: what `opened` says of the caller.
            files: the system, if not said otherwise.

        Raises:
            LockedError: someone else writes it; nothing was written.
            PlatformError: a symbolic or hard link, a FIFO, another owner's file, or the system refuses.
            UsageError: its folder is not there.
            JournalError, IdentityError: what is on file is invalid, torn or uncertain: it is not appended to.
            PoisonedError: the first record could not be written.
        """
        files = files or SystemFiles()
        path = journal_path(path)
        with failures_named(path, "write it"):
            descriptor = claim(path, files)
            try:
                fold = read_to_end(path, plan, descriptor, files)
                writer = cls(path, fold, descriptor, files, clock)
                writer._append_opened(runner or RunnerFacts())
            except BaseException:
                files.close(descriptor)
                raise
        return writer

    def close(self) -> None:
        """Let the file and its lock go; says nothing in the journal."""
        if self._descriptor >= 0:
            self._files.close(self._descriptor)
            self._descriptor = -1
            self._doubt = self._doubt or "the writer was closed"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ledger(self) -> Ledger:
        return self._fold.ledger

    def append_started(self, trial_id: str) -> Acknowledged:
        """Nothing of the trial happens before this has returned."""
        return self._append(EventKind.STARTED, trial_id, {})

    def append_finished(self, trial_id: str, terminal: Terminal, row: Row | Mapping[str, Any]) -> Acknowledged:
        """The end of a trial, with its row: a model, or plain data of which every problem is named."""
        if not isinstance(row, Row):
            decoded = checked(_row_type(), row)
            if decoded[0] is None:
                raise JournalError("this row is refused", decoded[1])
            row = decoded[0]
        return self._append(
            EventKind.FINISHED, trial_id, {"terminal": str(terminal), "row": row.model_dump(by_alias=True)}
        )

    def append_closed(self, reason: StopReason, code: int, detail: str | None = None) -> Acknowledged:
        """The last word of a runner that ends in order; `code` is its exit code."""
        return self._append(EventKind.CLOSED, None, {"stop": {"reason": str(reason), "code": code, "detail": detail}})

    def _append_opened(self, facts: RunnerFacts) -> Acknowledged:
        runner = {
            "format": "oakbench.event/1",
            "tool": facts.tool,
            "host": host_name(),
            "pid": os.getpid(),
            "boot_id": boot_id(),
            "file_system": file_system(self.path),
            "max_parallel": facts.max_parallel,
            "unsafe_filesystem": False,
            "settings": dict(facts.settings or {}),
        }
        return self._append(EventKind.OPENED, None, {"runner": runner})

    def _append(self, kind: EventKind, trial_id: str | None, payload: Mapping[str, Any]) -> Acknowledged:
        if self._doubt is not None:
            raise self._poisoned()
        seq, offset = self._fold.records, self._fold.offset
        plan_sha256 = self._fold.plan.plan_sha256
        fields = {
            "event": str(kind),
            "trial_id": trial_id,
            "seq": seq,
            "v": 1,
            "plan_sha256": plan_sha256,
            "writer": self._writer_id,
            "at": self._clock(),
            **payload,
        }
        try:
            line = encode_record(fields, self._fold.last_hash or first_link(plan_sha256))
            self._fold.take_line(line[:-1])
        except BadLineError as error:
            raise JournalError(f"{self.path}: no such record is written", error.problems) from None
        except (ValueError, RecursionError) as error:
            raise JournalError(f"{self.path}: this record has no JSON: {error}") from error
        self._fold.touched.clear()
        self._make_durable(line, offset)
        return Acknowledged(seq, offset, len(line), str(self._fold.last_hash))

    def _make_durable(self, line: bytes, offset: int) -> None:
        self._doubt = "the write was broken off"
        try:
            self._expect_size(offset)
            written = self._files.write(self._descriptor, line)
            if written != len(line):
                self._doubt = f"{written:,} of {len(line):,} bytes were written"
                raise self._poisoned()
            self._files.sync_data(self._descriptor)
            self._expect_size(offset + len(line))
        except OSError as error:
            self._doubt = error.strerror or str(error)
            raise self._poisoned() from error
        self._doubt = None

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
        rule = f"nothing more is written: {self._doubt}"
        return PoisonedError(
            f"{self.path}: {rule}",
            [Problem(rule=rule, file=str(self.path), byte=self._fold.offset)],
            next_step="read what is on file with `verify`",
        )

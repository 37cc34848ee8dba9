"""One journal, read to its end: what it is, what it proves, and its events again as plain data."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from oakbench_core.durable.fold import Fold
from oakbench_core.durable.framing import RECORD_LIMIT, BadLineError, first_link, link
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.opening import failures_named, open_to_read
from oakbench_core.durable.tail import JournalState
from oakbench_core.errors import JournalError, Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.lock import Liveness
    from oakbench_core.durable.tail import Tail
    from oakbench_core.errors import OakbenchError

_HASH_SUFFIX = len(',"hash":""}') + 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """The good records as plain dicts, in their order; each iteration reads them from the file again, keeping none.

    Iterating raises the error of a journal without results, and JournalError where the file is no longer the one that
    was read.
    """

    path: Path
    first_link: str
    size: int
    count: int
    refusal: OakbenchError | None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        if self.refusal is not None:
            raise self.refusal
        return self._read() if self.count else iter(())

    def _read(self) -> Iterator[dict[str, Any]]:
        import msgspec

        decode = msgspec.json.Decoder().decode
        previous = self.first_link
        for line in self.lines():
            record = decode(line)
            if record["hash"] != link(previous, line[:-_HASH_SUFFIX]):
                raise self.changed()
            previous = record["hash"]
            yield record

    def lines(self) -> Iterator[bytes]:
        """The bytes of each record without its LF, as they are on file now."""
        descriptor = open_to_read(self.path)
        try:
            offset = 0
            while offset < self.size:
                with failures_named(self.path, "read it"):
                    block = os.pread(descriptor, min(RECORD_LIMIT, self.size - offset), offset)
                size = len(block) if offset + len(block) == self.size else block.rfind(b"\n") + 1
                if not size:
                    raise self.changed()
                yield from block[:size].removesuffix(b"\n").split(b"\n")
                offset += size
        finally:
            os.close(descriptor)

    def changed(self) -> JournalError:
        """The error of a file that is no longer the one that was read."""
        rule = "the journal was replaced while it was read"
        return JournalError(f"{self.path}: {rule}", [Problem(rule=rule, file=str(self.path))])


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalReading:
    """A journal as one look found it.

    `events`: the good records as plain dicts, read again by offset. `problems`: what the tail lacks, or what makes the
    journal invalid, each with file, byte, line and rule. `refusal`: the error of a state without results, else None.
    `ledger` holds the fold of the good records; `ledger_after_recovery`, which is what reports count, also the event
    that a recovery would append. `size` is that of the file, in bytes; `records` counts good records.
    """

    path: Path
    state: JournalState
    problems: tuple[Problem, ...]
    refusal: OakbenchError | None
    tail: Tail | None
    liveness: Liveness
    ledger: Ledger
    ledger_after_recovery: Ledger
    events: Events
    size: int
    records: int
    last_seq: int | None
    last_hash: str | None
    first_at: str | None
    last_at: str | None
    host: str | None
    pid: int | None

    def ledger_at(self, seq: int) -> Ledger:
        """What was proved when record number `seq` was the last: the fold of the records up to it, read again.

        Raises:
            UsageError: there is no such record.
            JournalError: the file is no longer the one that was read.
        """
        if self.refusal is not None:
            raise self.refusal
        if not 0 <= seq < self.records:
            last = "it has no record" if self.last_seq is None else f"its last record is number {self.last_seq}"
            rule = f"there is no record number {seq}: {last}"
            raise UsageError(f"{self.path}: {rule}", [Problem(rule=rule, file=str(self.path))])
        fold = Fold(self.ledger.plan)
        try:
            for line in islice(self.events.lines(), seq + 1):
                fold.take(line + b"\n")
        except BadLineError:
            raise self.events.changed() from None
        return fold.ledger


def read_journal(path: Path | str, plan: Plan) -> JournalReading:
    """Read the journal at `path` (or in that campaign folder) to its end, holding one block of it at a time.

    Raises:
        PlatformError: the path is no regular file, or may not be read. A journal that is not there is ABSENT.
    """
    from pathlib import Path

    with JournalReader(Path(path), plan) as reader:
        while (poll := reader.poll()).more or poll.state is JournalState.REPLACED:
            pass
        return reading_of(reader)


def reading_of(reader: JournalReader) -> JournalReading:
    """What a reader that has reached the end knows, as one value."""
    fold, runner, refusal = reader.fold, reader.ledger.last_runner, reader.refusal
    events = Events(
        path=reader.path,
        first_link=first_link(reader.plan.plan_sha256),
        size=reader.offset,
        count=fold.records,
        refusal=refusal,
    )
    return JournalReading(
        path=reader.path,
        state=reader.state,
        problems=reader.problems,
        refusal=refusal,
        tail=reader.tail,
        liveness=reader.liveness,
        ledger=reader.ledger,
        ledger_after_recovery=reader.ledger_after_recovery,
        events=events,
        size=reader.size,
        records=fold.records,
        last_seq=fold.last_seq,
        last_hash=fold.last_hash,
        first_at=fold.first_at,
        last_at=fold.last_at,
        host=None if runner is None else runner.host,
        pid=None if runner is None else runner.pid,
    )

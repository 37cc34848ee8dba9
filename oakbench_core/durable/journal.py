"""The journal's reader: it folds what is on file, says what stands at the end, and reads on from where it stood.

It takes no lock, writes nothing and maps nothing; it holds one block of bytes at a time, whatever the file holds. A
poll reads, probes the lock and, if no one writes, sees that nothing came in between: only then is a tail judged, for
only then can no one still be writing it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from oakbench_core.durable.fold import Fold
from oakbench_core.durable.framing import RECORD_LIMIT, BadLineError
from oakbench_core.durable.host import boot_id, file_system
from oakbench_core.durable.judgement import Beside, Conclusion, End, conclude
from oakbench_core.durable.lock import Liveness, LockState, probe_lock
from oakbench_core.durable.opening import failures_named, in_folder, open_to_read
from oakbench_core.durable.quarantine import kept_tails
from oakbench_core.durable.rereading import still_stands
from oakbench_core.durable.stamp import FileStamp
from oakbench_core.durable.tail import JournalState, Verdict, refusal
from oakbench_core.errors import JournalError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.tail import Tail
    from oakbench_core.errors import OakbenchError, Problem

JOURNAL_NAME: Final = "journal.jsonl"
POLL_LIMIT: Final = 8 << 20
# The first stays in the processor's cache. A line that does not end in it may end in the second, or is too long.
_BLOCKS: Final = (64 << 10, RECORD_LIMIT)
_RAW_BLOCK: Final = 16 << 10


class Poll(NamedTuple):
    """What one poll found; `state` is None while bytes are known to be unread (`more`).

    `touched`: places in the schedule of the trials that the new events name, in their order.
    """

    state: JournalState | None
    records: int
    touched: tuple[int, ...]
    more: bool


def journal_path(path: Path) -> Path:
    """The journal of a campaign folder; a path that is no folder is the journal's own.

    Raises:
        UsageError: no file can have this name.
    """
    return path if path.name == JOURNAL_NAME else in_folder(path, JOURNAL_NAME)


class JournalReader:
    """Reads one journal, again and again: each `poll` goes on where the last one stood.

    `path` is the journal or its campaign folder. Where another file, or other bytes, stand in the place of what was
    read, everything is dropped: that poll says REPLACED, and the next one begins anew with a new `ledger`.
    """

    def __init__(self, path: Path, plan: Plan, *, probe: Callable[[int], LockState] = probe_lock) -> None:
        self.path = journal_path(path)
        self.plan = plan
        self._probe = probe
        self._descriptor: int | None = None
        self._forget(JournalState.ABSENT)

    def _forget(self, state: JournalState) -> None:
        self.close()
        self.fold = Fold(self.plan)
        self.size = 0
        self.liveness = Liveness.UNKNOWN
        self.conclusion = Conclusion(Verdict(state))
        self._foreseen: Ledger | None = None
        self._beside: Beside | None = None
        self._bad_line: BadLineError | None = None
        self._stamp: FileStamp | None = None
        self._lock: LockState | None = None
        self._lacks_newline = False

    def close(self) -> None:
        """Let the file go."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ledger(self) -> Ledger:
        return self.fold.ledger

    @property
    def ledger_after_recovery(self) -> Ledger:
        """The ledger with the event that a recovery would append, so that counts are equal before and after it."""
        tail = self.tail
        if tail is None or tail.would_recover is None:
            return self.ledger
        if self._foreseen is None:
            from oakbench_core.campaign.events import evidence_type

            self._foreseen = self.ledger.foreseeing(evidence_type().validate_python(tail.would_recover))
        return self._foreseen

    @property
    def state(self) -> JournalState:
        """As the last poll that reached the end of the file found it."""
        return self.conclusion.verdict.state

    @property
    def lacks_newline(self) -> bool:
        """Whether only the LF of the last record is missing."""
        return self._lacks_newline

    @property
    def offset(self) -> int:
        """Bytes of good records that are on file."""
        return self.fold.offset - self._lacks_newline

    @property
    def tail(self) -> Tail | None:
        """What stands after the last good record; None if nothing does and no recovery was broken off there."""
        return self.conclusion.tail

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the tail lacks, or what makes the journal invalid: each with file, line and byte."""
        line, file, start = self.fold.records + (not self._lacks_newline), str(self.path), self.offset
        return tuple(
            problem
            if problem.file is not None
            else replace(problem, file=file)
            if problem.line is not None
            else replace(problem, file=file, line=line, byte=start + (problem.byte or 0))
            for problem in self.conclusion.verdict.problems
        )

    @property
    def refusal(self) -> OakbenchError | None:
        """The error of a journal without results; None if it has results."""
        return refusal(replace(self.conclusion.verdict, problems=self.problems))

    def poll(self, max_bytes: int = POLL_LIMIT) -> Poll:
        """Read on, one block past `max_bytes` at most, and judge the tail once the end is reached.

        Raises:
            PlatformError: the path is no regular file, or may not be read; nothing read before is lost.
        """
        before = self.fold.records
        with failures_named(self.path, "read it"):
            state = self._advance(max_bytes)
        touched, self.fold.touched = tuple(self.fold.touched), []
        return Poll(state, max(self.fold.records - before, 0), touched, more=state is None)

    def _advance(self, max_bytes: int) -> JournalState | None:
        beside = Beside.of(self.path)
        status = self._look()
        if status is None or self._descriptor is None:
            if self.state is JournalState.ABSENT:
                self._conclude_absent(beside)
            return self.state
        seen = (FileStamp.of(status), beside)
        if seen == (self._stamp, self._beside) and self._probe(self._descriptor) is self._lock:
            return self.state
        if not self._read_on(self._descriptor, max_bytes):
            self.size = max(status.st_size, self.fold.offset)
            return None
        return self._conclude(self._descriptor, beside)

    def _look(self) -> os.stat_result | None:
        """The file's status, opened if need be; None if there is none, or no longer the one that was read."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            status = None
        if self._descriptor is not None:
            if status is not None and self._is_same(status, self._descriptor):
                return status
            self._forget(JournalState.REPLACED)
            return None
        try:
            self._descriptor = None if status is None else open_to_read(self.path)
        except UsageError:  # renamed away since the look
            status = None
        if status is None:
            self._forget(JournalState.ABSENT)
            self.liveness = Liveness.FREE
        return status

    def _is_same(self, status: os.stat_result, descriptor: int) -> bool:
        stamp, opened = FileStamp.of(status), FileStamp.of(os.fstat(descriptor))
        # The second test is of an overlay: a writer's copy keeps the number, and the old file is read no further.
        if not stamp.is_same_file(opened) or opened.size < stamp.size:
            return False
        if stamp == self._stamp:
            return True
        if opened.size < self.offset:
            return False
        # Who appends makes the file longer. Touched without that, it may have been changed where it was read already.
        is_longer = self._stamp is None or opened.size > self._stamp.size
        if not is_longer and not still_stands(descriptor, self.offset, self.plan.plan_sha256, self.fold.last_hash):
            return False
        # The chain ends in the last hash: if that still stands there, so does everything that others appended to.
        last = b'"%b"}\n' % self.fold.last_hash.encode() if self.fold.last_hash else b""
        found = os.pread(descriptor, len(last), self.fold.offset - len(last))
        if self._lacks_newline and found == last:
            self._lacks_newline = False
        return found == last or (self._lacks_newline and found == last[:-1])

    def _read_on(self, descriptor: int, max_bytes: int) -> bool:
        """Fold whole lines in; False if the limit came before the end or the first bad line."""
        self._bad_line, self._foreseen = None, None
        self.conclusion = self.conclusion._replace(tail=None)  # no tail is known until the end is reached again
        end = self.fold.offset + max_bytes
        try:
            while self.fold.offset < end:
                if not any(self.fold.take(os.pread(descriptor, block, self.fold.offset)) for block in _BLOCKS):
                    return True
        except BadLineError as error:
            self._bad_line = error
            return True
        return False

    def _conclude(self, descriptor: int, beside: Beside) -> JournalState | None:
        """Judge what stands at the end; None if more came meanwhile."""
        size = os.fstat(descriptor).st_size
        lock = self._probe(descriptor)
        tail = os.pread(descriptor, RECORD_LIMIT + 1, self.fold.offset)
        status = os.fstat(descriptor)
        self.size = status.st_size
        # After the bytes: a tail is kept before it is cut off, so whoever sees the cut sees what was kept.
        beside = beside._replace(kept=kept_tails(self.path))
        whole_line = self._bad_line is None and b"\n" in tail[:RECORD_LIMIT]
        if whole_line or (lock is not LockState.HELD and status.st_size != size):
            return None
        if tail and self._bad_line is None and lock is not LockState.HELD:
            self._take_without_newline(tail)
        is_amid_write = lock is LockState.HELD and self._is_unended(descriptor, tail)
        self._judge(descriptor, beside, is_amid_write=is_amid_write)
        self.liveness = self._liveness(lock)
        self._stamp, self._beside, self._lock = FileStamp.of(status), beside, lock
        return self.state

    def _is_unended(self, descriptor: int, tail: bytes) -> bool:
        """Whether the file's last byte is no LF."""
        if len(tail) > RECORD_LIMIT:
            return os.pread(descriptor, 1, self.size - 1) != b"\n"
        return not tail.endswith(b"\n") if tail else self._lacks_newline

    def _conclude_absent(self, beside: Beside) -> None:
        self._judge(None, beside, is_amid_write=False)

    def _judge(self, descriptor: int | None, beside: Beside, *, is_amid_write: bool) -> None:
        end = End(
            path=self.path,
            fold=self.fold,
            descriptor=descriptor,
            size=self.size,
            bad_line=self._bad_line,
            lacks_newline=self._lacks_newline,
            is_amid_write=is_amid_write,
        )
        self.conclusion, self._foreseen = conclude(end, beside), None

    def _take_without_newline(self, tail: bytes) -> None:
        """Fold in a tail that is a whole record but for its LF."""
        try:
            self.fold.take_line(tail)
        except BadLineError:
            return
        self._lacks_newline = True

    def _liveness(self, lock: LockState) -> Liveness:
        """A free lock proves that no one writes only on the writer's machine, and if both see the same file."""
        if lock is LockState.HELD:
            return Liveness.WRITING
        runner = self.ledger.last_runner
        if lock is LockState.UNKNOWN or runner is None or runner.boot_id is None or runner.boot_id != boot_id():
            return Liveness.UNKNOWN
        same = runner.file_system is not None and runner.file_system == file_system(self.path)
        return Liveness.FREE if same else Liveness.UNKNOWN

    def start_offset(self, trial: int) -> int | None:
        """Where the record of the trial's start (or reservation) begins, by its place in the schedule."""
        return self.fold.start_offset(trial)

    def end_offset(self, trial: int) -> int | None:
        """Where the record of the trial's end begins, by its place in the schedule."""
        return self.fold.end_offset(trial)

    def raw_event(self, offset: int) -> bytes:
        """The exact bytes, without LF, of the record that begins at `offset`; may be called from another thread.

        Raises:
            JournalError: another file stands there now; the next poll says REPLACED.
            PlatformError, UsageError: as `open_to_read`.
        """
        stamp = self._stamp
        descriptor = open_to_read(self.path)
        try:
            if stamp is not None and not stamp.is_same_file(FileStamp.of(os.fstat(descriptor))):
                raise JournalError(f"{self.path}: another file stands there now")
            with failures_named(self.path, "read it"):
                return _line_at(descriptor, offset)
        finally:
            os.close(descriptor)


def _line_at(descriptor: int, offset: int) -> bytes:
    line = b""
    while len(line) < RECORD_LIMIT:
        block = os.pread(descriptor, _RAW_BLOCK, offset + len(line))
        before, lf, _ = block.partition(b"\n")
        line += before
        if lf or not block:
            break
    return line

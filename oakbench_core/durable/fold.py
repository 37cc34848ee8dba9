"""The journal up to its last good record: what it proves, and what may come next.

Bytes go in, the ledger moves; no file is opened here. The first bad line stops, and nothing of it is folded. The fold
over any split of the bytes equals the fold over the whole.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.fields import is_utc_time
from oakbench_core.campaign.ledger import Ledger, Rule
from oakbench_core.campaign.vocabulary import EventKind
from oakbench_core.durable.framing import (
    NO_WRITER,
    RECORD_LIMIT,
    BadLineError,
    decode_line,
    first_link,
    foreign_plan,
)
from oakbench_core.durable.records import (
    Finished,
    Started,
    decode_block,
    exact,
)
from oakbench_core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.records import Record

_HASH_SUFFIX: Final = len(',"hash":""}') + 32
_NOT_ON_FILE: Final = -1
_SECONDS: Final = re.compile(r"[0-5][0-9](\.[0-9]{1,9})?Z", re.ASCII)


class Next(NamedTuple):
    """What the next record must agree with; `writer` is None before the first `opened`."""

    plan_sha256: str
    seq: int
    writer: str | None
    opens: bool  # only `opened` or `recovered` may stand there


@lru_cache(maxsize=4096)
def _is_minute(text: str) -> bool:
    return is_utc_time(f"{text}00Z")


def _is_time(text: str) -> bool:
    # A journal holds few minutes and many seconds.
    return _SECONDS.fullmatch(text, 17) is not None and _is_minute(text[:17])


class Fold:
    """The verified part of one journal; `offset` is its size in bytes, `records` the number of its lines."""

    def __init__(self, plan: Plan) -> None:
        size = len(plan.schedule)
        self.plan = plan
        self.ledger = Ledger(plan)
        self.offset = 0
        self.records = 0
        self.first_hash: str | None = None
        self.last_hash: str | None = None
        self.writer: str | None = None
        self.is_closed = False
        self.kept_names: set[str] = set()  # paths of kept tails that a `recovered` names
        self.first_at: str | None = None
        self.last_at: str | None = None
        self.touched: list[int] = []  # places in the schedule, in the order of the events; the reader empties it
        self._start_offsets = array("q", [_NOT_ON_FILE]) * size
        self._end_offsets = array("q", [_NOT_ON_FILE]) * size

    @property
    def last_seq(self) -> int | None:
        return self.records - 1 if self.records else None

    @property
    def next(self) -> Next:
        opens = self.writer is None or self.is_closed
        return Next(self.plan.plan_sha256, self.records, self.writer, opens)

    def start_offset(self, trial: int) -> int | None:
        """Where the record of the trial's start or reservation begins; None: none is on file."""
        offset = self._start_offsets[trial]
        return None if offset == _NOT_ON_FILE else offset

    def end_offset(self, trial: int) -> int | None:
        """Where the record of the trial's end begins; None: none is on file."""
        offset = self._end_offsets[trial]
        return None if offset == _NOT_ON_FILE else offset

    def take(self, block: bytes) -> int:
        """Fold in the whole lines that a block begins with; the number of bytes taken.

        Raises:
            BadLineError: a line is not the next record; the lines before it are folded in. Offsets and line numbers of
                its problems are those of the journal.
        """
        size = block.rfind(b"\n") + 1
        if not size:
            return 0
        start, whole = self.offset, block[:size] if size < len(block) else block
        lines = whole.split(b"\n")
        lines.pop()
        records = decode_block(whole)
        if records is None:
            for line in lines:
                self._take_alone(line)
        else:
            self._take_records(lines, records)
        return self.offset - start

    def _take_alone(self, line: bytes) -> None:
        records = decode_block(line + b"\n")
        if records is None:
            self.take_line(line)
        else:
            self._take_records([line], records)

    def _take_records(self, lines: Sequence[bytes], records: Sequence[Record]) -> None:
        """The hot loop: what it does not admit, the measure looks at again, to admit it or to name what is wrong."""
        plan_sha256, writer, index = self.plan.plan_sha256, self._expected_writer, self.plan.index
        chronicle = self.ledger.chronicle
        previous = (self.last_hash or first_link(plan_sha256)).encode()
        noted = 0  # of the records, in the chronicle
        for number, (line, record) in enumerate(zip(lines, records, strict=True)):
            if (
                (type(record) is Started or (type(record) is Finished and exact(record.row)))
                and record.seq == self.records
                and record.writer == writer
                # `decode_block` proved that the line ends with the hash key, so its length says where the body ends.
                and sha256(previous + line[:-_HASH_SUFFIX]).hexdigest()[:32] == record.hash
                and _is_time(record.at)
                and len(line) < RECORD_LIMIT
                and not self.ledger.apply(record)
            ):
                trial = index[record.trial_id]
                self.touched.append(trial)
                (self._start_offsets if type(record) is Started else self._end_offsets)[trial] = self.offset
                self.last_hash, self.last_at = record.hash, record.at
                self.records += 1
                self.offset += len(line) + 1
            else:
                chronicle.note_trials(records[noted:number])
                self.take_line(line)
                noted, writer = number + 1, self._expected_writer
            previous = record.hash.encode()
        chronicle.note_trials(records[noted:])

    @property
    def _expected_writer(self) -> str | None:
        """Of a trial's record; None where none may stand."""
        return None if self.is_closed else self.writer

    def take_line(self, line: bytes) -> None:
        """Fold in one line (without its LF), by the measure of `decode_line`.

        Raises:
            BadLineError: as `take`; nothing has changed.
        """
        try:
            if len(line) >= RECORD_LIMIT:
                raise _too_long(line, self.plan.plan_sha256)
            previous = self.last_hash or first_link(self.plan.plan_sha256)
            event = decode_line(line, self.plan.plan_sha256, previous)
        except BadLineError as error:
            raise self._placed(error) from None
        self._admit(event, len(line) + 1)

    def _admit(self, event: Any, size: int) -> None:
        kind, at = event.event, event.at
        rules = self._broken_rules(event) if event.seq != self.records or not self._is_expected(event) else []
        if not _is_time(at):
            rules.append("$.at: expected a real UTC time such as 2026-11-30T08:15:00.123Z")
        if rules:
            raise self._refused(rules)
        violations = self.ledger.apply(event)
        if violations:
            foreign = any(violation.rule is Rule.IDENTITY for violation in violations)
            raise self._refused([violation.text for violation in violations], foreign=foreign)
        self.ledger.chronicle.note(event)
        self._note_place(kind, event.trial_id)
        if kind == EventKind.OPENED:
            self.writer, self.is_closed = event.writer, False
        elif kind == EventKind.CLOSED:
            self.is_closed = True
        elif kind == EventKind.RECOVERED:
            self.kept_names.update(event.recovery.kept_as)
        if not self.records:
            self.first_hash, self.first_at = event.hash, at
        self.last_hash, self.last_at = event.hash, at
        self.records += 1
        self.offset += size

    def _is_expected(self, event: Any) -> bool:
        kind = event.event
        if kind == EventKind.OPENED:
            return True
        if kind == EventKind.RECOVERED:
            return bool(event.writer == (self.writer or NO_WRITER))
        return event.writer == self.writer and not self.is_closed

    def _broken_rules(self, event: Any) -> list[str]:
        kind, rules = event.event, []
        if event.seq != self.records:
            rules.append(f"$.seq: expected {self.records}, found {event.seq}")
        if kind == EventKind.OPENED:
            return rules
        if kind != EventKind.RECOVERED and self.writer is None:
            rules.append(f"expected `opened` or `recovered` before any other event, found {kind}")
        elif kind != EventKind.RECOVERED and self.is_closed:
            rules.append(f"expected `opened` or `recovered` after `closed`, found {kind}")
        elif event.writer != (self.writer or NO_WRITER):
            rules.append(f"$.writer: expected {self.writer or NO_WRITER} of the last `opened`, found {event.writer}")
        return rules

    def _note_place(self, kind: str, trial_id: str | None) -> None:
        if trial_id is None:
            return
        trial = self.plan.index[trial_id]
        self.touched.append(trial)
        offsets = self._end_offsets if kind == EventKind.FINISHED else self._start_offsets
        offsets[trial] = self.offset

    def _refused(self, rules: list[str], *, foreign: bool = False) -> BadLineError:
        problems = [Problem(rule=rule, byte=0) for rule in rules]
        return self._placed(BadLineError(problems, vouched=True, foreign=foreign))

    def _placed(self, error: BadLineError) -> BadLineError:
        line = self.records + 1
        problems = [replace(problem, line=line, byte=self.offset + (problem.byte or 0)) for problem in error.problems]
        return BadLineError(problems, vouched=error.vouched, foreign=error.foreign)


def _too_long(line: bytes, plan_sha256: str) -> BadLineError:
    rule = f"expected a line of at most {RECORD_LIMIT:,} bytes with its LF, found {len(line) + 1:,}"
    foreign = foreign_plan(line, plan_sha256)
    return BadLineError([Problem(rule=rule, byte=0)], vouched=True, foreign=foreign is not None)

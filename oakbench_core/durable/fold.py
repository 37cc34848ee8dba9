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
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard

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
)
from oakbench_core.errors import Problem
from oakbench_core.forms import is_utc_time, utc_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.records import Record, TrialRecord

_HASH_SUFFIX: Final = len(',"hash":""}') + 32
_HASH_DIGITS: Final = 32 + len('"}')
_NOT_ON_FILE: Final = -1
_PIECE: Final = 64 << 10
_SECONDS: Final = re.compile(r"[0-5][0-9](\.[0-9]{1,9})?Z", re.ASCII)
_TIMES: Final = re.compile(r"(?:[^\n]{17}[0-5][0-9](?:\.[0-9]{1,9})?Z\n)*", re.ASCII)
_OF_TRIALS: Final = frozenset({Started, Finished})
_seq, _writer, _at = attrgetter("seq"), attrgetter("writer"), attrgetter("at")


class Next(NamedTuple):
    """What the next record must agree with; `writer` is None before the first `opened`."""

    plan_sha256: str
    seq: int
    writer: str | None
    opens: bool  # only `opened` or `recovered` may stand there


@lru_cache(maxsize=4096)
def _is_minute(text: str) -> bool:
    return is_utc_time(f"{text}00Z")


@lru_cache(maxsize=4096)
def _minute_s(text: str) -> float | None:
    return utc_seconds(f"{text}00Z") if _is_minute(text) else None


def _is_time(text: str) -> bool:
    # A journal holds few minutes and many seconds.
    return _SECONDS.fullmatch(text, 17) is not None and _is_minute(text[:17])


def _are_of_trials(records: list[Record]) -> TypeGuard[list[TrialRecord]]:
    return set(map(type, records)) <= _OF_TRIALS


def _times_s(texts: Sequence[str]) -> list[float] | None:
    """The `utc_seconds` of each text; None if one is no time."""
    # All together, one a line: with no other line feed among them the pattern can only match each in its line.
    lines = "\n".join([*texts, ""])
    if lines.count("\n") != len(texts) or _TIMES.fullmatch(lines) is None:
        return None
    begun = [text[:17] for text in texts]
    minutes = set(begun)
    minutes_s = {minute: start_s for minute in minutes if (start_s := _minute_s(minute)) is not None}
    if len(minutes_s) < len(minutes):
        return None
    return [minutes_s[minute] + float(text[17:-1]) for minute, text in zip(begun, texts, strict=True)]


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
        start, taken = self.offset, 0
        # By pieces: what is made of one is still in the processor's cache when it is folded in.
        while end := block.rfind(b"\n", taken, taken + _PIECE) + 1 or block.find(b"\n", taken + _PIECE) + 1:
            self._take_lines(block[taken:end])
            taken = end
        return self.offset - start

    def _take_lines(self, whole: bytes) -> None:
        taken = self._take_proved(whole)
        while taken < len(whole):
            # What was not proved of all of them may hold of most.
            end = whole.index(b"\n", taken) + 1
            line = whole[taken:end]
            if not self._take_proved(line):
                self.take_line(line[:-1])
            taken = end

    def _take_proved(self, whole: bytes) -> int:
        """Fold in lines of which it is proved, for all at once, that they are the next records; their bytes.

        What is not admitted here, the measure looks at again, to admit it or to name what is wrong.
        """
        records = decode_block(whole)
        if records is None:
            return 0
        if not _are_of_trials(records):
            return self._take_runners(whole, records[0]) if len(records) == 1 else 0
        if not self._are_expected(records):
            return 0
        times_s, sizes = _times_s(list(map(_at, records))), self._sizes_of_chained(whole, records)
        if times_s is None or sizes is None or max(sizes) > RECORD_LIMIT:
            return 0
        trials = self.ledger.apply_all(records, times_s)
        if not trials:
            return 0
        start = offset = self.offset
        starts, ends = self._start_offsets, self._end_offsets
        for trial, record, size in zip(trials, records, sizes, strict=False):
            (starts if type(record) is Started else ends)[trial] = offset
            offset += size
        self.ledger.chronicle.note_trials(records[: len(trials)])
        last = records[len(trials) - 1]
        self.touched += trials
        self.last_hash, self.last_at = last.hash, last.at
        self.records, self.offset = self.records + len(trials), offset
        return offset - start

    def _take_runners(self, line: bytes, record: Record) -> int:
        """Fold in a record that a runner left of itself, as `_take_proved` does."""
        if self._sizes_of_chained(line, [record]) is None or len(line) > RECORD_LIMIT:
            return 0
        try:
            self._admit(record, len(line))
        except BadLineError:
            return 0
        return len(line)

    def _are_expected(self, records: Sequence[TrialRecord]) -> bool:
        numbers = list(range(self.records, self.records + len(records)))
        return list(map(_seq, records)) == numbers and set(map(_writer, records)) == {self._expected_writer}

    def _sizes_of_chained(self, whole: bytes, records: Sequence[Record]) -> list[int] | None:
        """Bytes of each line with its LF; None if a record's hash is not that of its place."""
        previous, start, sizes = (self.last_hash or first_link(self.plan.plan_sha256)).encode(), 0, []
        for record in records:
            end = whole.find(b"\n", start)
            # `decode_block` proved that the line ends with the hash key, so its length says where the body ends.
            if sha256(previous + whole[start : end - _HASH_SUFFIX]).hexdigest()[:32] != record.hash:
                return None
            previous = whole[end - _HASH_DIGITS : end - 2]
            sizes.append(end + 1 - start)
            start = end + 1
        return sizes

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

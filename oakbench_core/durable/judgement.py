"""What a journal is: its bytes, its head and its quarantine held together, in the order of the table of states.

The head can only take trust away or settle a doubt; it adds no record. A kept tail that no `recovered` names says that
a recovery was broken off, and is what that recovery goes on from.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.vocabulary import EventKind, RecoveryKind
from oakbench_core.durable.framing import NO_WRITER, RECORD_LIMIT, BadLineError, decode_line, first_link
from oakbench_core.durable.head import Head, head_path, read_head
from oakbench_core.durable.host import boot_id
from oakbench_core.durable.quarantine import KeptTail, TailFacts, kept_as, kept_facts, kept_tails, tail_facts
from oakbench_core.durable.reservation import reserve
from oakbench_core.durable.tail import JournalState, Tail, Verdict, judge
from oakbench_core.errors import OakbenchError, Problem

if TYPE_CHECKING:
    from pathlib import Path

    from oakbench_core.durable.fold import Fold

_SEQ: Final = re.compile(rb'\{"event":"[a-z]+","trial_id":(?:null|"(?:[^"\\]|\\.)*"),"seq":([0-9]+),')
_TAILS: Final = frozenset({JournalState.TORN, JournalState.ZEROS, JournalState.UNCERTAIN_TAIL})


class Beside(NamedTuple):
    """What stands beside a journal; the head is looked at before the journal, since it never leads."""

    head: Head | None
    kept: tuple[KeptTail, ...]

    @classmethod
    def of(cls, journal: Path) -> Beside:
        """Raises OSError where the quarantine is there and cannot be read."""
        return cls(read_head(journal), kept_tails(journal))


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The end of a journal as a look found it: `descriptor` and `size` of the file (None: there is none).

    `lacks_newline`: the last record of the fold lacks its LF on file. `is_amid_write`: the last byte is no LF, and a
    writer holds the lock.
    """

    path: Path
    fold: Fold
    descriptor: int | None
    size: int
    bad_line: BadLineError | None
    lacks_newline: bool
    is_amid_write: bool

    @property
    def good(self) -> int:
        """The size of the good records, a lacking last LF counted."""
        return self.fold.offset

    @property
    def tail_size(self) -> int:
        return max(self.size - self.good, 0)


class Conclusion(NamedTuple):
    """A state and why; the tail; the kept tails that a recovery goes on from; whether a person must accept it."""

    verdict: Verdict
    tail: Tail | None = None
    kept: tuple[KeptTail, ...] = ()
    needs_acceptance: bool = False


def conclude(end: End, beside: Beside) -> Conclusion:
    """The state of a journal, and what recovery would do about it."""
    head = beside.head
    if head is not None and end.size + 1 < head.size:
        return Conclusion(_behind(end, head), _bare_tail(end, JournalState.BEHIND_HEAD))
    alone = _alone(end)
    if head is not None and (problem := _contradiction(head, end)):
        problems = (*alone.problems, problem)
        return _invalid(end, Verdict(JournalState.INVALID, problems, foreign=alone.foreign))
    unnamed = tuple(tail for tail in beside.kept if tail.offset == end.good)
    if not end.fold.kept_names.isdisjoint(kept_as(end.path, unnamed)):
        unnamed = tuple(tail for tail in unnamed if kept_as(end.path, [tail])[0] not in end.fold.kept_names)
    if unnamed and alone.state is not JournalState.INVALID:
        return _pending(end, unnamed, head)
    if alone.state in _TAILS and end.descriptor is not None:
        facts = tail_facts(end.descriptor, end.good)
        return _recoverable(end, alone, alone.state, _Lost(facts, (KeptTail(end.good, 1, facts.mark),)), head)
    return Conclusion(alone, _bare_tail(end, alone.state))


def _bare_tail(end: End, state: JournalState) -> Tail | None:
    return Tail(state, end.good, end.tail_size) if end.tail_size else None


def _invalid(end: End, verdict: Verdict) -> Conclusion:
    return Conclusion(verdict, _bare_tail(end, JournalState.INVALID))


def _behind(end: End, head: Head) -> Verdict:
    there = "there is none" if end.descriptor is None else f"it has {end.size:,}"
    rule = (
        f"acknowledged records are missing: by {head_path(end.path).name} the journal had {head.size:,} bytes up to "
        f"seq {head.seq:,}, {there}"
    )
    foreign = end.bad_line is not None and end.bad_line.foreign
    problems = end.bad_line.problems if end.bad_line is not None else ()
    return Verdict(JournalState.BEHIND_HEAD, (Problem(rule=rule), *problems), foreign=foreign)


def _alone(end: End) -> Verdict:
    """What the bytes after the last good record are by themselves."""
    if end.descriptor is None:
        return Verdict(JournalState.ABSENT)
    if end.is_amid_write:
        return Verdict(JournalState.IN_PROGRESS)
    if end.lacks_newline:
        return Verdict(JournalState.NO_NEWLINE, (Problem(rule="the last record lacks its LF, and nothing else"),))
    if not end.tail_size:
        return Verdict(JournalState.CLEAN if end.size else JournalState.EMPTY)
    start = os.pread(end.descriptor, RECORD_LIMIT + 1, end.good)
    rest = end.good + len(start)
    if end.bad_line is not None:
        return judge(start, rest_is_nul=end.size <= rest, fold=end.fold, bad_line=end.bad_line)
    rest_is_nul = len(start) <= RECORD_LIMIT or tail_facts(end.descriptor, end.good).rest_is_nul
    return judge(start, rest_is_nul=rest_is_nul, fold=end.fold, bad_line=None)


def _contradiction(head: Head, end: End) -> Problem | None:
    """What a sound head says against the records on file."""
    name = head_path(end.path).name
    if head.size > end.good:
        rule = f"acknowledged bytes are damaged: by {name} the first {head.size:,} are, and only {end.good:,} are good"
        return Problem(rule=rule)
    seq, its_hash = _record_ending_at(head.size, end)
    if (seq, its_hash) == (head.seq, head.hash):
        return None
    found = "no record ends there" if seq is None else f"the record that ends there is seq {seq:,}, hash {its_hash}"
    rule = f"by {name} the record that ends at byte {head.size:,} is seq {head.seq:,}, hash {head.hash}; {found}"
    return Problem(rule=rule, byte=0, file=str(head_path(end.path)))


def _record_ending_at(size: int, end: End) -> tuple[int | None, str | None]:
    if size == end.good:
        return end.fold.last_seq, end.fold.last_hash
    start = max(size - RECORD_LIMIT, 0)
    before = os.pread(end.descriptor, size - start, start) if end.descriptor is not None else b""
    if not before.endswith(b"\n"):
        return None, None
    line = before[before.rfind(b"\n", 0, -1) + 1 : -1]
    seq = _SEQ.match(line)
    return (int(seq[1]), line[-34:-2].decode()) if seq else (None, None)


class _Lost(NamedTuple):
    """The tail that decides, all tails of its offset as they are or would be kept, and those that are kept already."""

    facts: TailFacts
    tails: tuple[KeptTail, ...]
    kept: tuple[KeptTail, ...] = ()


def _pending(end: End, kept: tuple[KeptTail, ...], head: Head | None) -> Conclusion:
    """A recovery that was broken off: it is decided from the first tail that it kept."""
    first = kept[0]
    name = kept_as(end.path, [first])[0]
    try:
        facts = kept_facts(end.path, first)
    except OakbenchError as error:
        return _invalid(end, Verdict(JournalState.INVALID, error.problems))
    if facts.mark != first.mark:
        rule = f"{name} does not hold what its name says: its SHA-256 begins with {facts.mark}"
        return _invalid(end, Verdict(JournalState.INVALID, (Problem(rule=rule),)))
    of_kept = _kept_verdict(facts, end.fold)
    if of_kept.state not in _TAILS:
        return _invalid(end, replace(of_kept, state=JournalState.INVALID))
    tails = kept
    if end.tail_size and end.descriptor is not None:
        mark = tail_facts(end.descriptor, end.good).mark
        if all(tail.mark != mark for tail in kept):
            tails = (*kept, KeptTail(end.good, kept[-1].number + 1, mark))
    rule = f"a recovery was broken off: {name} holds what stood from byte {end.good:,} on"
    verdict = Verdict(JournalState.RECOVERY_PENDING, (Problem(rule=rule),))
    return _recoverable(end, verdict, of_kept.state, _Lost(facts, tails, kept), head)


def _kept_verdict(facts: TailFacts, fold: Fold) -> Verdict:
    """What a kept tail is by itself, at the end of these good records."""
    bad_line = None
    line, lf, _ = facts.start.partition(b"\n")
    if lf:
        plan_sha256 = fold.plan.plan_sha256
        try:
            decode_line(line, plan_sha256, fold.last_hash or first_link(plan_sha256))
        except BadLineError as error:
            bad_line = error
        else:
            return Verdict(JournalState.INVALID, (Problem(rule="a kept tail is a whole record with a right hash"),))
    return judge(facts.start, rest_is_nul=facts.rest_is_nul, fold=fold, bad_line=bad_line)


def _recoverable(end: End, verdict: Verdict, state: JournalState, lost: _Lost, head: Head | None) -> Conclusion:
    """`state`: what the tail that decides is by itself."""
    fold, facts = end.fold, lost.facts
    reserved = reserve(facts.start, state, fold.ledger)
    kind = _kind(state, end, head)
    would_recover: dict[str, Any] = {
        "event": str(EventKind.RECOVERED),
        "trial_id": reserved.trial_id,
        "seq": fold.records,
        "v": 1,
        "plan_sha256": fold.plan.plan_sha256,
        "writer": fold.writer or NO_WRITER,
        "recovery": {
            "offset": end.good,
            "bytes": facts.size,
            "sha256": facts.sha256,
            "kind": str(kind),
            "kept_as": kept_as(end.path, lost.tails),
            "reason": str(reserved.reason),
        },
    }
    tail = Tail(verdict.state, end.good, end.tail_size, would_recover)
    return Conclusion(verdict, tail, lost.kept, kind is RecoveryKind.UNCERTAIN_ACCEPTED)


def _kind(state: JournalState, end: End, head: Head | None) -> RecoveryKind:
    if state is JournalState.TORN:
        return RecoveryKind.TORN
    if state is JournalState.ZEROS:
        return RecoveryKind.ZEROS
    # The page cache that held the last head is still alive only since the same start of the same machine.
    runner = end.fold.ledger.last_runner
    same_boot = runner is not None and runner.boot_id is not None and runner.boot_id == boot_id()
    proved = head is not None and head.size == end.good and same_boot
    return RecoveryKind.UNCERTAIN_PROVED if proved else RecoveryKind.UNCERTAIN_ACCEPTED

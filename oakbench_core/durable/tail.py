"""What stands after the last good record: the table of journal states, as far as the bytes by themselves decide it.

What the head and the quarantine say besides is `judgement`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.durable.framing import RECORD_LIMIT, foreign_plan
from oakbench_core.durable.torn import completion, torn_start
from oakbench_core.errors import ExitCode, IdentityError, JournalError, OakbenchError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oakbench_core.durable.fold import Fold
    from oakbench_core.durable.framing import BadLineError


class JournalState(StrEnum):
    """What a journal is; the word is what people and documents are told."""

    BEHIND_HEAD = "BEHIND_HEAD"
    RECOVERY_PENDING = "RECOVERY_PENDING"
    ABSENT = "ABSENT"
    EMPTY = "EMPTY"
    IN_PROGRESS = "IN_PROGRESS"
    NO_NEWLINE = "NO_NEWLINE"
    CLEAN = "CLEAN"
    ZEROS = "ZEROS"
    TORN = "TORN"
    UNCERTAIN_TAIL = "UNCERTAIN_TAIL"
    INVALID = "INVALID"
    REPLACED = "REPLACED"  # of a reader that stays: another file, or other bytes, stand where it had read

    @property
    def has_results(self) -> bool:
        """Whether what stands before the tail may be shown and counted."""
        return self not in {JournalState.INVALID, JournalState.BEHIND_HEAD}


class Tail(NamedTuple):
    """The bytes after the last good record: what they are, where they begin, how many.

    `would_recover`: the event that a recovery would append, without `at` and `hash`; None where none would append any.
    """

    kind: JournalState
    offset: int
    size: int
    would_recover: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A state, and why: `problems` say what a tail lacks, or what makes the journal invalid."""

    state: JournalState
    problems: tuple[Problem, ...] = ()
    foreign: bool = False


class MissingRecordsError(JournalError):
    """Records that were acknowledged are no longer on file."""

    exit_code: ClassVar[ExitCode] = ExitCode.MISSING_RECORDS


class TornTailError(JournalError):
    """The last record was not written whole; recovery keeps the tail aside."""

    exit_code: ClassVar[ExitCode] = ExitCode.TORN


class UncertainTailError(JournalError):
    """What the last bytes were cannot be known; a person decides."""

    exit_code: ClassVar[ExitCode] = ExitCode.UNCERTAIN


_NUL: Final = b"\0"
_BYTE_ORDER_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_BLANK: Final = b" \t\r\n"


def judge(tail: bytes, *, rest_is_nul: bool, fold: Fold, bad_line: BadLineError | None) -> Verdict:
    """The state of a journal whose last good record is followed by `tail` (not empty), while no one writes it.

    Args:
        tail: its first bytes, one more than a record may have if there are so many.
        rest_is_nul: whether all bytes after those are NUL (true also where there are none).
        fold: of the good records, which the record that was being written had to agree with.
        bad_line: why the LF-ended line that the tail begins with is not the next record; None: it begins with none.
    """
    if bad_line is not None:
        line, _, after = tail.partition(b"\n")
        return _judge_line(line, bad_line, ends=not after and rest_is_nul and len(tail) <= RECORD_LIMIT)
    text = tail.rstrip(_NUL)
    if not rest_is_nul or len(text) > RECORD_LIMIT:
        if foreign := foreign_plan(text, fold.plan.plan_sha256):
            return Verdict(JournalState.INVALID, (foreign,), foreign=True)
        rule = f"expected a line of at most {RECORD_LIMIT:,} bytes with its LF, found more without one"
        return Verdict(JournalState.INVALID, (Problem(rule=rule),))
    return _judge_fragment(text, fold)


def _judge_fragment(text: bytes, fold: Fold) -> Verdict:
    if not text:
        return Verdict(JournalState.ZEROS, (Problem(rule="only NUL bytes stand after the last record"),))
    if completion(text, fold.next) is not None:
        if rule := _impossible_start(text, fold):
            return Verdict(JournalState.INVALID, (Problem(rule=rule, path="$.trial_id"),))
        rule = f"the last record is cut off after {len(text):,} bytes"
        return Verdict(JournalState.TORN, (Problem(rule=rule),))
    if foreign := foreign_plan(text, fold.plan.plan_sha256):
        return Verdict(JournalState.INVALID, (foreign,), foreign=True)
    if flaw := _never_accidental(text):
        return Verdict(JournalState.INVALID, (Problem(rule=flaw),))
    rule = "the last bytes are no record and no beginning of one"
    return Verdict(JournalState.UNCERTAIN_TAIL, (Problem(rule=rule),))


def _impossible_start(text: bytes, fold: Fold) -> str | None:
    """Why a runner that could start trials cannot have begun to write this start, if it is a start of a named trial."""
    trial_id = torn_start(text)
    if trial_id is None or not fold.ledger.is_opened:
        return None
    trial = fold.plan.index.get(trial_id)
    if trial is None:
        return f"the torn start of {trial_id!r} names no trial of the plan"
    standing = fold.ledger.standing(trial)
    if standing is Standing.UNSTARTED:
        return None
    return f"{trial_id} is {standing.name.lower().replace('_', ' ')}, its start cannot have been written again"


def _judge_line(line: bytes, flaw: BadLineError, *, ends: bool) -> Verdict:
    if flaw.vouched or flaw.foreign:
        return Verdict(JournalState.INVALID, flaw.problems, foreign=flaw.foreign)
    if rule := _never_accidental(line):
        return Verdict(JournalState.INVALID, (Problem(rule=rule),))
    state = JournalState.UNCERTAIN_TAIL if ends else JournalState.INVALID
    return Verdict(state, flaw.problems)


def _never_accidental(line: bytes) -> str | None:
    """Why bytes are no record that an accident changed: no write of ours, cut or flipped, leaves these."""
    if line.startswith(_BYTE_ORDER_MARKS):
        return "expected UTF-8 without a byte order mark"
    if not line.strip(_BLANK):
        return "expected a record, found a blank line"
    if b"\r" in line:
        return "expected LF line ends, found a carriage return"
    return None


def refusal(verdict: Verdict) -> OakbenchError | None:
    """The error of a state without results; None where there are results."""
    if verdict.state.has_results:
        return None
    if verdict.foreign:
        return IdentityError("this journal is of another plan", verdict.problems)
    if verdict.state is JournalState.BEHIND_HEAD:
        return MissingRecordsError("acknowledged records are missing from this journal", verdict.problems)
    return JournalError("this journal is invalid", verdict.problems)

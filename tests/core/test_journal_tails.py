"""Every row of the table of states, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oakbench_core.durable.fold import Fold
from oakbench_core.durable.framing import NO_WRITER, RECORD_LIMIT
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.lock import LockState
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState, Tail
from oakbench_core.durable.torn import completion
from oakbench_core.errors import IdentityError, JournalError
from tests.core.durable_outcomes import folded, judged
from tests.core.durable_samples import (
    FIRST_WRITER,
    TRIALS,
    Script,
    no_writer_script,
    other_plan,
    row,
    sample_lines,
    sample_plan,
)

if TYPE_CHECKING:
    from pathlib import Path

LINES = sample_lines()
GOOD = b"".join(LINES[:3])  # opened, started, finished
NEXT = LINES[3]

CLASSES: dict[str, tuple[bytes, JournalState]] = {
    "nothing": (b"", JournalState.CLEAN),
    "a record without its LF": (NEXT[:-1], JournalState.NO_NEWLINE),
    "one NUL": (b"\0", JournalState.ZEROS),
    "a page of NULs": (b"\0" * 4096, JournalState.ZEROS),
    "more NULs than a record may have": (b"\0" * (RECORD_LIMIT + 7), JournalState.ZEROS),
    "the first byte of a record": (b"{", JournalState.TORN),
    "half a record": (NEXT[:100], JournalState.TORN),
    "half a record and NULs": (NEXT[:100] + b"\0" * 50, JournalState.TORN),
    "half a record and a MiB of NULs": (NEXT[:100] + b"\0" * (RECORD_LIMIT + 7), JournalState.TORN),
    "a whole record, NULs for its LF": (NEXT[:-1] + b"\0\0", JournalState.TORN),
    "a whole record of another hash, without its LF": (NEXT[:-35] + b"0" * 32 + b'"}', JournalState.TORN),
    "a record of the wrong seq, cut": (NEXT.replace(b'"seq":3', b'"seq":4')[:150], JournalState.UNCERTAIN_TAIL),
    "a record of another writer, cut": (
        NEXT.replace(b'"writer":"1', b'"writer":"2')[:250],
        JournalState.UNCERTAIN_TAIL,
    ),
    "an unknown event": (b'{"event":"paused"', JournalState.UNCERTAIN_TAIL),
    "a day that is none": (NEXT[:-50].replace(b"-30T", b"-31T"), JournalState.UNCERTAIN_TAIL),
    "text": (b"hello", JournalState.UNCERTAIN_TAIL),
    "NULs, then a record": (b"\0\0" + NEXT[:-1], JournalState.UNCERTAIN_TAIL),
    "a NUL inside": (NEXT[:50] + b"\0" + NEXT[51:-1], JournalState.UNCERTAIN_TAIL),
    "more than a whole record": (NEXT[:-1] + b"}", JournalState.UNCERTAIN_TAIL),
    "a line of text": (b"hello\n", JournalState.UNCERTAIN_TAIL),
    "a line of NULs": (b"\0\0\0\n", JournalState.UNCERTAIN_TAIL),
    "a record with a changed byte": (NEXT.replace(b"started", b"staxted"), JournalState.UNCERTAIN_TAIL),
    "a longest line of text": (b"x" * (RECORD_LIMIT - 1) + b"\n", JournalState.UNCERTAIN_TAIL),
    "a line of text, and a byte": (b"hello\n{", JournalState.INVALID),
    "a line of text, and a NUL": (b"hello\n\0", JournalState.INVALID),
    "a line of text, and a good record": (b"hello\n" + NEXT, JournalState.INVALID),
    "the record after the next": (LINES[4], JournalState.UNCERTAIN_TAIL),
    "a blank line": (b"\n", JournalState.INVALID),
    "a line of spaces": (b"  \n", JournalState.INVALID),
    "spaces": (b"  ", JournalState.INVALID),
    "a carriage return": (NEXT[:-1] + b"\r\n", JournalState.INVALID),
    "a carriage return without LF": (NEXT[:80] + b"\r", JournalState.INVALID),
    "a byte order mark": (b"\xef\xbb\xbf" + NEXT, JournalState.INVALID),
    "a byte order mark without LF": (b"\xef\xbb\xbf" + NEXT[:-1], JournalState.INVALID),
    "UTF-16": (b"\xff\xfe" + NEXT.decode().encode("utf-16-le"), JournalState.INVALID),
    "a line too long": (b"x" * RECORD_LIMIT + b"\n", JournalState.INVALID),
    "a fragment too long": (b"x" * (RECORD_LIMIT + 1), JournalState.INVALID),
    "a fragment too long, with NULs": (b"x" * (RECORD_LIMIT + 1) + b"\0" * 9, JournalState.INVALID),
    "NULs, then text beyond a record": (b"\0" * (RECORD_LIMIT + 7) + b"x", JournalState.INVALID),
    "another plan's record": (Script(other_plan()).opened().lines[0], JournalState.INVALID),
    "another plan's record, cut": (Script(other_plan()).opened().lines[0][:-40], JournalState.INVALID),
    "another plan's record, too long": (
        Script(other_plan()).opened().lines[0][:-1] + b" " * RECORD_LIMIT,
        JournalState.INVALID,
    ),
    "another plan's record, too long, with NULs": (
        Script(other_plan()).opened().lines[0][:-1] + b" " * RECORD_LIMIT + b"\0" * 9,
        JournalState.INVALID,
    ),
}


@pytest.mark.parametrize("name", CLASSES)
def test_what_follows_the_last_good_record_is_classified(name: str, tmp_path: Path) -> None:
    tail, expected = CLASSES[name]
    path = tmp_path / "journal.jsonl"
    path.write_bytes(GOOD + tail)
    reading = read_journal(path, sample_plan())
    whole = expected is JournalState.NO_NEWLINE

    assert reading.state is expected
    assert reading.records == 3 + whole
    found = None if reading.tail is None else reading.tail._replace(would_recover=None)
    assert found == (None if not tail or whole else Tail(expected, len(GOOD), len(tail)))
    foreseen = reading.tail is not None and reading.tail.would_recover is not None
    assert foreseen is (expected in {JournalState.TORN, JournalState.ZEROS, JournalState.UNCERTAIN_TAIL})
    assert bool(reading.problems) is (expected is not JournalState.CLEAN)
    for problem in reading.problems:
        assert (problem.file, problem.line) == (str(path), 4)
        assert problem.byte is not None
        assert problem.byte >= len(GOOD)
        assert problem.byte == reading.size or not whole  # where the LF is missing


@pytest.mark.parametrize("name", CLASSES)
def test_the_pure_half_agrees_with_the_reader(name: str) -> None:
    tail, expected = CLASSES[name]

    assert judged(folded(sample_plan(), LINES[:3]), tail) is expected


@pytest.mark.parametrize("name", CLASSES)
def test_while_a_writer_holds_the_lock_an_unended_line_is_in_progress(name: str, tmp_path: Path) -> None:
    tail, expected = CLASSES[name]
    (tmp_path / "journal.jsonl").write_bytes(GOOD + tail)
    with JournalReader(tmp_path, sample_plan(), probe=lambda _: LockState.HELD) as reader:
        while reader.poll().more:
            pass
    if tail and not tail.endswith(b"\n"):
        expected = JournalState.IN_PROGRESS

    assert reader.state is expected
    assert bool(reader.problems) is (expected not in {JournalState.CLEAN, JournalState.IN_PROGRESS})
    assert reader.fold.records == 3


def test_a_journal_that_is_not_there_is_absent(tmp_path: Path) -> None:
    reading = read_journal(tmp_path, sample_plan())

    assert reading.state is JournalState.ABSENT
    assert list(reading.events) == []
    assert reading.ledger.tallies[0] == len(TRIALS)


def test_a_file_without_a_byte_is_empty(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").touch()
    reading = read_journal(tmp_path, sample_plan())

    assert reading.state is JournalState.EMPTY
    assert list(reading.events) == []


@pytest.mark.parametrize("tail", [b"\0", b"{", b'{"event":"opened","trial_id":null,"seq":0'])
def test_a_first_record_can_be_torn_as_any_other(tail: bytes) -> None:
    assert judged(Fold(sample_plan()), tail) is (JournalState.ZEROS if tail == b"\0" else JournalState.TORN)


def test_a_state_without_results_raises_where_events_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(GOOD + b"\n")
    reading = read_journal(path, sample_plan())

    with pytest.raises(JournalError) as caught:
        list(reading.events)
    assert caught.value.problems == reading.problems
    assert (caught.value.file, caught.value.line) == (str(path), 4)


def test_another_plans_journal_is_a_foreign_identity(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(GOOD)
    reading = read_journal(path, other_plan())

    assert reading.state is JournalState.INVALID
    assert isinstance(reading.refusal, IdentityError)
    assert reading.problems[0].line == 1


@pytest.mark.parametrize("name", [name for name in CLASSES if name.startswith("another plan's")])
def test_a_tail_that_names_another_plan_whole_is_a_foreign_identity_whatever_its_length(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "journal.jsonl").write_bytes(GOOD + CLASSES[name][0])

    assert isinstance(read_journal(tmp_path, sample_plan()).refusal, IdentityError)


def test_a_journal_may_begin_with_a_recovery_that_no_writer_stands_before(tmp_path: Path) -> None:
    script = no_writer_script(sample_plan())
    (tmp_path / "journal.jsonl").write_bytes(script.content)
    reading = read_journal(tmp_path, sample_plan())

    assert NO_WRITER.encode() in script.lines[0]
    assert (reading.state, reading.records) == (JournalState.CLEAN, 3)


ILLEGAL: dict[str, tuple[Script, str]] = {
    "started before opened": (Script(sample_plan()).started(TRIALS[0]), "before any other event"),
    "closed before opened": (Script(sample_plan()).closed(), "before any other event"),
    "started after a recovery alone": (
        Script(sample_plan(), NO_WRITER).recovered(None).started(TRIALS[0]),
        "before any other event",
    ),
    "started after closed": (Script(sample_plan()).opened().closed().started(TRIALS[0]), "after `closed`"),
    "closed after closed": (Script(sample_plan()).opened().closed().closed(), "after `closed`"),
    "a writer that no opened introduced": (
        Script(sample_plan()).opened().add("started", TRIALS[0], writer="9" * 32),
        "$.writer",
    ),
    "an earlier writer": (
        Script(sample_plan()).opened().opened("2" * 32).add("started", TRIALS[0], writer=FIRST_WRITER),
        "$.writer",
    ),
    "a recovery of another writer": (
        Script(sample_plan())
        .opened()
        .add(
            "recovered",
            None,
            writer="0" * 32,
            recovery={
                "offset": 1,
                "bytes": 1,
                "sha256": "0" * 64,
                "kind": "torn",
                "kept_as": [],
                "reason": "torn_other",
            },
        ),
        "$.writer",
    ),
    "a seq left out": (Script(sample_plan()).opened().add("started", TRIALS[0], seq=2), "$.seq"),
    "a seq twice": (Script(sample_plan()).opened().add("started", TRIALS[0], seq=0), "$.seq"),
    "an unknown trial": (Script(sample_plan()).opened().started("w.t.plain.a.r001.svn"), "not in the plan"),
    "a start on a day that is none": (
        Script(sample_plan()).opened().add("started", TRIALS[0], at="2026-02-30T00:00:00Z"),
        "real UTC time",
    ),
    "a start at a time that is none": (
        Script(sample_plan()).opened().add("started", TRIALS[0], at="2026-02-28T00:00:61Z"),
        "real UTC time",
    ),
    "two starts": (Script(sample_plan()).opened().started(TRIALS[0]).started(TRIALS[0]), "cannot be started"),
    "a finish without a start": (Script(sample_plan()).opened().finished(TRIALS[0]), "cannot be"),
    "two finishes": (
        Script(sample_plan()).opened().started(TRIALS[0]).finished(TRIALS[0]).finished(TRIALS[0]),
        "cannot be",
    ),
    "a row of another trial": (
        Script(sample_plan()).opened().started(TRIALS[0]).finished(TRIALS[0], its_row=row(TRIALS[1])),
        "row.subject",
    ),
}


@pytest.mark.clause("A10-06", "A10-07", "A10-15")
@pytest.mark.parametrize("name", ILLEGAL)
def test_a_record_with_a_right_hash_that_fails_anything_else_is_invalid(name: str, tmp_path: Path) -> None:
    script, rule = ILLEGAL[name]
    (tmp_path / "journal.jsonl").write_bytes(script.content)
    reading = read_journal(tmp_path, sample_plan())

    assert reading.state is JournalState.INVALID
    assert isinstance(reading.refusal, JournalError)
    assert any(rule in problem.rule for problem in reading.problems)
    assert reading.problems[0].line == len(script.lines)
    assert reading.problems[0].byte == len(script.content) - len(script.lines[-1])


def test_after_closed_a_recovery_and_an_opened_may_follow() -> None:
    script = Script(sample_plan()).opened().closed().recovered(None).opened("2" * 32).started(TRIALS[0])

    assert judged(Fold(sample_plan()), script.content) is JournalState.CLEAN


def test_a_completion_begins_with_its_fragment_and_is_its_own() -> None:
    for number, line in enumerate(LINES):
        expected = folded(sample_plan(), LINES[:number]).next
        for size in (1, 20, 40, len(line) // 2, len(line) - 2, len(line) - 1):
            whole = completion(line[:size], expected)
            assert whole is not None
            assert whole.startswith(line[:size])
            assert completion(whole, expected) == whole


def test_no_record_is_torn_where_it_could_not_have_stood() -> None:
    closed = folded(sample_plan(), LINES[:9]).next
    for event in ("started", "finished", "closed"):
        assert completion(b'{"event":"%b"' % event.encode(), closed) is None
    for event in ("opened", "recovered"):
        assert completion(b'{"event":"%b"' % event.encode(), closed) is not None

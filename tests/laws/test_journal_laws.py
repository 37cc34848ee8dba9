"""Laws of the journal.

- The fold over any split of the bytes equals the fold over the whole.
- The fast path accepts exactly the bytes that the measure accepts, and decodes them alike.
- Every beginning of a record has a completion, and a completion is a record that the fragment begins.
- Every beginning of a number has a completion; no completion is spelled otherwise than Python would.
- Whatever bytes stand after good records, the good records stay, and nothing is raised.
- A writer's acknowledged records are on file, whatever write or sync fails: acknowledged ⊆ journal ⊆ attempted.
"""

from __future__ import annotations

import errno
import json
import re
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakbench_core.campaign.vocabulary import Terminal
from oakbench_core.canonical import MAX_INTEGER, parse_strict
from oakbench_core.durable.fold import Fold
from oakbench_core.durable.framing import BadLineError, compact, decode_line, first_link
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.number_prefix import completed_number
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.records import Opened, decode_block
from oakbench_core.durable.tail import JournalState
from oakbench_core.durable.torn import completion
from oakbench_core.durable.writer import JournalWriter
from oakbench_core.errors import PoisonedError
from oakbench_core.forms import is_utc_time
from tests.core.durable_faults import FaultyFiles
from tests.core.durable_outcomes import folded, judged, seen
from tests.core.durable_samples import AT, TRIALS, Script, row, sample_lines, sample_plan
from tests.laws.strategies_journal import SPELLINGS, damaged, histories

PLAN = sample_plan()


@given(histories(), st.lists(st.integers(1, 3000), max_size=12))
@settings(max_examples=60)
def test_the_fold_over_any_split_equals_the_fold_over_the_whole(script: Script, sizes: list[int]) -> None:
    whole = Fold(PLAN)
    assert whole.take(script.content) == len(script.content)

    parts, content, given_out = Fold(PLAN), script.content, 0
    for size in [*sizes, len(content)]:
        given_out = min(given_out + size, len(content))
        parts.take(content[parts.offset : given_out])

    assert seen(parts.ledger) == seen(whole.ledger)
    assert (parts.records, parts.last_hash, parts.next) == (whole.records, whole.last_hash, whole.next)
    assert parts.touched == whole.touched


@given(histories(), st.lists(st.integers(1, 3000), max_size=8))
@settings(max_examples=25)
def test_a_live_reader_of_any_appends_ends_where_one_look_ends(script: Script, sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, content, written = Path(folder) / "journal.jsonl", script.content, 0
        with path.open("wb", buffering=0) as file, JournalReader(path, PLAN) as reader:
            for size in [*sizes, len(content)]:
                file.write(content[written : written + size])
                written += size
                while reader.poll().more:
                    pass
            one_look = read_journal(path, PLAN)

            assert reader.state is one_look.state is JournalState.CLEAN
            assert seen(reader.ledger) == seen(one_look.ledger)
            assert [event["seq"] for event in one_look.events] == list(range(len(script.lines)))


@given(histories(), st.data())
@settings(max_examples=300)
def test_the_fast_path_accepts_no_other_bytes_than_the_measure(script: Script, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(script.lines) - 1))
    previous = script.lines[number - 1][-35:-3].decode() if number else first_link(PLAN.plan_sha256)
    line = script.lines[number]
    if data.draw(st.booleans()):
        line = data.draw(damaged(line, previous))
    records = decode_block(line)
    if records is None or len(records) != 1:
        return
    (record,) = records
    # What the fold compares with what it knows is not decided by the decoder.
    may_be_known = isinstance(record, Opened) or re.fullmatch("[0-9a-f]{32}", record.writer)
    if record.plan_sha256 != PLAN.plan_sha256 or not may_be_known or not is_utc_time(record.at):
        return

    event = decode_line(line[:-1], PLAN.plan_sha256, previous)
    for field in ("event", "trial_id", "seq", "plan_sha256", "writer", "at", "hash"):
        assert getattr(record, field) == getattr(event, field)
    for part in ("terminal", "row", "runner", "recovery", "stop"):
        assert hasattr(record, part) is hasattr(event, part)
        assert_alike(getattr(record, part, None), getattr(event, part, None))


def assert_alike(fast: object, model: object) -> None:
    """Field by field; `extra` stays bytes on the fast side."""
    fields = getattr(fast, "__struct_fields__", None)
    if fields is None:
        if isinstance(fast, tuple) and isinstance(model, tuple):
            for ours, theirs in zip(fast, model, strict=True):
                assert_alike(ours, theirs)
            return
        assert fast == model
        assert isinstance(fast, bool) is isinstance(model, bool)
        return
    for field in fields:
        if field != "extra":
            assert_alike(getattr(fast, field), getattr(model, field))


def taken(fold: Fold, content: bytes) -> tuple[object, ...]:
    try:
        fold.take(content)
    except BadLineError as error:
        return (error.problems, error.vouched, error.foreign)
    return ()


def taken_by_the_measure(fold: Fold, content: bytes) -> tuple[object, ...]:
    try:
        for line in content.split(b"\n")[:-1]:
            fold.take_line(line)
    except BadLineError as error:
        return (error.problems, error.vouched, error.foreign)
    return ()


@given(histories(), st.data())
@settings(max_examples=150)
def test_a_block_and_its_lines_one_by_one_give_the_same_fold_and_the_same_refusal(
    script: Script, data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(script.lines) - 1))
    previous = script.lines[number - 1][-35:-3].decode() if number else first_link(PLAN.plan_sha256)
    lines = [*script.lines]
    lines[number] = data.draw(damaged(lines[number], previous))
    fast, slow = Fold(PLAN), Fold(PLAN)

    assert taken(fast, b"".join(lines)) == taken_by_the_measure(slow, b"".join(lines))
    assert seen(fast.ledger) == seen(slow.ledger)
    assert (fast.records, fast.offset) == (slow.records, slow.offset)


@given(histories(), st.data())
@settings(max_examples=200)
def test_every_beginning_of_a_record_has_a_completion(script: Script, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(script.lines) - 1))
    fold, line = folded(PLAN, script.lines[:number]), script.lines[number]
    size = data.draw(st.integers(1, len(line) - 2))
    whole = completion(line[:size], fold.next)

    assert whole is not None
    assert whole.startswith(line[:size])
    assert completion(whole, fold.next) == whole
    assert judged(fold, line[:size]) is JournalState.TORN


@given(histories(), st.data())
@settings(max_examples=200)
def test_a_completion_of_any_bytes_is_a_record_in_the_one_encoding(script: Script, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(script.lines) - 1))
    fold, line = folded(PLAN, script.lines[:number]), script.lines[number]
    place = data.draw(st.integers(1, len(line) - 2))
    noise = data.draw(st.binary(max_size=3) | st.sampled_from(SPELLINGS))
    fragment = line[:place] + noise + line[place : place + data.draw(st.integers(0, 40))]
    whole = completion(fragment, fold.next)
    if whole is None:
        return

    assert whole.startswith(fragment)
    value, problems = parse_strict(whole)
    assert not problems
    assert compact(value) == whole
    assert completion(whole, fold.next) == whole


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-MAX_INTEGER, MAX_INTEGER))
@settings(max_examples=200)
def test_every_beginning_of_a_number_has_a_completion(number: float) -> None:
    for size in range(1, len(repr(number)) + 1):
        begun = repr(number)[:size].encode()
        whole = completed_number(begun)
        assert whole is not None
        assert whole.startswith(begun)
        assert compact(json.loads(whole)) == whole


@given(st.from_regex(r"-?[0-9]{1,18}(\.[0-9]{0,17})?(e[+-]?[0-9]{0,3})?", fullmatch=True))
def test_no_completion_of_a_number_is_spelled_otherwise_than_python_would(begun: str) -> None:
    whole = completed_number(begun.encode())
    if whole is not None:
        assert whole.startswith(begun.encode())
        assert compact(json.loads(whole)) == whole
        assert not parse_strict(whole)[1]


@given(st.integers(0, len(sample_lines())), st.binary(max_size=80))
@settings(max_examples=300)
def test_any_bytes_after_good_records_leave_them_as_they_are(number: int, tail: bytes) -> None:
    lines = sample_lines()[:number]
    fold = folded(PLAN, lines)
    before, state = seen(fold.ledger), judged(folded(PLAN, lines), tail)

    assert (state is JournalState.CLEAN) is (not tail and bool(lines))
    assert judged(fold, tail) is state
    assert seen(fold.ledger) == before


@given(st.integers(1, len(sample_lines()) - 1), st.data())
@settings(max_examples=200)
def test_a_torn_record_with_any_bytes_after_it_is_never_good(number: int, data: st.DataObject) -> None:
    line = sample_lines()[number]
    cut = line[: data.draw(st.integers(1, len(line) - 3))]
    noise = data.draw(st.binary(min_size=1, max_size=20))
    if line.startswith(cut + noise):
        return
    fold = folded(PLAN, sample_lines()[:number])

    assert judged(fold, cut + noise) not in {JournalState.CLEAN, JournalState.NO_NEWLINE}
    assert fold.records == number


FAILURES = st.sampled_from(
    [
        ({}, None),
        ({}, None),
        ({}, None),
        ({"write": errno.ENOSPC}, None),
        ({"write": errno.EIO}, 40),
        ({"sync_data": errno.EIO}, None),
        ({}, 0),
        ({}, 30),
    ]
)


@pytest.mark.skipif(sys.platform != "linux", reason="the writer's lock is Linux's")
@pytest.mark.clause("A10-05")
@given(st.lists(FAILURES, min_size=1, max_size=2 * len(TRIALS)))
@settings(max_examples=60)
def test_acknowledged_records_are_on_file_whatever_fails(
    failures: list[tuple[dict[str, int], int | None]],
) -> None:
    attempted: list[str] = []
    acknowledged: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder, files = Path(name), FaultyFiles()
        with JournalWriter.open(folder, PLAN, clock=lambda: AT, files=files) as writer:
            for number, (failing, short) in enumerate(failures):
                trial_id, ends = TRIALS[number // 2], number % 2
                files.failing, files.short = failing, short
                attempted.append(f"{'finished' if ends else 'started'} {trial_id}")
                try:
                    if ends:
                        writer.append_finished(trial_id, Terminal.COMPLETED, row(trial_id))
                    else:
                        writer.append_started(trial_id)
                except PoisonedError:
                    break
                acknowledged.append(attempted[-1])
        reading = read_journal(folder, PLAN)
        on_file = [f"{event['event']} {event['trial_id']}" for event in reading.events][1:]

        assert len(acknowledged) <= len(on_file) <= len(attempted)
        assert on_file == attempted[: len(on_file)]
        assert reading.state in {JournalState.CLEAN, JournalState.TORN, JournalState.NO_NEWLINE}


@given(st.binary(max_size=400))
def test_no_bytes_at_all_raise_anything_but_an_error_of_the_inputs_fault(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "journal.jsonl").write_bytes(content)
        reading = read_journal(Path(folder), PLAN)
        if reading.refusal is None:
            assert list(reading.events) == []
        else:
            with pytest.raises(type(reading.refusal)):
                list(reading.events)

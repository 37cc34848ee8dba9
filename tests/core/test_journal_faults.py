"""Faults 9 and 16: lines moved, doubled, taken out or foreign, and every hostile form with a hash that fits."""

from __future__ import annotations

import os
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from oakbench_core.durable.framing import first_link, link
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState
from oakbench_core.errors import IdentityError, JournalError
from tests.core.durable_outcomes import prefixes, seen
from tests.core.durable_samples import TRIALS, Script, other_plan, sample_lines, sample_plan

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from oakbench_core.durable.reading import JournalReading

LINES = sample_lines()


def read(folder: Path, lines: Sequence[bytes]) -> JournalReading:
    (folder / "journal.jsonl").write_bytes(b"".join(lines))
    return read_journal(folder, sample_plan())


def expect_invalid_at(reading: JournalReading, line: int) -> None:
    """Line and byte are named, and the ledger holds the truth up to there."""
    assert reading.state is JournalState.INVALID
    assert isinstance(reading.refusal, JournalError | IdentityError)
    assert {problem.line for problem in reading.problems} == {line}
    start = sum(map(len, LINES[: line - 1]))
    assert all(problem.byte is not None and problem.byte >= start for problem in reading.problems)
    assert seen(reading.ledger) == prefixes(sample_plan(), LINES[: line - 1])[-1]


def test_two_lines_swapped_are_invalid_wherever_they_stand(tmp_path: Path) -> None:
    for first in range(len(LINES) - 2):
        lines = [*LINES[:first], LINES[first + 1], LINES[first], *LINES[first + 2 :]]

        expect_invalid_at(read(tmp_path, lines), first + 1)


def test_a_line_taken_out_is_invalid_wherever_it_stood(tmp_path: Path) -> None:
    for gone in range(len(LINES) - 2):
        expect_invalid_at(read(tmp_path, [*LINES[:gone], *LINES[gone + 1 :]]), gone + 1)


def test_a_line_doubled_is_invalid_wherever_it_stands(tmp_path: Path) -> None:
    """A byte-identical duplicate is a duplicate; at the end alone it may be an accident, and a person decides."""
    for twice in range(len(LINES) - 1):
        expect_invalid_at(read(tmp_path, [*LINES[: twice + 1], *LINES[twice:]]), twice + 2)

    assert read(tmp_path, [*LINES, LINES[-1]]).state is JournalState.UNCERTAIN_TAIL


@pytest.mark.clause("A10-07")
def test_a_line_of_another_campaign_is_a_foreign_identity_wherever_it_stands(tmp_path: Path) -> None:
    foreign = Script(other_plan()).opened().started(TRIALS[0]).lines[1]
    for place in range(len(LINES) + 1):
        reading = read(tmp_path, [*LINES[:place], foreign, *LINES[place:]])

        expect_invalid_at(reading, place + 1)
        assert isinstance(reading.refusal, IdentityError)


def test_a_record_that_names_another_plan_inside_a_good_chain_is_a_foreign_identity(tmp_path: Path) -> None:
    script = Script(sample_plan()).opened().add("started", TRIALS[0], plan_sha256=other_plan().plan_sha256)
    reading = read(tmp_path, script.lines)

    assert isinstance(reading.refusal, IdentityError)
    assert (reading.records, reading.problems[0].line) == (1, 2)


def test_a_changed_digit_is_found_by_the_hash_alone(tmp_path: Path) -> None:
    """Everything else about the record stays legal: only the chain can tell."""
    for number, old, new in ((1, b"00.123Z", b"00.124Z"), (2, b'"duration_s":12.5', b'"duration_s":12.6')):
        lines = [*LINES]
        lines[number] = lines[number].replace(old, new)
        assert lines[number] != LINES[number]

        expect_invalid_at(read(tmp_path, lines), number + 1)


def test_a_line_of_another_journal_of_the_same_plan_is_invalid(tmp_path: Path) -> None:
    other = Script(sample_plan()).opened("7" * 32).started(TRIALS[0]).lines[1]

    expect_invalid_at(read(tmp_path, [*LINES[:1], other, *LINES[2:]]), 2)


def fitted(body: bytes) -> bytes:
    """A first line of these bytes with a hash that fits."""
    return b'%b,"hash":"%b"}' % (body, link(first_link(sample_plan().plan_sha256), body).encode())


BODY = LINES[0].rpartition(b',"hash"')[0]
FITTED: dict[str, bytes] = {
    "CRLF": fitted(BODY) + b"\r\n",
    "a byte order mark": fitted(b"\xef\xbb\xbf" + BODY) + b"\n",
    "a blank line first": b"\n" + fitted(BODY) + b"\n",
    "a blank line after": fitted(BODY) + b"\n\n",
    "UTF-16": LINES[0].decode().encode("utf-16"),
    "invalid UTF-8": fitted(BODY.replace(b'"h"', b'"\xff\xfe"')) + b"\n",
    "a surrogate escape": fitted(BODY.replace(b'"h"', rb'"\udc80"')) + b"\n",
    "a duplicate key": fitted(BODY.replace(b'"pid":1', b'"pid":1,"pid":2')) + b"\n",
    "NaN": fitted(BODY.replace(b'"grace_s":10', b'"grace_s":NaN')) + b"\n",
    "1e999": fitted(BODY.replace(b'"grace_s":10', b'"grace_s":1e999')) + b"\n",
    "10^30": fitted(BODY.replace(b'"pid":1', b'"pid":1' + b"0" * 30)) + b"\n",
    "a million digits": fitted(BODY.replace(b'"pid":1', b'"pid":1' + b"0" * 1_000_000)) + b"\n",
    "1.0 for an integer": fitted(BODY.replace(b'"pid":1', b'"pid":1.0')) + b"\n",
    "an unknown field": fitted(BODY.replace(b'"pid":1', b'"pid":1,"surprise":1')) + b"\n",
    "depth 100,000": fitted(BODY.replace(b'"grace_s":10', b'"grace_s":' + b"[" * 100_000 + b"]" * 100_000)) + b"\n",
    "depth 100,000 of objects": fitted(BODY.replace(b"10}", b'{"":' * 100_000 + b"1" + b"}" * 100_000 + b"}")) + b"\n",
}


@pytest.mark.parametrize("name", FITTED)
def test_a_hostile_form_is_invalid_with_its_place_although_its_hash_fits(name: str, tmp_path: Path) -> None:
    reading = read(tmp_path, [FITTED[name]])
    line = 2 if name == "a blank line after" else 1

    assert reading.state is JournalState.INVALID
    assert reading.records == line - 1
    assert reading.problems
    for problem in reading.problems:
        assert (problem.file, problem.line) == (str(reading.path), line)
        assert problem.byte is not None
        assert len(problem.rule) < 500
    assert f"line {line}" in str(reading.refusal)


@pytest.mark.parametrize("name", FITTED)
def test_a_hostile_form_is_invalid_with_more_lines_after_it(name: str, tmp_path: Path) -> None:
    assert read(tmp_path, [FITTED[name], *LINES]).state is JournalState.INVALID


def test_utf_16_without_its_mark_is_invalid_but_for_a_single_line(tmp_path: Path) -> None:
    """One line without a right hash may be an accident of the last write, whatever its bytes look like."""
    lines = [line.decode().encode("utf-16-be") for line in LINES]

    assert read(tmp_path, lines).state is JournalState.INVALID
    assert read(tmp_path, lines[:1]).state is JournalState.UNCERTAIN_TAIL


def test_a_line_of_a_gibibyte_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with path.open("wb") as file:
        file.write(LINES[0] + b"x" * (3 << 20))
        file.seek(1 << 30)
        file.write(b"\n")
    sample_plan()
    tracemalloc.start()
    reading = read_journal(path, sample_plan())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (reading.state, reading.problems[0].line) == (JournalState.INVALID, 2)
    assert peak < 16 << 20


def test_a_sparse_tail_of_zeros_is_read_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(LINES[0])
    os.truncate(path, 64 << 20)
    tracemalloc.start()
    reading = read_journal(path, sample_plan())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert reading.state is JournalState.ZEROS
    assert reading.tail is not None
    assert reading.tail.size == (64 << 20) - len(LINES[0])
    assert peak < 16 << 20


def test_a_torn_tail_of_the_deepest_nesting_is_judged_without_a_traceback(tmp_path: Path) -> None:
    for brackets in (b"[", b'{"":'):
        tail = BODY.replace(b'"grace_s":10}}', b'"grace_s":' + brackets * 100_000)

        assert read(tmp_path, [tail]).state is JournalState.UNCERTAIN_TAIL


def test_rules_do_not_carry_raw_bytes_of_the_journal_at_length(tmp_path: Path) -> None:
    surprise = b'"' + b"k" * 100_000 + b'":1,"pid":1'
    reading = read(tmp_path, [fitted(BODY.replace(b'"pid":1', surprise)) + b"\n"])

    assert reading.state is JournalState.INVALID
    assert all(len(problem.rule) < 500 for problem in reading.problems)

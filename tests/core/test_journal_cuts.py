"""Faults 6 and 7: a journal of every kind of record, cut at every byte and flipped at every bit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from oakbench_core.durable.fold import Fold
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.lock import LockState
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState
from tests.core.durable_outcomes import LONG, folded, judged, prefixes, seen, tell
from tests.core.durable_samples import sample_lines, sample_plan

if TYPE_CHECKING:
    from pathlib import Path

LINES = sample_lines()
CONTENT = b"".join(LINES)
ENDS = [0, *(sum(map(len, LINES[: number + 1])) for number in range(len(LINES)))]


def expected_state(size: int) -> JournalState:
    if size == 0:
        return JournalState.EMPTY
    if size in ENDS:
        return JournalState.CLEAN
    return JournalState.NO_NEWLINE if size + 1 in ENDS else JournalState.TORN


def whole_records(size: int) -> int:
    """How many records stand in the first `size` bytes; a last one that lacks only its LF counts."""
    return sum(end <= size + 1 for end in ENDS[1:])


@pytest.mark.clause("A10-05")
def test_every_cut_gives_a_prefix_of_the_truth_and_invents_nothing() -> None:
    truths, outcomes = prefixes(sample_plan(), LINES), Counter[str]()
    for number, line in enumerate(LINES):
        fold = folded(sample_plan(), LINES[:number])
        for size in range(len(line)):
            state = judged(fold, line[:size])
            outcomes[state] += 1

            assert state is expected_state(ENDS[number] + size)
            assert seen(fold.ledger) == truths[whole_records(ENDS[number] + size)]
    tell(outcomes, "cuts")


def test_a_live_reader_sees_every_byte_come_and_never_anything_but_the_truth(tmp_path: Path) -> None:
    """Fault 13 without a writer's lock: each byte appended alone, a poll after each."""
    truths, path = prefixes(sample_plan(), LINES), tmp_path / "journal.jsonl"
    path.touch()
    with path.open("ab", buffering=0) as file, JournalReader(path, sample_plan()) as reader:
        for size in range(1, len(CONTENT) + 1):
            file.write(CONTENT[size - 1 : size])
            poll = reader.poll()

            assert (poll.state, poll.more) == (expected_state(size), False)
            assert reader.offset + (reader.tail.size if reader.tail else 0) == size
            if size % 16 == 0 or size in ENDS or size + 1 in ENDS:
                assert seen(reader.ledger) == truths[whole_records(size)]


def test_a_live_reader_of_a_locked_journal_folds_whole_lines_only(tmp_path: Path) -> None:
    """Fault 13: a reader in the middle of a write sees what was there before it, and no error."""
    path, lock = tmp_path / "journal.jsonl", LockState.HELD
    path.touch()
    with path.open("ab", buffering=0) as file, JournalReader(path, sample_plan(), probe=lambda _: lock) as reader:
        for size in range(1, len(CONTENT) + 1, 3):
            file.write(CONTENT[size - 1 : size + 2])
            state = reader.poll().state
            there = min(size + 2, len(CONTENT))

            assert state is (JournalState.CLEAN if there in ENDS else JournalState.IN_PROGRESS)
            assert reader.fold.records == sum(end <= there for end in ENDS[1:])
            assert not reader.problems


@pytest.mark.parametrize("nuls", [1, 4095])
def test_nuls_after_a_cut_change_no_outcome_but_that_of_a_whole_record(nuls: int) -> None:
    """A file system may leave NUL bytes where blocks were given out and never written."""
    for number in (0, 2, 12, 17):
        fold, line = folded(sample_plan(), LINES[:number]), LINES[number]
        for size in range(len(line)):
            state = judged(fold, line[:size] + b"\0" * nuls)

            assert state is (JournalState.TORN if size else JournalState.ZEROS)
            assert fold.records == number


def flipped(line: bytes, bit: int) -> bytes:
    changed = bytearray(line)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_no_flipped_bit_passes_unseen() -> None:
    outcomes = Counter[str]()
    for number, line in enumerate(LINES):
        fold, after = folded(sample_plan(), LINES[:number]), b"".join(LINES[number + 1 :])
        before = seen(fold.ledger)
        for bit in range(8 * len(line)):
            state = judged(fold, flipped(line, bit) + after)
            outcomes[state] += 1

            last_two = number >= len(LINES) - 2
            assert state in (
                {JournalState.INVALID, JournalState.UNCERTAIN_TAIL} if last_two else {JournalState.INVALID}
            )
            assert (fold.records, fold.offset) == (number, ENDS[number])
        assert seen(fold.ledger) == before
    tell(outcomes, "flipped bits")


def check_flips(path: Path, bits: range) -> Counter[str]:
    outcomes = Counter[str]()
    for bit in bits:
        path.write_bytes(flipped(CONTENT, bit))
        reading = read_journal(path, sample_plan())
        outcomes[reading.state] += 1

        assert reading.state in {JournalState.INVALID, JournalState.UNCERTAIN_TAIL}
        assert reading.records == sum(end <= bit // 8 for end in ENDS[1:])
        assert reading.problems
        assert reading.problems[0].line == reading.records + 1
        assert (reading.refusal is None) is (reading.state is JournalState.UNCERTAIN_TAIL)
    return outcomes


def test_a_sample_of_flips_through_the_whole_reader(tmp_path: Path) -> None:
    tell(check_flips(tmp_path / "journal.jsonl", range(0, 8 * len(CONTENT), 211)), "flipped bits")


@pytest.mark.slow
def test_many_flips_through_the_whole_reader(tmp_path: Path) -> None:
    tell(check_flips(tmp_path / "journal.jsonl", range(0, 8 * len(CONTENT), 1 if LONG else 31)), "flipped bits")


def check_cuts(path: Path, sizes: range) -> None:
    truths = prefixes(sample_plan(), LINES)
    for size in sizes:
        path.write_bytes(CONTENT[:size])
        reading = read_journal(path, sample_plan())

        assert reading.state is expected_state(size)
        assert seen(reading.ledger) == truths[whole_records(size)]
        assert [event["seq"] for event in reading.events] == list(range(whole_records(size)))
        assert bool(reading.problems) is (reading.state in {JournalState.TORN, JournalState.NO_NEWLINE})


def test_a_sample_of_cuts_through_the_whole_reader(tmp_path: Path) -> None:
    check_cuts(tmp_path / "journal.jsonl", range(0, len(CONTENT), 23))


@pytest.mark.slow
def test_many_cuts_through_the_whole_reader(tmp_path: Path) -> None:
    check_cuts(tmp_path / "journal.jsonl", range(0, len(CONTENT), 1 if LONG else 7))


def test_lines_taken_from_the_end_are_a_shorter_journal_which_nothing_here_can_tell() -> None:
    """Fault 8, the documented limit: without a head, whole lines removed from the end leave a sound journal."""
    truths = prefixes(sample_plan(), LINES)
    for number in range(len(LINES)):
        fold = Fold(sample_plan())

        assert judged(fold, b"".join(LINES[:number])) in {JournalState.CLEAN, JournalState.EMPTY}
        assert seen(fold.ledger) == truths[number]

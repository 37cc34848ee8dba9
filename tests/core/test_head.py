"""`journal.head`: what it notices, what it never costs, and that no unsound one is believed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.durable.fold import Fold
from oakbench_core.durable.head import HEAD_SIZE, Head, decode_head, encode_head, read_head
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState, MissingRecordsError
from oakbench_core.durable.writer import JournalWriter
from oakbench_core.errors import ExitCode, PlatformError, PoisonedError
from tests.core.durable_faults import FaultyFiles
from tests.core.durable_outcomes import LONG, prefixes, seen, tell
from tests.core.durable_samples import AT, TRIALS, sample_lines, sample_plan

if TYPE_CHECKING:
    from pathlib import Path

LINES = sample_lines()
CONTENT = b"".join(LINES)
ENDS = [0, *(sum(map(len, LINES[: number + 1])) for number in range(len(LINES)))]


def head_after(records: int) -> Head:
    fold = Fold(sample_plan())
    fold.take(b"".join(LINES[:records]))
    return Head(records - 1, fold.offset, str(fold.last_hash))


def laid_down(folder: Path, content: bytes, head: bytes | Head | None) -> Path:
    (folder / "journal.jsonl").write_bytes(content)
    if head is not None:
        (folder / "journal.head").write_bytes(encode_head(head) if isinstance(head, Head) else head)
    return folder


def test_the_worked_head_is_the_one_that_is_written(vectors: dict[str, Any]) -> None:
    content = vectors["head"].encode()
    head = decode_head(content)

    assert head is not None
    assert len(content) == HEAD_SIZE
    assert encode_head(head) == content
    assert head.size == len(vectors["journal"].encode())


def test_the_head_names_each_record_before_it_is_acknowledged(tmp_path: Path) -> None:
    with JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT) as writer:
        for trial_id in TRIALS:
            told = writer.append_started(trial_id)

            assert read_head(writer.path) == Head(told.seq, told.offset + told.size, told.hash)
    assert (tmp_path / "journal.head").stat().st_mode & 0o777 == 0o600


def test_a_head_that_cannot_be_written_acknowledges_nothing(tmp_path: Path) -> None:
    files = FaultyFiles()
    with JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT, files=files) as writer:
        files.failing = {"write_at": 5}
        with pytest.raises(PoisonedError):
            writer.append_started(TRIALS[0])
        files.failing = {}
        with pytest.raises(PoisonedError):
            writer.append_started(TRIALS[1])


def test_no_flipped_bit_of_a_head_is_believed() -> None:
    content = encode_head(head_after(5))
    for bit in range(8 * len(content)):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8

        assert decode_head(bytes(changed)) is None
    for size in range(len(content)):
        assert decode_head(content[:size]) is None
    assert decode_head(content + b"\n") is None


UNSOUND = {"empty": b"", "text": b"hello", "too long": encode_head(head_after(20)) + b"x", "NULs": bytes(84)}


@pytest.mark.parametrize("name", UNSOUND)
def test_an_unsound_head_is_gone_on_without_and_the_next_writer_makes_it_sound(name: str, tmp_path: Path) -> None:
    laid_down(tmp_path, b"".join(LINES[:3]), UNSOUND[name])
    assert read_journal(tmp_path, sample_plan()).state is JournalState.CLEAN
    with JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT) as writer:
        told = writer.append_started(TRIALS[5])

        assert read_head(writer.path) == Head(told.seq, told.offset + told.size, told.hash)


@pytest.mark.parametrize("records", range(1, len(LINES) + 1))
def test_a_head_that_lags_changes_nothing(records: int, tmp_path: Path) -> None:
    laid_down(tmp_path, CONTENT, head_after(records))

    assert read_journal(tmp_path, sample_plan()).state is JournalState.CLEAN


@pytest.mark.clause("A10-05")
def test_lines_taken_from_the_end_are_missed(tmp_path: Path) -> None:
    """Fault 8: whole lines removed, the file emptied, the file taken away."""
    for records in range(len(LINES)):
        reading = read_journal(laid_down(tmp_path, b"".join(LINES[:records]), head_after(len(LINES))), sample_plan())

        assert reading.state is JournalState.BEHIND_HEAD
        assert isinstance(reading.refusal, MissingRecordsError)
        assert reading.refusal.exit_code is ExitCode.MISSING_RECORDS
        assert reading.problems[0].byte == reading.size
        with pytest.raises(MissingRecordsError):
            list(reading.events)
    (tmp_path / "journal.jsonl").unlink()
    assert read_journal(tmp_path, sample_plan()).state is JournalState.BEHIND_HEAD


def test_no_journal_is_made_beside_the_head_of_one_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "journal.head").write_bytes(encode_head(head_after(3)))
    with pytest.raises(MissingRecordsError):
        JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT)

    assert [entry.name for entry in tmp_path.iterdir()] == ["journal.head"]


def expected_with_head(size: int, head: Head) -> JournalState:
    """Of a journal cut to `size` bytes, of which the head says that more had been acknowledged, or less."""
    if size + 1 < head.size:
        return JournalState.BEHIND_HEAD
    if size == 0:
        return JournalState.EMPTY
    if size in ENDS:
        return JournalState.CLEAN
    return JournalState.NO_NEWLINE if size + 1 in ENDS else JournalState.TORN


def check_cuts(folder: Path, sizes: range, records: int) -> None:
    truths, head, outcomes = prefixes(sample_plan(), LINES), head_after(records), Counter[str]()
    for size in sizes:
        reading = read_journal(laid_down(folder, CONTENT[:size], head), sample_plan())
        outcomes[reading.state] += 1

        assert reading.state is expected_with_head(size, head)
        if reading.refusal is None:
            assert seen(reading.ledger) == truths[sum(end <= size + 1 for end in ENDS[1:])]
    tell(outcomes, f"cuts beside a head of {records} records")


def test_a_sample_of_cuts_beside_a_head(tmp_path: Path) -> None:
    for records in (1, 12, 19, 20):
        check_cuts(tmp_path, range(0, len(CONTENT) + 1, 97), records)


@pytest.mark.slow
def test_many_cuts_beside_a_head(tmp_path: Path) -> None:
    for records in (1, 12, 19, 20):
        check_cuts(tmp_path, range(0, len(CONTENT) + 1, 1 if LONG else 11), records)


def check_flips(folder: Path, bits: range, records: int) -> None:
    head, outcomes = head_after(records), Counter[str]()
    for bit in bits:
        changed = bytearray(CONTENT)
        changed[bit // 8] ^= 1 << bit % 8
        state = read_journal(laid_down(folder, bytes(changed), head), sample_plan()).state
        outcomes[state] += 1

        # Bytes that were acknowledged are never only doubted.
        doubtful = {JournalState.UNCERTAIN_TAIL} if bit // 8 >= head.size else set()
        assert state in {JournalState.INVALID, JournalState.BEHIND_HEAD} | doubtful
    tell(outcomes, f"flipped bits beside a head of {records} records")


def test_a_sample_of_flips_beside_a_head(tmp_path: Path) -> None:
    """Fault 7, with the head: what was acknowledged is refused when it is damaged, its last line too."""
    for records in (19, 20):
        check_flips(tmp_path, range(0, 8 * len(CONTENT), 509), records)
        check_flips(tmp_path, range(8 * ENDS[-2], 8 * len(CONTENT), 37), records)


@pytest.mark.slow
def test_many_flips_beside_a_head(tmp_path: Path) -> None:
    for records in (12, 19, 20):
        check_flips(tmp_path, range(0, 8 * len(CONTENT), 1 if LONG else 67), records)


@pytest.mark.parametrize(
    "head",
    [
        head_after(12)._replace(seq=10),
        head_after(12)._replace(hash="0" * 32),
        head_after(20)._replace(seq=20),
        head_after(20)._replace(hash="0" * 32),
        head_after(12)._replace(size=ENDS[12] - 1),
        head_after(12)._replace(size=ENDS[12] + 1),
    ],
)
def test_a_sound_head_of_another_history_makes_the_journal_invalid(head: Head, tmp_path: Path) -> None:
    reading = read_journal(laid_down(tmp_path, CONTENT, head), sample_plan())

    assert reading.state is JournalState.INVALID
    assert reading.problems[0].file == str(tmp_path / "journal.head")


def test_a_reader_that_stays_sees_a_head_come(tmp_path: Path) -> None:
    laid_down(tmp_path, CONTENT, None)
    with JournalReader(tmp_path, sample_plan()) as reader:
        assert reader.poll().state is JournalState.CLEAN
        (tmp_path / "journal.head").write_bytes(encode_head(head_after(20)._replace(size=len(CONTENT) + 100)))

        assert reader.poll().state is JournalState.BEHIND_HEAD


@pytest.mark.parametrize("kind", ["symlink", "hard link", "fifo"])
def test_a_head_that_another_name_could_change_is_refused(kind: str, tmp_path: Path) -> None:
    """Fault 15."""
    import os

    path, real = tmp_path / "journal.head", tmp_path / "real"
    real.touch()
    match kind:
        case "symlink":
            path.symlink_to(real)
        case "hard link":
            path.hardlink_to(real)
        case "fifo":
            os.mkfifo(path)
    with pytest.raises(PlatformError):
        JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT)

    assert (real.read_bytes(), (tmp_path / "journal.jsonl").read_bytes()) == (b"", b"")

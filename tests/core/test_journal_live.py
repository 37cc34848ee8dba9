"""A reader that stays: it reads on, sees another file in the place of its own, and knows whether someone writes."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.durable.documents import load_plan, write_document
from oakbench_core.durable.host import boot_id, file_system
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.lock import Liveness, LockState, take_lock
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState
from oakbench_core.durable.writer import JournalWriter
from oakbench_core.errors import JournalError, PlatformError, UsageError
from tests.core.durable_outcomes import prefixes, seen
from tests.core.durable_samples import AT, TRIALS, Script, other_plan, row, sample_lines, sample_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LINES = sample_lines()
HALF, WHOLE = b"".join(LINES[:9]), b"".join(LINES)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


@pytest.fixture
def reader(path: Path) -> Iterator[JournalReader]:
    """It has read a first half."""
    path.write_bytes(HALF)
    with JournalReader(path, sample_plan()) as reader:
        assert reader.poll().state is JournalState.CLEAN
        yield reader


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)


def test_a_poll_reads_on_from_where_the_last_one_stood(reader: JournalReader, path: Path) -> None:
    append(path, LINES[9] + LINES[10])
    poll = reader.poll()

    assert (poll.records, poll.touched) == (2, (4,))
    assert (reader.fold.records, reader.size) == (11, path.stat().st_size)


def test_a_poll_without_news_reads_nothing(reader: JournalReader) -> None:
    assert reader.poll() == (JournalState.CLEAN, 0, (), False)


def test_a_poll_stops_after_its_limit_and_says_that_there_is_more(path: Path) -> None:
    path.write_bytes(WHOLE)
    with JournalReader(path, sample_plan()) as reader:
        poll = reader.poll(max_bytes=1)
        assert (poll.state, poll.more) == (None, True)
        while reader.poll(max_bytes=1).more:
            pass

        assert reader.fold.records == len(LINES)


def test_a_journal_that_is_waited_for_is_read_when_it_comes(path: Path) -> None:
    with JournalReader(path, sample_plan()) as reader:
        assert reader.poll().state is JournalState.ABSENT
        assert reader.liveness is Liveness.FREE
        path.touch()
        assert reader.poll().state is JournalState.EMPTY
        append(path, HALF)
        assert reader.poll() == (JournalState.CLEAN, 9, (0, 0, 1, 1, 2, 3, 3), False)


def replace_by_rename(path: Path) -> None:
    path.with_name("other").write_bytes(WHOLE)
    path.with_name("other").replace(path)


def rewrite_in_place(path: Path) -> None:
    lines = [*LINES[:7], *Script(sample_plan()).opened().lines * 40]
    path.write_bytes(b"".join(lines))


def cut_at_a_line(path: Path) -> None:
    os.truncate(path, len(HALF) - len(LINES[8]))


def cut_inside_a_line(path: Path) -> None:
    os.truncate(path, len(HALF) - 5)


def empty_it(path: Path) -> None:
    os.truncate(path, 0)


def take_away(path: Path) -> None:
    path.unlink()


def rename_away(path: Path) -> None:
    path.rename(path.with_name("kept"))


def write_another_campaign(path: Path) -> None:
    path.write_bytes(b"".join(Script(other_plan()).opened().lines) + b"x" * len(HALF))


def edit_in_place(path: Path) -> None:
    """One bit of a record in the middle: of the same file, at the same size."""
    at = sum(map(len, LINES[:4])) + 20
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))
    later(path)


def edit_a_hash_in_place(path: Path) -> None:
    at = len(LINES[0]) - len('0"}\n')
    with path.open("r+b") as file:
        file.seek(at)
        digit = file.read(1)
        file.seek(at)
        file.write(b"1" if digit == b"0" else b"0")
    later(path)


def later(path: Path) -> None:
    """As if some time had gone by since the last look: the clock of a file system ticks slowly."""
    stamp = path.stat().st_mtime_ns + 1_000_000_000
    os.utime(path, ns=(stamp, stamp))


AFTERWARDS: dict[Callable[[Path], None], JournalState] = {
    replace_by_rename: JournalState.CLEAN,
    rewrite_in_place: JournalState.INVALID,
    cut_at_a_line: JournalState.CLEAN,
    cut_inside_a_line: JournalState.TORN,
    empty_it: JournalState.EMPTY,
    take_away: JournalState.ABSENT,
    rename_away: JournalState.ABSENT,
    write_another_campaign: JournalState.INVALID,
    edit_in_place: JournalState.INVALID,
    edit_a_hash_in_place: JournalState.INVALID,
}


@pytest.mark.parametrize("change", AFTERWARDS, ids=lambda change: change.__name__)
def test_another_journal_in_its_place_is_said_and_read_anew(
    change: Callable[[Path], None], reader: JournalReader, path: Path
) -> None:
    """Fault 14."""
    change(path)
    poll = reader.poll()

    assert poll == (JournalState.REPLACED, 0, (), False)
    assert reader.ledger.tallies[0] == len(TRIALS)
    poll = reader.poll()
    fresh = read_journal(path, sample_plan())
    assert poll.state is fresh.state is AFTERWARDS[change]
    assert seen(reader.ledger) == seen(fresh.ledger)
    assert (reader.problems, reader.size) == (fresh.problems, fresh.size)


def test_a_journal_that_is_touched_and_not_changed_is_no_other_journal(reader: JournalReader, path: Path) -> None:
    later(path)
    assert reader.poll() == (JournalState.CLEAN, 0, (), False)
    path.chmod(0o400)

    assert reader.poll() == (JournalState.CLEAN, 0, (), False)
    assert reader.fold.records == 9


def test_a_journal_that_comes_back_is_read_again(reader: JournalReader, path: Path) -> None:
    rename_away(path)
    states = [reader.poll().state, reader.poll().state]
    path.with_name("kept").rename(path)
    states.append(reader.poll().state)

    assert states == [JournalState.REPLACED, JournalState.ABSENT, JournalState.CLEAN]
    assert reader.fold.records == 9


def test_a_tail_that_is_cut_and_written_anew_between_two_polls_costs_no_record(path: Path) -> None:
    path.write_bytes(HALF + LINES[9][:40])
    with JournalReader(path, sample_plan()) as reader:
        assert reader.poll().state is JournalState.TORN
        os.truncate(path, len(HALF))
        append(path, b"".join(LINES[9:]))

        assert reader.poll() == (JournalState.CLEAN, 11, (4, 4, 5, 6, 6, 7), False)
        assert seen(reader.ledger) == prefixes(sample_plan(), LINES)[-1]


def test_a_tail_that_is_cut_off_as_recovery_does_it_is_no_other_journal(path: Path) -> None:
    path.write_bytes(HALF + LINES[9][:40])
    with JournalReader(path, sample_plan()) as reader:
        assert reader.poll().state is JournalState.TORN
        os.truncate(path, len(HALF))
        assert reader.poll()[:2] == (JournalState.CLEAN, 0)
        append(path, LINES[9])

        assert reader.poll()[:2] == (JournalState.CLEAN, 1)


def test_a_missing_lf_that_comes_later_changes_nothing_but_the_state(path: Path) -> None:
    path.write_bytes(HALF + LINES[9][:-1])
    with JournalReader(path, sample_plan()) as reader:
        assert reader.poll()[:2] == (JournalState.NO_NEWLINE, 10)
        assert reader.poll()[:2] == (JournalState.NO_NEWLINE, 0)
        append(path, b"\n" + LINES[10])

        assert reader.poll()[:2] == (JournalState.CLEAN, 1)


def test_a_record_without_its_lf_is_in_progress_while_a_writer_holds_the_lock(path: Path) -> None:
    path.write_bytes(HALF + LINES[9][:-1])
    with JournalReader(path, sample_plan()) as reader:
        assert reader.poll().state is JournalState.NO_NEWLINE
        writer = os.open(path, os.O_WRONLY)
        assert take_lock(writer)
        assert reader.poll().state is JournalState.IN_PROGRESS
        assert not reader.problems
        os.close(writer)
        assert reader.poll().state is JournalState.NO_NEWLINE
        append(path, b"\n")
        assert reader.poll()[:2] == (JournalState.CLEAN, 0)


def test_the_missing_lf_is_named_where_it_is_missing(path: Path) -> None:
    path.write_bytes(HALF + LINES[9][:-1])
    with JournalReader(path, sample_plan()) as reader:
        reader.poll()
        (problem,) = reader.problems

    assert (problem.line, problem.byte) == (10, path.stat().st_size)


def test_other_bytes_where_the_lf_was_missing_are_another_journal(path: Path) -> None:
    path.write_bytes(HALF + LINES[9][:-1])
    with JournalReader(path, sample_plan()) as reader:
        assert reader.poll().state is JournalState.NO_NEWLINE
        append(path, b"x\n")

        assert reader.poll().state is JournalState.REPLACED
        assert reader.poll().state is JournalState.UNCERTAIN_TAIL


def test_a_half_written_record_is_torn_only_when_its_writer_has_let_go(path: Path) -> None:
    path.write_bytes(HALF + LINES[9][:40])
    writer = os.open(path, os.O_WRONLY)
    assert take_lock(writer)
    with JournalReader(path, sample_plan()) as reader:
        assert (reader.poll().state, reader.liveness) == (JournalState.IN_PROGRESS, Liveness.WRITING)
        os.close(writer)
        assert reader.poll().state is JournalState.TORN


def test_what_comes_between_reading_and_probing_is_read_before_the_tail_is_judged(path: Path) -> None:
    """The probe's answer is of a moment after the reading: a writer may have ended its line and gone."""
    path.write_bytes(HALF + LINES[9][:40])
    probes = 0

    def probe(_: int) -> LockState:
        nonlocal probes
        probes += 1
        if probes == 1:
            append(path, LINES[9][40:])
        return LockState.FREE

    with JournalReader(path, sample_plan(), probe=probe) as reader:
        assert reader.poll() == (None, 9, (0, 0, 1, 1, 2, 3, 3), True)
        assert reader.poll()[:2] == (JournalState.CLEAN, 1)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"boot_id": "here", "file_system": "here"}, Liveness.FREE),
        ({"boot_id": "here", "file_system": "elsewhere"}, Liveness.UNKNOWN),
        ({"boot_id": "here", "file_system": None}, Liveness.UNKNOWN),
        ({"boot_id": "elsewhere", "file_system": "here"}, Liveness.UNKNOWN),
        ({"boot_id": None, "file_system": "here"}, Liveness.UNKNOWN),
    ],
)
def test_a_free_lock_proves_no_writer_only_where_the_last_one_wrote(
    said: dict[str, Any], expected: Liveness, path: Path
) -> None:
    path.touch()
    here = {"boot_id": boot_id(), "file_system": file_system(path)}
    assert None not in here.values()
    facts: dict[str, Any] = {key: here[key] if value == "here" else value for key, value in said.items()}
    path.write_bytes(Script(sample_plan()).opened(**facts).content)

    assert read_journal(path, sample_plan()).liveness is expected


def test_a_lock_that_cannot_be_probed_tells_nothing(path: Path) -> None:
    path.write_bytes(HALF + LINES[9][:40])
    with JournalReader(path, sample_plan(), probe=lambda _: LockState.UNKNOWN) as reader:
        assert (reader.poll().state, reader.liveness) == (JournalState.TORN, Liveness.UNKNOWN)


def test_a_raw_event_is_found_again_by_its_offset(reader: JournalReader) -> None:
    start, end = reader.start_offset(1), reader.end_offset(1)
    assert start is not None
    assert end is not None

    assert reader.raw_event(start) + b"\n" == LINES[3]
    assert reader.raw_event(end) + b"\n" == LINES[4]
    assert reader.start_offset(2) is None
    assert reader.end_offset(8) is None


def test_a_raw_event_of_a_mebibyte_is_whole(path: Path) -> None:
    long = row(TRIALS[0], extra={"x": "y" * 900_000})
    script = Script(sample_plan()).opened().started(TRIALS[0]).finished(TRIALS[0], its_row=long)
    path.write_bytes(script.content)
    with JournalReader(path, sample_plan()) as reader:
        reader.poll()
        offset = reader.end_offset(0)
        assert offset is not None
        assert reader.raw_event(offset) + b"\n" == script.lines[2]


def test_a_raw_event_is_not_taken_from_another_file(reader: JournalReader, path: Path) -> None:
    replace_by_rename(path)

    with pytest.raises(JournalError, match="another file"):
        reader.raw_event(0)


def test_events_are_not_taken_from_a_journal_that_was_changed_meanwhile(path: Path) -> None:
    path.write_bytes(HALF)
    reading = read_journal(path, sample_plan())
    path.write_bytes(HALF.replace(b"w.t.plain", b"w.t.pla1n"))

    with pytest.raises(JournalError, match="replaced while it was read"):
        list(reading.events)


def test_events_can_be_read_again_and_again(path: Path) -> None:
    path.write_bytes(WHOLE)
    events = read_journal(path, sample_plan()).events

    assert [event["seq"] for event in events] == [event["seq"] for event in events] == list(range(20))


def test_a_permission_that_is_lost_is_an_error_and_costs_nothing_read(reader: JournalReader, path: Path) -> None:
    ledger, parent = seen(reader.ledger), path.parent
    if os.geteuid() != 0:
        parent.chmod(0)
    try:
        if os.geteuid() == 0:
            os.seteuid(65534)
        with pytest.raises(PlatformError, match="permission denied"):
            reader.poll()
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        parent.chmod(0o700)

    assert seen(reader.ledger) == ledger
    assert reader.poll().state is JournalState.CLEAN


def test_a_reader_needs_no_right_to_write(path: Path) -> None:
    path.write_bytes(WHOLE)
    path.chmod(0o400)
    path.parent.chmod(0o500)
    before = path.stat()
    try:
        assert read_journal(path, sample_plan()).records == len(LINES)
    finally:
        path.parent.chmod(0o700)
    assert [entry.name for entry in path.parent.iterdir()] == ["journal.jsonl"]
    assert path.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("kind", ["fifo", "directory", "device", "socket", "link to a device"])
def test_what_is_no_file_is_refused_at_once(kind: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault 15."""
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case "device" | "link to a device":
            path.symlink_to("/dev/zero")
        case "socket":
            monkeypatch.chdir(path.parent)
            with socket.socket(socket.AF_UNIX) as one:
                one.bind(path.name)

    with pytest.raises(PlatformError, match="expected a regular file"):
        read_journal(path, sample_plan())


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "\ud800", "x" * 300 + "/journal.jsonl", "a\0b/journal.jsonl"])
def test_a_name_that_no_file_can_have_is_refused(name: str, tmp_path: Path) -> None:
    plan = sample_plan()
    for place in (name, tmp_path / name):
        with pytest.raises(UsageError):
            read_journal(place, plan)
        with pytest.raises(UsageError):
            JournalWriter.open(tmp_path / place, plan, clock=lambda: AT)
        with pytest.raises(UsageError):
            load_plan(place)
    with pytest.raises(UsageError):
        write_document(tmp_path / name, b"report")


def test_a_journal_is_read_through_a_symbolic_link(path: Path) -> None:
    path.with_name("real").write_bytes(WHOLE)
    path.symlink_to("real")

    assert read_journal(path, sample_plan()).records == len(LINES)

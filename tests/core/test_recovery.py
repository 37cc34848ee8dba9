"""Recovery: what is kept, cut and reserved, when it refuses, and that counts are equal before and after it."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.campaign.report import report_campaign
from oakbench_core.campaign.vocabulary import Standing, Terminal
from oakbench_core.durable.framing import NO_WRITER
from oakbench_core.durable.head import Head, encode_head, read_head
from oakbench_core.durable.host import boot_id
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.lock import LockState
from oakbench_core.durable.reading import JournalReading, read_journal
from oakbench_core.durable.recovery import recover
from oakbench_core.durable.tail import JournalState, MissingRecordsError, TornTailError, UncertainTailError
from oakbench_core.durable.writer import JournalWriter, RunnerFacts
from oakbench_core.errors import IdentityError, JournalError, LockedError, OakbenchError, PlatformError, PoisonedError
from tests.core.durable_faults import FaultyFiles
from tests.core.durable_samples import AT, TRIALS, Script, other_plan, row, sample_plan

if TYPE_CHECKING:
    from pathlib import Path

    from oakbench_core.durable.recovery import Repair

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the writer's lock is Linux's")

START = b'{"event":"started","trial_id":"' + TRIALS[1].encode() + b'","seq":3'


def script() -> Script:
    return Script(sample_plan()).opened(boot_id=boot_id()).started(TRIALS[0]).finished(TRIALS[0])


def laid(folder: Path, tail: bytes, *, head: bool = False) -> bytes:
    """A journal of three records and this tail; the good bytes."""
    good = script()
    (folder / "journal.jsonl").write_bytes(good.content + tail)
    if head:
        (folder / "journal.head").write_bytes(encode_head(Head(2, len(good.content), good.last_hash)))
    return good.content


def read(folder: Path) -> JournalReading:
    return read_journal(folder, sample_plan())


def recovered(folder: Path, *, accept: bool = False, files: FaultyFiles | None = None) -> Repair | None:
    return recover(folder, sample_plan(), clock=lambda: AT, accept_uncertain=accept, files=files)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def counted(reading: JournalReading) -> dict[str, Any]:
    """The report but for what the recovery's own record adds: its hash and time."""
    tail = reading.tail
    foreseen = [] if tail is None or tail.would_recover is None else [tail.would_recover]
    summary = report_campaign(reading.ledger.plan, [*reading.events, *foreseen])
    return {key: summary[key] for key in summary if key not in {"execution", "summary_sha256"}}


TAILS: dict[str, tuple[bytes, str, str | None, str]] = {
    "a torn start": (START, "torn", TRIALS[1], "torn_start"),
    "one byte": (b"{", "torn", TRIALS[1], "ambiguous"),
    "a torn end": (b'{"event":"closed","trial_id":null', "torn", None, "torn_other"),
    "zeros": (bytes(4096), "zeros", TRIALS[1], "ambiguous"),
    "text": (b"hello\n", "uncertain_accepted", TRIALS[1], "ambiguous"),
}


@pytest.mark.clause("A10-18")
@pytest.mark.parametrize("name", TAILS)
def test_a_tail_is_kept_cut_and_answered_for_as_was_foreseen(name: str, tmp_path: Path) -> None:
    tail, kind, trial_id, reason = TAILS[name]
    good = laid(tmp_path, tail)
    before = read(tmp_path)
    assert before.tail is not None
    repair = recovered(tmp_path, accept=True)
    after = read(tmp_path)
    event = list(after.events)[-1]
    digest = hashlib.sha256(tail).hexdigest()
    name_of_kept = f"journal.quarantine/{len(good)}-1-{digest[:16]}.bin"

    assert repair is not None
    assert (repair.found, repair.offset, repair.cut_bytes) == (before.state, len(good), len(tail))
    assert {key: event[key] for key in event if key not in {"at", "hash"}} == before.tail.would_recover == repair.event
    assert event["trial_id"] == trial_id
    assert event["recovery"] == {
        "offset": len(good),
        "bytes": len(tail),
        "sha256": digest,
        "kind": kind,
        "kept_as": [name_of_kept],
        "reason": reason,
    }
    assert (tmp_path / name_of_kept).read_bytes() == tail
    assert ((tmp_path / name_of_kept).stat().st_mode | (tmp_path / "journal.quarantine").stat().st_mode) & 0o077 == 0
    assert (tmp_path / "journal.jsonl").read_bytes().startswith(good)
    assert after.state is JournalState.CLEAN
    assert read_head(tmp_path / "journal.jsonl") == Head(3, after.size, str(after.last_hash))
    assert counted(before) == counted(after)
    assert bytes(before.ledger_after_recovery.standings) == bytes(after.ledger.standings)


@pytest.mark.parametrize("name", TAILS)
def test_recovering_twice_changes_nothing(name: str, tmp_path: Path) -> None:
    laid(tmp_path, TAILS[name][0])
    recovered(tmp_path, accept=True)
    left = everything(tmp_path)

    assert recovered(tmp_path, accept=True) is None
    assert everything(tmp_path) == left


@pytest.mark.parametrize("content", [None, b"", script().content])
def test_where_nothing_is_wrong_nothing_is_done(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "journal.jsonl").write_bytes(content)

    assert recovered(tmp_path) is None
    assert everything(tmp_path) == ({} if content is None else {"journal.jsonl": content})


def test_a_missing_lf_is_added_and_nothing_else(tmp_path: Path) -> None:
    good = laid(tmp_path, b"")
    (tmp_path / "journal.jsonl").write_bytes(good[:-1])
    repair = recovered(tmp_path)

    assert repair is not None
    assert (repair.found, repair.event) == (JournalState.NO_NEWLINE, None)
    assert (tmp_path / "journal.jsonl").read_bytes() == good


def test_a_torn_first_record_is_recovered_by_no_writer(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_bytes(b'{"event":"opened"')
    recovered(tmp_path)
    [event] = read(tmp_path).events

    assert (event["writer"], event["trial_id"], event["recovery"]["offset"]) == (NO_WRITER, None, 0)
    JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT).close()
    assert read(tmp_path).state is JournalState.CLEAN


REFUSED: dict[str, tuple[bytes, type[OakbenchError]]] = {
    "damaged": (script().content + b"hello\nhello\n", JournalError),
    "another plan's": (Script(other_plan()).opened().content, IdentityError),
    "uncertain": (script().content + b"hello", UncertainTailError),
    "a torn start of a trial that has ended": (
        script().content + START.replace(TRIALS[1].encode(), TRIALS[0].encode()),
        JournalError,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_not_changed(name: str, tmp_path: Path) -> None:
    content, kind = REFUSED[name]
    (tmp_path / "journal.jsonl").write_bytes(content)
    with pytest.raises(kind):
        recovered(tmp_path)

    assert everything(tmp_path) == {"journal.jsonl": content}


def test_a_journal_behind_its_head_is_not_recovered(tmp_path: Path) -> None:
    laid(tmp_path, START, head=True)
    os.truncate(tmp_path / "journal.jsonl", 100)
    left = everything(tmp_path)
    with pytest.raises(MissingRecordsError):
        recovered(tmp_path, accept=True)

    assert everything(tmp_path) == left


def test_a_journal_that_is_written_is_not_recovered(tmp_path: Path) -> None:
    with JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT) as writer:
        with writer.path.open("ab") as file:
            file.write(b"{")
        with pytest.raises(LockedError):
            recovered(tmp_path)


@pytest.mark.parametrize(
    ("boot", "size", "kind"),
    [
        (boot_id(), 0, "uncertain_proved"),
        ("another", 0, "uncertain_accepted"),
        (None, 0, "uncertain_accepted"),
        (boot_id(), 1, "uncertain_accepted"),
    ],
    ids=["this boot", "another boot", "no boot", "a head that lags"],
)
def test_a_head_at_the_last_good_record_of_this_boot_proves_a_tail_unacknowledged(
    boot: str | None, size: int, kind: str, tmp_path: Path
) -> None:
    """`size`: how many records the head lags."""
    good = Script(sample_plan()).opened(boot_id=boot).started(TRIALS[0])
    ends = [len(good.content), len(good.lines[0])]
    hashes = [good.last_hash, good.lines[0][-35:-3].decode()]
    (tmp_path / "journal.jsonl").write_bytes(good.content + b"hello\n")
    (tmp_path / "journal.head").write_bytes(encode_head(Head(1 - size, ends[size], hashes[size])))
    tail = read(tmp_path).tail

    assert tail is not None
    assert tail.would_recover is not None
    assert tail.would_recover["recovery"]["kind"] == kind
    if kind == "uncertain_accepted":
        with pytest.raises(UncertainTailError):
            recovered(tmp_path)
    repair = recovered(tmp_path, accept=kind == "uncertain_accepted")
    assert repair is not None
    assert repair.event is not None
    assert repair.event["recovery"]["kind"] == kind


def test_a_runner_repairs_a_torn_end_and_goes_on(tmp_path: Path) -> None:
    laid(tmp_path, START)
    with JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT) as writer:
        assert writer.repaired is not None
        assert writer.ledger.next_unstarted == 2
        writer.append_started(TRIALS[2])

    assert [event["event"] for event in read(tmp_path).events][3:] == ["recovered", "opened", "started"]


def test_a_runner_asks_before_it_goes_on_after_an_uncertain_end(tmp_path: Path) -> None:
    laid(tmp_path, b"hello", head=True)
    left = everything(tmp_path)
    with pytest.raises(UncertainTailError):
        JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT)

    assert everything(tmp_path) == left


STEPS = [
    *("open", "lock"),  # the journal
    "open",  # the head
    *("make_folder", "open", "write", "sync", "close", "rename"),  # the tail is kept
    *("open folder", "sync", "close", "open folder", "sync", "close"),  # its folder, the campaign folder
    *("truncate", "sync"),  # the cut
    *("write", "sync_data", "write_at"),  # `recovered`
    *("close", "close"),
]


def test_each_step_is_durable_before_the_next(tmp_path: Path) -> None:
    laid(tmp_path, START)
    files = FaultyFiles()
    recovered(tmp_path, files=files)

    assert files.calls == STEPS


@pytest.mark.parametrize("operation", ["make_folder", "write", "sync", "rename", "open folder"])
def test_a_tail_that_cannot_be_kept_is_not_cut(operation: str, tmp_path: Path) -> None:
    good = laid(tmp_path, START)
    with pytest.raises(PlatformError):
        recovered(tmp_path, files=FaultyFiles(failing={operation: errno.ENOSPC}))

    assert (tmp_path / "journal.jsonl").read_bytes() == good + START
    recovered(tmp_path)
    assert read(tmp_path).ledger.reservations[0].trial_id == TRIALS[1]


def test_a_tail_that_is_kept_by_a_short_write_is_not_cut(tmp_path: Path) -> None:
    good = laid(tmp_path, START)
    with pytest.raises(PlatformError):
        recovered(tmp_path, files=FaultyFiles(short=5))

    assert (tmp_path / "journal.jsonl").read_bytes() == good + START


@pytest.mark.parametrize("operation", ["truncate", "sync_data", "write_at"])
def test_a_recovery_of_unknown_outcome_is_poisoned_and_goes_on_later(operation: str, tmp_path: Path) -> None:
    laid(tmp_path, START)
    with pytest.raises(PoisonedError):
        recovered(tmp_path, files=FaultyFiles(failing={operation: errno.EIO}))
    recovered(tmp_path)

    assert [entry.trial_id for entry in read(tmp_path).ledger.reservations] == [TRIALS[1]]


@pytest.mark.parametrize("kind", ["symlink", "file", "foreign owner"])
def test_a_quarantine_that_is_no_folder_of_this_user_is_refused(kind: str, tmp_path: Path) -> None:
    good = laid(tmp_path, START)
    folder = tmp_path / "journal.quarantine"
    match kind:
        case "symlink":
            (tmp_path / "elsewhere").mkdir()
            folder.symlink_to("elsewhere")
        case "file":
            folder.touch()
        case "foreign owner":
            if os.geteuid() != 0:
                pytest.skip("only root can give a folder away")
            folder.mkdir()
            os.chown(folder, 12345, 12345)
    with pytest.raises(PlatformError):
        recovered(tmp_path)

    assert (tmp_path / "journal.jsonl").read_bytes() == good + START


def pending(folder: Path, tail: bytes, then: bytes = b"") -> None:
    """A recovery that kept its tail and cut it off, and what stands there since."""
    good = laid(folder, then)
    (folder / "journal.quarantine").mkdir()
    name = f"{len(good)}-1-{hashlib.sha256(tail).hexdigest()[:16]}.bin"
    (folder / "journal.quarantine" / name).write_bytes(tail)


@pytest.mark.parametrize("then", [b"", b"\0\0", b'{"event":"recovered","trial_id":"w', b"hello", START])
def test_a_recovery_that_was_broken_off_is_finished_from_what_it_kept(then: bytes, tmp_path: Path) -> None:
    pending(tmp_path, START, then)
    before = read(tmp_path)
    assert before.state is JournalState.RECOVERY_PENDING
    assert before.refusal is None
    recovered(tmp_path)
    after = read(tmp_path)
    event = list(after.events)[-1]

    assert (event["trial_id"], event["recovery"]["bytes"]) == (TRIALS[1], len(START))
    assert len(event["recovery"]["kept_as"]) == (2 if then not in {b"", START} else 1)
    assert all((tmp_path / name).is_file() for name in event["recovery"]["kept_as"])
    assert (after.state, after.tail) == (JournalState.CLEAN, None)
    assert counted(before) == counted(after)


def test_a_kept_tail_that_its_name_does_not_vouch_for_is_invalid(tmp_path: Path) -> None:
    pending(tmp_path, START)
    [kept] = (tmp_path / "journal.quarantine").iterdir()
    kept.write_bytes(START[:-1])

    assert read(tmp_path).state is JournalState.INVALID


@pytest.mark.parametrize("then", [b"hello\nhello\n", b"\r", b"\n"])
def test_what_no_recovery_leaves_after_its_cut_is_invalid(then: bytes, tmp_path: Path) -> None:
    pending(tmp_path, START, then)

    assert read(tmp_path).state is JournalState.INVALID


def test_a_kept_tail_of_another_offset_says_nothing(tmp_path: Path) -> None:
    pending(tmp_path, START)
    [kept] = (tmp_path / "journal.quarantine").iterdir()
    kept.rename(kept.with_name("1" + kept.name))

    assert read(tmp_path).state is JournalState.CLEAN


def test_a_kept_uncertain_tail_is_accepted_again_where_its_proof_is_gone(tmp_path: Path) -> None:
    pending(tmp_path, b"hello\n")
    with pytest.raises(UncertainTailError):
        recovered(tmp_path)
    with pytest.raises(UncertainTailError):
        JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT)
    repair = recovered(tmp_path, accept=True)

    assert repair is not None
    assert repair.event is not None
    assert repair.event["recovery"]["kind"] == "uncertain_accepted"


def test_a_broken_off_recovery_without_its_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "journal.quarantine").mkdir()
    digest = hashlib.sha256(b"{").hexdigest()
    (tmp_path / "journal.quarantine" / f"0-1-{digest[:16]}.bin").write_bytes(b"{")
    assert read(tmp_path).state is JournalState.RECOVERY_PENDING
    for call in (lambda: recovered(tmp_path), lambda: JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT)):
        with pytest.raises(TornTailError):
            call()

    assert not (tmp_path / "journal.jsonl").exists()


def test_a_reader_that_stays_sees_a_recovery_go_by_and_counts_the_same_all_along(tmp_path: Path) -> None:
    laid(tmp_path, START)
    with JournalReader(tmp_path, sample_plan()) as reader:
        reader.poll()
        before = bytes(reader.ledger_after_recovery.standings)
        assert bytes(reader.ledger.standings) != before
        recovered(tmp_path)

        assert reader.poll()[:2] == (JournalState.CLEAN, 1)
        assert bytes(reader.ledger.standings) == bytes(reader.ledger_after_recovery.standings) == before


def test_a_reader_that_sees_the_cut_sees_what_was_kept_before_it(tmp_path: Path) -> None:
    good = laid(tmp_path, START)

    def recovering_meanwhile(_: int) -> LockState:
        if not (tmp_path / "journal.quarantine").exists():
            with pytest.raises(PoisonedError):
                recovered(tmp_path, files=FaultyFiles(failing={"sync_data": errno.EIO}))
            os.truncate(tmp_path / "journal.jsonl", len(good))
        return LockState.HELD

    with JournalReader(tmp_path, sample_plan(), probe=recovering_meanwhile) as reader:
        assert reader.poll().state is JournalState.RECOVERY_PENDING
        assert reader.ledger_after_recovery.standings[1] == Standing.UNCERTAIN


def test_a_copy_is_reported_the_same_wherever_it_stands(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    laid(tmp_path / "a", START)
    shutil.copytree(tmp_path / "a", tmp_path / "b")

    assert read(tmp_path / "a").tail == read(tmp_path / "b").tail


def test_an_unknown_file_system_is_refused_unless_told_and_that_is_on_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 15: a network file system."""
    monkeypatch.setattr("oakbench_core.durable.claim.file_system", lambda _: "nfs4")
    with pytest.raises(PlatformError, match="nfs4"):
        JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT)
    assert list(tmp_path.iterdir()) == []
    facts = RunnerFacts(unsafe_filesystem=True)
    with JournalWriter.open(tmp_path, sample_plan(), clock=lambda: AT, runner=facts) as writer:
        writer.append_started(TRIALS[0])
        writer.append_finished(TRIALS[0], Terminal.COMPLETED, row(TRIALS[0]))
    reading = read(tmp_path)
    assert next(iter(reading.events))["runner"]["unsafe_filesystem"] is True
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(START)
    repair = recovered(tmp_path)

    assert repair is not None
    assert repair.found is JournalState.TORN

"""The writer: what it asks of the system and in which order, what it refuses, and when it stops for good."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.campaign.vocabulary import StopReason, Terminal
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState, UncertainTailError
from oakbench_core.durable.writer import JournalWriter, RunnerFacts
from oakbench_core.errors import (
    ExitCode,
    IdentityError,
    JournalError,
    LockedError,
    OakbenchError,
    PlatformError,
    PoisonedError,
    UsageError,
)
from tests.core.durable_faults import FaultyFiles
from tests.core.durable_samples import (
    AT,
    TRIALS,
    Script,
    failed_row,
    other_plan,
    row,
    sample_lines,
    sample_plan,
    skipped_row,
    timed_out_row,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent.parent

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the writer's lock is Linux's")


def clock() -> str:
    return AT


def opened(folder: Path, files: FaultyFiles | None = None) -> JournalWriter:
    return JournalWriter.open(folder, sample_plan(), clock=clock, files=files)


def test_a_written_campaign_is_read_back_as_it_was_said(tmp_path: Path) -> None:
    facts = RunnerFacts(tool="oakbench test", max_parallel=2, settings={"grace_s": 10})
    with JournalWriter.open(tmp_path, sample_plan(), clock=clock, runner=facts) as writer:
        receipts = [
            writer.append_started(TRIALS[0]),
            writer.append_finished(TRIALS[0], Terminal.COMPLETED, row(TRIALS[0])),
            writer.append_finished(TRIALS[1], Terminal.SKIPPED, skipped_row(TRIALS[1], "before_start")),
            writer.append_started(TRIALS[2]),
            writer.append_finished(TRIALS[2], Terminal.TIMED_OUT, timed_out_row(TRIALS[2])),
            writer.append_started(TRIALS[3]),
            writer.append_finished(TRIALS[3], Terminal.COMPLETED, failed_row(TRIALS[3])),
            writer.append_closed(StopReason.LIMIT, 13, "as asked"),
        ]
    reading = read_journal(tmp_path, sample_plan())
    events = list(reading.events)

    assert reading.state is JournalState.CLEAN
    assert [(event["seq"], event["hash"]) for event in events[1:]] == [(one.seq, one.hash) for one in receipts]
    assert receipts[-1].offset + receipts[-1].size == reading.size
    assert events[0]["runner"]["pid"] == reading.pid == os.getpid()
    assert (reading.host, events[0]["runner"]["max_parallel"]) == (os.uname().nodename, 2)
    assert events[2]["row"] == row(TRIALS[0])
    assert events[-1]["stop"] == {"reason": "limit", "code": 13, "detail": "as asked"}


def test_the_worked_row_is_written_with_every_key_in_the_formats_order(vectors: dict[str, Any], tmp_path: Path) -> None:
    line = vectors["journal"].splitlines()[2]
    event = json.loads(line)
    with JournalWriter.open(tmp_path, plan_from_document(vectors["plan"]), clock=clock) as writer:
        writer.append_started(event["trial_id"])
        writer.append_finished(event["trial_id"], Terminal.COMPLETED, event["row"])
    written = (tmp_path / "journal.jsonl").read_text().splitlines()[2]

    assert written[written.index('"row":') : -43] == line[line.index('"row":') : -43]


@pytest.mark.clause("A10-04", "A10-05")
def test_a_record_is_written_once_then_synced_and_only_then_acknowledged(tmp_path: Path) -> None:
    files = FaultyFiles()
    with opened(tmp_path, files) as writer:
        assert files.calls == [
            *("open", "lock", "open folder", "sync", "close", "open", "write", "sync_data", "write_at")
        ]
        files.calls.clear()
        writer.append_started(TRIALS[0])
        assert files.calls == ["write", "sync_data", "write_at"]


def test_the_folder_is_synced_at_the_creation_and_not_again(tmp_path: Path) -> None:
    opened(tmp_path).close()
    files = FaultyFiles()
    opened(tmp_path, files).close()

    assert files.calls == ["open", "lock", "open", "write", "sync_data", "write_at", "close", "close"]


def test_a_new_journal_is_its_owners_alone(tmp_path: Path) -> None:
    opened(tmp_path).close()

    assert stat.S_IMODE((tmp_path / "journal.jsonl").stat().st_mode) == 0o600


def test_a_second_writer_goes_on_where_the_first_ended(tmp_path: Path) -> None:
    with opened(tmp_path) as writer:
        writer.append_started(TRIALS[0])
    with opened(tmp_path) as writer:
        assert writer.ledger.standings[0] == 1
        writer.append_started(TRIALS[1])

    assert [event["event"] for event in read_journal(tmp_path, sample_plan()).events] == ["opened", "started"] * 2


def illegal_calls(writer: JournalWriter) -> list[Any]:
    unfit = row(TRIALS[0]) | {"surprise": 1, "run": 0}
    return [
        lambda: writer.append_started("w.t.plain.a.r009.git"),
        lambda: writer.append_started(TRIALS[0]),
        lambda: writer.append_finished(TRIALS[1], Terminal.COMPLETED, row(TRIALS[1])),
        lambda: writer.append_finished(TRIALS[0], Terminal.TIMED_OUT, row(TRIALS[0])),
        lambda: writer.append_finished(TRIALS[0], Terminal.COMPLETED, row(TRIALS[1])),
        lambda: writer.append_finished(TRIALS[0], Terminal.COMPLETED, unfit),
        lambda: writer.append_finished(TRIALS[0], Terminal.COMPLETED, row(TRIALS[0], extra={"x": float("nan")})),
        lambda: writer.append_finished(TRIALS[0], Terminal.COMPLETED, row(TRIALS[0], extra={"x": "\ud800"})),
        lambda: writer.append_finished(TRIALS[0], Terminal.COMPLETED, row(TRIALS[0], extra={"x": 2**53})),
        lambda: writer.append_finished(TRIALS[0], Terminal.COMPLETED, row(TRIALS[0], extra={"x": "y" * (1 << 20)})),
    ]


def test_no_illegal_record_is_written_and_a_legal_one_still_is(tmp_path: Path) -> None:
    with opened(tmp_path) as writer:
        writer.append_started(TRIALS[0])
        before = (tmp_path / "journal.jsonl").read_bytes()
        for call in illegal_calls(writer):
            with pytest.raises(JournalError):
                call()
            assert (tmp_path / "journal.jsonl").read_bytes() == before
        writer.append_finished(TRIALS[0], Terminal.COMPLETED, row(TRIALS[0]))

    assert read_journal(tmp_path, sample_plan()).state is JournalState.CLEAN


def test_all_problems_of_an_unfit_row_are_named(tmp_path: Path) -> None:
    with opened(tmp_path) as writer:
        writer.append_started(TRIALS[0])
        with pytest.raises(JournalError) as caught:
            writer.append_finished(TRIALS[0], Terminal.COMPLETED, row(TRIALS[0]) | {"surprise": 1, "run": 0})

    assert {problem.path for problem in caught.value.problems} == {"$.surprise", "$.run"}


def test_nothing_follows_closed_but_another_opened(tmp_path: Path) -> None:
    with opened(tmp_path) as writer:
        writer.append_closed(StopReason.HALTED, 13)
        with pytest.raises(JournalError, match="after `closed`"):
            writer.append_started(TRIALS[0])


FAULTS: dict[str, tuple[dict[str, int], int | None, JournalState]] = {
    "no space": ({"write": errno.ENOSPC}, None, JournalState.CLEAN),
    "no quota": ({"write": errno.EDQUOT}, None, JournalState.CLEAN),
    "file too large": ({"write": errno.EFBIG}, None, JournalState.CLEAN),
    "an error on write": ({"write": errno.EIO}, None, JournalState.CLEAN),
    "an error amid the write": ({"write": errno.EIO}, 50, JournalState.TORN),
    "an interrupted write": ({"write": errno.EINTR}, None, JournalState.CLEAN),
    "a short write": ({}, 100, JournalState.TORN),
    "a write of nothing": ({}, 0, JournalState.CLEAN),
    "an error on sync": ({"sync_data": errno.EIO}, None, JournalState.CLEAN),
    "no space on sync": ({"sync_data": errno.ENOSPC}, None, JournalState.CLEAN),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_write_of_unknown_outcome_poisons_and_is_never_tried_again(name: str, tmp_path: Path) -> None:
    """Fault 10."""
    failing, short, afterwards = FAULTS[name]
    files = FaultyFiles()
    with opened(tmp_path, files) as writer:
        acknowledged = writer.append_started(TRIALS[0])
        files.failing, files.short = failing, short
        with pytest.raises(PoisonedError) as caught:
            writer.append_started(TRIALS[1])
        files.failing, files.short = {}, None
        files.calls.clear()
        left = (tmp_path / "journal.jsonl").read_bytes()
        for trial_id in TRIALS[1:3]:
            with pytest.raises(PoisonedError):
                writer.append_started(trial_id)
        with pytest.raises(PoisonedError):
            writer.append_closed(StopReason.HALTED, 13)
        assert files.calls == []
    reading = read_journal(tmp_path, sample_plan())

    assert caught.value.exit_code is ExitCode.POISONED
    assert failing or f"{short} of" in caught.value.rule
    assert (tmp_path / "journal.jsonl").read_bytes() == left
    assert reading.state is afterwards
    assert acknowledged.hash in {event["hash"] for event in reading.events}


def test_the_first_record_can_poison_too(tmp_path: Path) -> None:
    with pytest.raises(PoisonedError):
        opened(tmp_path, FaultyFiles(failing={"sync_data": errno.EIO}))
    with opened(tmp_path) as writer:
        writer.append_started(TRIALS[0])


@pytest.mark.parametrize("operation", ["open", "lock", "open folder", "sync"])
def test_a_journal_that_cannot_be_made_is_refused_and_let_go(operation: str, tmp_path: Path) -> None:
    files = FaultyFiles(failing={operation: errno.EIO})
    with pytest.raises(PlatformError):
        opened(tmp_path, files)

    assert files.calls.count("close") == files.calls.count("open") + files.calls.count("open folder") - (
        operation.startswith("open")
    )
    opened(tmp_path).close()


def test_a_real_limit_of_the_file_size_poisons(tmp_path: Path) -> None:
    """Fault 10, done by the kernel: the write stops at the limit, in the middle of a record."""
    program = f"""
import resource, sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tests.core.durable_samples import AT, TRIALS, sample_plan
from oakbench_core.durable.writer import JournalWriter
from oakbench_core.errors import PoisonedError
folder = Path({str(tmp_path)!r})
writer = JournalWriter.open(folder, sample_plan(), clock=lambda: AT)
size = (folder / "journal.jsonl").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, size + 100))
for trial in TRIALS:
    try:
        writer.append_started(trial)
        print("acknowledged")
    except PoisonedError as error:
        print(int(error.exit_code))
"""
    child = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    assert child.stdout.split() == ["43"] * len(TRIALS)
    assert read_journal(tmp_path, sample_plan()).state is JournalState.TORN


def test_a_second_writer_is_locked_out_and_writes_nothing(tmp_path: Path) -> None:
    """Fault 11."""
    with opened(tmp_path) as writer:
        writer.append_started(TRIALS[0])
        before, files = (tmp_path / "journal.jsonl").read_bytes(), FaultyFiles()
        with pytest.raises(LockedError) as caught:
            opened(tmp_path, files)
        assert files.calls == ["open", "lock", "close"]
        assert (tmp_path / "journal.jsonl").read_bytes() == before
        writer.append_started(TRIALS[1])
    opened(tmp_path).close()

    assert caught.value.exit_code is ExitCode.LOCKED


def test_an_append_notices_that_someone_else_wrote(tmp_path: Path) -> None:
    with opened(tmp_path) as writer:
        with (tmp_path / "journal.jsonl").open("ab") as file:
            file.write(b"x")
        with pytest.raises(PoisonedError, match="someone else"):
            writer.append_started(TRIALS[0])

    assert (tmp_path / "journal.jsonl").read_bytes().endswith(b"}\nx")


@pytest.mark.parametrize("change", ["renamed", "deleted", "replaced", "truncated"])
def test_an_append_notices_that_its_file_is_no_longer_there(change: str, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with opened(tmp_path) as writer:
        match change:
            case "renamed":
                path.rename(tmp_path / "kept")
            case "deleted":
                path.unlink()
            case "replaced":
                (tmp_path / "other").write_bytes(path.read_bytes())
                (tmp_path / "other").replace(path)
            case "truncated":
                os.truncate(path, 10)
        left = {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()}
        with pytest.raises(PoisonedError):
            writer.append_started(TRIALS[0])

        assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == left


LINES = sample_lines()
UNFIT: dict[str, tuple[bytes, type[OakbenchError], int]] = {
    "uncertain": (LINES[0] + b"hello\n", UncertainTailError, 21),
    "invalid": (LINES[0] + b"hello\n" + LINES[1], JournalError, 30),
    "another plan's": (Script(other_plan()).opened().content, IdentityError, 31),
}


@pytest.mark.parametrize("name", UNFIT)
def test_nothing_is_appended_to_a_journal_that_cannot_be_repaired_unasked(name: str, tmp_path: Path) -> None:
    content, kind, code = UNFIT[name]
    (tmp_path / "journal.jsonl").write_bytes(content)
    files = FaultyFiles()
    with pytest.raises(kind) as caught:
        opened(tmp_path, files)

    assert type(caught.value) is kind
    assert caught.value.exit_code == code
    assert "write" not in files.calls
    assert files.calls[-1] == "close"
    assert (tmp_path / "journal.jsonl").read_bytes() == content
    assert caught.value.problems[0].file == str(tmp_path / "journal.jsonl")


@pytest.mark.parametrize("kind", ["symlink", "dangling symlink", "hard link", "fifo", "directory", "foreign owner"])
def test_what_another_name_or_user_could_change_is_refused(kind: str, tmp_path: Path) -> None:
    """Fault 15."""
    path, real = tmp_path / "journal.jsonl", tmp_path / "real"
    real.touch()
    match kind:
        case "symlink":
            path.symlink_to(real)
        case "dangling symlink":
            path.symlink_to("nothing")
        case "hard link":
            path.hardlink_to(real)
        case "fifo":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case "foreign owner":
            if os.geteuid() != 0:
                pytest.skip("only root can give a file away")
            path.touch()
            os.chown(path, 12345, 12345)
    with pytest.raises(PlatformError) as caught:
        opened(tmp_path)

    assert caught.value.exit_code is ExitCode.PLATFORM
    assert real.read_bytes() == b""
    assert not (tmp_path / "nothing").exists()


def test_a_link_that_comes_up_between_the_look_and_the_opening_is_not_followed(tmp_path: Path) -> None:
    class LateLink(FaultyFiles):
        def open(self, path: Path, flags: int, mode: int) -> int:
            path.symlink_to("real")
            return super().open(path, flags, mode)

    with pytest.raises(PlatformError):
        opened(tmp_path, LateLink())

    assert not (tmp_path / "real").exists()


def test_a_folder_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        opened(tmp_path / "missing" / "journal.jsonl")


def test_a_folder_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o500)
    with as_nobody(tmp_path, folder), pytest.raises(PlatformError, match="permission denied"):
        opened(folder)


@contextmanager
def as_nobody(*folders: Path) -> Iterator[None]:
    """Where root runs the tests: without its right to write everywhere, as the owner of the folders."""
    if os.geteuid() != 0:
        yield
        return
    nobody = 65534
    for folder in folders:
        os.chown(folder, nobody, nobody)
    for parent in folders[0].parents[:-1]:
        parent.chmod(parent.stat().st_mode | 0o001)
    os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(0)


def test_after_its_close_a_writer_writes_nothing(tmp_path: Path) -> None:
    writer = opened(tmp_path)
    writer.close()
    writer.close()
    with pytest.raises(PoisonedError):
        writer.append_started(TRIALS[0])

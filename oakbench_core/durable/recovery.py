"""Recovery: a tail is kept, cut off and answered for by one `recovered`; nothing is ever thrown away.

Each step is durable before the next: the tail is kept in the quarantine, the file is cut back to its last good record,
`recovered` is appended with the reservation. A recovery that is broken off anywhere is found again by what it kept, and
the next one comes to the same reservation.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.vocabulary import EventKind
from oakbench_core.durable.appending import Appender
from oakbench_core.durable.claim import claim, expect_file_system, expect_missing_rightly, read_to_end
from oakbench_core.durable.files import FileLayer, SystemFiles, sync_folder
from oakbench_core.durable.framing import NO_WRITER
from oakbench_core.durable.journal import JournalReader, journal_path
from oakbench_core.durable.opening import failures_named, open_to_read
from oakbench_core.durable.quarantine import blocks, kept_as, quarantine_path
from oakbench_core.durable.tail import JournalState, UncertainTailError
from oakbench_core.errors import PlatformError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan

_TEMPORARY: Final = ".tail.tmp"
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_TO_SYNC: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class Repair(NamedTuple):
    """What was repaired: the state before it, where the file was cut and by how many bytes.

    `event` is the `recovered` that was appended, without `at` and `hash`; None: only the last LF was added.
    """

    found: JournalState
    offset: int
    cut_bytes: int
    event: Mapping[str, Any] | None


def recover(
    path: Path,
    plan: Plan,
    *,
    clock: Callable[[], str],
    accept_uncertain: bool = False,
    files: FileLayer | None = None,
) -> Repair | None:
    """Repair the journal at `path` (or of that campaign folder); None if there was nothing to do.

    Args:
        path: the journal or its folder.
        plan: the plan that the journal is of.
        clock: the time now, as UTC text.
        accept_uncertain: a person accepts that the tail may hold a lost acknowledged record.
        files: the system, if not said otherwise.

    Raises:
        LockedError: a runner writes it.
        UncertainTailError: nothing proves that the tail was not acknowledged, and no one accepts it.
        JournalError, IdentityError: it gives no results, or it is gone; nothing was changed.
        PlatformError: the quarantine cannot be written; nothing was cut. Or as `claim`, `expect_file_system`.
        PoisonedError: the outcome of the cut or of the append is unknown; the next recovery goes on from there.
    """
    files, path = files or SystemFiles(), journal_path(path)
    with failures_named(path, "recover it"):
        if not os.path.lexists(path):
            expect_missing_rightly(path, plan)
            return None
        descriptor = claim(path, files, create=False)
        appender: Appender | None = None
        try:
            reader = read_to_end(path, plan, descriptor, files)
            if not needs_repair(reader):
                return None
            expect_file_system(path, unsafe=reader.ledger.chronicle.unsafe_filesystem)
            expect_acceptance(reader, accept_uncertain=accept_uncertain)
            appender = Appender(path, reader.fold, descriptor, files, clock)
            return repair(reader, appender, files)
        finally:
            if appender is None:
                files.close(descriptor)
            else:
                appender.close()


def needs_repair(reader: JournalReader) -> bool:
    """Whether something stands between a sound journal and the next record."""
    return reader.state not in {JournalState.CLEAN, JournalState.EMPTY}


def expect_acceptance(reader: JournalReader, *, accept_uncertain: bool) -> None:
    """Refuse to cut off what could be a lost acknowledged record, unless a person accepts that.

    Raises:
        UncertainTailError: nothing was changed.
    """
    if not reader.conclusion.needs_acceptance or accept_uncertain:
        return
    raise UncertainTailError(
        f"{reader.path}: the uncertain tail may hold an acknowledged record, and nothing proves that it does not",
        reader.problems,
        next_step="look at it with `verify`; `recover --accept-uncertain-tail` keeps it aside and goes on without it",
    )


def expect_certainty(reader: JournalReader) -> None:
    """Refuse to repair without being asked what is no plainly torn end: a person looks at it first.

    Raises:
        UncertainTailError: nothing was changed.
    """
    if reader.state is JournalState.UNCERTAIN_TAIL:
        message = f"{reader.path}: nothing is appended to a journal whose last bytes are uncertain"
        raise UncertainTailError(message, reader.problems, next_step="`verify` shows the place, `recover` goes on")
    expect_acceptance(reader, accept_uncertain=False)


def repair(reader: JournalReader, appender: Appender, files: FileLayer) -> Repair:
    """Bring a journal that was read to its end, under its lock, into order; errors as `recover`."""
    state, tail, size = reader.state, reader.tail, reader.size
    offset = reader.fold.offset
    if reader.lacks_newline:
        appender.append_newline()
        size = offset
    if tail is None or tail.would_recover is None:
        return Repair(state, offset, 0, None)
    event = tail.would_recover
    _keep(reader, event["recovery"]["kept_as"], files)
    appender.cut(size)
    payload = {"recovery": event["recovery"]}
    appender.append(EventKind.RECOVERED, event["trial_id"], payload, writer=reader.fold.writer or NO_WRITER)
    return Repair(state, offset, tail.size, event)


def _keep(reader: JournalReader, names: list[str], files: FileLayer) -> None:
    """Make every tail of this offset durable in the quarantine: the one on file, and what an earlier try kept."""
    path, folder = reader.path, quarantine_path(reader.path)
    with failures_named(folder, "keep the tail there"):
        _make_folder(folder, files)
        kept = set(kept_as(path, reader.conclusion.kept))
        for name in names:
            target = folder / name.rpartition("/")[2]
            if name in kept:
                _sync_file(target, files)
            else:
                _copy_tail(reader, folder / _TEMPORARY, files)
                files.rename(folder / _TEMPORARY, target)
        sync_folder(folder, files)
        sync_folder(path.parent, files)


def _make_folder(folder: Path, files: FileLayer) -> None:
    try:
        files.make_folder(folder, 0o700)
    except FileExistsError:
        status = files.status_at(folder)
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
            return
        rule = "expected a folder of this user, and no symbolic link"
        raise PlatformError(f"{folder}: {rule}", [Problem(rule=rule, file=str(folder))]) from None


def _sync_file(path: Path, files: FileLayer) -> None:
    descriptor = files.open(path, _TO_SYNC, 0)
    try:
        files.sync(descriptor)
    finally:
        files.close(descriptor)


def _copy_tail(reader: JournalReader, temporary: Path, files: FileLayer) -> None:
    source = open_to_read(reader.path)
    try:
        descriptor = files.open(temporary, _NEW, 0o600)
        try:
            for block in blocks(source, reader.fold.offset):
                if files.write(descriptor, block) != len(block):
                    rule = "the tail could not be kept whole: no space? nothing was changed"
                    raise PlatformError(f"{temporary}: {rule}", [Problem(rule=rule, file=str(temporary))])
            files.sync(descriptor)
        finally:
            files.close(descriptor)
    finally:
        os.close(source)

"""The journal's writer: acknowledged ⊆ journal ⊆ attempted.

It takes over a journal as an earlier writer left it, repairs what can be repaired without asking, and says who it is;
then every event of a trial is appended in turn.
"""

from __future__ import annotations

import os
import secrets
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pydantic import TypeAdapter

from oakbench_core.campaign.row import Row
from oakbench_core.campaign.vocabulary import EventKind, StopReason, Terminal
from oakbench_core.durable.appending import Acknowledged, Appender
from oakbench_core.durable.claim import claim, expect_file_system, expect_missing_rightly, read_to_end
from oakbench_core.durable.files import FileLayer, SystemFiles
from oakbench_core.durable.host import boot_id, file_system, host_name
from oakbench_core.durable.journal import journal_path
from oakbench_core.durable.opening import failures_named
from oakbench_core.durable.recovery import Repair, expect_certainty, needs_repair, repair
from oakbench_core.errors import JournalError
from oakbench_core.shapes import checked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan


class RunnerFacts(NamedTuple):
    """What `opened` says of the program that writes; what it says of the host is observed."""

    tool: str | None = None
    max_parallel: int = 1
    settings: Mapping[str, Any] | None = None
    unsafe_filesystem: bool = False  # go on, whatever the file system promises


@cache
def _row_type() -> TypeAdapter[Row]:
    return TypeAdapter(Row)


class JournalWriter:
    """The one writer of a journal, from `open` until `close`; `ledger` holds what is on file.

    `repaired`: what `open` repaired of an earlier writer's end; None if there was nothing. `left_in_flight`: places of
    the trials that an earlier writer had started and not ended when it was killed.

    Every `append_…` returns when its record is durable, and raises JournalError, with nothing written, for a record
    that no reader would accept, PoisonedError where the outcome of a write is unknown, and at every call after that.
    """

    def __init__(self, appender: Appender, repaired: Repair | None) -> None:
        self.path = appender.path
        self.repaired = repaired
        self.left_in_flight: tuple[int, ...] = ()
        self._appender = appender
        self._writer_id = secrets.token_hex(16)

    @classmethod
    def open(
        cls,
        path: Path,
        plan: Plan,
        *,
        clock: Callable[[], str],
        runner: RunnerFacts | None = None,
        files: FileLayer | None = None,
    ) -> Self:
        """Lock the journal at `path` (or of that campaign folder), repair its end if need be, and append `opened`.

        Args:
            path: a file of that name is created (0600) if there is none; its folder must be there.
            plan: the plan that the journal is of.
            clock: the time now, as UTC text.
            runner: what `opened` says of the caller.
            files: the system, if not said otherwise.

        Raises:
            LockedError: someone else writes it; nothing was written.
            PlatformError: a symbolic or hard link, a FIFO, another owner's file, a file system of which nothing is
                known, or the system refuses.
            UsageError: its folder is not there.
            JournalError, IdentityError: what is on file is invalid, uncertain or gone: it is not appended to.
            PoisonedError: the first record could not be written, or a repair was broken off.
        """
        files, runner = files or SystemFiles(), runner or RunnerFacts()
        path = journal_path(path)
        with failures_named(path, "write it"):
            expect_file_system(path, unsafe=runner.unsafe_filesystem)
            if not os.path.lexists(path):
                expect_missing_rightly(path, plan)
            descriptor = claim(path, files)
            appender: Appender | None = None
            try:
                reader = read_to_end(path, plan, descriptor, files)
                expect_certainty(reader)
                left_in_flight = tuple(reader.fold.ledger.in_flight)
                appender = Appender(path, reader.fold, descriptor, files, clock)
                writer = cls(appender, repair(reader, appender, files) if needs_repair(reader) else None)
                writer.left_in_flight = left_in_flight
                writer._append_opened(runner)
            except BaseException:
                if appender is None:
                    files.close(descriptor)
                else:
                    appender.close()
                raise
        return writer

    def close(self) -> None:
        """Let the file and its lock go; says nothing in the journal."""
        self._appender.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ledger(self) -> Ledger:
        return self._appender.fold.ledger

    def append_started(self, trial_id: str) -> Acknowledged:
        """Nothing of the trial happens before this has returned."""
        return self._append(EventKind.STARTED, trial_id, {})

    def append_finished(self, trial_id: str, terminal: Terminal, row: Row | Mapping[str, Any]) -> Acknowledged:
        """The end of a trial, with its row: a model, or plain data of which every problem is named."""
        if not isinstance(row, Row):
            decoded = checked(_row_type(), row)
            if decoded[0] is None:
                raise JournalError("this row is refused", decoded[1])
            row = decoded[0]
        return self._append(
            EventKind.FINISHED, trial_id, {"terminal": str(terminal), "row": row.model_dump(by_alias=True)}
        )

    def append_closed(self, reason: StopReason, code: int, detail: str | None = None) -> Acknowledged:
        """The last word of a runner that ends in order; `code` is its exit code."""
        return self._append(EventKind.CLOSED, None, {"stop": {"reason": str(reason), "code": code, "detail": detail}})

    def _append_opened(self, facts: RunnerFacts) -> Acknowledged:
        runner = {
            "format": "oakbench.event/1",
            "tool": facts.tool,
            "host": host_name(),
            "pid": os.getpid(),
            "boot_id": boot_id(),
            "file_system": file_system(self.path),
            "max_parallel": facts.max_parallel,
            "unsafe_filesystem": facts.unsafe_filesystem,
            "settings": dict(facts.settings or {}),
        }
        return self._append(EventKind.OPENED, None, {"runner": runner})

    def _append(self, kind: EventKind, trial_id: str | None, payload: Mapping[str, Any]) -> Acknowledged:
        return self._appender.append(kind, trial_id, payload, writer=self._writer_id)

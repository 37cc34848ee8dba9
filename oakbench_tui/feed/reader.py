"""The reader's thread: it alone owns the journal's reader and the ledger, and hands over frozen snapshots.

Rule: nothing here waits for the screen, and the screen never waits for this. A snapshot is put where the screen finds
it, and the screen is told once, however many events arrived since it last looked.
"""

from __future__ import annotations

import time
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final

from oakbench_core.durable.journal import JOURNAL_NAME, JournalReader
from oakbench_core.durable.tail import JournalState
from oakbench_core.errors import OakbenchError
from oakbench_tui.feed.plan_file import PlanFile
from oakbench_tui.feed.taking import Taker
from oakbench_tui.feed.watching import LOOK_EVERY_S, FolderWatch
from oakbench_tui.view.snapshot import Failure

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.stamp import FileStamp
    from oakbench_tui.view.snapshot import Snapshot

CHUNK_BYTES: Final = 8 << 20
_TELL_EVERY_S: Final = 0.1  # while catching up
_MEND: Final = "make it a regular file that this user may read: this screen then comes back by itself"


class Feed:
    """Reads a campaign folder's journal from when it is started until it is stopped.

    `arrived` is called in the reader's thread when there is something new to take. `plan_stamp` is of the plan's file,
    taken before it was loaded.
    """

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        *,
        arrived: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.time,
        plan_stamp: FileStamp | None = None,
    ) -> None:
        self.reader = JournalReader(folder / JOURNAL_NAME, plan)
        self.arrived = arrived
        self._plan_file = PlanFile(folder, plan.plan_sha256, plan_stamp)
        self.defect: BaseException | None = None
        self._taker = Taker(folder, plan, clock)
        self.grouping = self._taker.grouping
        self._latest = self._taker.snapshot(self.reader, None)
        self._dirty: set[int] | None = set()
        self._lock = Lock()
        self._wake = Event()
        self._stopping = Event()
        self._watch = FolderWatch(folder, self._wake.set)
        self._thread = Thread(target=self._run, name="oakbench-reader", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._watch.start()

    def stop(self) -> None:
        self._stopping.set()
        self._wake.set()
        self._watch.stop()
        self._thread.join()
        self.reader.close()

    @property
    def latest(self) -> Snapshot:
        return self._latest

    def take(self) -> tuple[Snapshot, frozenset[int] | None]:
        """The newest snapshot, and the trials that changed since the last take; None: everything may have changed."""
        with self._lock:
            dirty, self._dirty = self._dirty, set()
            return self._latest, None if dirty is None else frozenset(dirty)

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._read_to_the_end()
                self._wake.wait(LOOK_EVERY_S)
                self._wake.clear()
        except BaseException as error:  # noqa: BLE001 - a defect in this thread must end the console, not freeze it
            self.defect = error
            self.arrived()

    def _read_to_the_end(self) -> None:
        told = 0.0
        touched: list[int] = []
        is_other = False
        while not self._stopping.is_set():
            failure = None
            state: JournalState | None = None
            more = False
            try:
                poll = self.reader.poll(CHUNK_BYTES)
            except OakbenchError as error:
                failure = Failure(error.file or str(self.reader.path), error.rule, error.next_step or _MEND)
            else:
                state, more = poll.state, poll.more
                touched += poll.touched
            touched += self._taker.note(self.reader, state, touched, self._plan_file.failure() or failure)
            is_other |= state is JournalState.REPLACED
            if state is JournalState.REPLACED:
                continue
            if not more or time.monotonic() - told > _TELL_EVERY_S:
                told = time.monotonic()
                self._publish(touched, is_other=is_other)
                touched, is_other = [], False
            if not more:
                return

    def _publish(self, touched: list[int], *, is_other: bool) -> None:
        """`is_other`: another journal was begun, so that everything may differ."""
        snapshot = self._taker.snapshot(self.reader, self._latest)
        if snapshot is self._latest:
            return
        with self._lock:
            self._latest = snapshot
            if is_other or self._dirty is None:
                self._dirty = None
            else:
                self._dirty.update(touched)
        with suppress(RuntimeError):  # the screen's loop may have ended first
            self.arrived()

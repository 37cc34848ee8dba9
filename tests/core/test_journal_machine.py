"""Writer, crash, power loss, recovery, resume and reader, in whatever order: acknowledged ⊆ journal ⊆ attempted."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from oakbench_core.campaign.vocabulary import Standing, Terminal
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.recovery import recover
from oakbench_core.durable.tail import JournalState
from oakbench_core.durable.writer import JournalWriter
from tests.core.durable_crashes import CrashError, MortalFiles
from tests.core.durable_outcomes import LONG, seen
from tests.core.durable_samples import AT, TRIALS, failed_row, row, sample_plan

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the writer's lock is Linux's")

SOUND = {JournalState.CLEAN, JournalState.EMPTY, JournalState.ABSENT}
CUT = {JournalState.TORN, JournalState.ZEROS, JournalState.NO_NEWLINE, JournalState.RECOVERY_PENDING}
CALLS = st.none() | st.integers(0, 24)
PARTS = st.sampled_from([0.0, 0.01, 0.05, 0.3, 0.6, 0.999, 1.0])


class SyncingFiles(MortalFiles):
    """Remembers how much of the journal was synced: what a power loss may take is what came after it."""

    durable = 0

    def sync_data(self, descriptor: int) -> None:
        super().sync_data(descriptor)
        self.durable = self.status(descriptor).st_size

    def truncate(self, descriptor: int, size: int) -> None:
        super().truncate(descriptor, size)
        self.durable = min(self.durable, size)


class Journal(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="oakbench-machine-"))
        self.path = self.folder / "journal.jsonl"
        self.writer: JournalWriter | None = None
        self.files = SyncingFiles()
        self.reader = JournalReader(self.folder, sample_plan())
        self.attempted: set[tuple[str, str]] = set()
        self.acknowledged: set[tuple[str, str]] = set()
        self.reserved: list[str | None] = []

    def teardown(self) -> None:
        self.reader.close()
        if self.writer is not None:
            self.writer.close()
        shutil.rmtree(self.folder)

    def _mortal(self, at: int | None, part: float) -> SyncingFiles:
        size = self.path.stat().st_size if self.path.exists() else 0
        self.files = SyncingFiles(at=at, part=part)
        self.files.durable = size
        return self.files

    def _died(self) -> None:
        if self.writer is not None:
            self.writer.close()
            self.writer = None

    @precondition(lambda self: self.writer is None)
    @rule(at=CALLS, part=PARTS)
    def open(self, at: int | None, part: float) -> None:
        try:
            self.writer = JournalWriter.open(self.folder, sample_plan(), clock=lambda: AT, files=self._mortal(at, part))
        except CrashError:
            self._died()

    def _append(self, kind: str, trial_id: str, died_at: int | None, part: float) -> None:
        assert self.writer is not None
        self.files.at = None if died_at is None else len(self.files.calls) + died_at
        self.files.part = part
        self.attempted.add((kind, trial_id))
        try:
            if kind == "started":
                self.writer.append_started(trial_id)
            else:
                its_row = row(trial_id) if part < 0.5 else failed_row(trial_id)
                self.writer.append_finished(trial_id, Terminal.COMPLETED, its_row)
        except CrashError:
            self._died()
        else:
            self.acknowledged.add((kind, trial_id))

    @precondition(lambda self: self.writer is not None and not self.writer.ledger.in_flight)
    @rule(died_at=st.none() | st.integers(0, 2), part=PARTS)
    def start(self, died_at: int | None, part: float) -> None:
        assert self.writer is not None
        place = self.writer.ledger.next_unstarted
        if place is not None:
            self._append("started", TRIALS[place], died_at, part)

    @precondition(lambda self: self.writer is not None and self.writer.ledger.in_flight)
    @rule(died_at=st.none() | st.integers(0, 2), part=PARTS)
    def finish(self, died_at: int | None, part: float) -> None:
        assert self.writer is not None
        self._append("finished", TRIALS[next(iter(self.writer.ledger.in_flight))], died_at, part)

    @precondition(lambda self: self.writer is not None)
    @rule()
    def stop(self) -> None:
        self._died()

    @precondition(lambda self: self.writer is None)
    @rule(kept=st.floats(0, 1), nuls=st.integers(0, 60))
    def lose_power(self, kept: float, nuls: int) -> None:
        """What was written and not synced may be gone, or be NULs."""
        if not self.path.exists():
            return
        content = self.path.read_bytes()
        durable = min(self.files.durable, len(content))
        left = durable + int((len(content) - durable) * kept)
        lost = min(nuls, len(content) - left)
        self.path.write_bytes(content[:left] + bytes(lost))
        self.files.durable = left + lost

    @precondition(lambda self: self.writer is None)
    @rule(at=CALLS, part=PARTS)
    def recover(self, at: int | None, part: float) -> None:
        before = self._read()
        try:
            recover(self.folder, sample_plan(), clock=lambda: AT, files=self._mortal(at, part))
        except CrashError:
            return
        after = self._read()
        assert after.state in SOUND
        assert bytes(after.ledger.standings) == bytes(before.ledger_after_recovery.standings)
        left = self.path.read_bytes() if self.path.exists() else None
        assert recover(self.folder, sample_plan(), clock=lambda: AT) is None
        assert left == (self.path.read_bytes() if self.path.exists() else None)

    def _read(self) -> Any:
        return read_journal(self.folder, sample_plan())

    @invariant()
    def what_was_acknowledged_is_on_file_and_nothing_is_invented(self) -> None:
        reading = self._read()
        assert reading.state in SOUND | CUT
        events = [(event["event"], event["trial_id"]) for event in reading.events]
        on_file = [event for event in events if event[0] in {"started", "finished"}]
        reserved = [trial_id for kind, trial_id in events if kind == "recovered" and trial_id is not None]

        assert len(set(on_file)) == len(on_file)
        assert self.acknowledged <= set(on_file) <= self.attempted
        assert len(set(reserved)) == len(reserved)
        assert sum(reading.ledger.tallies) == len(TRIALS)
        after = reading.ledger_after_recovery
        for place, trial_id in enumerate(TRIALS):
            # A lost start is never taken for none: what was attempted is on file or reserved, but for a power loss.
            if after.standings[place] == Standing.UNSTARTED:
                assert ("started", trial_id) not in self.acknowledged
            if after.standings[place] == Standing.UNCERTAIN:
                assert ("started", trial_id) not in self.acknowledged

    @invariant()
    def a_reader_that_stays_sees_the_same(self) -> None:
        while (poll := self.reader.poll(max_bytes=64)).more or poll.state is JournalState.REPLACED:
            pass
        reading = self._read()
        assert self.reader.state is reading.state
        assert seen(self.reader.ledger) == seen(reading.ledger)
        assert seen(self.reader.ledger_after_recovery) == seen(reading.ledger_after_recovery)


Journal.TestCase.settings = settings(max_examples=400 if LONG else 40, stateful_step_count=25, deadline=None)
TestJournal = Journal.TestCase

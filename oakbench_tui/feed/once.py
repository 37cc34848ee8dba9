"""A snapshot of a journal that was read once to its end, for who prints it and goes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from oakbench_core.campaign.admission import admissible_at_worst, admission
from oakbench_core.forms import utc_seconds
from oakbench_tui.feed.artifacts import Leftovers
from oakbench_tui.feed.taking import (
    LIVES,
    NO_RECORDS,
    foreseen,
    groups_with_running,
    last_growth,
    running_trials,
    with_running,
)
from oakbench_tui.view.measuring import Grouping, Measuring
from oakbench_tui.view.snapshot import Reading, Snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.reading import JournalReading


def snapshot_of(folder: Path, plan: Plan, journal: JournalReading, now: float | None = None) -> Snapshot:
    """What the console would show of this reading. `now`: seconds since 1970."""
    ledger = journal.ledger_after_recovery
    runner, stop = ledger.last_runner, ledger.last_stop
    measuring = Measuring(Grouping(plan))
    measuring.note(ledger, range(len(plan.schedule)))
    writer_lives = LIVES[journal.liveness]
    tail = journal.tail
    reading = Reading(
        state=str(journal.state),
        writer_lives=writer_lives,
        stop_reason=None if stop is None else str(stop.reason),
        seq=journal.last_seq,
        last_hash=journal.last_hash,
        size_bytes=journal.size,
        read_bytes=journal.size - (0 if tail is None else tail.size),
        last_growth=last_growth(journal.path),
        last_at=None if journal.last_at is None else utc_seconds(journal.last_at),
        host=journal.host,
        pid=journal.pid,
        max_parallel=None if runner is None else runner.max_parallel,
        problems=journal.problems,
        tail_kind=None if tail is None else str(tail.kind),
        tail_offset=None if tail is None else tail.offset,
        tail_bytes=None if tail is None else tail.size,
        foreseen=None if tail is None else foreseen(tail),
        leftovers=Leftovers(folder, plan).count() if journal.state in NO_RECORDS else 0,
    )
    running = running_trials(folder, ledger) if writer_lives else ()
    return Snapshot(
        version=0,
        at=time.time() if now is None else now,
        ledger=ledger,
        standings=bytes(ledger.standings),
        tallies=tuple(ledger.tallies),
        running=running,
        admission=admission(ledger),
        at_worst=admissible_at_worst(ledger),
        measured=with_running(measuring.campaign(), len(running)),
        groups=groups_with_running(measuring.groups(), running, measuring.grouping),
        reading=reading,
        events=sum(ledger.events.values()),
    )

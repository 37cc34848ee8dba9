"""Snapshots for tests of the view: of staged campaigns, and of ledgers that a law draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.campaign.admission import admissible_at_worst, admission
from oakbench_tui.feed.taking import groups_with_running, with_running
from oakbench_tui.view.measuring import Grouping, Measuring
from oakbench_tui.view.snapshot import Reading, Running, Snapshot
from tests.campaigns import folded, plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oakbench_core.campaign.ledger import Ledger

NOW = 1_800_000_000.0


def snapshot(ledger: Ledger, *, running: Iterable[int] = (), **reading: Any) -> Snapshot:
    """What the reader would hand over of this ledger; `running` are places that a live runner has started."""
    measuring = Measuring(Grouping(ledger.plan))
    measuring.note(ledger, range(len(ledger.plan.schedule)))
    places = tuple(running)
    trials = tuple(Running(place=place, started_at=NOW - 1.25) for place in places)
    said: dict[str, Any] = {"state": "CLEAN", "writer_lives": bool(places), "seq": 0} | reading
    return Snapshot(
        version=1,
        at=NOW,
        ledger=ledger,
        standings=bytes(ledger.standings),
        tallies=tuple(ledger.tallies),
        running=trials,
        admission=admission(ledger),
        at_worst=admissible_at_worst(ledger),
        measured=with_running(measuring.campaign(), len(trials)),
        groups=groups_with_running(measuring.groups(), trials, measuring.grouping),
        reading=Reading(**said),
        events=sum(ledger.events.values()),
    )


def small_snapshot(*trials: list[dict[str, Any]], running: Iterable[int] = (), **arguments: Any) -> Snapshot:
    """Of a small plan made with `arguments`, after the events of each of `trials`."""
    events = [event for trial in trials for event in trial]
    return snapshot(folded(plan(**arguments), *events), running=running)

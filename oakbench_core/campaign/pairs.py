"""The paired difference of two subjects, over the blocks that hold both (report.md rows 13 to 20).

Rule: a difference is over complete blocks only, and every block that is not complete is counted under its first reason;
the bounds say how far the lost blocks could still move the difference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from oakbench_core.campaign.counts import counts_of
from oakbench_core.campaign.identities import Identities
from oakbench_core.campaign.paired_resources import paired_resources
from oakbench_core.campaign.populations import population_of
from oakbench_core.campaign.report_codes import BlockReason, Omission
from oakbench_core.campaign.task_tables import task_table
from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.canonical import canonical_text
from oakbench_core.intervals import BOOTSTRAP_METHOD, CONFIDENCE, PairTable, Resampling, bootstrap_key, newcombe

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from oakbench_core.campaign.conditions import Pair
    from oakbench_core.campaign.counts import Horizon
    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.intervals import Interval

INCOMPLETE: Final = (
    BlockReason.UNSTARTED,
    BlockReason.INTERRUPTED,
    BlockReason.SKIPPED,
    BlockReason.INFRASTRUCTURE_FAILURE,
)
EXCLUDED: Final = (BlockReason.TIMEOUT_MISMATCH, BlockReason.IDENTITY_MISMATCH)

_JUDGED: Final = len(INCOMPLETE)
_LOSS: Final = {  # by standing: the place in INCOMPLETE of what a side without a verdict makes of its block
    Standing.UNSTARTED: 0,
    Standing.INTERRUPTED: 1,
    Standing.UNCERTAIN: 1,
    Standing.SKIPPED_BEFORE_START: 2,
    Standing.SKIPPED_AFTER_START: 2,
    Standing.INFRASTRUCTURE_FAILURE: 3,
    Standing.VERIFIED_SUCCESS: _JUDGED,
    Standing.TASK_FAILURE: _JUDGED,
    Standing.TIMED_OUT: _JUDGED,
}


@dataclass(slots=True)
class _Tally:
    """What the blocks of a pair gave. `low` and `high` are sums over blocks of the least and the largest difference."""

    reasons: Counter[BlockReason] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    cells: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    complete_a: list[int] = field(default_factory=list)
    complete_b: list[int] = field(default_factory=list)
    low: int = 0
    high: int = 0

    def add_complete(self, place_a: int, place_b: int, verdict_a: bool, verdict_b: bool) -> None:
        self.complete_a.append(place_a)
        self.complete_b.append(place_b)
        self.cells[verdict_a, verdict_b] += 1
        self._bound(verdict_a - verdict_b, verdict_a - verdict_b)

    def add_incomplete(self, reason: BlockReason, verdict_a: bool | None, verdict_b: bool | None) -> None:
        self.reasons[reason] += 1
        if verdict_a is not None:
            self.lost["b"] += 1
            self._bound(verdict_a - 1, int(verdict_a))
        elif verdict_b is not None:
            self.lost["a"] += 1
            self._bound(-verdict_b, 1 - verdict_b)
        else:
            self.lost["both"] += 1
            self._bound(-1, 1)

    def add_excluded(self, reason: BlockReason) -> None:
        self.reasons[reason] += 1
        self._bound(-1, 1)

    def _bound(self, low: int, high: int) -> None:
        self.low += low
        self.high += high

    @property
    def table(self) -> PairTable:
        return PairTable(
            both=self.cells[True, True],
            only_a=self.cells[True, False],
            only_b=self.cells[False, True],
            neither=self.cells[False, False],
        )


def _tally_of(ledger: Ledger, pair: Pair, identities: Identities) -> _Tally:
    tally = _Tally()
    standings, timeout_differs = ledger.standings, ledger.timeout_differs
    loss = [_LOSS[standing] for standing in Standing]
    for place_a, place_b in pair.blocks:
        a, b = standings[place_a], standings[place_b]
        verdict_a, verdict_b = a == Standing.VERIFIED_SUCCESS, b == Standing.VERIFIED_SUCCESS
        first = min(loss[a], loss[b])
        if first < _JUDGED:
            known_a = verdict_a if loss[a] == _JUDGED else None
            tally.add_incomplete(INCOMPLETE[first], known_a, verdict_b if loss[b] == _JUDGED else None)
            continue
        agree = identities.agree(place_a, place_b)  # asked of every judged block, so that nothing that differs is lost
        if timeout_differs[place_a] or timeout_differs[place_b]:
            tally.add_excluded(BlockReason.TIMEOUT_MISMATCH)
        elif not agree:
            tally.add_excluded(BlockReason.IDENTITY_MISMATCH)
        else:
            tally.add_complete(place_a, place_b, verdict_a, verdict_b)
    return tally


def _omissions(ledger: Ledger, pair: Pair, tally: _Tally, horizon: Horizon, agreeing: Container[str]) -> list[Omission]:
    """Every code that withholds the intervals, in the order of report.md row 17."""
    sides_counts = counts_of(ledger, [place for block in pair.blocks for place in block], horizon)
    gaps = counts_of(ledger, pair.places, horizon)["schedule_gaps"]
    complete = len(tally.complete_a)
    codes = [Omission.NO_COMPLETE_BLOCKS] * (complete == 0) + [Omission.SINGLETON] * (complete == 1)
    codes += horizon.open_codes(unstarted=sides_counts["unstarted"], gaps=gaps)
    sides = {pair.a: tally.complete_a, pair.b: tally.complete_b}
    if not all(subject in agreeing or population_of(ledger, places).agrees for subject, places in sides.items()):
        codes.append(Omission.MIXED_POPULATION)
    return codes + horizon.selection_codes()


def _intervals(
    ledger: Ledger, pair: Pair, table: PairTable, resample: Callable[[Resampling], Interval]
) -> dict[Literal["interval", "newcombe", "bootstrap"], dict[str, Any]]:
    key = bootstrap_key(ledger.plan.plan_sha256, canonical_text(pair.key))
    source = Resampling(key=key, only_a=table.only_a, only_b=table.only_b, complete=table.complete)
    drawn, companion = resample(source), newcombe(table)
    degenerate = table.only_a + table.only_b == 0
    return {
        "interval": {"low": drawn.low, "high": drawn.high, "confidence": CONFIDENCE, "degenerate": degenerate},
        "newcombe": {"low": companion.low, "high": companion.high, "confidence": CONFIDENCE},
        "bootstrap": {
            "method": BOOTSTRAP_METHOD,
            "draws": source.draws,
            "key": key,
            "n": source.complete,
            "only_a": source.only_a,
            "only_b": source.only_b,
        },
    }


def pair_report(
    ledger: Ledger, pair: Pair, horizon: Horizon, resample: Callable[[Resampling], Interval], agreeing: Container[str]
) -> dict[str, Any]:
    """One entry of `pairs`.

    `resample` computes the bootstrap interval, and is called only where one is given. `agreeing` names the subjects
    whose whole group under this condition is one population, so that the rows of its complete blocks are too.
    """
    identities = Identities(ledger)
    tally = _tally_of(ledger, pair, identities)
    omitted = _omissions(ledger, pair, tally, horizon, agreeing)
    table, scheduled = tally.table, len(pair.blocks)
    given = {} if omitted else _intervals(ledger, pair, table, resample)
    timed_out = {
        side: sum(ledger.standings[place] == Standing.TIMED_OUT for place in places)
        for side, places in (("a", tally.complete_a), ("b", tally.complete_b))
    }
    return {
        "key": pair.key,
        "blocks": {
            "scheduled": scheduled,
            "complete": table.complete,
            "incomplete": sum(tally.reasons[reason] for reason in INCOMPLETE),
            "excluded": sum(tally.reasons[reason] for reason in EXCLUDED),
            "reasons": {reason.value: tally.reasons[reason] for reason in BlockReason if tally.reasons[reason]},
        },
        "lost_side": {side: tally.lost[side] for side in ("a", "b", "both")},
        "final": table.complete == scheduled and not omitted,
        "table": {
            "both": table.both,
            "only_a": table.only_a,
            "only_b": table.only_b,
            "neither": table.neither,
        },
        "timed_out": timed_out,
        "difference": table.difference if table.complete else None,
        "bounds": {"low": tally.low / scheduled, "high": tally.high / scheduled},
        "interval": given.get("interval"),
        "newcombe": given.get("newcombe"),
        "omitted": [code.value for code in omitted],
        "bootstrap": given.get("bootstrap"),
        "tasks": task_table(ledger, zip(tally.complete_a, tally.complete_b, strict=True)),
        "identity": identities.as_document(),
        "resources": paired_resources(ledger, tally.complete_a, tally.complete_b),
    }

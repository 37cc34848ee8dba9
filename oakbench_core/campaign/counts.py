"""Every scheduled trial counted in exactly one state, and how far the evidence reaches.

Rule: counts come from the ledger's standings alone, so they add up to the schedule by construction, over a group as
over the campaign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.report_codes import Omission
from oakbench_core.campaign.vocabulary import Standing

if TYPE_CHECKING:
    from oakbench_core.campaign.ledger import Ledger

Places = Sequence[int]

JUDGED: Final = frozenset({Standing.VERIFIED_SUCCESS, Standing.TASK_FAILURE, Standing.TIMED_OUT})
"""Where a trial has a verdict: completed, or not done within its timeout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Horizon:
    """What the whole campaign says about whether a part of it may still change.

    `admits_more`: an unstarted trial may still be started, for there is no budget or it admits the next one. `reached`:
    places before it hold every trial that was started, reserved or skipped.
    """

    admits_more: bool
    reached: int
    is_retry: bool
    is_prefix: bool

    def open_codes(self, *, unstarted: int, gaps: int) -> list[Omission]:
        """The codes, in order, for trials that may still be started, or that the schedule passed over."""
        codes = [Omission.SCHEDULE_OPEN] if unstarted and self.admits_more else []
        return [*codes, Omission.SCHEDULE_GAPS] if gaps else codes

    def selection_codes(self) -> list[Omission]:
        """The codes, in order, for evidence that was selected by its own results or cut off."""
        codes = [Omission.RETRY_SELECTION] if self.is_retry else []
        return [*codes, Omission.PREFIX_REPORT] if self.is_prefix else codes


def reached(ledger: Ledger) -> int:
    """The place behind the last trial of the schedule that is not unstarted."""
    return len(ledger.standings.rstrip(bytes([Standing.UNSTARTED])))


def standings_at(ledger: Ledger, places: Places) -> bytes:
    """The standings of the trials at `places`, in their order."""
    return bytes(map(ledger.standings.__getitem__, places))


def counts_of(ledger: Ledger, places: Places, horizon: Horizon) -> dict[str, int]:
    """The sixteen counts of the trials at `places`.

    scheduled = unstarted + interrupted + skipped + finished; started = interrupted + skipped after start + finished;
    resolved = started - interrupted. An uncertain reservation is an interrupted trial.
    """
    standings = standings_at(ledger, places)
    count = [standings.count(code) for code in Standing]
    interrupted = count[Standing.INTERRUPTED] + count[Standing.UNCERTAIN]
    skipped_before, skipped_after = count[Standing.SKIPPED_BEFORE_START], count[Standing.SKIPPED_AFTER_START]
    outcomes = {
        "verified_success": count[Standing.VERIFIED_SUCCESS],
        "task_failure": count[Standing.TASK_FAILURE],
        "timed_out": count[Standing.TIMED_OUT],
        "infrastructure_failure": count[Standing.INFRASTRUCTURE_FAILURE],
    }
    finished = sum(outcomes.values())
    passed_over = (place for place, code in zip(places, standings, strict=True) if code == Standing.UNSTARTED)
    return {
        "scheduled": len(standings),
        "started": interrupted + skipped_after + finished,
        "resolved": skipped_after + finished,
        "unstarted": count[Standing.UNSTARTED],
        "interrupted": interrupted,
        "interrupted_uncertain": count[Standing.UNCERTAIN],
        "skipped": skipped_before + skipped_after,
        "skipped_before_start": skipped_before,
        "skipped_after_start": skipped_after,
        "finished": finished,
        **outcomes,
        "timeout_mismatch": sum(map(ledger.timeout_differs.__getitem__, places)),
        "schedule_gaps": sum(place < horizon.reached for place in passed_over),
    }

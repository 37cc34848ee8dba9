"""The operational verified-success fraction of a group, and why an interval is withheld (report.md rows 2 to 6).

Rule: the denominator is started trials, so that nothing which was begun can be forgotten; and no interval is given
while the fate of a trial, or who chose to stop, could still move the fraction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.campaign.report_codes import Omission
from oakbench_core.campaign.vocabulary import SkipReason, Standing
from oakbench_core.intervals import CONFIDENCE, wilson

if TYPE_CHECKING:
    from oakbench_core.campaign.counts import Horizon, Places
    from oakbench_core.campaign.ledger import Ledger


def _skip_codes(ledger: Ledger, places: Places) -> list[Omission]:
    """An operator skips before the start only; every other skip lost an instrument's measurement."""
    instrument = other = False
    for place in places:
        standing = ledger.standings[place]
        if standing == Standing.SKIPPED_AFTER_START:
            instrument = True
        elif standing == Standing.SKIPPED_BEFORE_START:
            ending = ledger.ending(place)
            by_operator = ending is not None and ending.skip_reason == SkipReason.OPERATOR
            other, instrument = other or by_operator, instrument or not by_operator
    return [Omission.INSTRUMENT_SKIPPED] * instrument + [Omission.OTHER_SKIPPED] * other


def success_omissions(
    ledger: Ledger, places: Places, counts: dict[str, int], horizon: Horizon, *, population_agrees: bool
) -> list[Omission]:
    """Every code that withholds the Wilson interval, in the order of report.md row 5."""
    codes = [] if counts["started"] else [Omission.NO_STARTED_TRIALS]
    if counts["interrupted"]:
        codes.append(Omission.UNRESOLVED_STARTED)
    if counts["skipped"]:
        codes += _skip_codes(ledger, places)
    codes += horizon.open_codes(unstarted=counts["unstarted"], gaps=counts["schedule_gaps"])
    if counts["timeout_mismatch"]:
        codes.append(Omission.TIMEOUT_MISMATCH)
    if not population_agrees:
        codes.append(Omission.MIXED_POPULATION)
    return codes + horizon.selection_codes()


def success_of(counts: dict[str, int], omitted: list[Omission]) -> dict[str, Any]:
    """The section `success` of a group with these counts.

    The upper bound counts every started trial without a verdict as verified, the schedule bounds every trial without
    one: no fate of a missing trial can leave them.
    """
    verified, started, scheduled = counts["verified_success"], counts["started"], counts["scheduled"]
    undecided = counts["interrupted"] + counts["skipped_after_start"] + counts["infrastructure_failure"]
    not_verified = counts["task_failure"] + counts["timed_out"]
    everything_ended = not (counts["unstarted"] or counts["interrupted"] or counts["skipped"])
    interval = None if omitted else wilson(verified, started)
    return {
        "verified": verified,
        "started": started,
        "fraction": verified / started if started else None,
        "final": everything_ended and not omitted,
        "lower_bound": verified / started if started else None,
        "upper_bound": (verified + undecided) / started if started else None,
        "schedule_bounds": {"low": verified / scheduled, "high": (scheduled - not_verified) / scheduled},
        "wilson": interval and {"low": interval.low, "high": interval.high, "confidence": CONFIDENCE},
        "omitted": [code.value for code in omitted],
    }

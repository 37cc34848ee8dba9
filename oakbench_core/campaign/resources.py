"""What a group's trials used, failures included, and how much of it was observed (report.md rows 7 to 12).

Rule: null is not zero. A sum of what was observed is named partial unless every started trial has a value; numbers of
different origin (costs of different sources, tokens under different weights) are never added up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.report_codes import ResourceOmission
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS, Standing
from oakbench_core.measurement import Sample, exact_sum, sample

if TYPE_CHECKING:
    from oakbench_core.campaign.counts import Places
    from oakbench_core.campaign.ledger import Ledger

UNKNOWN_SOURCE: Final = "unknown"
_NOT_STARTED: Final = frozenset({Standing.UNSTARTED, Standing.SKIPPED_BEFORE_START})


class _Trials(NamedTuple):
    """A group's started trials: the verified successes, and all others."""

    successes: list[int]
    others: list[int]

    @property
    def started(self) -> int:
        return len(self.successes) + len(self.others)


def _started_trials(ledger: Ledger, places: Places) -> _Trials:
    trials = _Trials([], [])
    for place in places:
        standing = ledger.standings[place]
        if standing == Standing.VERIFIED_SUCCESS:
            trials.successes.append(place)
        elif standing not in _NOT_STARTED:
            trials.others.append(place)
    return trials


def _cost_sources(ledger: Ledger, trials: _Trials) -> dict[str, list[float]]:
    """The observed costs by who said them."""
    sources: dict[str, list[float]] = {}
    for place in (*trials.successes, *trials.others):
        cost = ledger.resource("cost_usd", place)
        if cost is not None:
            accounting = ledger.accounting(place)
            source = accounting.cost_source if accounting else None
            sources.setdefault(str(source or UNKNOWN_SOURCE), []).append(cost)
    return sources


def _weightings(ledger: Ledger, trials: _Trials) -> int:
    """How many different weightings the observed weighted tokens were made with, an unknown one counted as one."""
    accountings = (
        ledger.accounting(place)
        for place in (*trials.successes, *trials.others)
        if ledger.resource("cost_weighted_tokens", place) is not None
    )
    return len({accounting and accounting.token_weights for accounting in accountings})


def _withheld(
    values: Sample, sources: dict[str, list[float]], *, mixed_weights: bool
) -> tuple[list[ResourceOmission], list[ResourceOmission]]:
    """The codes that withhold the partial sum, and those that withhold the complete total besides."""
    of_sum = [] if values.n else [ResourceOmission.UNMEASURED]
    if len(sources) > 1:
        of_sum.append(ResourceOmission.MIXED_SOURCES)
    of_total = [ResourceOmission.INCOMPLETE_COVERAGE] if values.n < values.of else []
    if UNKNOWN_SOURCE in sources:
        of_total.append(ResourceOmission.ACCOUNTING_UNKNOWN)
    return [*of_sum, ResourceOmission.MIXED_WEIGHTS] if mixed_weights else of_sum, of_total


def _resource(ledger: Ledger, name: str, trials: _Trials, *, final: bool, population_agrees: bool) -> dict[str, Any]:
    on_success, others = (sample(ledger.observations(name, part)) for part in trials)
    values = Sample(on_success.observed + others.observed, trials.started)
    sources = _cost_sources(ledger, trials) if name == "cost_usd" else {}
    mixed_weights = name == "cost_weighted_tokens" and _weightings(ledger, trials) > 1
    of_sum, of_total = _withheld(values, sources, mixed_weights=mixed_weights)
    of_mean = [] if on_success.n else [ResourceOmission.NO_MEASURED_SUCCESS]
    if not population_agrees:
        of_mean.append(ResourceOmission.MIXED_POPULATION)
    partial = None if of_sum else values.partial_sum
    total = None if of_total else partial
    conditional = not (of_mean or {ResourceOmission.MIXED_SOURCES, ResourceOmission.MIXED_WEIGHTS} & set(of_sum))
    return {
        "unit": RESOURCE_UNITS[name],
        "started": trials.started,
        "observed": values.n,
        "partial_sum": partial,
        "complete_total": total,
        "on_success": {
            "n": on_success.of,
            "observed": on_success.n,
            "mean": on_success.mean if conditional else None,
            "median": on_success.median if conditional else None,
        },
        "total_per_verified_success": total / on_success.of if total is not None and final and on_success.of else None,
        "sources": {
            source: {"observed": len(costs), "sum": exact_sum(costs)} for source, costs in sorted(sources.items())
        },
        "omitted": [code.value for code in ResourceOmission if code in {*of_sum, *of_total, *of_mean}],
    }


def resources_of(ledger: Ledger, places: Places, *, final: bool, population_agrees: bool) -> dict[str, dict[str, Any]]:
    """The section `resources` of the trials at `places`: each of the eleven, in the row's order.

    `final` says whether the group's success is: a total per verified success of an open group would be of no sample.
    Raises OverflowError if a sum is beyond what a number can hold.
    """
    trials = _started_trials(ledger, places)
    return {
        name: _resource(ledger, name, trials, final=final, population_agrees=population_agrees)
        for name in RESOURCE_UNITS
    }

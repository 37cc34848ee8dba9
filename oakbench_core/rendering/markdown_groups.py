"""One group in Markdown: its verified successes, what withheld an interval, its conditions, what it used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.campaign.report_codes import Omission
from oakbench_core.rendering.escaping import escaped, group_name, values
from oakbench_core.rendering.numbers import amount, counted, percent
from oakbench_core.rendering.words import (
    COST_SOURCE,
    INTERVAL_WITHHELD,
    NOT_GIVEN,
    RESOURCE,
    RESOURCE_WITHHELD,
    UNMEASURED,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def group_lines(group: Mapping[str, Any]) -> Iterator[str]:
    """The lines of one group, headed by its subject and condition."""
    yield f"### {group_name(group['key'])}"
    yield ""
    yield from _success(group)
    yield f"- Trials: {equation(group['counts'])}, over {counted(group['tasks'], 'distinct task')}."
    if group["counts"]["timeout_mismatch"]:
        yield f"- Rows whose timeout is not the frozen one: {group['counts']['timeout_mismatch']:,}."
    if group["counts"]["schedule_gaps"]:
        yield f"- Unstarted trials passed over by later ones: {group['counts']['schedule_gaps']:,}."
    yield from _population(group["population"])
    yield ""
    yield from _resources(group["resources"])
    yield from _withheld_totals(group)


def equation(counts: Mapping[str, int]) -> str:
    """Every scheduled trial in one state, as a sum that can be checked."""
    return (
        f"{counts['scheduled']:,} scheduled = {counts['unstarted']:,} unstarted + "
        f"{counts['interrupted']:,} interrupted ({counts['interrupted_uncertain']:,} uncertain) + "
        f"{counts['skipped']:,} skipped ({counts['skipped_before_start']:,} before the start, "
        f"{counts['skipped_after_start']:,} after) + {counts['finished']:,} finished "
        f"({counts['verified_success']:,} verified success, {counts['task_failure']:,} task failure, "
        f"{counts['timed_out']:,} timed out, {counts['infrastructure_failure']:,} infrastructure failure)"
    )


def withheld(codes: list[str]) -> str:
    """Why an interval is not given: every reason that applies."""
    return "; ".join(INTERVAL_WITHHELD[Omission(code)] for code in codes)


def overview_lines(groups: list[Mapping[str, Any]]) -> Iterator[str]:
    """One line a group, sorted by key: no ranking, and no pooled row."""
    yield "| group | verified of started | fraction | Wilson's 95 % interval | standing |"
    yield "|---|---:|---:|---:|---|"
    for group in groups:
        success = group["success"]
        fraction = NOT_GIVEN if success["fraction"] is None else percent(success["fraction"])
        cells = [
            group_name(group["key"]),
            f"{success['verified']:,} of {success['started']:,}",
            fraction,
            _interval(success["wilson"]),
            "final" if success["final"] else "not final",
        ]
        yield f"| {' | '.join(cells)} |"


def _interval(interval: Mapping[str, float] | None) -> str:
    return NOT_GIVEN if interval is None else f"{percent(interval['low'])} to {percent(interval['high'])}"


def _success(group: Mapping[str, Any]) -> Iterator[str]:
    success = group["success"]
    if success["fraction"] is None:
        yield f"- Verified success: {NOT_GIVEN}, no trial was started."
    else:
        standing = "final" if success["final"] else "not final, so far"
        yield (
            f"- Verified success: **{success['verified']:,} of {success['started']:,} started trials "
            f"({percent(success['fraction'])})**, {standing}."
        )
    reasons = f": {withheld(success['omitted'])}" if success["omitted"] else ""
    yield f"- Wilson's 95 % interval: {_interval(success['wilson'])}{reasons}."
    low, high = success["lower_bound"], success["upper_bound"]
    if low != high:
        yield (
            f"- Bounds over started trials: {percent(low)} to {percent(high)}, whatever the trials without a verdict "
            "would have given."
        )
    schedule = success["schedule_bounds"]
    if schedule["low"] != schedule["high"]:
        yield f"- Bounds over scheduled trials: {percent(schedule['low'])} to {percent(schedule['high'])}."


def _population(population: Mapping[str, Any]) -> Iterator[str]:
    if population["agrees"]:
        yield "- Conditions: all that was recorded agrees."
    for difference in population["differing"]:
        yield f"- Conditions differ in {escaped(difference['field'])}: {values(difference['values'])}."
    if population["unmeasured"]:
        yield f"- Conditions {UNMEASURED} on every row: {', '.join(map(escaped, population['unmeasured']))}."
    if population["unreported"]:
        yield (
            "- Timed-out rows without a resolved model or agent version that other rows have: "
            f"{population['unreported']:,}."
        )


def _resources(resources: Mapping[str, Any]) -> Iterator[str]:
    observed = {name: use for name, use in resources.items() if use["observed"]}
    if observed:
        yield (
            "| resource, all started trials | observed | partial sum | complete total | total per verified success "
            "| mean on success | median on success |"
        )
        yield "|---|---:|---:|---:|---:|---:|---:|"
        for name, use in observed.items():
            yield _resource_row(name, use)
        yield ""
        yield "Means and medians are conditional on success: over verified successes with a value, n beside them."
        yield ""
    reasons: dict[str, list[str]] = {}
    for name, use in resources.items():
        for code in use["omitted"] if use["observed"] else ("unmeasured",):
            reasons.setdefault(code, []).append(RESOURCE[name])
    for code, words in RESOURCE_WITHHELD.items():
        if code in reasons:
            yield f"- {', '.join(reasons[code])}: {words}."
    yield from _cost_sources(resources["cost_usd"])


def _withheld_totals(group: Mapping[str, Any]) -> Iterator[str]:
    if any(
        use["complete_total"] is not None and use["total_per_verified_success"] is None
        for use in group["resources"].values()
    ):
        reason = "the group is not final" if not group["success"]["final"] else "no trial is verified"
        yield f"- total per verified success: {NOT_GIVEN}, {reason}."


def _resource_row(name: str, use: Mapping[str, Any]) -> str:
    def shown(figure: float | None) -> str:
        return NOT_GIVEN if figure is None else amount(figure, use["unit"])

    on_success = use["on_success"]
    absent = NOT_GIVEN if on_success["observed"] else UNMEASURED
    middle = [
        absent if on_success[figure] is None else f"{shown(on_success[figure])} (n = {on_success['observed']:,})"
        for figure in ("mean", "median")
    ]
    cells = [
        RESOURCE[name],
        f"{use['observed']:,} of {use['started']:,}",
        shown(use["partial_sum"]),
        shown(use["complete_total"]),
        shown(use["total_per_verified_success"]),
        *middle,
    ]
    return f"| {' | '.join(cells)} |"


def _cost_sources(cost: Mapping[str, Any]) -> Iterator[str]:
    for source, part in cost["sources"].items():
        yield f"- cost {COST_SOURCE[source]}: {amount(part['sum'], 'usd')} over {counted(part['observed'], 'trial')}."

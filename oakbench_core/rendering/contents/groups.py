"""The groups: what each verified, what withheld an interval, under which conditions, and what it used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.rendering.contents.sentences import group_sentence, withheld
from oakbench_core.rendering.numbers import amount, counted, percent
from oakbench_core.rendering.page import Figure, Heading, Items, Table, cells, group_name, item, paragraph, values
from oakbench_core.rendering.words import COST_SOURCE, NOT_GIVEN, RESOURCE, RESOURCE_WITHHELD, UNMEASURED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oakbench_core.rendering.page import Item, Part


def overview(groups: list[Mapping[str, Any]]) -> Iterator[Part]:
    """One line a group, sorted by key: no ranking, and no pooled row."""
    yield Heading("Verified success by group")
    yield paragraph(
        "A group is one subject under one condition: workflow, instruction level, agent and model. Its fraction is of "
        "started trials. It is final if nothing of the group is unstarted, interrupted or skipped and no reason "
        "withholds its interval; any other can still change, or was cut short."
    )
    rows = []
    for group in groups:
        success = group["success"]
        rows.append(
            cells(
                group_name(group["key"]),
                f"{success['verified']:,} of {success['started']:,}",
                NOT_GIVEN if success["fraction"] is None else percent(success["fraction"]),
                _interval(success["wilson"]),
                f"{group['counts']['scheduled']:,}",
                "final" if success["final"] else "not final",
            )
        )
    header = ("group", "verified of started", "fraction", "Wilson's 95 % interval", "planned", "standing")
    yield Table(header, (False, True, True, True, True, False), tuple(rows))
    yield Figure("groups", groups)


def each_group(groups: list[Mapping[str, Any]]) -> Iterator[Part]:
    yield Heading("Each group")
    for group in groups:
        yield Heading(group_name(group["key"]), 3)
        yield group_sentence(group)
        yield Items(tuple(_details(group)))
        yield from _resources(group["resources"])
        yield Figure("coverage", group)
        if notes := tuple(_withheld(group)):
            yield Items(notes)


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


def _interval(interval: Mapping[str, float] | None) -> str:
    return NOT_GIVEN if interval is None else f"{percent(interval['low'])} to {percent(interval['high'])}"


def _details(group: Mapping[str, Any]) -> Iterator[Item]:
    success, counts = group["success"], group["counts"]
    reasons = f": {withheld(success['omitted'])}" if success["omitted"] else ""
    yield item(f"Wilson's 95 % interval: {_interval(success['wilson'])}{reasons}.")
    low, high = success["lower_bound"], success["upper_bound"]
    if low != high:
        yield item(
            f"Bounds over started trials: {percent(low)} to {percent(high)}, whatever the trials without a verdict "
            "would have given."
        )
    schedule = success["schedule_bounds"]
    if schedule["low"] != schedule["high"]:
        yield item(f"Bounds over scheduled trials: {percent(schedule['low'])} to {percent(schedule['high'])}.")
    yield item(f"Trials: {equation(counts)}.")
    if counts["timeout_mismatch"]:
        yield item(f"Rows whose timeout is not the frozen one: {counts['timeout_mismatch']:,}.")
    if counts["schedule_gaps"]:
        yield item(f"Unstarted trials passed over by later ones: {counts['schedule_gaps']:,}.")
    yield from _population(group["population"], counts)


def _population(population: Mapping[str, Any], counts: Mapping[str, int]) -> Iterator[Item]:
    if not counts["verified_success"] + counts["task_failure"] + counts["timed_out"]:
        yield item("Conditions: no trial has a verdict, so nothing was recorded that could agree or differ.")
        return
    if population["agrees"]:
        yield item("Conditions: all that was recorded agrees.")
    for difference in population["differing"]:
        yield item(f"Conditions differ in {difference['field']}: {values(difference['values'])}.")
    if population["unmeasured"]:
        yield item(f"Conditions {UNMEASURED} on every row: {', '.join(population['unmeasured'])}.")
    if population["unreported"]:
        yield item(
            "Timed-out rows without a resolved model or agent version that other rows have: "
            f"{population['unreported']:,}."
        )


def _resources(resources: Mapping[str, Any]) -> Iterator[Part]:
    observed = {name: use for name, use in resources.items() if use["observed"]}
    if not observed:
        return
    yield Table(
        (
            "resource, all started trials",
            "observed",
            "partial sum",
            "complete total",
            "total per verified success",
            "mean on success",
            "median on success",
        ),
        (False, True, True, True, True, True, True),
        tuple(_resource_row(name, use) for name, use in observed.items()),
    )
    yield paragraph(
        "Means and medians are conditional on success: over verified successes with a value, n beside them."
    )


def _resource_row(name: str, use: Mapping[str, Any]) -> Any:
    def shown(figure: float | None) -> str:
        return NOT_GIVEN if figure is None else amount(figure, use["unit"])

    on_success = use["on_success"]
    absent = NOT_GIVEN if on_success["observed"] else UNMEASURED
    middle = [
        absent if on_success[figure] is None else f"{shown(on_success[figure])} (n = {on_success['observed']:,})"
        for figure in ("mean", "median")
    ]
    return cells(
        RESOURCE[name],
        f"{use['observed']:,} of {use['started']:,}",
        shown(use["partial_sum"]),
        shown(use["complete_total"]),
        shown(use["total_per_verified_success"]),
        *middle,
    )


def _withheld(group: Mapping[str, Any]) -> Iterator[Item]:
    """Why figures of resources are not given, and costs by source."""
    resources = group["resources"]
    reasons: dict[str, list[str]] = {}
    for name, use in resources.items():
        for code in use["omitted"] if use["observed"] else ("unmeasured",):
            reasons.setdefault(code, []).append(RESOURCE[name])
    for code, words in RESOURCE_WITHHELD.items():
        if code in reasons:
            named = "every resource" if len(reasons[code]) == len(resources) else ", ".join(reasons[code])
            yield item(f"{named}: {words}.")
    for source, part in resources["cost_usd"]["sources"].items():
        cost = amount(part["sum"], "usd")
        yield item(f"cost {COST_SOURCE[source]}: {cost} over {counted(part['observed'], 'trial')}.")
    if any(
        use["complete_total"] is not None and use["total_per_verified_success"] is None for use in resources.values()
    ):
        reason = "no trial is verified" if group["success"]["final"] else "the group is not final"
        yield item(f"total per verified success: {NOT_GIVEN}, {reason}.")

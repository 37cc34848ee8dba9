"""Intervals, bounds, coverage and counts of a summary, drawn to scale.

Rule: a drawing shows what the table beside it says, from the same entry, and nothing else: a dot for the figure (filled
if it is final), a line for an interval that is given, hatching for what is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oakbench_core.rendering.markup import box, dot, label, line, shortened
from oakbench_core.rendering.numbers import percent, signed
from oakbench_core.rendering.page import group_name, pair_name
from oakbench_core.rendering.words import RESOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oakbench_core.rendering.markup import Drawings

_WIDTH: Final = 940
_NAMES: Final = 400  # the room of the names at the left
_LONGEST_NAME: Final = 62
_ROW: Final = 22
_TOP: Final = 26
_PLOT: Final = _WIDTH - _NAMES - 40

_STATES: Final = (
    "verified_success",
    "task_failure",
    "timed_out",
    "infrastructure_failure",
    "skipped",
    "interrupted",
    "unstarted",
)


def group_intervals(drawings: Drawings, groups: Sequence[Mapping[str, Any]]) -> str:
    """For each group its fraction, Wilson's interval and the bounds over scheduled trials, from 0 to 100 %."""

    def x(fraction: float) -> float:
        return _NAMES + fraction * _PLOT

    height = _TOP + _ROW * len(groups) + 6
    parts = [*_axis([(x(tick / 4), percent(tick / 4)) for tick in range(5)], height)]
    for number, group in enumerate(groups):
        success, name, y = group["success"], group_name(group["key"]), _TOP + _ROW * number + _ROW / 2
        bounds, wilson = success["schedule_bounds"], success["wilson"]
        parts.append(label(0, y + 4, shortened(name, _LONGEST_NAME), title=name))
        if bounds["low"] != bounds["high"]:
            parts.append(box(x(bounds["low"]), y - 6, x(bounds["high"]) - x(bounds["low"]), 12, "bounds"))
        if wilson is not None:
            parts.append(line(x(wilson["low"]), y, x(wilson["high"]), y, "interval"))
        if success["fraction"] is not None:
            parts.append(dot(x(success["fraction"]), y, filled=success["final"]))
    given = sum(group["success"]["wilson"] is not None for group in groups)
    description = f"{len(groups):,} groups, with an interval for {given:,}; the table above has the same figures."
    return drawings.drawing(_WIDTH, height, parts, title="Verified success by group", description=description)


def pair_differences(drawings: Drawings, pairs: Sequence[Mapping[str, Any]]) -> str:
    """For each pair its difference, bootstrap and Newcombe's interval, and the bounds over scheduled blocks."""

    def x(difference: float) -> float:
        return _NAMES + (difference + 1) / 2 * _PLOT

    height = _TOP + _ROW * len(pairs) + 6
    parts = [*_axis([(x(tick / 2), signed(tick / 2)) for tick in range(-2, 3)], height)]
    parts.append(line(x(0), _TOP - 6, x(0), height, "zero"))
    for number, pair in enumerate(pairs):
        name, y, bounds = pair_name(pair["key"]), _TOP + _ROW * number + _ROW / 2, pair["bounds"]
        parts.append(label(0, y + 4, shortened(name, _LONGEST_NAME), title=name))
        if bounds["low"] != bounds["high"]:
            parts.append(box(x(bounds["low"]), y - 6, x(bounds["high"]) - x(bounds["low"]), 12, "bounds"))
        if pair["interval"] is not None:
            drawn, companion = pair["interval"], pair["newcombe"]
            parts.append(line(x(companion["low"]), y + 5, x(companion["high"]), y + 5, "companion"))
            parts.append(line(x(drawn["low"]), y, x(drawn["high"]), y, "interval"))
        if pair["difference"] is not None:
            parts.append(dot(x(pair["difference"]), y, filled=pair["final"]))
    given = sum(pair["interval"] is not None for pair in pairs)
    description = f"{len(pairs):,} pairs, with intervals for {given:,}; the table above has the same figures."
    return drawings.drawing(_WIDTH, height, parts, title="Paired differences", description=description)


def _axis(ticks: list[tuple[float, str]], height: float) -> Iterator[str]:
    for position, text in ticks:
        yield line(position, _TOP - 6, position, height, "axis")
        yield label(position, 14, text, kind="middle")


def coverage(drawings: Drawings, group: Mapping[str, Any]) -> str:
    """How many of the started trials have a value, a bar a resource: solid is observed, hatched is not known."""
    uses = group["resources"]
    room, names, row = 260, 230, 18
    parts: list[str] = []
    for number, (name, use) in enumerate(uses.items()):
        y = row * number
        seen = room * use["observed"] / use["started"]
        parts += [
            label(0, y + 13, RESOURCE[name]),
            box(names, y + 4, seen, 10, "seen"),
            box(names + seen, y + 4, room - seen, 10, "unseen"),
            label(names + room + 10, y + 13, f"{use['observed']:,} of {use['started']:,}", kind="soft"),
        ]
    return drawings.drawing(
        names + room + 130,
        row * len(uses) + 4,
        parts,
        title=f"Coverage of resources, {group_name(group['key'])}",
        description="Of the started trials, how many have an observed value of each resource.",
    )


def states(drawings: Drawings, counts: Mapping[str, int]) -> str:
    """Every scheduled trial in one state, as one bar that adds up."""
    parts: list[str] = []
    x = 0.0
    for state in _STATES:
        width = _WIDTH * counts[state] / counts["scheduled"]
        if counts[state]:
            parts.append(box(x, 0, width, 18, f"b-{state}"))
        x += width
    said = ", ".join(f"{counts[state]:,} {state.replace('_', ' ')}" for state in _STATES)
    return drawings.drawing(_WIDTH, 18, parts, title="Scheduled trials by state", description=said)

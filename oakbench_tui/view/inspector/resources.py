"""The tab Resources: all eleven of this trial, and how complete each is in its group.

That is where a total is given or withheld, and the page says in sentences why one is withheld.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oakbench_core.campaign.vocabulary import RESOURCE_UNITS, Standing
from oakbench_core.display import display_safe
from oakbench_tui.view.coverage import RESOURCE_WORDS, total_words, why_no_total
from oakbench_tui.view.figures import UNMEASURED, resource_value, thousands
from oakbench_tui.view.inspector.record import part
from oakbench_tui.view.inspector.wrapping import wrapped
from oakbench_tui.view.page import Page, page_of
from oakbench_tui.view.segments import EMPTY, Segment, Token, cells, left, right, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_tui.view.inspector.record import Inspected
    from oakbench_tui.view.segments import Line
    from oakbench_tui.view.snapshot import Measured, Snapshot

_NAME = max(map(len, RESOURCE_WORDS.values()))
_NAME_NARROW = 16
_VALUE_LEAST = 12
_COUNTS_LEAST = 12
_NARROW_BELOW = 56


def group_words(trial: ScheduledTrial) -> str:
    parts = (trial.workflow, trial.instruction_level, trial.agent, trial.model or "no model", trial.subject)
    return display_safe(", ".join(parts))


class _Widths(NamedTuple):
    """Cells of the columns: of this trial's values, and of the counts of its group."""

    value: int
    counts: int


def resources_page(inspected: Inspected, width: int) -> Page:
    """One row a resource: this trial's value; observed of started in its group, with the sum or why there is none."""
    snapshot, group, place = inspected.snapshot, inspected.group, inspected.place
    values = [_value(snapshot, place, name) for name in RESOURCE_UNITS]
    widths = _Widths(
        max(_VALUE_LEAST, *(cells(value.text) for value in values)),
        max(_COUNTS_LEAST, *(cells(_counts(measured)) for measured in group)),
    )
    lines: list[Line] = [
        (
            Segment(left("", _NAME if width >= _NARROW_BELOW else _NAME_NARROW), Token.SOFT),
            Segment(right("this trial", widths.value), Token.SOFT),
            Segment("   its group, observed of started" if width >= 64 else "   its group", Token.SOFT),
        )
    ]
    for value, measured in zip(values, group, strict=True):
        lines.append(_row(value, measured, widths, width))
    lines += [EMPTY, *_prose(f"its group: {group_words(snapshot.trial(place))}", width)]
    lines += _why(group, width)
    accounting = part(inspected.records.row, "accounting")
    known = [f"{key} {display_safe(str(value))}" for key, value in accounting.items() if value is not None]
    if known:
        lines += _prose("accounting: " + ", ".join(known), width)
    return page_of(lines)


def _value(snapshot: Snapshot, place: int, name: str) -> Segment:
    value = snapshot.resource(name, place)
    if value is not None:
        return Segment(resource_value(name, value))
    ended = snapshot.has_row(place) and snapshot.standing(place) is not Standing.SKIPPED_BEFORE_START
    return Segment(UNMEASURED, Token.NOTE) if ended else Segment("")


def _counts(measured: Measured) -> str:
    return f"{thousands(measured.observed)} of {thousands(measured.started)}"


def _row(value: Segment, measured: Measured, widths: _Widths, width: int) -> Line:
    words, mine = RESOURCE_WORDS[measured.name], Segment(right(value.text, widths.value), value.token)
    if not measured.observed:
        group: Line = (Segment("   unmeasured", Token.NOTE),)
    else:
        kind = "sum" if why_no_total(measured) else "total"
        said = f"{kind} {total_words(measured)}" if measured.total is not None else why_no_total(measured)
        group = (Segment(f"   {left(_counts(measured), widths.counts)}"), Segment(f" {said}"))
    if width < _NARROW_BELOW:
        return (Segment(left(words, _NAME_NARROW), Token.SOFT), mine, *group[:1])
    row = (Segment(left(words, _NAME), Token.SOFT), mine, *group)
    reason = (Segment(f", {why_no_total(measured)}", Token.NOTE),) if measured.observed and measured.unmeasured else ()
    return (*row, *reason) if width_of(row) + width_of(reason) <= width else row


def _why(group: Sequence[Measured], width: int) -> list[Line]:
    """In sentences: which totals of the group are withheld though something was observed."""
    lines: list[Line] = []
    for measured in group:
        if not measured.observed or not why_no_total(measured):
            continue
        name = RESOURCE_WORDS[measured.name]
        observed = f"{thousands(measured.observed)} of {thousands(measured.started)} started trials"
        said = f"No complete total of {name}: observed in {observed}."
        if measured.running:
            said += f" {thousands(measured.running)} still running."
        if measured.unmeasured > measured.running:
            said += f" / unmeasured:{measured.name} lists those that ended without it."
        if measured.mixed:
            said += " The values come from different sources and are not added."
        elif measured.unknown_source:
            said += " A cost here has no source."
        lines += _prose(said, width, token=Token.NOTE)
    return lines


def _prose(text: str, width: int, *, token: Token = Token.SOFT) -> list[Line]:
    return [(Segment(line, token),) for line in wrapped(text, width)]

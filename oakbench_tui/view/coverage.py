"""How complete the evidence is: of each resource how many of the started trials were observed, and what may be summed.

What is not measured is hatched and said in words; it is never an empty bar and never a zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oakbench_core.rendering.words import RESOURCE
from oakbench_tui.view.bars import coverage_bar
from oakbench_tui.view.figures import amount, counted, money, thousands
from oakbench_tui.view.layout import FULL_FROM, label, label_width
from oakbench_tui.view.segments import Segment, Token, first_fitting, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_tui.view.segments import Line
    from oakbench_tui.view.snapshot import Measured

# Short where a column is short; what kind of tokens they are is said beside them.
RESOURCE_WORDS: Final = {
    **RESOURCE,
    "cost_weighted_tokens": "weighted tokens",
    "transcript_bytes": "transcript bytes",
}
_IN_THE_HEAD: Final = ("duration_s", "input_tokens", "output_tokens", "cost_usd")
_SPACIOUS_FROM: Final = 140
_DENSE, _WITH_REASON, _WITH_SUM = 0, 1, 2


def total_words(measured: Measured) -> str:
    """The sum with its unit where the name does not say it."""
    if measured.total is None:
        return ""
    match measured.name:
        case "duration_s":
            return f"{amount(measured.total)} s"
        case "cost_usd":
            return f"{money(measured.total)} USD"
    return amount(measured.total)


def why_no_total(measured: Measured) -> str:
    """In words why there is no complete total; empty where there is one."""
    if not measured.observed:
        return "unmeasured"
    if measured.mixed:
        return "no sum: mixed sources"
    lost = measured.unmeasured - measured.running
    missing = [f"{thousands(lost)} unmeasured"] * bool(lost)
    missing += [f"{thousands(measured.running)} still running"] * bool(measured.running)
    if missing:
        return f"no total: {', '.join(missing)}"
    return "no total: source unknown" if measured.unknown_source else ""


def coverage_words(measured: Measured, detail: int, *, of_started: str = "") -> Line:
    """`60 input tokens, sum 85,469, no total: 19 unmeasured`, with as much of it as `detail` asks for."""
    name = RESOURCE_WORDS[measured.name]
    if not measured.observed:
        return (Segment(f"{name} unmeasured", Token.NOTE),)
    figures = Segment(f"{thousands(measured.observed)}{of_started} {name}")
    reason = why_no_total(measured)
    said = [figures]
    if detail >= _WITH_SUM and measured.total is not None:
        said.append(Segment(f", {'sum' if reason else 'total'} {total_words(measured)}"))
    if detail >= _WITH_REASON and reason:
        said.append(Segment(f", {reason}", Token.NOTE))
    return tuple(said)


def _item(measured: Measured, detail: int, bar_width: int, of_started: str) -> Line:
    bar = coverage_bar(measured.observed, measured.started, bar_width)
    return (*bar, Segment(" "), *coverage_words(measured, detail, of_started=of_started))


def measured_row(measured: Sequence[Measured], width: int) -> Line:
    """The row of the head: as many resources, and as much of each, as the width holds."""
    by_name = {each.name: each for each in measured}
    shown = [by_name[name] for name in _IN_THE_HEAD if name in by_name]
    # Seven letters: the column of labels is eight cells wide below 100.
    name = label("measured" if width >= FULL_FROM else "measure", width)
    if not shown or not shown[0].started:
        return (name, Segment("nothing yet: no trial has started", Token.SOFT))
    if shown[0].started == shown[0].running:
        return (name, Segment(f"nothing yet: {counted(shown[0].running, 'trial')} still running", Token.SOFT))
    started = thousands(shown[0].started)
    wide = width >= _SPACIOUS_FROM
    of_started = f" of {started} started:" if wide else f" of {started}:"
    bar_width = 12 if wide else 8 if width >= FULL_FROM else 4
    candidates = []
    for count, detail in (
        (4, _WITH_SUM),
        (4, _WITH_REASON),
        (3, _WITH_SUM),
        (3, _WITH_REASON),
        (3, _DENSE),
        (2, _WITH_REASON),
        (2, _DENSE),
        (1, _DENSE),
    ):
        chosen = shown[:2] + shown[-1:] if count == 3 else shown[:count]
        items = [
            _item(each, detail, bar_width, of_started if position == 0 else "") for position, each in enumerate(chosen)
        ]
        candidates.append(joined(items, "    " if wide else "   " if width >= FULL_FROM else "  "))
    return (name, *first_fitting(candidates, width - label_width(width)))

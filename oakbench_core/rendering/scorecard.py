"""A scorecard's result → text for a terminal, Markdown, and CSV.

Rule: the result is all that is read. A verdict is a glyph and a word, and no verdict but GREEN and RED stands without
its reasons, in words; what caps a verdict never hides what the numbers alone say.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.baseline.vocabulary import Mode, Verdict
from oakbench_core.display import display_safe
from oakbench_core.rendering.baseline_words import VERDICT_GLYPH, count, floor, key_columns, name_of, ratio
from oakbench_core.rendering.csv_text import csv_text
from oakbench_core.rendering.escaping import sentence
from oakbench_core.rendering.numbers import counted
from oakbench_core.rendering.ratio_line import axis_of, ratio_line
from oakbench_core.rendering.text_tables import Column, constant_words, folded, markdown_table, text_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

CELL_FIELDS: Final = ("lane", "scenario", "operation", "track", "metric", "statistic", "candidate", "baseline")
_NONE: Final = "–"  # where there is nothing to compare
_LINE_CELLS: Final = 24
_SIDE_NAMES: Final = (
    "n",
    "independent_n",
    "attempted_n",
    "failure_n",
    "skipped_n",
    "unmeasured_n",
    "unknown_n",
)


def scorecard_text(card: Mapping[str, Any]) -> str:
    """The result as text: verdicts in a table, intervals on a line, every reason and notice in words."""
    return "".join(f"{line}\n" for line in _text_lines(card))


def scorecard_markdown(card: Mapping[str, Any]) -> str:
    """The same as Markdown."""
    return "".join(f"{line}\n" for line in _markdown_lines(card))


def scorecard_csv(card: Mapping[str, Any]) -> str:
    """One line a target, figures in full."""
    records = [_record(result) for result in card["results"]]
    return csv_text(list(records[0]), [list(record.values()) for record in records])


def gate_words(card: Mapping[str, Any], *, fail_on_red: bool, passed: bool) -> str:
    """Why the command ends as it does."""
    verdicts = Counter(result["verdict"] for result in card["results"])
    total = len(card["results"])
    if card["mode"] == Mode.CLAIM:
        return f"exit {0 if passed else 1}: {verdicts[Verdict.GREEN]:,} of {total:,} are GREEN, a claim needs all"
    failing = [Verdict.INVALID, Verdict.UNMEASURED, *([Verdict.RED] if fail_on_red else [])]
    counted = ", ".join(f"{verdicts[verdict]:,} {verdict}" for verdict in failing)
    return f"exit {0 if passed else 1}: {counted} of {total:,}, a diagnosis fails on any of these"


def _columns(results: Sequence[Mapping[str, Any]]) -> list[Column]:
    return [
        Column("verdict", [f"{VERDICT_GLYPH[Verdict(result['verdict'])]} {result['verdict']}" for result in results]),
        *key_columns([result["cell"] for result in results], CELL_FIELDS),
        Column(
            "ratio",
            [_NONE if result["ratio"] is None else ratio(result["ratio"]["value"]) for result in results],
            right=True,
        ),
        Column("interval", [_ratio_interval(result["ratio"]) for result in results], right=True),
        Column("target", [target_words(result) for result in results]),
        Column("floor", [floor(result["noise_floor"]) for result in results]),
        Column("n", [f"{_n(result['candidate'])}/{_n(result['baseline'])}" for result in results], right=True),
    ]


def _ratio_interval(held: Mapping[str, Any] | None) -> str:
    if held is None:
        return ""
    if held["low"] is None or held["high"] is None:
        return "no interval"
    return f"{ratio(held['low'])} … {ratio(held['high'])}"


def target_words(result: Mapping[str, Any]) -> str:
    sign = "≤" if result["direction"] == "lower" else "≥"
    return f"{sign} {result['target_ratio']:g}"


def _n(side: Mapping[str, Any] | None) -> str:
    return "none" if side is None else count(side["n"])


def reason_words(result: Mapping[str, Any]) -> str:
    """The codes of a result's reasons, and what the numbers alone say where that is another verdict."""
    codes = ", ".join(reason["code"] for reason in result["reasons"])
    alone = result["statistical_verdict"]
    if alone is None or alone == result["verdict"]:
        return codes
    return f"{codes}; the numbers alone: {alone}"


def _heading(card: Mapping[str, Any]) -> str:
    levels = sorted({result["confidence"] for result in card["results"]})
    level = ", ".join(f"{level:g}" for level in levels)
    return f"{card['mode']} mode, confidence {level}, {counted(len(card['results']), 'target')}"


def _eligible_words(card: Mapping[str, Any]) -> str:
    eligible = sum(result["claim_eligible"] for result in card["results"])
    return f"claim-eligible: {eligible:,} of {len(card['results']):,}"


def _text_lines(card: Mapping[str, Any]) -> Iterator[str]:
    results = card["results"]
    constant, columns = folded(_columns(results), keep=("verdict", "ratio", "interval", "floor", "n"))
    yield f"Scorecard   {_heading(card)}"
    if constant:
        yield f"  all: {constant_words(constant)}"
    yield ""
    axis = axis_of(results, _LINE_CELLS)
    line = Column(axis.heading(), [ratio_line(result, axis) for result in results])
    why = Column("why", [reason_words(result) for result in results])
    yield from text_table([*columns, line, why])
    yield ""
    for result in results:
        for reason in result["reasons"]:
            place = _place(result, constant)
            yield f"  {display_safe(place)}{': ' if place else ''}{reason['code']}: {display_safe(reason['text'])}"
    if any(result["reasons"] for result in results):
        yield ""
    for text, number in _notices(results):
        yield f"  {display_safe(text)} ({number:,} of {len(results):,})"
    if card["unjudged"]:
        yield f"  Cells of the book without a target: {len(card['unjudged']):,}."
    yield f"  {_eligible_words(card)}"


def _place(result: Mapping[str, Any], constant: Sequence[tuple[str, str]]) -> str:
    """What tells a result from the others; nothing of one that is alone."""
    folded_names = {name for name, _ in constant}
    return name_of(result["cell"], [name for name in CELL_FIELDS if name not in folded_names])


def _notices(results: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    """Each notice once, with the number of results that it is of."""
    return list(Counter(notice["text"] for result in results for notice in result["notices"]).items())


def _markdown_lines(card: Mapping[str, Any]) -> Iterator[str]:
    results = card["results"]
    yield "# Scorecard"
    yield ""
    yield f"{sentence(_heading(card))}. {_eligible_words(card)}."
    yield ""
    why = Column("reasons", [reason_words(result) for result in results])
    yield from markdown_table([*_columns(results), why])
    yield ""
    for result in results:
        for reason in result["reasons"]:
            place = sentence(name_of(result["cell"], CELL_FIELDS))
            yield f"- {place}: **{sentence(reason['code'])}**: {sentence(reason['text'])}"
    yield ""
    yield "## Notices"
    yield ""
    for text, number in _notices(results):
        yield f"- {sentence(text)} ({number:,} of {len(results):,})"
    yield f"- Cells of the book without a target: {len(card['unjudged']):,}."
    yield f"- Targets SHA-256: {card['targets_sha256']}; book SHA-256: {card['book_sha256'] or 'none'}."


def _record(result: Mapping[str, Any]) -> dict[str, Any]:
    held, noise = result["ratio"] or {}, result["noise_floor"] or {}
    return {
        **result["cell"],
        "verdict": result["verdict"],
        "statistical_verdict": result["statistical_verdict"],
        "claim_eligible": result["claim_eligible"],
        "mode": result["mode"],
        "direction": result["direction"],
        "target_ratio": result["target_ratio"],
        "ratio": held.get("value"),
        "ratio_low": held.get("low"),
        "ratio_high": held.get("high"),
        "ratio_confidence": held.get("confidence"),
        "noise_floor": noise.get("value"),
        "noise_pairs": noise.get("pairs"),
        **_side_record("candidate", result["candidate"]),
        **_side_record("baseline", result["baseline"]),
        "confidence": result["confidence"],
        "draws": result["draws"],
        "reasons": " ".join(reason["code"] for reason in result["reasons"]),
        "notices": " ".join(notice["code"] for notice in result["notices"]),
    }


def _side_record(name: str, side: Mapping[str, Any] | None) -> dict[str, Any]:
    held = side or {}
    ends = held.get("interval") or {}
    record = {f"{name}_value": held.get("value"), f"{name}_low": ends.get("low"), f"{name}_high": ends.get("high")}
    return record | {f"{name}_{field}": held.get(field) for field in _SIDE_NAMES}

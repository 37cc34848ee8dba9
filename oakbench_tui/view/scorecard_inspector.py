"""One target of a scorecard in full: its reasons in words, both sides' denominators, their conditions, its notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oakbench_core.rendering.baseline_words import NOT_RECORDED, count, figure, floor, interval, name_of, ratio
from oakbench_core.rendering.ratio_line import axis_of, ratio_line
from oakbench_core.rendering.scorecard import CELL_FIELDS
from oakbench_tui.view.inspector.wrapping import wrapped
from oakbench_tui.view.page import Page, page_of
from oakbench_tui.view.scorecard import VERDICT_TOKEN, interval_words, verdict_segment
from oakbench_tui.view.segments import EMPTY, Segment, Token, cells, cut, cut_middle, fitted, foreign, soft

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oakbench_tui.view.segments import Line

_LABEL: Final = 15
_HIDDEN: Final = frozenset({"failure_n", "skipped_n", "unmeasured_n", "unknown_n"})
_COUNTS: Final = (
    ("n", "n"),
    ("independent_n", "trials"),
    ("attempted_n", "attempted"),
    ("failure_n", "failed"),
    ("skipped_n", "skipped"),
    ("unmeasured_n", "unmeasured"),
    ("unknown_n", "unknown"),
)


def inspector_page(result: Mapping[str, Any], width: int, *, ascii_only: bool) -> Page:
    """The whole of one result in rows of at most `width` cells."""
    lines = [
        *_verdict(result, width, ascii_only=ascii_only),
        *_ratio(result, width),
        *_sides(result, width),
        *_conditions(result, width, ascii_only=ascii_only),
        *_notices(result, width),
    ]
    return page_of([fitted(line, width) for line in lines])


def _title(words: str) -> Iterator[Line]:
    yield EMPTY
    yield (Segment(words, Token.STRONG),)


def _prose(text: str, width: int, token: Token = Token.TEXT) -> Iterator[Line]:
    for line in wrapped(text, max(width - 2, 8)):
        yield (Segment(f"  {line}", token),)


def _verdict(result: Mapping[str, Any], width: int, *, ascii_only: bool) -> Iterator[Line]:
    eligible = "claim-eligible" if result["claim_eligible"] else "not claim-eligible"
    verdict = verdict_segment(result["verdict"], ascii_only=ascii_only)
    words = f"{result['mode']} mode, {eligible}"
    if cells(verdict.text) + 3 + len(words) <= width:
        yield (verdict, soft(f"   {words}"))
    else:
        yield (verdict,)
        yield (soft(words),)
    alone = result["statistical_verdict"]
    if alone is not None and alone != result["verdict"]:
        yield (soft("the numbers alone: "), verdict_segment(alone, ascii_only=ascii_only))
    if result["reasons"]:
        yield from _title("why")
    for reason in result["reasons"]:
        yield (Segment(f"  {reason['code']}", Token.NOTE),)
        for line in wrapped(reason["text"], max(width - 4, 8)):
            yield (Segment(f"    {line}"),)
    yield from _title("cell")
    yield from _prose(name_of(result["cell"], CELL_FIELDS), width)


def _ratio(result: Mapping[str, Any], width: int) -> Iterator[Line]:
    yield from _title("ratio, candidate / baseline")
    held = result["ratio"]
    if held is None:
        yield from _prose("nothing could be compared", width, Token.NOTE)
    else:
        level = NOT_RECORDED if held["confidence"] is None else f"{held['confidence']:g}"
        words = f"{ratio(held['value'])}   {interval_words(held)}   confidence {level}"
        yield (Segment(f"  {cut(words, max(width - 2, 1))}"),)
    word = "at most" if result["direction"] == "lower" else "at least"
    yield (soft("  target  "), Segment(f"{word} {result['target_ratio']:g}"))
    yield (soft("  floor   "), Segment(floor(result["noise_floor"])))
    axis = axis_of([result], max(min(width - 4, 60), 8))
    yield (Segment(f"  {ratio_line(result, axis)}", VERDICT_TOKEN[result["verdict"]]),)
    yield (soft(f"  {axis.heading()}"),)


def _sides(result: Mapping[str, Any], width: int) -> Iterator[Line]:
    yield from _title("both sides")
    candidate, baseline = result["candidate"], result["baseline"]
    column = max((width - _LABEL - 4) // 2, 6)
    yield _pair("", result["cell"]["candidate"], result["cell"]["baseline"], column, Token.SOFT)
    yield _pair("value", _value(candidate), _value(baseline), column)
    yield _pair("interval", _interval(candidate), _interval(baseline), column)
    for key, label in _COUNTS:
        words = ["none" if side is None else count(side[key]) for side in (candidate, baseline)]
        token = Token.NOTE if key in _HIDDEN and set(words) != {"0"} else Token.TEXT
        yield _pair(label, words[0], words[1], column, token)
    if candidate is not None:
        yield _pair("sessions", count(candidate["sessions"]), "", column)
        yield from _listed("bench_id", candidate["bench_ids"], width)
        yield from _listed("dates", candidate["dates"], width)
    for name, side in (("candidate", candidate), ("baseline", baseline)):
        if side is not None and side["warnings"]:
            yield (soft(f"  {name} "), Segment(", ".join(side["warnings"]), Token.NOTE))


def _listed(label: str, words: Sequence[str], width: int) -> Iterator[Line]:
    for number, line in enumerate(wrapped(", ".join(words) or "none", max(width - _LABEL - 2, 8))):
        yield (soft(f"  {'' if number else label:<{_LABEL}}"), Segment(line))


def _value(side: Mapping[str, Any] | None) -> str:
    return "none" if side is None else figure(side["value"])


def _interval(side: Mapping[str, Any] | None) -> str:
    return "none" if side is None else interval(side["interval"], "none")


def _pair(label: str, one: str, other: str, column: int, token: Token = Token.TEXT) -> Line:
    """A label and a word of each side, cut to its column."""
    shown = [cut_middle(foreign(word).text, column) for word in (one, other)]
    blanks = " " * (column - cells(shown[0]))
    return soft(f"  {label:<{_LABEL}}"), Segment(f"{shown[0]}{blanks}  {shown[1]}", token)


def _conditions(result: Mapping[str, Any], width: int, *, ascii_only: bool) -> Iterator[Line]:
    """Every recorded condition: once where both sides share it, both values where they differ."""
    yield from _title("conditions")
    sides = [_fields(side) for side in (result["candidate"], result["baseline"])]
    known = [fields for fields in sides if fields is not None]
    if not known:
        yield from _prose("no side recorded conditions that agree", width, Token.NOTE)
        return
    for field in known[0]:
        values = [None if fields is None else fields[field] for fields in sides]
        words = [NOT_RECORDED if value is None else str(value) for value in values]
        mark = "!=" if ascii_only else "≠"
        if len(known) == 2 and words[0] != words[1] and not field.startswith("subject_"):
            yield (soft(f"  {cut(field, width - 2)}"),)
            yield (Segment(f"    {mark} {cut_middle(foreign(words[0]).text, max(width - 8, 1))}", Token.INTERRUPTED),)
            yield (Segment(f"      {cut_middle(foreign(words[1]).text, max(width - 8, 1))}"),)
        elif any(value is not None for value in values):
            shown = words[0] if words[0] == words[1] else " against ".join(words)
            room = max(width - len(field) - 4, 1)
            yield (soft(f"  {field} "), foreign(cut_middle(foreign(shown).text, room)))


def _fields(side: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if side is None or side["comparison_identity"] is None:
        return None
    subject = side["subject_identity"] or {}
    return {
        **side["comparison_identity"]["fields"],
        "subject_version": subject.get("version"),
        "subject_binary_sha256": subject.get("binary_sha256"),
    }


def _notices(result: Mapping[str, Any], width: int) -> Iterator[Line]:
    if result["notices"]:
        yield from _title("to be said with it")
    for notice in result["notices"]:
        yield from _prose(notice["text"], width, Token.NOTE)

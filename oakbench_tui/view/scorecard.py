"""A scorecard's result as lines: what is judged, one row a target, and what a target's row says in full.

Rule: every figure stands in the result; this file draws and computes nothing. A verdict is a glyph and a word.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.baseline.vocabulary import Mode, Verdict
from oakbench_core.rendering.baseline_words import VERDICT_GLYPH, count, name_of, ratio
from oakbench_core.rendering.ratio_line import axis_of, ratio_line
from oakbench_core.rendering.scorecard import CELL_FIELDS, reason_words
from oakbench_tui.view.page import Page
from oakbench_tui.view.segments import Segment, Token, cells, cut, cut_middle, first_fitting, foreign, joined, soft

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oakbench_core.rendering.ratio_line import Axis
    from oakbench_tui.view.segments import Line

VERDICT_TOKEN: Final = {
    Verdict.GREEN: Token.VERIFIED,
    Verdict.AMBER: Token.TIMEOUT,
    Verdict.RED: Token.FAILURE,
    Verdict.UNMEASURED: Token.NOTE,
    Verdict.INVALID: Token.INTERRUPTED,
}
_VERDICT_CELLS: Final = 13
_NAME_MOST: Final = 24
_RATIO_CELLS: Final = 8
_INTERVAL_CELLS: Final = 17
_N_CELLS: Final = 9
_LINE_LEAST, _LINE_MOST = 16, 32
_WHY_LEAST: Final = 14
_NOTHING: Final = "–"


class Card(NamedTuple):
    """A result, and what all lines of it share: the parts of the cells' names that tell them apart."""

    document: Mapping[str, Any]
    names: tuple[str, ...]

    @property
    def results(self) -> Sequence[Mapping[str, Any]]:
        held: Sequence[Mapping[str, Any]] = self.document["results"]
        return held


def card_of(document: Mapping[str, Any]) -> Card:
    cells_ = [result["cell"] for result in document["results"]]
    telling = [name for name in CELL_FIELDS if len({cell[name] for cell in cells_}) > 1]
    return Card(document, tuple(telling) or ("operation",))


def verdict_words(word: str, *, ascii_only: bool) -> str:
    """Glyph and word. `≠` has a twin of two characters, so it is spelled here and not by the paint."""
    glyph = VERDICT_GLYPH[Verdict(word)]
    return f"{'!=' if ascii_only and glyph == '≠' else glyph} {word}"


def verdict_segment(word: str, *, ascii_only: bool) -> Segment:
    return Segment(verdict_words(word, ascii_only=ascii_only), VERDICT_TOKEN[Verdict(word)])


def target_name(result: Mapping[str, Any], card: Card) -> str:
    return name_of(result["cell"], card.names)


def head(card: Card, width: int, *, ascii_only: bool) -> tuple[Line, ...]:
    """Three rows: mode and eligibility; every verdict in an equation; what all share. Words go before figures."""
    shared = [name for name in CELL_FIELDS if name not in card.names and card.results[0]["cell"][name] is not None]
    words = ", ".join(f"{name} {card.results[0]['cell'][name]}" for name in shared)
    return (
        _standing(card, width),
        _equation(card, width, ascii_only=ascii_only),
        (soft(" all: "), foreign(cut(words, max(width - 7, 1)), Token.SOFT)),
    )


def _standing(card: Card, width: int) -> Line:
    mode, total = card.document["mode"], len(card.results)
    eligible = sum(result["claim_eligible"] for result in card.results)
    told = "DIAGNOSTIC · no claim" if mode == Mode.DIAGNOSTIC else f"claim-eligible {eligible:,} of {total:,}"
    levels = ", ".join(sorted({f"{result['confidence']:g}" for result in card.results}))
    title, asked = (Segment(" Scorecard", Token.STRONG),), (Segment(f"{mode} mode", Token.ACCENT),)
    standing = (Segment(told, Token.NOTE),)
    return first_fitting(
        [
            joined([title, asked, standing, (soft(f"confidence {levels}"),)]),
            joined([title, asked, standing]),
            joined([title, standing]),
            (Segment(" "), *standing),
        ],
        width,
    )


def _equation(card: Card, width: int, *, ascii_only: bool) -> Line:
    counts, total = Counter(result["verdict"] for result in card.results), len(card.results)
    there = [verdict for verdict in Verdict if counts[verdict]]
    glyphs = [verdict_words(verdict, ascii_only=ascii_only).split(" ")[0] for verdict in there]

    def summed(opening: str, named: bool) -> Line:
        parts: list[Segment] = [Segment(f" {total:,}"), soft(f"{opening} = ")]
        for number, (verdict, glyph) in enumerate(zip(there, glyphs, strict=True)):
            words = f"{glyph} {counts[verdict]:,} {verdict}" if named else f"{glyph} {counts[verdict]:,}"
            parts += [*([soft(" + ")] if number else []), Segment(words, VERDICT_TOKEN[verdict])]
        return tuple(parts)

    noun = " target" if total == 1 else " targets"
    return first_fitting([summed(noun, named=True), summed("", named=True), summed("", named=False)], width)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which columns a list of some width has; 0: none."""

    name: int
    ratio: int
    interval: int
    n: int
    line: int
    why: int


def _columns(card: Card, width: int) -> _Columns:
    wanted = max((cells(foreign(target_name(result, card)).text) for result in card.results), default=1)
    name = max(min(wanted, _NAME_MOST, width - _VERDICT_CELLS - 2), 4)
    room = width - _VERDICT_CELLS - name - 4
    held: dict[str, int] = {}
    for column, least in (
        ("ratio", _RATIO_CELLS),
        ("line", _LINE_LEAST),
        ("interval", _INTERVAL_CELLS),
        ("n", _N_CELLS),
    ):
        held[column] = least if room >= least + 2 else 0
        room -= held[column] + 2 if held[column] else 0
    why = room - 2 if room >= _WHY_LEAST + 2 else 0
    line = min(held["line"] + max(room - 40, 0), _LINE_MOST) if held["line"] else 0
    return _Columns(name, held["ratio"], held["interval"], held["n"], line, max(why - (line - held["line"]), 0))


def rows_page(card: Card, width: int, *, ascii_only: bool) -> Page:
    """One row a target, under headings that say as much as the width holds."""
    columns = _columns(card, width)
    axis = axis_of(card.results, columns.line or _LINE_LEAST)

    def line_at(row: int) -> Line:
        return _row(card, card.results[row], columns, axis, ascii_only=ascii_only)

    return Page(len(card.results), line_at, _heading(columns, axis))


def _heading(columns: _Columns, axis: Axis) -> Line:
    words = [f"  {'verdict':<{_VERDICT_CELLS}}", f"{'target':<{columns.name}}"]
    words += [f"{'ratio':>{columns.ratio}}"] if columns.ratio else []
    words += [f"{'interval':>{columns.interval}}"] if columns.interval else []
    words += [f"{'n':>{columns.n}}"] if columns.n else []
    words += [f"{axis.heading():<{columns.line}}"] if columns.line else []
    words += ["why"] if columns.why else []
    return (soft("  ".join(words)),)


def _row(card: Card, result: Mapping[str, Any], columns: _Columns, axis: Axis, *, ascii_only: bool) -> Line:
    verdict = verdict_segment(result["verdict"], ascii_only=ascii_only)
    name = cut_middle(foreign(target_name(result, card)).text, columns.name)
    parts = [Segment(f"{verdict.text:<{_VERDICT_CELLS}}", verdict.token), Segment(_padded(name, columns.name))]
    held = result["ratio"]
    if columns.ratio:
        parts.append(
            Segment(f"{_NOTHING if held is None else cut(ratio(held['value']), columns.ratio):>{columns.ratio}}")
        )
    if columns.interval:
        parts.append(soft(f"{cut(interval_words(held), columns.interval):>{columns.interval}}"))
    if columns.n:
        sides = "/".join(
            "none" if side is None else count(side["n"]) for side in (result["candidate"], result["baseline"])
        )
        parts.append(soft(f"{cut(sides, columns.n):>{columns.n}}"))
    if columns.line:
        parts.append(Segment(ratio_line(result, axis), verdict.token))
    if columns.why:
        parts.append(Segment(cut(reason_words(result), columns.why), Token.NOTE))
    return joined([(part,) for part in parts], "  ")


def interval_words(held: Mapping[str, Any] | None) -> str:
    if held is None:
        return ""
    if held["low"] is None or held["high"] is None:
        return "no interval"
    return f"{ratio(held['low'])} … {ratio(held['high'])}"


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cells(text))


def next_problem(card: Card, row: int, step: int) -> int | None:
    """The next row that is not GREEN, in either direction; None: there is none."""
    places = range(row + step, len(card.results) if step > 0 else -1, step)
    return next((place for place in places if card.results[place]["verdict"] != Verdict.GREEN), None)

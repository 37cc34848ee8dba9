"""The state bar: one equation that conserves. Every scheduled trial stands in it once, as a word and a count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oakbench_tui.view.bars import Part, stacked
from oakbench_tui.view.figures import thousands
from oakbench_tui.view.glyphs import LOOKS, Shown
from oakbench_tui.view.layout import FULL_FROM, WIDE_FROM, label, label_width
from oakbench_tui.view.segments import Segment, Token, first_fitting, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oakbench_tui.view.segments import Line

FINISHED: Final = (Shown.VERIFIED, Shown.FAILED, Shown.TIMED_OUT, Shown.INFRASTRUCTURE)
_BAR_WIDE: Final = 46


def state_bar(counts: Mapping[Shown, int], width: int) -> Line:
    """All scheduled trials as one stacked bar."""
    looks = ((LOOKS[shown], counts[shown]) for shown in Shown)
    return stacked([Part(count, look.fill, look.token, look.glyph) for look, count in looks], width)


def _term(shown: Shown, count: int, *, glyph: bool, short: bool) -> Line:
    look = LOOKS[shown]
    figure = f"{thousands(count)} {look.short if short else look.word}"
    return (Segment(f"{look.glyph} {figure}" if glyph else figure, look.token),)


def _sum(terms: Iterable[Line]) -> Line:
    result: list[Segment] = []
    for term in terms:
        if result:
            result.append(Segment(" + ", Token.SOFT))
        result.extend(term)
    return tuple(result)


def state_equation(counts: Mapping[Shown, int], *, glyph: bool, scheduled_word: bool) -> Line:
    """`126 scheduled = 74 finished + 5 skipped + … `; states without a trial are left out, unless all are."""
    finished = sum(counts[shown] for shown in FINISHED)
    scheduled = sum(counts.values())
    terms: list[Line] = [(Segment(f"{thousands(finished)} finished"),)] if finished else []
    others = (Shown.SKIPPED, Shown.INTERRUPTED, Shown.RUNNING, Shown.UNSTARTED)
    terms += [_term(shown, counts[shown], glyph=glyph, short=False) for shown in others if counts[shown]]
    word = " scheduled" if scheduled_word else ""
    return (Segment(thousands(scheduled), Token.STRONG), Segment(f"{word} = ", Token.SOFT), *_sum(terms))


def outcome_equation(counts: Mapping[Shown, int], *, glyph: bool, short: bool, lead: str) -> Line:
    """`finished = 52 verified success + …`; empty where nothing is finished."""
    terms = [_term(shown, counts[shown], glyph=glyph, short=short) for shown in FINISHED if counts[shown]]
    return (Segment(lead, Token.SOFT), *_sum(terms)) if terms else ()


def glyph_equation(counts: Mapping[Shown, int], width: int) -> Line:
    """The equation of the compact screen: `126 = 52✓ 19✗ 1◷ …`."""
    terms = [
        Segment(f" {thousands(counts[shown])}{LOOKS[shown].glyph}", LOOKS[shown].token)
        for shown in Shown
        if counts[shown]
    ]
    wide = (Segment(f"{thousands(sum(counts.values()))}", Token.STRONG), Segment(" =", Token.SOFT), *terms)
    return first_fitting([wide, tuple(terms)], width)


def trials_rows(counts: Mapping[Shown, int], width: int) -> list[Line]:
    """The rows of the head that say what state the campaign is in: 2 at 120 cells and more, else 3."""
    room = width - label_width(width)
    if width >= WIDE_FROM:
        bar = state_bar(counts, min(_BAR_WIDE, width // 3))
        after = width - label_width(width) - width_of(bar) - 3
        first = first_fitting(
            [
                state_equation(counts, glyph=True, scheduled_word=True),
                state_equation(counts, glyph=True, scheduled_word=False),
                state_equation(counts, glyph=False, scheduled_word=False),
            ],
            after,
        )
        second = first_fitting(
            [
                outcome_equation(counts, glyph=True, short=False, lead="finished = "),
                outcome_equation(counts, glyph=True, short=True, lead="finished = "),
                outcome_equation(counts, glyph=False, short=True, lead="finished = "),
                outcome_equation(counts, glyph=False, short=True, lead="= "),
            ],
            after,
        )
        indent = Segment(" " * (width - after))
        return [(label("trials", width), *bar, Segment("   "), *first), (indent, *second) if second else ()]
    glyphs = width >= FULL_FROM
    first = first_fitting(
        [
            state_equation(counts, glyph=glyphs, scheduled_word=False),
            state_equation(counts, glyph=False, scheduled_word=False),
        ],
        room,
    )
    finished = thousands(sum(counts[shown] for shown in FINISHED))
    second = first_fitting(
        [
            outcome_equation(counts, glyph=True, short=True, lead=f"{finished} = " if glyphs else "= "),
            outcome_equation(counts, glyph=True, short=True, lead="= "),
            outcome_equation(counts, glyph=False, short=True, lead="= "),
            outcome_equation(counts, glyph=False, short=True, lead=""),
        ],
        room,
    )
    blank = label("", width)
    return [
        (label("trials", width), *first),
        (blank, *second) if second else (),
        (blank, *state_bar(counts, room - 1)),
    ]

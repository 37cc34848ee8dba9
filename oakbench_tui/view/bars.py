"""Stacked bars that read without colour: each part opens with its glyph, and none that exists is rounded away."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from oakbench_tui.view.segments import Segment, Token

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from oakbench_tui.view.segments import Line


class Part(NamedTuple):
    amount: float | Decimal
    fill: str
    token: Token
    glyph: str = ""  # opens the part; empty: the fill alone


def shares(amounts: Sequence[float | Decimal], width: int) -> list[int]:
    """`width` cells dealt out in proportion: at least one to each positive amount, the rest by largest remainder.

    Where there are more positive amounts than cells, the greatest ones get a cell each. The cells add up to `width`
    unless nothing is positive.
    """
    positive = [place for place, amount in enumerate(amounts) if amount > 0]
    result = [0] * len(amounts)
    if not positive or width <= 0:
        return result
    if len(positive) >= width:
        for place in sorted(positive, key=lambda place: -amounts[place])[:width]:
            result[place] = 1
        return result
    # Over the greatest first: the sum of two legal amounts may be more than a float holds.
    greatest = Fraction(max(amounts[place] for place in positive))
    parts = {place: float(Fraction(amounts[place]) / greatest) for place in positive}
    total = sum(parts.values())
    exact = {place: part * width / total for place, part in parts.items()}
    for place in positive:
        result[place] = max(int(exact[place]), 1)
    while sum(result) > width:
        # Only parts above one cell can have been given too much, by the cell promised to the small ones.
        place = max((p for p in positive if result[p] > 1), key=lambda p: result[p] - exact[p])
        result[place] -= 1
    for place in sorted(positive, key=lambda place: result[place] - exact[place]):
        if sum(result) == width:
            break
        result[place] += 1
    return result


def stacked(parts: Sequence[Part], width: int) -> Line:
    """The bar, exactly `width` cells wide unless all its parts are empty."""
    drawn = []
    for part, share in zip(parts, shares([part.amount for part in parts], width), strict=True):
        if share:
            opened = part.glyph or part.fill
            drawn.append(Segment(opened + part.fill * (share - 1), part.token))
    return tuple(drawn)


def coverage_bar(observed: int, of: int, width: int) -> Line:
    """Solid: observed; hatched: not known. Solid throughout only where every value was observed."""
    parts = (Part(observed, "━", Token.TEXT), Part(of - observed, "░", Token.NOTE))
    return stacked(parts, width)

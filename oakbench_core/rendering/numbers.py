"""Numbers as people read them.

Rule: a reading may be shorter than its number, and never says what the number does not: a fraction that is not 0 or 1
never reads 0 % or 100 %, a value that is not 0 never reads 0, and null reads `unmeasured`.
"""

from __future__ import annotations

from typing import Final

from oakbench_core.rendering.words import UNIT, UNMEASURED

MINUS: Final = "−"
_MAX_DIGITS: Final = 17  # of a float, no more are told apart
_IN_FULL_BELOW: Final = 1e21


def _digits(value: float, decimals: int, *, forbidden: tuple[float, ...]) -> str:
    """`value` with at least `decimals` decimals, more where it would else read as a value that it is not."""
    while decimals < _MAX_DIGITS and value not in forbidden and round(value, decimals) in forbidden:
        decimals += 1
    return f"{value:,.{decimals}f}"


def percent(fraction: float) -> str:
    """A fraction between 0 and 1 in per cent: `97.0 %`, `0 %` and `100 %` only where they are exact."""
    if fraction in {0, 1}:
        return "100 %" if fraction else "0 %"
    scaled = fraction * 100
    text = _digits(scaled, 1, forbidden=(0.0, 100.0))
    if float(text) == 0:  # nearer than the decimals of a float show
        return "under 0.1 %"
    return "over 99.9 %" if float(text) == 100 else f"{text} %"


def signed(difference: float) -> str:
    """A difference of fractions, between -1 and 1, with its sign: `+0.022`, `−0.022`, `0`."""
    if difference == 0:
        return "0"
    size = abs(difference)
    text = _digits(size, 3, forbidden=(0.0, 1.0))
    if float(text) == 0:  # nearer than the decimals of a float show
        text = f"{size:.3e}"
    return f"{MINUS if difference < 0 else '+'}{text}"


def amount(value: float | None, unit: str) -> str:
    """A quantity with its unit, or `unmeasured`; whole numbers in full, others to at least three decimals.

    What has more digits than the largest sum of counts is given in powers of ten.
    """
    if value is None:
        return UNMEASURED
    if value >= _IN_FULL_BELOW:
        return f"{value:.3e} {UNIT[unit]}"
    if value == int(value):
        return f"{int(value):,} {UNIT[unit]}"
    number = _digits(value, 3, forbidden=(0.0,))
    return f"{number if float(number.replace(',', '')) else f'{value:.3e}'} {UNIT[unit]}"


def seconds(value: float | None) -> str:
    """Seconds of an account, which may be below zero; None: `unmeasured`."""
    if value is not None and value < 0:
        return MINUS + amount(-value, "s")
    return amount(value, "s")


def amount_difference(value: float, unit: str) -> str:
    """A difference of two quantities with its sign and unit: `+3 turns`, `−0.5 s`, `0 s`."""
    if value < 0:
        return MINUS + amount(-value, unit)
    return ("+" if value else "") + amount(value, unit)


def counted(count: int, noun: str) -> str:
    """A number of things: `1 block`, `2 blocks`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"

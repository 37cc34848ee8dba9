"""Whether digits can be the beginning of a number in the one encoding: shown by a number that begins with them.

Integers within ±(2^53 − 1) are written as integers, floats in the shortest spelling that reads back alike: fixed from
1e-4 to below 1e16, else one digit, a fraction and an exponent. Such a spelling has at most 17 digits, so that no more
than two are missing where 15 stand there already; with fewer, one of the first few ends always makes a number.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from typing import Final

from oakbench_core.canonical import MAX_INTEGER

_SHAPE: Final = re.compile(rb"-?[0-9]*(?:\.[0-9]*)?(?:e(?:[+-][0-9]*)?)?")
_LONGEST: Final = len(repr(-1.7976931348623157e308))
_DIGITS: Final = tuple("0123456789")
_SMALLEST_FIXED, _SMALLEST_LONG = -4, 16  # powers of ten between which floats are written without an exponent


def completed_number(partial: bytes) -> bytes | None:
    """A number that begins with `partial`, as short as can be; None if there is none."""
    if len(partial) > _LONGEST or not _SHAPE.fullmatch(partial):
        return None
    mantissa, mark, exponent = partial.decode().partition("e")
    ends = _ends() if not mark else tuple(f"e{end}" for end in _exponents() if end.startswith(exponent))
    return next(((mantissa + end).encode() for end in ends if _is_number(mantissa + end)), None)


def _is_number(text: str) -> bool:
    if "." in text or "e" in text:
        return _reads_back(text)
    digits = text.removeprefix("-")
    return digits.isdigit() and str(int(text)) == text and int(digits) <= MAX_INTEGER


def _reads_back(text: str) -> bool:
    try:
        return repr(float(text)) == text
    except ValueError:
        return False


@cache
def _exponents() -> tuple[str, ...]:
    """Those that a float can have, the shorter ones first."""
    powers = (*range(-324, _SMALLEST_FIXED), *range(_SMALLEST_LONG, 309))
    return tuple(sorted((f"{power:+03}" for power in powers), key=len))


@cache
def _ends() -> tuple[str, ...]:
    """All that can be missing where no exponent has begun, the shorter ones first."""
    missing = ("", *_DIGITS, ".0", *map("".join, product(_DIGITS, _DIGITS)))
    exponents = (f"{digit}e{end}" for digit, end in product(("", *_DIGITS), _exponents()))
    return tuple(sorted((*missing, *exponents), key=len))

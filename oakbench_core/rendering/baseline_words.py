"""Figures, counts and keys of books, scorecards and statistics as people read them.

Rule: null is said in words, never as 0 and never as nothing; a figure keeps six digits, a ratio four, and what is not 0
never reads 0.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.baseline.vocabulary import Verdict
from oakbench_core.rendering.text_tables import Column
from oakbench_core.rendering.words import UNMEASURED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOT_RECORDED: Final = "not recorded"
ABSENT: Final = "absent"
VERDICT_GLYPH: Final = MappingProxyType(
    {
        Verdict.GREEN: "✓",
        Verdict.AMBER: "~",
        Verdict.RED: "✗",
        Verdict.UNMEASURED: "░",
        Verdict.INVALID: "≠",
    }
)
KEY_FIELDS: Final = ("lane", "scenario", "operation", "track", "subject", "metric", "statistic")


def figure(value: float | None) -> str:
    """A measured value: six digits; null is `unmeasured`."""
    return UNMEASURED if value is None else f"{value:,.6g}"


def ratio(value: float | None) -> str:
    """A ratio: four digits; 1 only where it is exactly 1. Null: the number is beyond what a float can hold."""
    if value is None:
        return "beyond any float"
    text = f"{value:.4g}"
    return repr(value) if value != 1 and float(text) == 1 else text


def interval(held: Mapping[str, Any] | None, absent: str) -> str:
    """`low … high`, or the word for none."""
    if held is None or held["low"] is None or held["high"] is None:
        return absent
    return f"{figure(held['low'])} … {figure(held['high'])}"


def floor(noise: Mapping[str, Any] | None) -> str:
    """A noise floor with the number of pairs that it rests on."""
    if noise is None:
        return ABSENT
    if noise["value"] is None:
        return "not a number"
    return f"{noise['value']:.3g} ({noise['pairs']:,} pairs)"


def count(number: int | None) -> str:
    return NOT_RECORDED if number is None else f"{number:,}"


def key_columns(keys: Sequence[Mapping[str, Any]], fields: Sequence[str] = KEY_FIELDS) -> list[Column]:
    """A column for each part of the keys; a part that is null is an empty word."""
    return [Column(name, ["" if key[name] is None else str(key[name]) for key in keys]) for name in fields]


def name_of(key: Mapping[str, Any], fields: Sequence[str] = KEY_FIELDS) -> str:
    """A key as one text, its null parts left out."""
    return " / ".join(str(key[name]) for name in fields if key[name] is not None)

"""What the two sides of a pair used, over the same complete blocks (report.md row 20).

Rule: two totals stand beside each other only if they count alike. Providers count differently (cached tokens inside or
outside of the input, reasoning inside or outside of the output, costs estimated or billed), so unless every row that is
used says how it counts, and all say the same, there is no figure but the number of blocks.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, Final, cast

from oakbench_core.campaign.report_codes import PairedOmission
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS
from oakbench_core.measurement import exact_sum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_core.campaign.ledger import Ledger

MUST_AGREE: Final = {
    "input_tokens": "input_includes_cached",
    "cached_input_tokens": "input_includes_cached",
    "cache_write_tokens": "input_includes_cached",
    "output_tokens": "output_includes_reasoning",
    "reasoning_tokens": "output_includes_reasoning",
    "cost_usd": "cost_source",
    "cost_weighted_tokens": "token_weights",
}
"""The part of a row's accounting that must be known and equal, by resource; the others are counted alike anywhere."""


def paired_resources(ledger: Ledger, a: Sequence[int], b: Sequence[int]) -> dict[str, dict[str, Any]]:
    """The section `resources` of a pair: `a` and `b` are the places of its complete blocks' sides, in the same order.

    Failures are included on both sides. Raises OverflowError if a sum is beyond what a number can hold.
    """
    return {name: _paired(ledger, name, a, b) for name in RESOURCE_UNITS}


def _paired(ledger: Ledger, name: str, a: Sequence[int], b: Sequence[int]) -> dict[str, Any]:
    places, of_a, of_b = _used(ledger, name, a, b)
    omitted = [] if of_a else [PairedOmission.UNMEASURED]
    if of_a and (must_agree := MUST_AGREE.get(name)) is not None:
        omitted = _unlike(ledger, must_agree, places)
    if omitted:
        return _entry(len(of_a), None, None, None, omitted)
    return _entry(len(of_a), exact_sum(of_a), exact_sum(of_b), _difference(of_a, of_b), [])


def _used(ledger: Ledger, name: str, a: Sequence[int], b: Sequence[int]) -> tuple[list[int], list[float], list[float]]:
    """The rows of the blocks with a value on both sides, and the values of either side, block by block."""
    of_a, of_b = ledger.observations(name, a), ledger.observations(name, b)
    if None not in of_a and None not in of_b:
        return [*a, *b], cast("list[float]", of_a), cast("list[float]", of_b)
    places: list[int] = []
    pairs: list[tuple[float, float]] = []
    for place_a, place_b, x, y in zip(a, b, of_a, of_b, strict=True):
        if x is not None and y is not None:
            places += (place_a, place_b)
            pairs.append((x, y))
    return places, [x for x, _ in pairs], [y for _, y in pairs]


def _unlike(ledger: Ledger, part: str, places: list[int]) -> list[PairedOmission]:
    """Why the rows at `places` do not count alike, in the order of report.md."""
    one_of_each = dict(zip(map(ledger.accounting_number, places), places, strict=True))
    said = {getattr(ledger.accounting(place), part, None) for place in one_of_each.values()}
    unknown = [PairedOmission.ACCOUNTING_UNKNOWN] if None in said else []
    if len(said - {None}) < 2:
        return unknown
    return [*unknown, PairedOmission.MIXED_WEIGHTS if part == "token_weights" else PairedOmission.MIXED_SOURCES]


def _difference(a: list[float], b: list[float]) -> float:
    if {type(value) for value in (*a, *b)} == {int}:
        return sum(a) - sum(b)
    return fsum([*a, *(-value for value in b)])  # rounded once, so that the other way round is the exact mirror


def _entry(
    blocks: int, a: float | None, b: float | None, difference: float | None, omitted: list[PairedOmission]
) -> dict[str, Any]:
    return {
        "blocks": blocks,
        "total_a": a,
        "total_b": b,
        "difference": difference,
        "omitted": [code.value for code in omitted],
    }

"""The cost of a trial by a list of prices: exact decimals, rounded once, and none where a count of it is missing.

Cost = (uncached input × `input` + cached input × `cached_input` + cache writes × `cache_write` + output × `output`)
/ 1,000,000. Input that holds the cached tokens is counted without them, and reasoning that stands outside of the output
is added to it. Every count that the sum needs must be observed, and every count of it that is not 0 must have a price.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.row_rules import EXACT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oakbench_core.campaign.plan_document import Prices

_KINDS: Final = ("input", "cached_input", "cache_write", "output")


class Priced(NamedTuple):
    """A cost, or the first kind of token whose count or price is missing."""

    usd: float | None
    missing: str | None = None


def priced(resources: Mapping[str, Any], accounting: Mapping[str, Any], prices: Prices) -> Priced:
    """The cost of a row's token counts.

    Args:
        resources: by the names of a row; absent or None: unmeasured.
        accounting: what is known of how the counts were made.
        prices: USD per million tokens.
    """
    counts = {
        "input": _uncached(resources, accounting),
        "cached_input": resources.get("cached_input_tokens"),
        "cache_write": _written(resources, prices),
        "output": _written_out(resources, accounting),
    }
    total = Decimal(0)
    for kind in _KINDS:
        count, price = counts[kind], getattr(prices, kind)
        if count is None or (count and price is None):
            return Priced(None, kind)
        if count:
            total = EXACT.add(total, EXACT.multiply(Decimal(price), Decimal(count)))
    return Priced(float(EXACT.scaleb(total, -6)))


def price_table(prices: Prices) -> str:
    """The list in one line, as a row names it: equal lists have equal names."""
    listed = [f"{kind} {price}" for kind in _KINDS if (price := getattr(prices, kind)) is not None]
    dated = "" if prices.as_of is None else f" as of {prices.as_of}"
    return f"USD per million tokens{dated}: {', '.join(listed)}"


def _uncached(resources: Mapping[str, Any], accounting: Mapping[str, Any]) -> int | None:
    count, cached = resources.get("input_tokens"), resources.get("cached_input_tokens")
    holds_cached = accounting.get("input_includes_cached")
    if count is None or cached is None:
        return None
    if holds_cached is None:  # no matter where nothing was cached
        return int(count) if cached == 0 else None
    uncached = int(count) - int(cached) if holds_cached else int(count)
    return uncached if uncached >= 0 else None


def _written(resources: Mapping[str, Any], prices: Prices) -> int | None:
    """Cache writes are a thing of some providers: where neither the counts nor the prices know it, there are none."""
    count = resources.get("cache_write_tokens")
    return 0 if count is None and prices.cache_write is None else count


def _written_out(resources: Mapping[str, Any], accounting: Mapping[str, Any]) -> int | None:
    count, reasoning = resources.get("output_tokens"), resources.get("reasoning_tokens")
    holds_reasoning = accounting.get("output_includes_reasoning")
    if count is None or holds_reasoning:
        return count
    if holds_reasoning is None and reasoning != 0:
        return None
    return None if reasoning is None else int(count) + int(reasoning)

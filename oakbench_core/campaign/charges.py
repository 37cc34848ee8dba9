"""The seconds that ended trials took: an exact sum, added up when it is asked for.

A `Charges` never changes, so that whoever keeps one keeps that sum, whatever is charged afterwards.
"""

from __future__ import annotations

from array import array
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Final, cast

from oakbench_core.campaign.row_rules import EXACT

if TYPE_CHECKING:
    from collections.abc import Iterable

_NOTHING: Final[array[float]] = array("d")


class Charges:
    """Durations after earlier ones.

    Attributes:
        parts: a sum, durations to be added to it, and what is before them. One attribute, set at once: another thread
            that asks for the sum meanwhile finds the parts or their sum.
    """

    __slots__ = ("parts",)

    def __init__(self, durations_s: Iterable[float] = (), earlier: Charges | None = None) -> None:
        self.parts = Decimal(0), array("d", durations_s), earlier

    @property
    def total_s(self) -> Decimal:
        """The sum of all durations, each in its shortest spelling, with nothing rounded."""
        total_s, charges = Decimal(0), cast("Charges | None", self)
        with localcontext(EXACT):
            while charges is not None:
                sum_s, durations_s, charges = charges.parts
                total_s += sum(map(Decimal, map(repr, durations_s)), sum_s)
        self.parts = total_s, _NOTHING, None
        return total_s

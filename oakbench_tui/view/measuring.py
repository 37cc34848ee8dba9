"""How much was measured, kept up to date trial by trial, for the campaign and for each of its groups.

Rule: the figures are those of `report_campaign` at the same event (a test holds them equal); only the way there
differs, since a screen cannot go through 100,000 trials ten times a second. Sums are exact: integers, or decimals of
the very digits on file.
"""

from __future__ import annotations

from array import array
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.conditions import conditions_of
from oakbench_core.campaign.row_rules import EXACT
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS, Standing
from oakbench_tui.view.snapshot import ENDED, Measured

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from oakbench_core.campaign.conditions import Group
    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan

_RESOURCES: Final = tuple(RESOURCE_UNITS)
_NOT_STARTED: Final = frozenset({Standing.UNSTARTED, Standing.SKIPPED_BEFORE_START})
_OF_AN_ORIGIN: Final = ("cost_usd", "cost_weighted_tokens")
_STARTED, _ENDED = 1, 2


class Grouping:
    """The groups of a plan, and the number of the group that each scheduled trial belongs to."""

    def __init__(self, plan: Plan) -> None:
        self.groups: tuple[Group, ...] = tuple(
            group for condition in conditions_of(plan) for group in condition.groups()
        )
        self.number_at = array("i", [0]) * len(plan.schedule)
        for number, group in enumerate(self.groups):
            for place in group.places:
                self.number_at[place] = number


class _Tallies:
    """What is counted of one set of trials: a list entry a resource, in the order of `RESOURCE_UNITS`."""

    __slots__ = ("exact", "integers", "observed", "origins", "started")

    def __init__(self) -> None:
        self.started = 0
        self.observed = [0] * len(_RESOURCES)
        self.integers = [0] * len(_RESOURCES)
        self.exact = [Decimal(0)] * len(_RESOURCES)
        self.origins: dict[str, set[object]] = {name: set() for name in _OF_AN_ORIGIN}

    def include(self, other: _Tallies) -> None:
        """Add another set's counts to these."""
        self.started += other.started
        for at in range(len(_RESOURCES)):
            self.observed[at] += other.observed[at]
            self.integers[at] += other.integers[at]
            self.exact[at] = EXACT.add(self.exact[at], other.exact[at])
        for name, origins in other.origins.items():
            self.origins[name] |= origins

    def measured(self) -> tuple[Measured, ...]:
        return tuple(self._measured(at, name) for at, name in enumerate(_RESOURCES))

    def _measured(self, at: int, name: str) -> Measured:
        origins: AbstractSet[object] = self.origins.get(name, frozenset())
        mixed, observed = len(origins) > 1, self.observed[at]
        total = EXACT.add(self.exact[at], Decimal(self.integers[at])) if self.exact[at] else self.integers[at]
        return Measured(
            name=name,
            observed=observed,
            started=self.started,
            total=total if observed and not mixed else None,
            mixed=mixed,
            unknown_source=name == "cost_usd" and None in origins,
        )


class Measuring:
    """The running account of a ledger. Tell it which trials events have touched; telling it twice changes nothing."""

    def __init__(self, grouping: Grouping) -> None:
        self.grouping = grouping
        self._tallies = [_Tallies() for _ in grouping.groups]
        self._said: list[tuple[Measured, ...] | None] = [None] * len(self._tallies)
        self._seen = bytearray(len(grouping.number_at))

    def note(self, ledger: Ledger, places: Iterable[int]) -> None:
        for place in places:
            standing = ledger.standings[place]
            if standing in _NOT_STARTED:
                continue
            number = self.grouping.number_at[place]
            tallies = self._tallies[number]
            if not self._seen[place]:
                self._seen[place] = _STARTED
                self._said[number] = None
                tallies.started += 1
            if standing in ENDED and self._seen[place] < _ENDED:
                self._seen[place] = _ENDED
                self._said[number] = None
                _note_end(ledger, place, tallies)

    def campaign(self) -> tuple[Measured, ...]:
        everything = _Tallies()
        for tallies in self._tallies:
            everything.include(tallies)
        return everything.measured()

    def groups(self) -> tuple[tuple[Measured, ...], ...]:
        for number, said in enumerate(self._said):
            if said is None:
                self._said[number] = self._tallies[number].measured()
        return tuple(said for said in self._said if said is not None)


def _note_end(ledger: Ledger, place: int, tallies: _Tallies) -> None:
    resource, observed, integers = ledger.resource, tallies.observed, tallies.integers
    for at, name in enumerate(_RESOURCES):
        value = resource(name, place)
        if value is None:
            continue
        observed[at] += 1
        if isinstance(value, int):
            integers[at] += value
        else:
            tallies.exact[at] = EXACT.add(tallies.exact[at], Decimal(repr(value)))
        if name in _OF_AN_ORIGIN:
            tallies.origins[name].add(_origin(ledger, name, place))


def _origin(ledger: Ledger, name: str, place: int) -> object:
    """What values must share to be added: the source of a cost, the weights of weighted tokens."""
    accounting = ledger.accounting(place)
    if accounting is None:
        return None
    return accounting.cost_source if name == "cost_usd" else accounting.token_weights

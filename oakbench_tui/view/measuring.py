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
    from collections.abc import Iterable, Sequence

    from oakbench_core.campaign.conditions import Group
    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan

_RESOURCES: Final = tuple(RESOURCE_UNITS)
_NOT_STARTED: Final = frozenset({Standing.UNSTARTED, Standing.SKIPPED_BEFORE_START})
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


class _Tally:
    """What is counted of one resource."""

    __slots__ = ("exact", "integers", "observed", "origins")

    def __init__(self) -> None:
        self.observed = 0
        self.integers = 0
        self.exact = Decimal(0)
        self.origins: set[object] = set()

    def add(self, value: float, origin: object) -> None:
        self.observed += 1
        if isinstance(value, int):
            self.integers += value
        else:
            self.exact = EXACT.add(self.exact, Decimal(repr(value)))
        self.origins.add(origin)

    def measured(self, name: str, started: int) -> Measured:
        mixed = len(self.origins) > 1
        total = EXACT.add(self.exact, Decimal(self.integers)) if self.exact else self.integers
        return Measured(
            name=name,
            observed=self.observed,
            started=started,
            total=total if self.observed and not mixed else None,
            mixed=mixed,
            unknown_source=name == "cost_usd" and None in self.origins,
        )


class _Tallies:
    """The tallies of one set of trials, and what was last said of them."""

    def __init__(self) -> None:
        self.started = 0
        self.by_name = {name: _Tally() for name in _RESOURCES}
        self._said: tuple[Measured, ...] | None = None

    def start(self) -> None:
        self.started += 1
        self._said = None

    def add(self, name: str, value: float, origin: object) -> None:
        self.by_name[name].add(value, origin)
        self._said = None

    def measured(self) -> tuple[Measured, ...]:
        if self._said is None:
            self._said = tuple(tally.measured(name, self.started) for name, tally in self.by_name.items())
        return self._said


class Measuring:
    """The running account of a ledger. Tell it which trials events have touched; telling it twice changes nothing."""

    def __init__(self, grouping: Grouping) -> None:
        self._grouping = grouping
        self._campaign = _Tallies()
        self._groups = [_Tallies() for _ in grouping.groups]
        self._seen = bytearray(len(grouping.number_at))

    def note(self, ledger: Ledger, places: Iterable[int]) -> None:
        for place in places:
            standing = ledger.standings[place]
            if standing in _NOT_STARTED:
                continue
            both = (self._campaign, self._groups[self._grouping.number_at[place]])
            if not self._seen[place]:
                self._seen[place] = _STARTED
                for tallies in both:
                    tallies.start()
            if standing in ENDED and self._seen[place] < _ENDED:
                self._seen[place] = _ENDED
                self._note_end(ledger, place, both)

    def _note_end(self, ledger: Ledger, place: int, both: Sequence[_Tallies]) -> None:
        for name in _RESOURCES:
            value = ledger.resource(name, place)
            if value is not None:
                origin = _origin(ledger, name, place)
                for tallies in both:
                    tallies.add(name, value, origin)

    def campaign(self) -> tuple[Measured, ...]:
        return self._campaign.measured()

    def groups(self) -> tuple[tuple[Measured, ...], ...]:
        return tuple(tallies.measured() for tallies in self._groups)


def _origin(ledger: Ledger, name: str, place: int) -> object:
    """What values must share to be added: the source of a cost, the weights of weighted tokens."""
    if name not in {"cost_usd", "cost_weighted_tokens"}:
        return None
    accounting = ledger.accounting(place)
    if accounting is None:
        return None
    return accounting.cost_source if name == "cost_usd" else accounting.token_weights

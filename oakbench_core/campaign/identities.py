"""Whether the two sides of a pair ran under the same conditions, block by block (ADR-0010; report.md, population).

Rule: between subjects only what is the subject, its prompt, and what the plan `compares` may differ; all of it that
does is named as treatment. Anything else that differs excludes the block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.ledger import POPULATION_FIELDS
from oakbench_core.campaign.populations import EXEMPT, frozen_values, listed, ordered, recorded
from oakbench_core.campaign.vocabulary import Standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_core.campaign.ledger import Ledger

TREATMENT: Final = frozenset({"subject_version", "subject_binary_sha256", "prompt_sha256"})


class _Sides(NamedTuple):
    """All of a block that its comparison depends on: the same for most blocks of a pair, so it is compared once."""

    a: tuple[Any, ...]
    b: tuple[Any, ...]
    a_timed_out: bool
    b_timed_out: bool

    def differing(self) -> list[str]:
        if self.a == self.b:
            return []
        return [
            name
            for name, a, b in zip(POPULATION_FIELDS, self.a, self.b, strict=True)
            if a != b
            and not (name in EXEMPT and ((a is None and self.a_timed_out) or (b is None and self.b_timed_out)))
        ]


class Identities:
    """The comparison identity of one pair, gathered over the blocks in which both sides have a verdict."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._may_differ = TREATMENT | set(ledger.plan.document.compares)
        self._compared: dict[tuple[int, int, bool, bool], tuple[_Sides, list[str]]] = {}
        self._frozen: dict[str, set[Any]] = {}

    def agree(self, place_a: int, place_b: int) -> bool:
        """Whether nothing differs between the sides of this block that may not; the block is noted."""
        ledger = self._ledger
        timed_out_a = ledger.standings[place_a] == Standing.TIMED_OUT
        timed_out_b = ledger.standings[place_b] == Standing.TIMED_OUT
        numbers = ledger.population_number(place_a), ledger.population_number(place_b), timed_out_a, timed_out_b
        known = self._compared.get(numbers)
        if known is None:
            sides = _Sides(recorded(ledger, place_a), recorded(ledger, place_b), timed_out_a, timed_out_b)
            known = self._compared[numbers] = sides, sides.differing()
            self._note_frozen((place_a, place_b), known[1])
        differing = known[1]
        if "fixture_version" in differing:  # of what is frozen, this alone is another for each task
            self._note_frozen((place_a, place_b), differing)
        return self._may_differ.issuperset(differing)

    def _note_frozen(self, places: tuple[int, int], differing: Sequence[str]) -> None:
        for place in places if differing else ():
            for name, value in frozen_values(self._ledger.plan, place).items():
                if name in differing:
                    self._frozen.setdefault(name, set()).add(value)

    def as_document(self) -> dict[str, Any]:
        """The section `identity`: everything that differed in some block, and what no row recorded."""
        values: dict[str, set[Any]] = {}
        known: set[str] = set()
        for sides, differing in self._compared.values():
            for name, a, b in zip(POPULATION_FIELDS, sides.a, sides.b, strict=True):
                if name in differing:
                    values.setdefault(name, set()).update((a, b), self._frozen.get(name, ()))
                if a is not None or b is not None:
                    known.add(name)
        found = {name: ordered(values[name]) for name in sorted(values)}
        return {
            "agrees": self._may_differ.issuperset(found),
            "differing": listed({name: met for name, met in found.items() if name not in self._may_differ}),
            "treatment": listed({name: met for name, met in found.items() if name in self._may_differ}),
            "unmeasured": sorted(set(POPULATION_FIELDS) - known),
        }

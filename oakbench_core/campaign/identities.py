"""Whether the two sides of a pair ran under the same conditions, block by block (ADR-0010; report.md, population).

Rule: between subjects only what is the subject, its prompt, and what the plan `compares` may differ; all of it that
does is named as treatment. Anything else that differs excludes the block, and so does a value that both sides share
but that is not the frozen one: they agree with each other, not with the plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.populations import EXEMPT, frozen_values, listed, ordered, recorded
from oakbench_core.campaign.row_columns import POPULATION_FIELDS
from oakbench_core.campaign.vocabulary import Standing

if TYPE_CHECKING:
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
        self._compared: dict[tuple[int, int, bool, bool], tuple[_Sides, frozenset[str]]] = {}
        self._frozen_by_task: dict[tuple[str, str], tuple[tuple[str, int, Any], ...]] = {}
        self._met: dict[str, set[Any]] = {}  # by field that differs: its values, a frozen one included

    def agree(self, place_a: int, place_b: int) -> bool:
        """Whether nothing differs between the sides of this block that may not; the block is noted."""
        ledger = self._ledger
        timed_out_a = ledger.standings[place_a] == Standing.TIMED_OUT
        timed_out_b = ledger.standings[place_b] == Standing.TIMED_OUT
        numbers = ledger.population_number(place_a), ledger.population_number(place_b), timed_out_a, timed_out_b
        known = self._compared.get(numbers)
        if known is None:
            sides = _Sides(recorded(ledger, place_a), recorded(ledger, place_b), timed_out_a, timed_out_b)
            known = self._compared[numbers] = sides, frozenset(sides.differing())
        sides, differing = known
        off_plan: set[str] = set()
        for place, values in ((place_a, sides.a), (place_b, sides.b)):
            for name, at, frozen in self._frozen_at(place):
                if values[at] is not None and values[at] != frozen:
                    off_plan.add(name)
                    self._met.setdefault(name, set()).update((sides.a[at], sides.b[at], frozen))
                elif name in differing:
                    self._met.setdefault(name, set()).add(frozen)
        return self._may_differ.issuperset(differing | off_plan)

    def _frozen_at(self, place: int) -> tuple[tuple[str, int, Any], ...]:
        """What is frozen for the trial: each field's name, its place among the fields, its value."""
        trial = self._ledger.plan.schedule[place]
        key = trial.task, trial.subject
        known = self._frozen_by_task.get(key)
        if known is None:
            frozen = frozen_values(self._ledger.plan, place)
            known = tuple((name, POPULATION_FIELDS.index(name), value) for name, value in frozen.items())
            self._frozen_by_task[key] = known
        return known

    def as_document(self) -> dict[str, Any]:
        """The section `identity`: everything that differed in some block, and what no row recorded."""
        known: set[str] = set()
        for sides, differing in self._compared.values():
            for name, a, b in zip(POPULATION_FIELDS, sides.a, sides.b, strict=True):
                if name in differing:
                    self._met.setdefault(name, set()).update((a, b))
                if a is not None or b is not None:
                    known.add(name)
        found = {name: ordered(self._met[name]) for name in sorted(self._met)}
        return {
            "agrees": self._may_differ.issuperset(found),
            "differing": listed({name: met for name, met in found.items() if name not in self._may_differ}),
            "treatment": listed({name: met for name, met in found.items() if name in self._may_differ}),
            "unmeasured": sorted(set(POPULATION_FIELDS) - known),
        }

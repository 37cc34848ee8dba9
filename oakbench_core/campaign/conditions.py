"""How a schedule falls into conditions, groups, blocks and pairs.

Rule: nothing is ever pooled over two conditions. A condition is a workflow, an instruction level, an agent and a model;
a group is one subject under one condition; a pair is two subjects of the blocks that schedule both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.campaign.plan import Plan


class Key(NamedTuple):
    """What a condition's trials share."""

    workflow: str
    instruction_level: str
    agent: str
    model: str | None


def _ascending(key: Key) -> tuple[str, str, str, bool, str]:
    return key.workflow, key.instruction_level, key.agent, key.model is not None, key.model or ""  # null first


@dataclass(frozen=True, slots=True)
class Group:
    """One subject under one condition; `places` are its trials' places in the schedule, ascending."""

    condition: Key
    subject: str
    places: list[int]

    @property
    def key(self) -> dict[str, Any]:
        return {**self.condition._asdict(), "subject": self.subject}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two subjects of one condition, a < b by code point, and the places of both in each block that schedules both.

    `places` are those of every trial of these blocks, other subjects' too: a block is passed over as a whole.
    """

    condition: Key
    a: str
    b: str
    blocks: list[tuple[int, int]]
    places: list[int]

    @property
    def key(self) -> dict[str, Any]:
        return {**self.condition._asdict(), "a": self.a, "b": self.b}


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: its subjects by code point, and its blocks in schedule order, each {subject: place}."""

    key: Key
    subjects: list[str]
    blocks: list[dict[str, int]]

    def groups(self) -> Iterator[Group]:
        for subject in self.subjects:
            places = sorted(block[subject] for block in self.blocks if subject in block)
            yield Group(self.key, subject, places)

    def pairs(self) -> Iterator[Pair]:
        for a, b in combinations(self.subjects, 2):
            shared = [block for block in self.blocks if a in block and b in block]
            if shared:
                places = [place for block in shared for place in block.values()]
                yield Pair(self.key, a, b, [(block[a], block[b]) for block in shared], places)

    @property
    def uneven_blocks(self) -> int:
        """How many blocks lack a subject that another block of the condition has."""
        return sum(len(block) < len(self.subjects) for block in self.blocks)


@dataclass(slots=True)
class _Draft:
    subjects: set[str] = field(default_factory=set)
    blocks: dict[str, dict[str, int]] = field(default_factory=dict)


def conditions_of(plan: Plan) -> list[Condition]:
    """Every condition of the schedule, sorted by key with null first."""
    drafts: dict[Key, _Draft] = {}
    for place, trial in enumerate(plan.schedule):
        key = Key(trial.workflow, trial.instruction_level, trial.agent, trial.model)
        draft = drafts.get(key)
        if draft is None:
            draft = drafts[key] = _Draft()
        draft.subjects.add(trial.subject)
        draft.blocks.setdefault(trial.block_id, {})[trial.subject] = place
    return [
        Condition(key, sorted(drafts[key].subjects), list(drafts[key].blocks.values()))
        for key in sorted(drafts, key=_ascending)
    ]

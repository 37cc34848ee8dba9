"""What a scorecard is asked: each target names two cells, a direction, a ratio and its guards; all is checked first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, TypeAdapter, WithJsonSchema, model_validator

from oakbench_core.baseline.book import CellKey
from oakbench_core.baseline.populations import PopulationKey
from oakbench_core.baseline.row_document import Share, refusal
from oakbench_core.baseline.vocabulary import Direction, GuardName, Statistic
from oakbench_core.canonical import canonical_text, plain_data, plain_problems, sha256_hex
from oakbench_core.errors import DocumentError, Problem
from oakbench_core.shapes import Document, Items, Text, Word, checked


def _ratio(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        raise refusal("expected a number above 0")
    return value


def _named(guard: object) -> object:
    return {"name": guard} if isinstance(guard, str) else guard


Ratio = Annotated[Any, AfterValidator(_ratio), WithJsonSchema({"type": "number", "exclusiveMinimum": 0})]


class Guard(Document):
    """A condition on every `ok` row of the candidate; of a patch only whether it applies."""

    name: Word[GuardName]
    at_least: Share = 1.0

    @model_validator(mode="after")
    def _a_patch_applies_or_not(self) -> Self:
        if self.name is GuardName.PATCH_APPLY_OK and self.at_least != 1:
            raise refusal("expected no at_least, or 1: a patch applies or it does not")
        return self


class Target(Document):
    """`target_ratio` is of candidate / baseline, in both directions."""

    lane: Text
    scenario: Text
    operation: Text
    track: str | None = None
    metric: Text
    statistic: Word[Statistic]
    candidate: Text
    baseline: Text
    direction: Word[Direction]
    target_ratio: Ratio
    guards: Items[Annotated[Guard, BeforeValidator(_named)]] = ()

    @model_validator(mode="after")
    def _names_each_guard_once(self) -> Self:
        if len({guard.name for guard in self.guards}) < len(self.guards):
            raise refusal("expected each guard once")
        return self

    @property
    def population(self) -> PopulationKey:
        """The candidate's rows."""
        return PopulationKey(self.lane, self.scenario, self.operation, self.track, self.candidate)

    @property
    def cell(self) -> dict[str, Any]:
        """What is compared, as a result names it."""
        names = ("lane", "scenario", "operation", "track", "metric")
        named = {name: getattr(self, name) for name in names}
        return named | {"statistic": self.statistic.value, "candidate": self.candidate, "baseline": self.baseline}

    @property
    def saved(self) -> CellKey:
        """The baseline's cell."""
        return CellKey(self.lane, self.scenario, self.operation, self.track, self.baseline, self.metric, self.statistic)


class _File(Document):
    targets: Items[Target]


class Targets(NamedTuple):
    """The targets in the order given, and the SHA-256 of their canonical text."""

    targets: tuple[Target, ...]
    sha256: str


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[_File]:
    return TypeAdapter(_File)


def checked_targets(targets: Iterable[Mapping[str, Any]] | Mapping[str, Any]) -> Targets:
    """The targets of plain mappings, or of the one mapping `{"targets": [...]}` that a file holds.

    Raises:
        DocumentError: one of them is refused, two are of the same cell and subjects, or there is none.
    """
    document: Any = targets if isinstance(targets, Mapping) else {"targets": list(targets)}
    problems = plain_problems(document)
    file = None
    if not problems:
        document = plain_data(document)
        read = checked(_adapter(), document)
        file, problems = read
    if file is not None:
        problems = tuple(_asked_twice(file.targets))
        if not file.targets:
            problems = (Problem(rule="expected one target or more", path="$.targets"),)
    if problems or file is None:
        raise DocumentError("these targets are refused", problems)
    return Targets(file.targets, sha256_hex(canonical_text(document["targets"])))


def _asked_twice(targets: tuple[Target, ...]) -> Iterable[Problem]:
    first: dict[tuple[object, ...], int] = {}
    for number, target in enumerate(targets):
        asked = (target.saved, target.candidate)
        if asked in first:
            rule = f"targets[{first[asked]}] is of the same cell, candidate and baseline"
            yield Problem(rule=rule, path=f"$.targets[{number}]")
        first.setdefault(asked, number)

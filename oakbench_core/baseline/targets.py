"""Targets: what a candidate's metric has to be, as a ratio to a saved baseline. All are checked before any analysis."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter, model_validator

from oakbench_core.baseline.row import AGENT_LANE, REFUSED_LANE
from oakbench_core.canonical import canonical_text, plain_problems, sha256_hex
from oakbench_core.errors import DocumentError, Problem
from oakbench_core.shapes import Document, Items, Text, checked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RatioGuard = Literal["recall", "precision"]


class Guard(Document):
    """An extra condition on every successful row of the candidate: the smallest value counts."""

    name: RatioGuard
    at_least: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 1.0


class PatchGuard(Document):
    """Every successful row's patch applied."""

    name: Literal["patch_apply_ok"]


class Target(Document):
    """`target_ratio` is of candidate / baseline, whatever the direction."""

    lane: Text
    scenario: Text
    operation: Text
    track: Text | None = None
    metric: Text
    statistic: Literal["median", "p99"]
    candidate: Text
    baseline: Text
    direction: Literal["lower", "higher"]
    target_ratio: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    guards: Items[Annotated[Guard | PatchGuard, Field(discriminator="name")]] = ()

    @model_validator(mode="before")
    @classmethod
    def _spelled_out(cls, value: Any) -> Any:
        """A bare name is a guard whose default counts."""
        if isinstance(value, Mapping) and isinstance(value.get("guards"), list | tuple):
            guards = [{"name": guard} if isinstance(guard, str) else guard for guard in value["guards"]]
            return {**value, "guards": guards}
        return value


class Targets(NamedTuple):
    """Checked targets in their order; `sha256` is of the canonical text of the list as it was given."""

    targets: tuple[Target, ...]
    sha256: str


@cache
def target_type() -> TypeAdapter[Target]:
    return TypeAdapter(Target)


def read_targets(value: object) -> Targets:
    """The targets of a list of mappings, or of a document with the one key `targets`.

    Raises:
        DocumentError: with every problem.
    """
    inside = ""
    if isinstance(value, Mapping):
        unknown = [Problem(path=f"$.{key}", rule="this key is unknown") for key in value if key != "targets"]
        if unknown or "targets" not in value:
            missing = [Problem(path="$.targets", rule="this key is required")] * ("targets" not in value)
            raise DocumentError("these targets are refused", [*unknown, *missing])
        value, inside = value["targets"], ".targets"
    if not isinstance(value, list | tuple):
        raise DocumentError("these targets are refused", [Problem(path="$", rule="expected a list of targets")])
    problems = list(_placed(plain_problems(value), inside))
    targets: list[Target] = []
    for number, given in enumerate(value if not problems else ()):
        read = checked(target_type(), dict(given) if isinstance(given, Mapping) else given)
        target, found = read
        problems += _placed(found, f"{inside}[{number}]")
        if target is not None:
            targets.append(target)
            if target.lane == AGENT_LANE:
                problems.append(Problem(path=f"${inside}[{number}].lane", rule=REFUSED_LANE))
    if not value:
        problems.append(Problem(path=f"${inside}", rule="expected at least one target"))
    if not problems:
        problems += _placed(_repeated(targets), inside)
    if problems:
        raise DocumentError("these targets are refused", problems)
    return Targets(tuple(targets), sha256_hex(canonical_text(value)))


def _placed(problems: Iterable[Problem], inside: str) -> Iterator[Problem]:
    for problem in problems:
        yield Problem(path=f"${inside}{(problem.path or '$')[1:]}", rule=problem.rule)


def _repeated(targets: list[Target]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for number, target in enumerate(targets):
        text = canonical_text(target.model_dump(mode="json"))
        earlier = first.setdefault(text, number)
        if earlier != number:
            yield Problem(path=f"$[{number}]", rule=f"the same target stands already at [{earlier}]")

"""What the models of a report are made of: strict parts without further keys, and their kinds of number."""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

U = TypeVar("U")

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Signed = Annotated[float, Field(ge=-1, le=1)]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Link = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Amount = Annotated[int, Field(ge=0)] | Annotated[float, Field(ge=0)]
Confidence = Annotated[float, Field(ge=0.95, le=0.95)]
PopulationValue = int | str | None


class Part(BaseModel):
    """Strict and frozen: exactly the keys that a report has."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, title=None)


class GroupKey(Part):
    workflow: str
    instruction_level: str
    agent: str
    model: str | None
    subject: str


class PairKey(Part):
    """Two subjects of one condition, a < b by code point; differences are a - b."""

    workflow: str
    instruction_level: str
    agent: str
    model: str | None
    a: str
    b: str


class FieldDifference(Part):
    """A population field and every value that was met, a frozen one included."""

    field: str
    values: list[PopulationValue]


class EachResource(Part, Generic[U]):
    """Each of the eleven resources of a row, in the row's order."""

    duration_s: U
    input_tokens: U
    cached_input_tokens: U
    cache_write_tokens: U
    output_tokens: U
    reasoning_tokens: U
    turns: U
    tool_calls: U
    cost_usd: U
    cost_weighted_tokens: U
    transcript_bytes: U

"""A Baseline Book as strict models: `oakbench.book/2`, and version 1, which is read and never written.

Types are here, and the rules that join the fields of one cell; rules that join cells are in `book`.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, JsonValue, WithJsonSchema, model_validator

from oakbench_core.baseline.row_document import Number, Version, refusal
from oakbench_core.baseline.vocabulary import Doubt, Statistic
from oakbench_core.shapes import Count, Document, Items, Sha256, Text, UtcTime, Word


def _number_of_any_kind(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refusal("expected a number or null")
    return value


def _one(value: object) -> object:
    if type(value) is not int or value != 1:
        raise refusal("expected 1")
    return value


One = Annotated[Any, AfterValidator(_one), WithJsonSchema({"const": 1})]  # true and 1.0 are no version

# A floor or a confidence that is no finite number can come from Python only. It is a reason against a claim
# (`noise_floor_invalid`), no reason against the book.
AnyNumber = Annotated[Any, AfterValidator(_number_of_any_kind), WithJsonSchema({"type": "number"})]


class CellKey(Document):
    """`metric` and `statistic` are null in the one cell of a population whose rows name no metric."""

    lane: Text
    scenario: Text
    operation: Text
    track: str | None = None
    subject: Text
    metric: Text | None
    statistic: Word[Statistic] | None


class CellInterval(Document):
    """`low`, `high` and `achieved_confidence` are null where the sample is too small for an interval."""

    low: AnyNumber | None
    high: AnyNumber | None
    confidence: AnyNumber | None = None
    method: Text
    achieved_confidence: AnyNumber | None = None


class CellNoise(Document):
    """A recorded measurement of noise, in natural logarithms; no authenticated calibration."""

    value: AnyNumber
    method: Literal["aa_pairs"]
    sessions: Count
    pairs: Count
    min_session_rows: Count
    session_range: AnyNumber


class IdentityFields(Document):
    """One key for each comparison field; null: not known."""

    lane: str | None = None
    track: str | None = None
    semantics_version: Version | None = None
    scenario: str | None = None
    scenario_version: Version | None = None
    operation: str | None = None
    fixture_version: Version | None = None
    oracle_version: Version | None = None
    environment_isolation: str | None = None
    runner_class: str | None = None
    cache_state: str | None = None
    load_state: str | None = None
    transport: str | None = None
    server: str | None = None
    shaping: str | None = None
    token_calibration: str | None = None
    agent: str | None = None
    agent_version: Version | None = None
    model: str | None = None
    instruction_level: str | None = None


class ComparisonIdentity(Document):
    """Versioned on its own: another list of fields is another version, and no book of it is read."""

    schema_: One = Field(alias="schema")
    fields: IdentityFields


class SubjectIdentity(Document):
    version: Version | None = None
    binary_sha256: Sha256 | None = None


class Cell(Document):
    """A saved summary of one population's metric."""

    key: CellKey
    value: Number | None
    unit: str | None
    n: Count
    independent_n: Count | None
    attempted_n: Count
    failure_n: Count
    skipped_n: Count
    unmeasured_n: Count
    unknown_n: Count
    interval: CellInterval
    noise_floor: CellNoise | None
    comparison_identity: ComparisonIdentity
    subject_identity: SubjectIdentity
    warnings: Items[Word[Doubt]]

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        broken = [rule for rule, holds in _cell_rules(self).items() if not holds]
        if broken:
            raise refusal("expected " + "; ".join(broken))
        return self


def _cell_rules(cell: Cell) -> dict[str, bool]:
    """What must hold between the fields of one cell."""
    low, high, value = cell.interval.low, cell.interval.high, cell.value
    parts = cell.n + cell.failure_n + cell.skipped_n + cell.unknown_n + cell.unmeasured_n
    fields = cell.comparison_identity.fields
    shared = ("lane", "scenario", "operation", "track")
    return {
        "an interval with low ≤ value ≤ high, or none": _around(low, value, high),
        "a value exactly if n is above 0": (value is None) is (cell.n == 0),
        "attempted_n = n + failure_n + skipped_n + unknown_n + unmeasured_n": cell.attempted_n == parts,
        "independent_n up to n": cell.independent_n is None or cell.independent_n <= cell.n,
        "the key's lane, scenario, operation and track in comparison_identity": all(
            getattr(fields, name) == getattr(cell.key, name) for name in shared
        ),
        "a metric and a statistic, or neither": (cell.key.metric is None) is (cell.key.statistic is None),
        "distinct warnings": len(set(cell.warnings)) == len(cell.warnings),
    }


def _around(low: float | None, value: float | None, high: float | None) -> bool:
    if low is None and high is None:
        return True
    if low is None or high is None or value is None:
        return False
    return not math.isnan(low) and not math.isnan(high) and low <= value <= high


class Source(Document):
    """`rows_sha256`: of the rows' canonical texts, joined by LF."""

    rows_sha256: Sha256


class BookDocument(Document):
    """`oakbench.book/2`."""

    schema_: Literal["oakbench.book/2"] = Field(alias="schema")
    created_at: UtcTime | None
    source: Source
    cells: Items[Cell]


class CellKeyV1(Document):
    """An absent statistic is the median: there was no other."""

    lane: Text
    scenario: Text
    operation: Text
    track: str | None = None
    subject: Text
    metric: Text
    statistic: Word[Statistic] = Statistic.MEDIAN


class CellV1(Document):
    """`uncertainty` is whatever was written; it is shown, and never read as an interval."""

    key: CellKeyV1
    median: Number | None
    uncertainty: JsonValue = None


class BookDocumentV1(Document):
    schema_version: One
    cells: Items[CellV1]

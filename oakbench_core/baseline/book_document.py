"""The shape of a Baseline Book, `oakbench.book/2`, as strict models, and of the books before it."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field

from oakbench_core.shapes import Count, Document, Items, Sha256, Text, UtcTime

Number = Annotated[int, Field(strict=True)] | Annotated[float, Field(allow_inf_nan=False)]
AnyNumber = Annotated[int, Field(strict=True)] | Annotated[float, Field(strict=True)]
Statistic = Literal["median", "p99"]
IdentityValue = int | str | None


class CellKey(Document):
    lane: Text
    scenario: Text
    operation: Text
    track: Text | None
    subject: Text
    metric: Text | None
    statistic: Statistic


class CellInterval(Document):
    """Of the cell's value, at `confidence`; `low` and `high` are null where n values cannot give one."""

    low: Number | None
    high: Number | None
    confidence: Number | None
    method: Text
    achieved_confidence: Number | None


class NoiseFloor(Document):
    """The largest |ln ratio| of `pairs` disjoint pairs of sessions of the same subject, binary and identity.

    A recorded measurement, no authenticated calibration. From a mapping, `value` may be a number that no measurement
    gives: a scorecard says so.
    """

    value: AnyNumber
    method: Literal["aa_pairs"]
    sessions: Count
    pairs: Count
    min_session_rows: Count
    session_range: Number


class ComparisonIdentity(Document):
    """`fields`: every name of COMPARISON_FIELDS → its value, null where it is not known."""

    schema_: Literal[1] = Field(alias="schema")
    fields: dict[str, IdentityValue]


class SubjectIdentity(Document):
    version: Text | None
    binary_sha256: Text | None


class Cell(Document):
    """A saved summary of one metric of one population.

    attempted_n = n + failure_n + skipped_n + unknown_n + unmeasured_n.
    """

    key: CellKey
    value: Number | None
    unit: Text | None
    n: Count
    independent_n: Count | None
    attempted_n: Count
    failure_n: Count
    skipped_n: Count
    unmeasured_n: Count
    unknown_n: Count
    interval: CellInterval
    noise_floor: NoiseFloor | None
    comparison_identity: ComparisonIdentity
    subject_identity: SubjectIdentity
    warnings: Items[Literal["repeated_content", "run_gaps"]]


class BookSource(Document):
    rows_sha256: Sha256


class BookDocument(Document):
    """An immutable file of keyed cells."""

    schema_: Literal["oakbench.book/2"] = Field(alias="schema")
    created_at: UtcTime
    source: BookSource
    cells: Items[Cell]


class LegacyKey(Document):
    lane: Text
    scenario: Text
    operation: Text
    track: Text | None = None
    subject: Text
    metric: Text
    statistic: Statistic = "median"


class LegacyCell(Document):
    """`uncertainty` is whatever was written: it is shown, and never read as an interval."""

    key: LegacyKey
    median: Number
    uncertainty: Any = None


class LegacyBook(Document):
    """Version 1: readable for diagnostics, never rewritten."""

    schema_version: Literal[1]
    cells: Items[LegacyCell]


def is_floor(value: float) -> bool:
    """Whether a number can be a measured noise floor."""
    return math.isfinite(value) and value >= 0

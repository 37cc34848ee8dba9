"""The shape of a scorecard, `oakbench.scorecard/1`, as strict models: what `schema scorecard` prints.

Rule: these models hold exactly the keys that a scorecard has, and compute nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from oakbench_core.baseline.book_document import (
    CellInterval,
    ComparisonIdentity,
    Number,
    Statistic,
    SubjectIdentity,
)
from oakbench_core.baseline.codes import Mode, Reason, Verdict
from oakbench_core.shapes import Count, Document, Items, Positive, Sha256, Text, Word


class ResultCell(Document):
    """Which candidate is held against which baseline, of what."""

    lane: Text
    scenario: Text
    operation: Text
    track: Text | None
    metric: Text
    statistic: Statistic
    candidate: Text
    baseline: Text


class BookKey(Document):
    lane: Text
    scenario: Text
    operation: Text
    track: Text | None
    subject: Text
    metric: Text | None
    statistic: Statistic


class SaidReason(Document):
    code: Word[Reason]
    text: Text


class SaidNotice(Document):
    """The codes of notices, and in diagnostic mode those of caps that change how a verdict is to be read."""

    code: Text
    text: Text


class Ratio(Document):
    """candidate / baseline; without an interval its ends and its confidence are null."""

    value: Number | None
    low: Number | None
    high: Number | None
    confidence: Number | None


class CandidateSide(Document):
    value: Number | None
    interval: CellInterval
    n: Count
    independent_n: Count | None
    attempted_n: Count
    failure_n: Count
    skipped_n: Count
    unmeasured_n: Count
    unknown_n: Count
    sessions: Count
    bench_ids: Items[Text]
    dates: Items[Text]


class BaselineSide(Document):
    """A cell of a version 2 book, without its key and its floor."""

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
    comparison_identity: ComparisonIdentity
    subject_identity: SubjectIdentity
    warnings: Items[Literal["repeated_content", "run_gaps"]]


class LegacySide(Document):
    """A cell of a version 1 book; `uncertainty` is what was written."""

    value: Number
    uncertainty: Any
    schema_version: Literal[1]


class ResultFloor(Document):
    """`value` is null where the saved one is no number."""

    value: Number | None
    method: Literal["aa_pairs"]
    sessions: Count
    pairs: Count
    min_session_rows: Count
    session_range: Number


class Result(Document):
    """One target's verdict, with everything that it rests on."""

    cell: ResultCell
    verdict: Word[Verdict]
    statistical_verdict: Literal["GREEN", "AMBER", "RED"] | None
    claim_eligible: bool
    reasons: Items[SaidReason]
    ratio: Ratio | None
    candidate: CandidateSide | None
    baseline: BaselineSide | LegacySide | None
    target_ratio: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    direction: Literal["lower", "higher"]
    noise_floor: ResultFloor | None
    confidence: Annotated[float, Field(gt=0, lt=1)]
    draws: Positive | None
    mode: Word[Mode]
    notices: Items[SaidNotice]


class ScorecardDocument(Document):
    """Candidate rows held against a book and targets."""

    schema_: Literal["oakbench.scorecard/1"] = Field(alias="schema")
    mode: Word[Mode]
    claim_eligible: bool
    targets_sha256: Sha256
    book_sha256: Sha256
    unjudged: Items[BookKey]
    results: Items[Result]

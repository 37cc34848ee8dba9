"""The shape of a scorecard's result, `oakbench.scorecard/1`: what `schema scorecard` prints and the console opens.

Rule: these models hold exactly the keys that a result has, and compute nothing. A figure that is not there is null, and
a reason or a notice says why.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from oakbench_core.baseline.book_document import CellInterval, CellKey, CellNoise, ComparisonIdentity, SubjectIdentity
from oakbench_core.baseline.row_document import Number
from oakbench_core.baseline.vocabulary import Code, Direction, Doubt, Mode, Statistic, Verdict
from oakbench_core.shapes import Count, Document, Items, Positive, Sha256, Text, Word

Level = Annotated[float, Field(gt=0, lt=1)]


class ScorecardReason(Document):
    code: Word[Code]
    text: str


class ScorecardRatio(Document):
    """Candidate / baseline; `low` and `high` are null where a side has no interval. The level is the smaller one."""

    value: Number | None
    low: Number | None
    high: Number | None
    confidence: Number | None


class ScorecardNoise(CellNoise):
    """The baseline cell's floor; a value that no JSON number can say is null."""

    value: Number | None
    session_range: Number | None


class ScorecardSide(Document):
    """One side's figure and every denominator; counts and identities that were not recorded are null."""

    value: Number | None
    interval: CellInterval | None
    n: Count | None
    independent_n: Count | None
    attempted_n: Count | None
    failure_n: Count | None
    skipped_n: Count | None
    unmeasured_n: Count | None
    unknown_n: Count | None
    comparison_identity: ComparisonIdentity | None
    subject_identity: SubjectIdentity | None
    warnings: Items[Word[Doubt]]


class ScorecardCandidate(ScorecardSide):
    """Also where its measured rows come from; `sessions` is null where a row names no bench_id."""

    sessions: Count | None
    bench_ids: Items[str]
    dates: Items[str]


class ScorecardCell(Document):
    lane: Text
    scenario: Text
    operation: Text
    track: str | None
    metric: Text
    statistic: Word[Statistic]
    candidate: Text
    baseline: Text


class ScorecardResult(Document):
    """One target's verdict. `statistical_verdict` is what the numbers alone say, whatever caps it."""

    cell: ScorecardCell
    verdict: Word[Verdict]
    statistical_verdict: Word[Verdict] | None
    claim_eligible: bool
    reasons: Items[ScorecardReason]
    ratio: ScorecardRatio | None
    candidate: ScorecardCandidate | None
    baseline: ScorecardSide | None
    target_ratio: Number
    direction: Word[Direction]
    noise_floor: ScorecardNoise | None
    confidence: Level
    draws: Positive | None
    mode: Word[Mode]
    notices: Items[ScorecardReason]


class ScorecardDocument(Document):
    """`oakbench.scorecard/1`. `unjudged` lists the book's cells that no target names."""

    schema_: Literal["oakbench.scorecard/1"] = Field(alias="schema")
    mode: Word[Mode]
    claim_eligible: bool
    targets_sha256: Sha256
    book_sha256: Sha256 | None
    unjudged: Items[CellKey]
    results: Annotated[Items[ScorecardResult], Field(min_length=1)]

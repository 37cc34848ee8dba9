"""One entry of a report's `pairs`, as strict models: the paired, descriptive difference of two subjects."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from oakbench_core.campaign.report_parts import (
    Amount,
    Confidence,
    Count,
    EachResource,
    FieldDifference,
    PairKey,
    Part,
    Signed,
)

PairOmission = Literal[
    "no_complete_blocks",
    "singleton",
    "schedule_open",
    "schedule_gaps",
    "mixed_population",
    "retry_selection",
    "prefix_report",
]
PairedOmission = Literal[
    "unmeasured",
    "accounting_unknown",
    "mixed_sources",
    "mixed_weights",
]
BlockReason = Literal[
    "unstarted",
    "interrupted",
    "skipped",
    "infrastructure_failure",
    "timeout_mismatch",
    "identity_mismatch",
]


class Range(Part):
    low: Signed
    high: Signed


class Blocks(Part):
    """scheduled = complete + incomplete + excluded; the reasons add up to the last two."""

    scheduled: Count
    complete: Count
    incomplete: Count
    excluded: Count
    reasons: dict[BlockReason, Count]


class LostSide(Part):
    """Of the incomplete blocks: which side has no usable verdict."""

    a: Count
    b: Count
    both: Count


class Table(Part):
    """Complete blocks by which side was verified within the frozen timeout."""

    both: Count
    only_a: Count
    only_b: Count
    neither: Count


class TimedOut(Part):
    a: Count
    b: Count


class BootstrapInterval(Part):
    """`degenerate`: no block disagreed, so that nothing could vary between the draws."""

    low: Signed
    high: Signed
    confidence: Confidence
    degenerate: bool


class NewcombeInterval(Part):
    low: Signed
    high: Signed
    confidence: Confidence


class BootstrapSource(Part):
    """What anyone needs to derive the bootstrap interval again."""

    method: Literal["oakbench.bootstrap.v1"]
    draws: Count
    key: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    n: Count
    only_a: Count
    only_b: Count


class TaskTable(Part):
    """The tasks of the complete blocks, by which side is ahead; each weighs as much as another in the mean.

    `disagreeing`: a subject was verified in one repeat and not in another.
    """

    distinct: Count
    a_ahead: Count
    b_ahead: Count
    equal: Count
    disagreeing: Count
    mean_difference: Signed | None


class PairedUse(Part):
    """One resource over the complete blocks in which both sides have a value, failures included."""

    blocks: Count
    total_a: Amount | None
    total_b: Amount | None
    difference: int | float | None
    omitted: list[PairedOmission]


class Identity(Part):
    """Whether the sides of a pair ran under the same conditions.

    `differing` makes blocks excluded; `treatment` is what may differ and does.
    """

    agrees: bool
    differing: list[FieldDifference]
    treatment: list[FieldDifference]
    unmeasured: list[str]


class Pair(Part):
    """The paired, descriptive difference in verified success between two subjects."""

    key: PairKey
    blocks: Blocks
    lost_side: LostSide
    final: bool
    table: Table
    timed_out: TimedOut
    difference: Signed | None
    bounds: Range
    interval: BootstrapInterval | None
    newcombe: NewcombeInterval | None
    omitted: list[PairOmission]
    bootstrap: BootstrapSource | None
    tasks: TaskTable
    identity: Identity
    resources: EachResource[PairedUse]

"""The shape of report.json, `oakbench.report/1`, as strict models: what `schema report` prints.

Rule: these models hold exactly the keys that a report has, and compute nothing. A figure that may
be withheld is `None` where it is, and the list `omitted` beside it says why.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Signed = Annotated[float, Field(ge=-1, le=1)]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Amount = Annotated[int, Field(ge=0)] | Annotated[float, Field(ge=0)]
Confidence = Annotated[float, Field(ge=0.95, le=0.95)]

SuccessOmission = Literal[
    "no_started_trials",
    "unresolved_started",
    "instrument_skipped",
    "other_skipped",
    "schedule_open",
    "schedule_gaps",
    "timeout_mismatch",
    "mixed_population",
    "retry_selection",
    "prefix_report",
]
ResourceOmission = Literal[
    "unmeasured",
    "mixed_sources",
    "incomplete_coverage",
    "accounting_unknown",
    "no_measured_success",
    "mixed_population",
    "mixed_weights",
]
PairOmission = Literal[
    "no_complete_blocks",
    "singleton",
    "schedule_open",
    "schedule_gaps",
    "mixed_population",
    "retry_selection",
    "prefix_report",
]
BlockReason = Literal[
    "unstarted",
    "interrupted",
    "skipped",
    "infrastructure_failure",
    "timeout_mismatch",
    "identity_mismatch",
]
PopulationValue = int | str | None


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, title=None)


class Parent(_Part):
    """The campaign that a follow-up plan was made from."""

    campaign_id: str
    plan_sha256: Hash
    kind: Literal["retry", "extension"]
    finished_trials: Count | None


class Campaign(_Part):
    """Which plan is reported, and how much of its journal.

    `journal_events` counts started, finished and recovered events; `as_of` is the last sequence
    number that a report of a prefix holds.
    """

    campaign_id: str
    plan_sha256: Hash
    plan_source: Literal["definition", "import"]
    parent: Parent | None
    mock: bool
    compares: list[str]
    journal_events: Count
    as_of: Count | None


class Counts(_Part):
    """Every scheduled trial in exactly one state.

    scheduled = unstarted + interrupted + skipped + finished; finished is the sum of its four
    outcomes; started = interrupted + skipped_after_start + finished; resolved = started -
    interrupted. `timeout_mismatch` counts rows, `schedule_gaps` unstarted trials.
    """

    scheduled: Count
    started: Count
    resolved: Count
    unstarted: Count
    interrupted: Count
    interrupted_uncertain: Count
    skipped: Count
    skipped_before_start: Count
    skipped_after_start: Count
    finished: Count
    verified_success: Count
    task_failure: Count
    timed_out: Count
    infrastructure_failure: Count
    timeout_mismatch: Count
    schedule_gaps: Count


class AdmissionState(_Part):
    """Seconds of subprocess time against the admission budget; null where there is no budget.

    `reserved_s` holds whole frozen timeouts of trials whose duration is lost: accounting, no
    timing. `remaining_s` is not clamped.
    """

    budget_s: Count | None
    observed_s: Annotated[float, Field(ge=0)]
    reserved_s: Count
    unmeasured_charges: Count
    remaining_s: float | None
    next_timeout_s: Count | None
    next_admissible: bool | None


class GroupKey(_Part):
    workflow: str
    instruction_level: str
    agent: str
    model: str | None
    subject: str


class FieldDifference(_Part):
    """A population field and every value that was met, a frozen one included."""

    field: str
    values: list[PopulationValue]


class Population(_Part):
    """Whether the completed and timed-out rows of a group are one population.

    `unmeasured` names the fields that are null on every such row; `unreported` counts timed-out
    rows without a resolved model or agent version that another row of the group has.
    """

    agrees: bool
    differing: list[FieldDifference]
    unmeasured: list[str]
    unreported: Count


class Range(_Part):
    low: Signed
    high: Signed


class ShareRange(_Part):
    low: Share
    high: Share


class WilsonInterval(_Part):
    low: Share
    high: Share
    confidence: Confidence


class Success(_Part):
    """The operational verified-success fraction: verified / started, with what it leaves open."""

    verified: Count
    started: Count
    fraction: Share | None
    final: bool
    lower_bound: Share | None
    upper_bound: Share | None
    schedule_bounds: ShareRange
    wilson: WilsonInterval | None
    omitted: list[SuccessOmission]


class OnSuccess(_Part):
    """Conditional on verified success: `n` successes, of which `observed` have a value."""

    n: Count
    observed: Count
    mean: Annotated[float, Field(ge=0)] | None
    median: Annotated[float, Field(ge=0)] | None


class SourceSum(_Part):
    observed: Count
    sum: Annotated[float, Field(ge=0)]


class ResourceUse(_Part):
    """One resource over a group's started trials, failures included; `observed` of `started`."""

    unit: str
    started: Count
    observed: Count
    partial_sum: Amount | None
    complete_total: Amount | None
    on_success: OnSuccess
    total_per_verified_success: Annotated[float, Field(ge=0)] | None
    sources: dict[str, SourceSum]
    omitted: list[ResourceOmission]


class GroupResources(_Part):
    duration_s: ResourceUse
    input_tokens: ResourceUse
    cached_input_tokens: ResourceUse
    cache_write_tokens: ResourceUse
    output_tokens: ResourceUse
    reasoning_tokens: ResourceUse
    turns: ResourceUse
    tool_calls: ResourceUse
    cost_usd: ResourceUse
    cost_weighted_tokens: ResourceUse
    transcript_bytes: ResourceUse


class Group(_Part):
    """One condition; nothing is ever pooled over two of them."""

    key: GroupKey
    counts: Counts
    tasks: Count
    population: Population
    success: Success
    resources: GroupResources


class PairKey(_Part):
    """Two subjects of one condition, a < b by code point; differences are a - b."""

    workflow: str
    instruction_level: str
    agent: str
    model: str | None
    a: str
    b: str


class Blocks(_Part):
    """scheduled = complete + incomplete + excluded; the reasons add up to the last two."""

    scheduled: Count
    complete: Count
    incomplete: Count
    excluded: Count
    reasons: dict[BlockReason, Count]


class LostSide(_Part):
    """Of the incomplete blocks: which side has no usable verdict."""

    a: Count
    b: Count
    both: Count


class Table(_Part):
    """Complete blocks by which side was verified within the frozen timeout."""

    both: Count
    only_a: Count
    only_b: Count
    neither: Count


class TimedOut(_Part):
    a: Count
    b: Count


class BootstrapInterval(_Part):
    """`degenerate`: no block disagreed, so that nothing could vary between the draws."""

    low: Signed
    high: Signed
    confidence: Confidence
    degenerate: bool


class NewcombeInterval(_Part):
    low: Signed
    high: Signed
    confidence: Confidence


class BootstrapSource(_Part):
    """What anyone needs to derive the bootstrap interval again."""

    method: Literal["oakbench.bootstrap.v1"]
    draws: Count
    key: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    n: Count
    only_a: Count
    only_b: Count


class Identity(_Part):
    """Whether the sides of a pair ran under the same conditions.

    `differing` makes blocks excluded; `treatment` is what may differ and does.
    """

    agrees: bool
    differing: list[FieldDifference]
    treatment: list[FieldDifference]
    unmeasured: list[str]


class Pair(_Part):
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
    identity: Identity


class Comparisons(_Part):
    """How many pairs are compared; no interval is adjusted for that."""

    count: Count
    adjusted: Literal[False]


class Notice(BaseModel):
    """What must be said beside the figures; further keys hold the numbers that it speaks of."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True, allow_inf_nan=False)

    __pydantic_extra__: dict[str, Any]

    code: str
    text: str


class ReportDocument(_Part):
    """A campaign report: diagnostic, never claim-eligible, computed from plan and events alone."""

    model_config = ConfigDict(title="oakbench.report/1")

    schema_: Literal["oakbench.report/1"] = Field(alias="schema")
    evidence_class: Literal["diagnostic_agent_campaign"]
    claim_eligible: Literal[False]
    campaign: Campaign
    completeness: Literal["not_started", "partial", "complete"]
    counts: Counts
    admission: AdmissionState
    groups: list[Group]
    pairs: list[Pair]
    comparisons: Comparisons
    notices: list[Notice]
    limits: str
    summary_sha256: Hash

"""The shape of report.json, `oakbench.report/1`, as strict models: what `schema report` prints.

Rule: these models hold exactly the keys that a report has, and compute nothing. A figure that may
be withheld is `None` where it is, and the list `omitted` beside it says why.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from oakbench_core.campaign.report_notice_document import Notice
from oakbench_core.campaign.report_pair_document import Pair
from oakbench_core.campaign.report_parts import (
    Amount,
    Confidence,
    Count,
    EachResource,
    FieldDifference,
    GroupKey,
    Hash,
    Link,
    Part,
    Share,
)

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


class Parent(Part):
    """The campaign that a follow-up plan was made from."""

    campaign_id: str
    plan_sha256: Hash
    kind: Literal["retry", "extension"]
    finished_trials: Count | None


class Campaign(Part):
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


class Counts(Part):
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


class AdmissionState(Part):
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


class Population(Part):
    """Whether the completed and timed-out rows of a group are one population.

    `unmeasured` names the fields that are null on every such row; `unreported` counts timed-out
    rows without a resolved model or agent version that another row of the group has.
    """

    agrees: bool
    differing: list[FieldDifference]
    unmeasured: list[str]
    unreported: Count


class ShareRange(Part):
    low: Share
    high: Share


class WilsonInterval(Part):
    low: Share
    high: Share
    confidence: Confidence


class Success(Part):
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


class OnSuccess(Part):
    """Conditional on verified success: `n` successes, of which `observed` have a value."""

    n: Count
    observed: Count
    mean: Annotated[float, Field(ge=0)] | None
    median: Annotated[float, Field(ge=0)] | None


class SourceSum(Part):
    observed: Count
    sum: Annotated[float, Field(ge=0)]


class ResourceUse(Part):
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


class Group(Part):
    """One condition; nothing is ever pooled over two of them."""

    key: GroupKey
    counts: Counts
    tasks: Count
    population: Population
    success: Success
    resources: EachResource[ResourceUse]


class Comparisons(Part):
    """How many pairs are compared; no interval is adjusted for that."""

    count: Count
    adjusted: Literal[False]


class StopRecord(Part):
    """How one run ended in order; `at` is null where events carry no times."""

    reason: Literal["exhausted", "budget", "halted", "disk", "limit", "signal", "changed_input"]
    code: int
    at: str | None


class RecoveryRecord(Part):
    """One recovery of a torn journal, and the trial that it reserved, if any."""

    kind: Literal["torn", "zeros", "uncertain_proved", "uncertain_accepted"]
    reason: Literal["torn_start", "torn_other", "start_impossible", "ambiguous"]
    trial_id: str | None


class Execution(Part):
    """How the campaign was executed, from transport fields and `opened` alone; no figure depends on it.

    `writers` counts the IDs of writers; `max_parallel` has one entry an `opened`, in order; `longest_pause_s` is the
    largest positive difference of consecutive times, else 0.
    """

    first_hash: Link
    last_seq: Count | None
    last_hash: Link
    writers: Count
    hosts: list[str]
    first_at: str | None
    last_at: str | None
    longest_pause_s: Annotated[float, Field(ge=0)]
    max_parallel: list[Annotated[int, Field(ge=1)]]
    stops: list[StopRecord]
    recoveries: list[RecoveryRecord]
    unsafe_filesystem: bool


class ReportDocument(Part):
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
    execution: Execution | None
    notices: list[Notice]
    limits: str
    summary_sha256: Hash

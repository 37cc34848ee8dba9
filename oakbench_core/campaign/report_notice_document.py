"""The notices of a report, as strict models: by their code, which further fields stand beside their text."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from oakbench_core.campaign.report_parts import Count, GroupKey, PairKey, Part
from oakbench_core.campaign.report_setting_document import Setting


class _Notice(Part):
    """What must be said beside the figures, in one plain sentence; it holds numbers at most and no name."""

    text: str


class Plain(_Notice):
    code: Literal[
        "mock_agents",
        "imported_plan",
        "not_a_deadline",
        "no_cost_cap",
        "conditional_on_success",
        "proxy_tokens",
        "descriptive_pairs",
        "unsafe_filesystem",
    ]


class DiagnosticOnly(_Notice):
    """`describes`: what was planned, so that nobody has to read figures without knowing of what."""

    code: Literal["diagnostic_only"]
    describes: Setting


class RetryCampaign(_Notice):
    """`finished_trials`: of the earlier campaign; `retried`: trials of this one that name the one they retry."""

    code: Literal["retry_campaign"]
    finished_trials: Count | None
    retried: Count


class ExtendedCampaign(_Notice):
    code: Literal["extended_campaign"]
    finished_trials: Count | None


class PartialSchedule(_Notice):
    code: Literal["partial_schedule"]
    unstarted: Count
    scheduled: Count


class StoppedByBudget(_Notice):
    code: Literal["stopped_by_budget"]
    remaining_s: float
    next_timeout_s: Count


class OutOfOrderHistory(_Notice):
    code: Literal["out_of_order_history"]
    schedule_gaps: Count


class PrefixReport(_Notice):
    code: Literal["prefix_report"]
    as_of: Count


class OfGroup(Part):
    key: GroupKey


class OfPair(Part):
    key: PairKey


class Accounting(_Notice):
    """The groups, and the pairs, of which some resource is withheld for this reason."""

    code: Literal["mixed_sources", "accounting_unknown"]
    groups: list[OfGroup]
    pairs: list[OfPair]


class LossyPair(OfPair):
    complete: Count
    scheduled: Count


class CompleteCaseEstimate(_Notice):
    code: Literal["complete_case_estimate"]
    pairs: list[LossyPair]


class Multiplicity(_Notice):
    code: Literal["multiplicity"]
    count: Count


class RepeatedGroup(OfGroup):
    tasks: Count
    scheduled: Count


class RepeatedTasks(_Notice):
    code: Literal["repeated_tasks"]
    groups: list[RepeatedGroup]


class SmallPair(OfPair):
    complete: Count
    disagreements: Count
    tasks: Count


class SmallSample(_Notice):
    code: Literal["small_sample"]
    pairs: list[SmallPair]


class DegeneratePair(OfPair):
    complete: Count


class Degenerate(_Notice):
    code: Literal["degenerate"]
    pairs: list[DegeneratePair]


class InfrastructureFailures(_Notice):
    code: Literal["infrastructure_failures"]
    infrastructure_failure: Count


class TimeoutsDiffer(_Notice):
    code: Literal["timeouts_differ"]
    timeout_mismatch: Count


class UnbalancedGroups(_Notice):
    code: Literal["unbalanced_groups"]
    blocks: Count


class OfOracles(_Notice):
    code: Literal["oracle_unrecorded", "oracle_depends_on_subject"]
    tasks: Count


class UncertainAccepted(_Notice):
    code: Literal["uncertain_accepted"]
    recoveries: Count


class UnreportedModel(_Notice):
    code: Literal["unreported_model"]
    rows: Count


Notice = Annotated[
    Plain
    | DiagnosticOnly
    | RetryCampaign
    | ExtendedCampaign
    | PartialSchedule
    | StoppedByBudget
    | OutOfOrderHistory
    | PrefixReport
    | Accounting
    | CompleteCaseEstimate
    | Multiplicity
    | RepeatedTasks
    | SmallSample
    | Degenerate
    | InfrastructureFailures
    | TimeoutsDiffer
    | UnbalancedGroups
    | OfOracles
    | UncertainAccepted
    | UnreportedModel,
    Field(discriminator="code"),
]

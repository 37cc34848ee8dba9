"""The closed lists of the report: why a figure is withheld, why a block does not count, which notices there are.

Members stand in the order of report.md, which is the order of every list that a report holds of them.
"""

from __future__ import annotations

from enum import StrEnum


class Completeness(StrEnum):
    NOT_STARTED = "not_started"
    PARTIAL = "partial"
    COMPLETE = "complete"


class Omission(StrEnum):
    """Why an interval of a group or of a pair is not given."""

    NO_STARTED_TRIALS = "no_started_trials"
    NO_COMPLETE_BLOCKS = "no_complete_blocks"
    SINGLETON = "singleton"
    UNRESOLVED_STARTED = "unresolved_started"
    INSTRUMENT_SKIPPED = "instrument_skipped"
    OTHER_SKIPPED = "other_skipped"
    SCHEDULE_OPEN = "schedule_open"
    SCHEDULE_GAPS = "schedule_gaps"
    TIMEOUT_MISMATCH = "timeout_mismatch"
    MIXED_POPULATION = "mixed_population"
    RETRY_SELECTION = "retry_selection"
    PREFIX_REPORT = "prefix_report"


class ResourceOmission(StrEnum):
    """Why a sum, total or mean of a resource is not given."""

    UNMEASURED = "unmeasured"
    MIXED_SOURCES = "mixed_sources"
    INCOMPLETE_COVERAGE = "incomplete_coverage"
    ACCOUNTING_UNKNOWN = "accounting_unknown"
    NO_MEASURED_SUCCESS = "no_measured_success"
    MIXED_POPULATION = "mixed_population"
    MIXED_WEIGHTS = "mixed_weights"


class PairedOmission(StrEnum):
    """Why totals of a resource over a pair's complete blocks are not given."""

    UNMEASURED = "unmeasured"
    ACCOUNTING_UNKNOWN = "accounting_unknown"
    MIXED_SOURCES = "mixed_sources"
    MIXED_WEIGHTS = "mixed_weights"


class BlockReason(StrEnum):
    """Why a block of a pair is incomplete (the first four) or excluded (the rest)."""

    UNSTARTED = "unstarted"
    INTERRUPTED = "interrupted"
    SKIPPED = "skipped"
    INFRASTRUCTURE_FAILURE = "infrastructure_failure"
    TIMEOUT_MISMATCH = "timeout_mismatch"
    IDENTITY_MISMATCH = "identity_mismatch"


class NoticeCode(StrEnum):
    DIAGNOSTIC_ONLY = "diagnostic_only"
    MOCK_AGENTS = "mock_agents"
    IMPORTED_PLAN = "imported_plan"
    RETRY_CAMPAIGN = "retry_campaign"
    EXTENDED_CAMPAIGN = "extended_campaign"
    PARTIAL_SCHEDULE = "partial_schedule"
    STOPPED_BY_BUDGET = "stopped_by_budget"
    OUT_OF_ORDER_HISTORY = "out_of_order_history"
    PREFIX_REPORT = "prefix_report"
    NOT_A_DEADLINE = "not_a_deadline"
    NO_COST_CAP = "no_cost_cap"
    CONDITIONAL_ON_SUCCESS = "conditional_on_success"
    PROXY_TOKENS = "proxy_tokens"
    MIXED_SOURCES = "mixed_sources"
    ACCOUNTING_UNKNOWN = "accounting_unknown"
    DESCRIPTIVE_PAIRS = "descriptive_pairs"
    COMPLETE_CASE_ESTIMATE = "complete_case_estimate"
    MULTIPLICITY = "multiplicity"
    REPEATED_TASKS = "repeated_tasks"
    SMALL_SAMPLE = "small_sample"
    DEGENERATE = "degenerate"
    INFRASTRUCTURE_FAILURES = "infrastructure_failures"
    TIMEOUTS_DIFFER = "timeouts_differ"
    UNBALANCED_GROUPS = "unbalanced_groups"
    ORACLE_UNRECORDED = "oracle_unrecorded"
    ORACLE_DEPENDS_ON_SUBJECT = "oracle_depends_on_subject"
    UNCERTAIN_ACCEPTED = "uncertain_accepted"
    UNSAFE_FILESYSTEM = "unsafe_filesystem"
    UNREPORTED_MODEL = "unreported_model"

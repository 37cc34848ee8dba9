"""The closed lists of rows, books and scorecards; a member's value is the JSON word."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

ROW_SCHEMA: Final = "oakbench.row/1"
BOOK_SCHEMA: Final = "oakbench.book/2"  # 2: identity and denominators. Version 1 is read and never written.
SCORECARD_SCHEMA: Final = "oakbench.scorecard/1"
STATS_SCHEMA: Final = "oakbench.stats/1"
IDENTITY_SCHEMA: Final = 1
CAMPAIGN_LANE: Final = "agent"


class RowOutcome(StrEnum):
    """How one operation ended. `unknown`: no outcome was observed, which is not the same as failed."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


class Statistic(StrEnum):
    MEDIAN = "median"
    P99 = "p99"


class Direction(StrEnum):
    LOWER = "lower"
    HIGHER = "higher"


class GuardName(StrEnum):
    RECALL = "recall"
    PRECISION = "precision"
    PATCH_APPLY_OK = "patch_apply_ok"


class Mode(StrEnum):
    CLAIM = "claim"
    DIAGNOSTIC = "diagnostic"


class Verdict(StrEnum):
    GREEN = "GREEN"
    AMBER = "AMBER"
    RED = "RED"
    UNMEASURED = "UNMEASURED"
    INVALID = "INVALID"


class Doubt(StrEnum):
    """What a population's rows make doubtful; a book records it of a baseline."""

    REPEATED_CONTENT = "repeated_content"
    RUN_GAPS = "run_gaps"


class Code(StrEnum):
    """Why a verdict is what it is. The four tables below say what each code does to a verdict."""

    DUPLICATE_TRIALS = "duplicate_trials"
    MIXED_POPULATION = "mixed_population"
    IDENTITY_MISMATCH = "identity_mismatch"

    BASELINE_MISSING = "baseline_missing"
    CANDIDATE_MISSING = "candidate_missing"
    CANDIDATE_UNMEASURED = "candidate_unmeasured"
    BASELINE_UNMEASURED = "baseline_unmeasured"
    NONPOSITIVE_VALUE = "nonpositive_value"

    STRADDLES_TARGET = "straddles_target"
    BELOW_NOISE_FLOOR = "below_noise_floor"
    NO_INTERVAL = "no_interval"
    GUARD_FAILED = "guard_failed"

    IDENTITY_INCOMPLETE = "identity_incomplete"
    TOO_FEW_TRIALS = "too_few_trials"
    TRIAL_IDS_MISSING = "trial_ids_missing"
    BASELINE_DUPLICATES = "baseline_duplicates"
    HIDDEN_OUTCOMES = "hidden_outcomes"
    NOISE_FLOOR_ABSENT = "noise_floor_absent"
    NOISE_FLOOR_INVALID = "noise_floor_invalid"
    BASELINE_INTERVAL_INVALID = "baseline_interval_invalid"
    CONFIDENCE_TOO_LOW = "confidence_too_low"
    GUARD_UNMEASURED = "guard_unmeasured"
    REPEATED_CONTENT = "repeated_content"
    RUN_GAPS = "run_gaps"

    DIAGNOSTIC_ONLY = "diagnostic_only"
    NO_PUBLICATION_GATE = "no_publication_gate"
    NOISE_FLOOR_IS_A_RECORD = "noise_floor_is_a_record"
    GREEN_IS_WORSE_THAN_BASELINE = "green_is_worse_than_baseline"
    GUARD_ABSENT = "guard_absent"
    SINGLE_SESSION = "single_session"
    FEW_NOISE_PAIRS = "few_noise_pairs"


INVALIDATES: Final = (Code.DUPLICATE_TRIALS, Code.MIXED_POPULATION, Code.IDENTITY_MISMATCH)
UNMEASURES: Final = (
    Code.BASELINE_MISSING,
    Code.CANDIDATE_MISSING,
    Code.CANDIDATE_UNMEASURED,
    Code.BASELINE_UNMEASURED,
    Code.NONPOSITIVE_VALUE,
)
LEAVES_OPEN: Final = (Code.STRADDLES_TARGET, Code.BELOW_NOISE_FLOOR, Code.NO_INTERVAL, Code.GUARD_FAILED)
"""AMBER, in both modes."""
CAPS: Final = (
    Code.IDENTITY_INCOMPLETE,
    Code.TOO_FEW_TRIALS,
    Code.TRIAL_IDS_MISSING,
    Code.BASELINE_DUPLICATES,
    Code.HIDDEN_OUTCOMES,
    Code.NOISE_FLOOR_ABSENT,
    Code.NOISE_FLOOR_INVALID,
    Code.BASELINE_INTERVAL_INVALID,
    Code.NO_INTERVAL,
    Code.CONFIDENCE_TOO_LOW,
    Code.GUARD_UNMEASURED,
    Code.REPEATED_CONTENT,
    Code.RUN_GAPS,
)
"""In claim mode each turns any verdict but INVALID and UNMEASURED to AMBER, and takes the eligibility."""
NOTICES: Final = (
    Code.DIAGNOSTIC_ONLY,
    Code.NO_PUBLICATION_GATE,
    Code.NOISE_FLOOR_IS_A_RECORD,
    Code.GREEN_IS_WORSE_THAN_BASELINE,
    Code.GUARD_ABSENT,
    Code.SINGLE_SESSION,
    Code.FEW_NOISE_PAIRS,
)
REASON_ORDER: Final = tuple(dict.fromkeys((*INVALIDATES, *UNMEASURES, *LEAVES_OPEN, *CAPS)))

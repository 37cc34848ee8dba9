"""The closed lists of the scorecard: verdicts, reasons and notices, each with its plain sentence.

Members stand in the order in which a result lists them.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Mode(StrEnum):
    CLAIM = "claim"
    DIAGNOSTIC = "diagnostic"


class Verdict(StrEnum):
    GREEN = "GREEN"
    AMBER = "AMBER"
    RED = "RED"
    INVALID = "INVALID"
    UNMEASURED = "UNMEASURED"


class Reason(StrEnum):
    """Why a verdict is what it is."""

    # INVALID
    DUPLICATE_TRIALS = "duplicate_trials"
    MIXED_POPULATION = "mixed_population"
    IDENTITY_MISMATCH = "identity_mismatch"
    # UNMEASURED
    BASELINE_MISSING = "baseline_missing"
    CANDIDATE_MISSING = "candidate_missing"
    CANDIDATE_UNMEASURED = "candidate_unmeasured"
    BASELINE_UNMEASURED = "baseline_unmeasured"
    NONPOSITIVE_VALUE = "nonpositive_value"
    # AMBER
    STRADDLES_TARGET = "straddles_target"
    BELOW_NOISE_FLOOR = "below_noise_floor"
    NO_INTERVAL = "no_interval"
    GUARD_FAILED = "guard_failed"
    # caps of a claim
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


class ScorecardNotice(StrEnum):
    """What must be said beside a result; in diagnostic mode also what a claim would be capped by."""

    DIAGNOSTIC_ONLY = "diagnostic_only"
    NO_PUBLICATION_GATE = "no_publication_gate"
    NOISE_FLOOR_IS_A_RECORD = "noise_floor_is_a_record"
    GREEN_IS_WORSE_THAN_BASELINE = "green_is_worse_than_baseline"
    GUARD_ABSENT = "guard_absent"
    SINGLE_SESSION = "single_session"
    FEW_NOISE_PAIRS = "few_noise_pairs"


NOTICE_TEXT: Final = MappingProxyType(
    {
        ScorecardNotice.DIAGNOSTIC_ONLY: "Diagnostic only: this verdict is no claim.",
        ScorecardNotice.NO_PUBLICATION_GATE: (
            "Claim-eligible means that this comparison's own conditions are met. It replaces no publication gate, no "
            "attestation of provenance, no preregistered analysis and no review."
        ),
        ScorecardNotice.NOISE_FLOOR_IS_A_RECORD: (
            "The noise floor is a recorded measurement of the baseline, and no authenticated calibration."
        ),
        ScorecardNotice.GREEN_IS_WORSE_THAN_BASELINE: (
            "The target lies on the worse side of the baseline: GREEN may be worse than what is saved."
        ),
        ScorecardNotice.GUARD_ABSENT: "No guard is set: that the work is done right is not looked at.",
        ScorecardNotice.SINGLE_SESSION: (
            "The candidate was measured in one session: what differs from session to session is in no interval."
        ),
        ScorecardNotice.FEW_NOISE_PAIRS: (
            "The noise floor rests on fewer than 10 pairs of sessions: with K pairs the next one exceeds it with "
            "probability 1/(K + 1)."
        ),
    }
)

"""The plain words of every code that a report holds: one sentence a code, said in this file and nowhere else.

Rule: a code that is not in these tables is a defect, not a blank: the lookup raises KeyError.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from oakbench_core.campaign.report_codes import (
    BlockReason,
    Completeness,
    Omission,
    PairedOmission,
    ResourceOmission,
)
from oakbench_core.campaign.vocabulary import RecoveryKind, StopReason

COMPLETENESS: Final = MappingProxyType(
    {
        Completeness.NOT_STARTED: "Not started: no scheduled trial was started or skipped.",
        Completeness.PARTIAL: "Partial: some scheduled trials are unstarted, interrupted or skipped.",
        Completeness.COMPLETE: "Complete: nothing is unstarted, interrupted or skipped.",
    }
)

INTERVAL_WITHHELD: Final = MappingProxyType(
    {
        Omission.NO_STARTED_TRIALS: "no trial was started",
        Omission.UNRESOLVED_STARTED: "a started trial has no end on file",
        Omission.INSTRUMENT_SKIPPED: "a trial was skipped for want of an instrument, or after its start",
        Omission.OTHER_SKIPPED: "an operator skipped a trial",
        Omission.SCHEDULE_OPEN: "unstarted trials may still be admitted, and a choice to stop could follow the results",
        Omission.SCHEDULE_GAPS: "unstarted trials were passed over by later ones",
        Omission.TIMEOUT_MISMATCH: "a recorded timeout is not the frozen one",
        Omission.MIXED_POPULATION: "the rows did not run under the same conditions",
        Omission.RETRY_SELECTION: "these trials were picked for a retry by their earlier results",
        Omission.PREFIX_REPORT: "only a prefix of the journal is reported",
        Omission.NO_COMPLETE_BLOCKS: "no block is complete",
        Omission.SINGLETON: "one block alone says nothing of how blocks vary",
    }
)

RESOURCE_WITHHELD: Final = MappingProxyType(
    {
        ResourceOmission.UNMEASURED: "unmeasured, no started trial has a value",
        ResourceOmission.MIXED_SOURCES: "the costs come from different sources and are not added up",
        ResourceOmission.INCOMPLETE_COVERAGE: "not every started trial has a value, so there is no complete total",
        ResourceOmission.ACCOUNTING_UNKNOWN: "some cost has no source, so there is no complete total",
        ResourceOmission.NO_MEASURED_SUCCESS: "no verified success has a value, hence no mean or median",
        ResourceOmission.MIXED_POPULATION: "the rows ran under different conditions, hence no mean or median",
        ResourceOmission.MIXED_WEIGHTS: "the tokens were weighted in different ways, so nothing is given but coverage",
    }
)

BLOCK_REASON: Final = MappingProxyType(
    {
        BlockReason.UNSTARTED: "a side is unstarted",
        BlockReason.INTERRUPTED: "a side was interrupted",
        BlockReason.SKIPPED: "a side was skipped",
        BlockReason.INFRASTRUCTURE_FAILURE: "a side ended by an infrastructure failure",
        BlockReason.TIMEOUT_MISMATCH: "a recorded timeout is not the frozen one",
        BlockReason.IDENTITY_MISMATCH: "the sides did not run under the same conditions",
    }
)

PAIRED_WITHHELD: Final = MappingProxyType(
    {
        PairedOmission.UNMEASURED: "in no complete block have both sides a value",
        PairedOmission.ACCOUNTING_UNKNOWN: "some row does not say how they were counted, so the sides are not compared",
        PairedOmission.MIXED_SOURCES: "they were counted in different ways, so the sides are not compared",
        PairedOmission.MIXED_WEIGHTS: "they were weighted in different ways, so the sides are not compared",
    }
)

STOP: Final = MappingProxyType(
    {
        StopReason.EXHAUSTED: "nothing was left to start",
        StopReason.BUDGET: "the admission budget did not cover the next trial",
        StopReason.HALTED: "too many infrastructure failures in a row",
        StopReason.DISK: "too little free disk",
        StopReason.LIMIT: "the limit that was set for this run",
        StopReason.SIGNAL: "a signal or ctrl+c",
        StopReason.CHANGED_INPUT: "a program, plan or input was no longer the frozen one",
    }
)

RECOVERY: Final = MappingProxyType(
    {
        RecoveryKind.TORN: "a torn end was cut off and kept",
        RecoveryKind.ZEROS: "zeros at the end were cut off and kept",
        RecoveryKind.UNCERTAIN_PROVED: "a damaged end was cut off and kept, proved to hold no acknowledged record",
        RecoveryKind.UNCERTAIN_ACCEPTED: "a damaged end, perhaps a lost record, was accepted by hand, cut off and kept",
    }
)

RESOURCE: Final = MappingProxyType(
    {
        "duration_s": "duration",
        "input_tokens": "input tokens",
        "cached_input_tokens": "cached input tokens",
        "cache_write_tokens": "cache write tokens",
        "output_tokens": "output tokens",
        "reasoning_tokens": "reasoning tokens",
        "turns": "turns",
        "tool_calls": "tool calls",
        "cost_usd": "cost",
        "cost_weighted_tokens": "cost-weighted tokens (a proxy, not USD)",
        "transcript_bytes": "transcript",
    }
)

UNIT: Final = MappingProxyType(
    {
        "s": "s",
        "tokens": "tokens",
        "turns": "turns",
        "calls": "calls",
        "usd": "USD",
        "weighted_tokens": "weighted tokens",
        "bytes": "bytes",
    }
)

COST_SOURCE: Final = MappingProxyType(
    {
        "provider": "said by the provider",
        "client_estimate": "estimated by the client",
        "price_table": "computed from a price table",
        "unknown": "of unknown source",
    }
)

UNMEASURED: Final = "unmeasured"
NOT_GIVEN: Final = "not given"

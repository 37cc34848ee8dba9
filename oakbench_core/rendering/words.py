"""The plain words of every code that a report holds: one sentence a code, said in this file and nowhere else.

Rule: a code that is not in these tables is a defect, not a blank: the lookup raises KeyError.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

COMPLETENESS: Final = MappingProxyType(
    {
        "not_started": "Not started: no scheduled trial was started or skipped.",
        "partial": "Partial: some scheduled trials are unstarted, interrupted or skipped.",
        "complete": "Complete: nothing is unstarted, interrupted or skipped.",
    }
)

INTERVAL_WITHHELD: Final = MappingProxyType(
    {
        "no_started_trials": "no trial was started",
        "unresolved_started": "a started trial has no end on file",
        "instrument_skipped": "a trial was skipped for want of an instrument, or after its start",
        "other_skipped": "an operator skipped a trial",
        "schedule_open": "unstarted trials may still be admitted, and who may stop when it looks good has no interval",
        "schedule_gaps": "unstarted trials were passed over by later ones",
        "timeout_mismatch": "a recorded timeout is not the frozen one",
        "mixed_population": "the rows did not run under the same conditions",
        "retry_selection": "these trials were picked for a retry by their earlier results",
        "prefix_report": "only a prefix of the journal is reported",
        "no_complete_blocks": "no block is complete",
        "singleton": "one block alone says nothing of how blocks vary",
    }
)

RESOURCE_WITHHELD: Final = MappingProxyType(
    {
        "unmeasured": "unmeasured, no started trial has a value",
        "mixed_sources": "the costs come from different sources and are not added up",
        "incomplete_coverage": "not every started trial has a value, so there is no complete total",
        "accounting_unknown": "a cost does not say who computed it, so there is no complete total",
        "no_measured_success": "no verified success has a value, so there is no mean or median",
        "mixed_population": "the rows did not run under the same conditions, so there is no mean or median",
        "mixed_weights": "the tokens were weighted in different ways, so nothing is given but coverage",
    }
)

BLOCK_REASON: Final = MappingProxyType(
    {
        "unstarted": "a side is unstarted",
        "interrupted": "a side was interrupted",
        "skipped": "a side was skipped",
        "infrastructure_failure": "a side ended by an infrastructure failure",
        "timeout_mismatch": "a recorded timeout is not the frozen one",
        "identity_mismatch": "the sides did not run under the same conditions",
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

"""The closed lists of the formats: each member's value is the word that stands in the JSON."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Final


class EventKind(StrEnum):
    OPENED = "opened"
    STARTED = "started"
    FINISHED = "finished"
    RECOVERED = "recovered"
    CLOSED = "closed"


class Terminal(StrEnum):
    COMPLETED = "completed"
    TIMED_OUT = "timed_out"
    INFRASTRUCTURE_FAILURE = "infrastructure_failure"
    SKIPPED = "skipped"


class State(StrEnum):
    UNSTARTED = "unstarted"
    INTERRUPTED = "interrupted"
    SKIPPED = "skipped"
    FINISHED = "finished"


class Outcome(StrEnum):
    VERIFIED_SUCCESS = "verified_success"
    TASK_FAILURE = "task_failure"
    TIMED_OUT = "timed_out"
    INFRASTRUCTURE_FAILURE = "infrastructure_failure"


class SkipPhase(StrEnum):
    BEFORE_START = "before_start"
    AFTER_START = "after_start"


class SkipReason(StrEnum):
    MISSING_INSTRUMENT = "missing_instrument"
    UNSUPPORTED = "unsupported"
    OPERATOR = "operator"


class CheckStatus(StrEnum):
    PASS = "pass"  # noqa: S105 - the format's word, no password
    FAIL = "fail"
    UNMEASURED = "unmeasured"


class ErrorType(StrEnum):
    SETUP_FAILED = "setup_failed"
    AGENT_NOT_STARTED = "agent_not_started"
    AGENT_KILLED = "agent_killed"
    PROVIDER_AUTH = "provider_auth"
    PROVIDER_LIMIT = "provider_limit"
    PROVIDER_UNAVAILABLE = "provider_unavailable"
    SUPERVISOR_LOST = "supervisor_lost"
    WORKER_LOST = "worker_lost"
    RUNNER_ERROR = "runner_error"


class CostSource(StrEnum):
    PROVIDER = "provider"
    CLIENT_ESTIMATE = "client_estimate"
    PRICE_TABLE = "price_table"


class StopReason(StrEnum):
    EXHAUSTED = "exhausted"
    BUDGET = "budget"
    HALTED = "halted"
    DISK = "disk"
    LIMIT = "limit"
    SIGNAL = "signal"
    CHANGED_INPUT = "changed_input"


class RecoveryKind(StrEnum):
    TORN = "torn"
    ZEROS = "zeros"
    UNCERTAIN_PROVED = "uncertain_proved"
    UNCERTAIN_ACCEPTED = "uncertain_accepted"


class RecoveryReason(StrEnum):
    TORN_START = "torn_start"
    TORN_OTHER = "torn_other"
    START_IMPOSSIBLE = "start_impossible"
    AMBIGUOUS = "ambiguous"


class Adapter(StrEnum):
    COMMAND = "command"
    MOCK = "mock"
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI = "gemini"


class Treatment(StrEnum):
    """Population fields that a plan may compare, so that they may differ between subjects."""

    AGENT_VERSION = "agent_version"
    RESOLVED_MODEL = "resolved_model"
    ENVIRONMENT_ISOLATION = "environment_isolation"


class Standing(IntEnum):
    """Where one trial stands: its state and, where it is finished or skipped, how. One byte in the ledger.

    Every trial has exactly one standing, so counts taken from it add up to the schedule by construction.
    """

    UNSTARTED = 0
    INTERRUPTED = 1
    UNCERTAIN = 2  # an interrupted trial whose start was never proved: reserved by a recovery
    SKIPPED_BEFORE_START = 3
    SKIPPED_AFTER_START = 4
    VERIFIED_SUCCESS = 5
    TASK_FAILURE = 6
    TIMED_OUT = 7
    INFRASTRUCTURE_FAILURE = 8

    @property
    def state(self) -> State:
        return _STATES[self]

    @property
    def outcome(self) -> Outcome | None:
        return _OUTCOMES.get(self)


_STATES: Final = {
    Standing.UNSTARTED: State.UNSTARTED,
    Standing.INTERRUPTED: State.INTERRUPTED,
    Standing.UNCERTAIN: State.INTERRUPTED,
    Standing.SKIPPED_BEFORE_START: State.SKIPPED,
    Standing.SKIPPED_AFTER_START: State.SKIPPED,
    Standing.VERIFIED_SUCCESS: State.FINISHED,
    Standing.TASK_FAILURE: State.FINISHED,
    Standing.TIMED_OUT: State.FINISHED,
    Standing.INFRASTRUCTURE_FAILURE: State.FINISHED,
}
_OUTCOMES: Final = {
    Standing.VERIFIED_SUCCESS: Outcome.VERIFIED_SUCCESS,
    Standing.TASK_FAILURE: Outcome.TASK_FAILURE,
    Standing.TIMED_OUT: Outcome.TIMED_OUT,
    Standing.INFRASTRUCTURE_FAILURE: Outcome.INFRASTRUCTURE_FAILURE,
}

RESOURCE_UNITS: Final = {
    "duration_s": "s",
    "input_tokens": "tokens",
    "cached_input_tokens": "tokens",
    "cache_write_tokens": "tokens",
    "output_tokens": "tokens",
    "reasoning_tokens": "tokens",
    "turns": "turns",
    "tool_calls": "calls",
    "cost_usd": "usd",
    "cost_weighted_tokens": "weighted_tokens",
    "transcript_bytes": "bytes",
}
"""The eleven resources of a row, in the row's order, with their units."""

TOKEN_FIELDS: Final = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
)

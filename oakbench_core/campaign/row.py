"""`oakbench.row/1`, lane `agent`: one measured trial as it stands in the finished envelope.

Types and closed lists are here; the rules that join fields are in `row_rules`, for the reader's faster decoder too.
A part that is null or absent means that nothing of it was measured.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from oakbench_core.campaign.plan_document import TokenField
from oakbench_core.campaign.vocabulary import (
    CheckStatus,
    CostSource,
    ErrorType,
    SkipPhase,
    SkipReason,
)
from oakbench_core.shapes import (
    Amount,
    Count,
    Document,
    Integer,
    Items,
    Positive,
    RelativePath,
    Word,
)


class CheckResult(Document):
    name: str
    status: Word[CheckStatus]
    detail: str | None = None
    instrument: str | None = None


def _listed(checks: object) -> object:
    return () if checks is None else checks


class Oracle(Document):
    """What the oracle found; null checks are absent checks: there are none."""

    version: Integer | None = None
    checks: Annotated[
        Items[CheckResult], BeforeValidator(_listed, json_schema_input_type=Items[CheckResult] | None)
    ] = ()


class Resources(Document):
    """What the trial used; None: not observed. A measured zero is 0."""

    duration_s: Amount | None = None
    input_tokens: Count | None = None
    cached_input_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    output_tokens: Count | None = None
    reasoning_tokens: Count | None = None
    turns: Count | None = None
    tool_calls: Count | None = None
    cost_usd: Amount | None = None
    cost_weighted_tokens: Amount | None = None
    transcript_bytes: Count | None = None


class Accounting(Document):
    """How the provider counts; None: not known, so that its counts are not comparable."""

    provider: str | None = None
    input_includes_cached: bool | None = None
    output_includes_reasoning: bool | None = None
    cost_source: Word[CostSource] | None = None
    price_table: str | None = None
    token_weights: dict[TokenField, Annotated[float, Field(allow_inf_nan=False)]] | None = None


class RowPopulation(Document):
    """The conditions under which the trial ran."""

    runner_class: str | None = None
    os: str | None = None
    arch: str | None = None
    agent_version: str | None = None
    resolved_model: str | None = None
    subject_version: str | None = None
    subject_binary_sha256: str | None = None
    fixture_version: str | None = None
    oracle_version: Integer | None = None
    prompt_sha256: str | None = None
    environment_isolation: str | None = None
    cache_state: str | None = None
    load_state: str | None = None
    token_calibration: str | None = None


class Skip(Document):
    phase: Word[SkipPhase]
    reason: Word[SkipReason]
    instrument: str | None = None
    detail: str | None = None


class TrialError(Document):
    type: Word[ErrorType]
    message: str | None = None


class Artifacts(Document):
    """Paths relative to the campaign folder."""

    stdout: RelativePath | None = None
    stderr: RelativePath | None = None
    transcript: RelativePath | None = None
    changes: RelativePath | None = None
    oracle: RelativePath | None = None
    workspace: RelativePath | None = None


class Row(Document):
    schema_: Literal["oakbench.row/1"] = Field(alias="schema")
    lane: Literal["agent"]
    bench_id: str
    run: Positive
    workflow: str
    task: str
    instruction_level: str
    agent: str
    model: str | None = None
    subject: str
    verified_success: bool | None
    timed_out: bool
    exit_code: Integer | None = None
    timeout_s: Positive
    suspended_s: Amount | None = None
    oracle: Oracle | None = None
    resources: Resources | None = None
    accounting: Accounting | None = None
    population: RowPopulation | None = None
    skip: Skip | None = None
    error: TrialError | None = None
    artifacts: Artifacts | None = None
    extra: dict[str, Any] | None = None

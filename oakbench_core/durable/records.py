"""The reader's fast path: blocks of lines decoded at once, accepting only what `framing.decode_line` accepts.

A block is decoded into strict structures and encoded again; equal bytes prove that there are no duplicate keys, no
spaces, no other order and no other spelling, wherever msgspec spells as Python does. Where it does not (floats below
1e-4 and from 1e16 on) or where types are open (`extra`), `exact` looks closer. What is not proved here is no error:
`decode_block` answers None or `exact` False, and the line is decoded again by the measure. So are the few `opened`,
`recovered` and `closed` records, always.
"""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Final, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from oakbench_core.campaign.plan_document import TokenField
from oakbench_core.campaign.vocabulary import (
    CheckStatus,
    CostSource,
    ErrorType,
    EventKind,
    SkipPhase,
    SkipReason,
    Terminal,
)
from oakbench_core.canonical import MAX_INTEGER, parse_strict
from oakbench_core.durable.framing import compact

_LONG_FLOAT: Final = 1e16  # from here on Python writes an exponent with a sign
_SHORT_FLOAT: Final = 1e-4  # below it Python writes an exponent of two digits

Integer = Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
Count = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Positive = Annotated[int, Meta(ge=1, le=MAX_INTEGER)]
Amount = Count | Annotated[float, Meta(ge=0, lt=_LONG_FLOAT)]
Weight = Integer | Annotated[float, Meta(gt=-_LONG_FLOAT, lt=_LONG_FLOAT)]


class CheckResult(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    name: str
    status: CheckStatus
    detail: str | None
    instrument: str | None


class Oracle(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    version: Integer | None
    checks: tuple[CheckResult, ...]


class Resources(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    duration_s: Amount | None
    input_tokens: Count | None
    cached_input_tokens: Count | None
    cache_write_tokens: Count | None
    output_tokens: Count | None
    reasoning_tokens: Count | None
    turns: Count | None
    tool_calls: Count | None
    cost_usd: Amount | None
    cost_weighted_tokens: Amount | None
    transcript_bytes: Count | None


class Accounting(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    provider: str | None
    input_includes_cached: bool | None
    output_includes_reasoning: bool | None
    cost_source: CostSource | None
    price_table: str | None
    token_weights: dict[TokenField, Weight] | None


class RowPopulation(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    runner_class: str | None
    os: str | None
    arch: str | None
    agent_version: str | None
    resolved_model: str | None
    subject_version: str | None
    subject_binary_sha256: str | None
    fixture_version: str | None
    oracle_version: Integer | None
    prompt_sha256: str | None
    environment_isolation: str | None
    cache_state: str | None
    load_state: str | None
    token_calibration: str | None


class Skip(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    phase: SkipPhase
    reason: SkipReason
    instrument: str | None
    detail: str | None


class TrialError(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    type: ErrorType
    message: str | None


class Artifacts(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    stdout: str | None
    stderr: str | None
    transcript: str | None
    changes: str | None
    oracle: str | None
    workspace: str | None


class Row(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A row with every key, in the format's order; `extra` stays the bytes that it is."""

    schema_: Literal["oakbench.row/1"] = msgspec.field(name="schema")
    lane: Literal["agent"]
    bench_id: str
    run: Positive
    workflow: str
    task: str
    instruction_level: str
    agent: str
    model: str | None
    subject: str
    verified_success: bool | None
    timed_out: bool
    exit_code: Integer | None
    timeout_s: Positive
    suspended_s: Amount | None
    oracle: Oracle | None
    resources: Resources | None
    accounting: Accounting | None
    population: RowPopulation | None
    skip: Skip | None
    error: TrialError | None
    artifacts: Artifacts | None
    extra: Raw


class Started(Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="event", tag="started"):
    event: ClassVar[EventKind] = EventKind.STARTED
    trial_id: str
    seq: Count
    v: Literal[1]
    plan_sha256: str
    writer: str
    at: str
    hash: str


class Finished(Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="event", tag="finished"):
    event: ClassVar[EventKind] = EventKind.FINISHED
    trial_id: str
    seq: Count
    v: Literal[1]
    plan_sha256: str
    writer: str
    at: str
    terminal: Terminal
    row: Row
    hash: str


class Opened(Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="event", tag="opened"):
    trial_id: None
    seq: Count
    v: Literal[1]
    plan_sha256: str
    writer: str
    at: str
    runner: Raw
    hash: str


class Recovered(Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="event", tag="recovered"):
    trial_id: str | None
    seq: Count
    v: Literal[1]
    plan_sha256: str
    writer: str
    at: str
    recovery: Raw
    hash: str


class Closed(Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="event", tag="closed"):
    trial_id: None
    seq: Count
    v: Literal[1]
    plan_sha256: str
    writer: str
    at: str
    stop: Raw
    hash: str


Record = Started | Finished | Opened | Recovered | Closed

_DECODER: Final = msgspec.json.Decoder(Record)
_ENCODER: Final = msgspec.json.Encoder()
_OPEN_DECODER: Final = msgspec.json.Decoder()
# What the open decoder may read otherwise than Python: a float, or an integer too long.
_DOUBTFUL_NUMBER: Final = re.compile(rb"[0-9][.eE]|[0-9]{16}")
_NO_EXTRA: Final = Raw(b"{}")
_SHALLOW: Final = 48  # brackets in all of `extra`: fewer cannot nest too deep


def decode_block(block: bytes) -> list[Record] | None:
    """The records of a block of LF-ended lines, one a line; None if the bytes are not proved to be their encoding."""
    try:
        records = _DECODER.decode_lines(block)
        return records if _ENCODER.encode_lines(records) == block else None
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None


def exact(row: Row) -> bool:
    """Whether what `decode_block` leaves open in a row is proved too."""
    resources, accounting, artifacts = row.resources, row.accounting, row.artifacts
    return (
        (row.extra == _NO_EXTRA or _extra_is_exact(bytes(row.extra)))
        and (
            resources is None
            or (
                _spelled_alike(resources.duration_s)
                and _spelled_alike(resources.cost_usd)
                and _spelled_alike(resources.cost_weighted_tokens)
            )
        )
        and _spelled_alike(row.suspended_s)
        and (accounting is None or accounting.token_weights is None or _weights_alike(accounting.token_weights))
        and (artifacts is None or _stay_inside(artifacts))
    )


def _spelled_alike(value: float | None) -> bool:
    return not value or value >= _SHORT_FLOAT


def _weights_alike(weights: dict[TokenField, Weight]) -> bool:
    return all(_spelled_alike(abs(weight)) for weight in weights.values())


def _stay_inside(a: Artifacts) -> bool:
    for path in (a.stdout, a.stderr, a.transcript, a.changes, a.oracle, a.workspace):
        # "/" sorts before "0", and so does the empty path.
        if path is not None and (path < "0" or ".." in path or "\0" in path):
            return False
    return True


def _extra_is_exact(extra: bytes) -> bool:
    if extra == b"null":
        return True
    if not extra.startswith(b"{") or extra.count(b"{") + extra.count(b"[") > _SHALLOW:
        return False
    if _DOUBTFUL_NUMBER.search(extra):
        value, problems = parse_strict(extra)
        return not problems and compact(value) == extra
    try:
        return _ENCODER.encode(_OPEN_DECODER.decode(extra)) == extra
    except (msgspec.MsgspecError, UnicodeError):
        return False

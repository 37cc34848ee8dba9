"""The reader's fast path: blocks of lines decoded at once, accepting only what `framing.decode_line` accepts.

A block is decoded into strict structures and encoded again; equal bytes prove that there are no duplicate keys, no
spaces, no other order and no other spelling, wherever msgspec spells as Python does. Where it does not (floats below
1e-4 and from 1e16 on) or where types are open (`extra`), the values are looked at. What is not proved here is no error:
`decode_block` answers None, and the lines are decoded again by the measure.

Most rows of a campaign say the same of their oracle, accounting and population. These parts are decoded once for each
text, and the rows share them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct

from oakbench_core.campaign.plan_document import TokenField
from oakbench_core.campaign.vocabulary import (
    CheckStatus,
    CostSource,
    ErrorType,
    EventKind,
    RecoveryKind,
    RecoveryReason,
    SkipPhase,
    SkipReason,
    StopReason,
    Terminal,
)
from oakbench_core.canonical import MAX_INTEGER, parse_strict
from oakbench_core.durable.framing import compact

T = TypeVar("T")

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


if TYPE_CHECKING:
    SharedOracle = Oracle | None
    SharedAccounting = Accounting | None
    SharedPopulation = RowPopulation | None
    OpenPart = Any
else:
    # Text at first: `decode_block` puts the value in its place.
    SharedOracle = SharedAccounting = SharedPopulation = OpenPart = Raw


class Row(Struct, forbid_unknown_fields=True, gc=False):
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
    oracle: SharedOracle
    resources: Resources | None
    accounting: SharedAccounting
    population: SharedPopulation
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


class Runner(Struct, forbid_unknown_fields=True, gc=False):
    """Who wrote what follows; `settings` are text until `decode_block` has looked at them."""

    format: Literal["oakbench.event/1"]
    tool: str | None
    host: str | None
    pid: Integer | None
    boot_id: str | None
    file_system: str | None
    max_parallel: Positive
    unsafe_filesystem: bool | None
    settings: OpenPart


class Recovery(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    offset: Count
    bytes: Count
    sha256: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    kind: RecoveryKind
    kept_as: tuple[str, ...]
    reason: RecoveryReason


class Stop(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    reason: StopReason
    code: Integer
    detail: str | None


class Opened(Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="event", tag="opened"):
    event: ClassVar[EventKind] = EventKind.OPENED
    trial_id: None
    seq: Count
    v: Literal[1]
    plan_sha256: str
    writer: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
    at: str
    runner: Runner
    hash: str


class Recovered(Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="event", tag="recovered"):
    event: ClassVar[EventKind] = EventKind.RECOVERED
    trial_id: str | None
    seq: Count
    v: Literal[1]
    plan_sha256: str
    writer: str
    at: str
    recovery: Recovery
    hash: str


class Closed(Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="event", tag="closed"):
    event: ClassVar[EventKind] = EventKind.CLOSED
    trial_id: None
    seq: Count
    v: Literal[1]
    plan_sha256: str
    writer: str
    at: str
    stop: Stop
    hash: str


TrialRecord = Started | Finished
RunnerRecord = Opened | Recovered | Closed
Record = TrialRecord | RunnerRecord

_DECODER: Final = msgspec.json.Decoder(Record)
_ENCODER: Final = msgspec.json.Encoder()
_OPEN_DECODER: Final = msgspec.json.Decoder()
# What the open decoder may read otherwise than Python: a float, or an integer too long.
_DOUBTFUL_NUMBER: Final = re.compile(rb"[0-9][.eE]|[0-9]{16}")
_NO_EXTRA: Final = Raw(b"{}")
_MOST_SHARED: Final = 1024
_MOST_BYTES: Final = 4096
_SHALLOW: Final = 48  # brackets in all of `extra`: fewer cannot nest too deep


class _Shared(dict[bytes, T]):
    """Parts of rows by their text; a new one is decoded, and must be in the one encoding.

    Raises:
        msgspec.MsgspecError, UnicodeError: it is not.
    """

    def __init__(self, decoder: msgspec.json.Decoder[T]) -> None:
        self._decoder = decoder

    def __missing__(self, text: bytes) -> T:
        part = self._decoder.decode(text)
        if _ENCODER.encode(part) != text or not _is_spelled_alike(part):
            raise msgspec.ValidationError
        if len(text) <= _MOST_BYTES:
            if len(self) == _MOST_SHARED:
                self.clear()
            self[text] = part
        return part


def _is_spelled_alike(part: object) -> bool:
    weights = (part.token_weights if isinstance(part, Accounting) else None) or {}
    return not any(weight and abs(weight) < _SHORT_FLOAT for weight in weights.values())


_ORACLES: Final = _Shared(msgspec.json.Decoder(Oracle | None))
_ACCOUNTINGS: Final = _Shared(msgspec.json.Decoder(Accounting | None))
_POPULATIONS: Final = _Shared(msgspec.json.Decoder(RowPopulation | None))


def decode_block(block: bytes) -> list[Record] | None:
    """The records of a block of LF-ended lines, one a line; None if the bytes are not proved to be their encoding."""
    try:
        records = _DECODER.decode_lines(block)
        if _ENCODER.encode_lines(records) != block:
            return None
        for record in records:
            if type(record) is Finished:
                if not _is_exact(record.row):
                    return None
            elif type(record) is Opened and not _settings_are_exact(record.runner):
                return None
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    return records


def _is_exact(row: Row) -> bool:
    """Whether what the types leave open in a row is proved too; puts the shared parts in their place."""
    shared: Any = row
    shared.oracle = _ORACLES[bytes(shared.oracle)]
    shared.accounting = _ACCOUNTINGS[bytes(shared.accounting)]
    shared.population = _POPULATIONS[bytes(shared.population)]
    r = row.resources
    return (
        (row.extra == _NO_EXTRA or _extra_is_exact(bytes(row.extra)))
        and not (
            r is not None
            and (
                (r.duration_s and r.duration_s < _SHORT_FLOAT)
                or (r.cost_usd and r.cost_usd < _SHORT_FLOAT)
                or (r.cost_weighted_tokens and r.cost_weighted_tokens < _SHORT_FLOAT)
            )
        )
        and not (row.suspended_s and row.suspended_s < _SHORT_FLOAT)
        and (row.artifacts is None or _stay_inside(row.artifacts))
    )


def _settings_are_exact(runner: Runner) -> bool:
    text = bytes(runner.settings)
    runner.settings = _OPEN_DECODER.decode(text)  # what is kept of the text would keep the whole block
    return _extra_is_exact(text)


def _stay_inside(a: Artifacts) -> bool:
    # "/" sorts before "0", and so does the empty path. Spelled out: six calls would cost as much again.
    return not (
        ((path := a.stdout) is not None and (path < "0" or ".." in path or "\0" in path))
        or ((path := a.stderr) is not None and (path < "0" or ".." in path or "\0" in path))
        or ((path := a.transcript) is not None and (path < "0" or ".." in path or "\0" in path))
        or ((path := a.changes) is not None and (path < "0" or ".." in path or "\0" in path))
        or ((path := a.oracle) is not None and (path < "0" or ".." in path or "\0" in path))
        or ((path := a.workspace) is not None and (path < "0" or ".." in path or "\0" in path))
    )


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

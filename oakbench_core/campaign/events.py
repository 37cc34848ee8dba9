"""`oakbench.event/1`: the five kinds of journal record.

`Event` is a line of a journal, with every transport field. `Evidence` is what `report_campaign` takes: the same events
from anywhere, where `seq`, `v`, `writer`, `at` and `hash` may be absent, for no count depends on them.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, TypeAdapter

from oakbench_core.campaign.row import Row
from oakbench_core.campaign.vocabulary import (
    RecoveryKind,
    RecoveryReason,
    StopReason,
    Terminal,
)
from oakbench_core.shapes import (
    Count,
    Document,
    Hex32,
    Integer,
    Items,
    Positive,
    Sha256,
    UtcTime,
    Word,
)


def _an_integer(value: object) -> object:
    # A literal is compared with ==, and 1.0 and true are equal to 1.
    if type(value) is not int:
        message = "expected 1"
        raise ValueError(message)
    return value


Version = Annotated[Literal[1], BeforeValidator(_an_integer)]


class Runner(Document):
    """Who wrote what follows; all but `format` and `max_parallel` may be unknown."""

    format: Literal["oakbench.event/1"]
    tool: str | None = None
    host: str | None = None
    pid: Integer | None = None
    boot_id: str | None = None
    file_system: str | None = None
    max_parallel: Positive
    unsafe_filesystem: bool | None = None
    settings: dict[str, Any] | None = None


class Stop(Document):
    """Why a runner ended in order."""

    reason: Word[StopReason]
    code: Integer
    detail: str | None = None


class Recovery(Document):
    """What a recovery cut from the end of the journal, and where it is kept."""

    offset: Count
    bytes: Count
    sha256: Sha256
    kind: Word[RecoveryKind]
    kept_as: Items[str]
    reason: Word[RecoveryReason]


class _Evidence(Document):
    plan_sha256: Sha256
    seq: Count | None = None
    v: Version | None = None
    writer: Hex32 | None = None
    at: UtcTime | None = None
    hash: Hex32 | None = None


class _Line(Document):
    seq: Count
    v: Version
    writer: Hex32
    at: UtcTime
    hash: Hex32


class OpenedEvidence(_Evidence):
    event: Literal["opened"]
    trial_id: None = None
    runner: Runner


class StartedEvidence(_Evidence):
    event: Literal["started"]
    trial_id: str


class FinishedEvidence(_Evidence):
    event: Literal["finished"]
    trial_id: str
    terminal: Word[Terminal]
    row: Row


class RecoveredEvidence(_Evidence):
    event: Literal["recovered"]
    trial_id: str | None
    recovery: Recovery


class ClosedEvidence(_Evidence):
    event: Literal["closed"]
    trial_id: None = None
    stop: Stop


class Opened(_Line, OpenedEvidence):
    trial_id: None


class Started(_Line, StartedEvidence):
    pass


class Finished(_Line, FinishedEvidence):
    pass


class Recovered(_Line, RecoveredEvidence):
    pass


class Closed(_Line, ClosedEvidence):
    trial_id: None


Event = Annotated[Opened | Started | Finished | Recovered | Closed, Field(discriminator="event")]
Evidence = Annotated[
    OpenedEvidence | StartedEvidence | FinishedEvidence | RecoveredEvidence | ClosedEvidence,
    Field(discriminator="event"),
]


@cache
def event_type() -> TypeAdapter[Event]:
    return TypeAdapter(Event)


@cache
def evidence_type() -> TypeAdapter[Evidence]:
    return TypeAdapter(Evidence)

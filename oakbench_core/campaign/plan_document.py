"""`oakbench.plan/1` as it stands in plan.json: types and closed lists; what joins its parts is tested in `plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import asdict
from pydantic import ConfigDict, Field, field_validator
from pydantic_core.core_schema import no_info_after_validator_function, plain_serializer_function_ser_schema

from oakbench_core.campaign.vocabulary import Adapter, Treatment
from oakbench_core.canonical import MAX_INTEGER
from oakbench_core.shapes import (
    Count,
    DecimalText,
    Document,
    EnvironmentName,
    Integer,
    Items,
    JoinedNames,
    Name,
    Positive,
    RelativePath,
    Sha256,
    Text,
    UtcTime,
    Word,
)

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

Command = Text | Items[str]
"""An argv list, or a string run by `sh -euc`."""

TokenField = Literal[
    "input_tokens",
    "cached_input_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
]
TokenWeights = dict[TokenField, DecimalText]
_Positive = Annotated[int, Meta(ge=1, le=MAX_INTEGER)]
SECRET_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD")


class PlannedPopulation(Document):
    """Conditions of the host that the runner cannot observe; null where they were not said."""

    runner_class: str | None = None
    environment_isolation: str | None = None
    cache_state: str | None = None
    load_state: str | None = None


class CommandCheck(Document):
    """Passes if the command ends with `exit` (and its output is as said) within `timeout_s` seconds."""

    name: Text
    kind: Literal["command"]
    run: Command
    exit: Integer = 0
    stdout: str | None = None
    stdout_regex: str | None = None
    instruments: Items[Text] = ()
    timeout_s: Positive = 300


class FileCheck(Document):
    """Passes if the file at `path` in the workspace is there (or absent) and holds what is said."""

    name: Text
    kind: Literal["file"]
    path: RelativePath
    present: bool = True
    contains: str | None = None
    sha256: Sha256 | None = None


class ChangesCheck(Document):
    """Passes if all changed paths match `may_change` and each glob of `must_change` is matched."""

    name: Text
    kind: Literal["changes"]
    may_change: Items[Text] | None = None
    must_change: Items[Text] | None = None


Check = Annotated[CommandCheck | FileCheck | ChangesCheck, Field(discriminator="kind")]


class OraclePlan(Document):
    version: Count
    files_sha256: Sha256 | None = None
    checks: Items[Check]


class Task(Document):
    fixture_sha256: Sha256 | None = None
    prompts: dict[Name, str]
    setup: Items[Command] = ()
    setup_timeout_s: Positive = 600
    cleanup: Items[Command] = ()
    instruments: Items[Text] = ()
    oracle: OraclePlan


class Workflow(Document):
    version: Count
    inputs_sha256: Sha256 | None = None
    tasks: Annotated[dict[Name, Task], Field(min_length=1)]


class Prices(Document):
    """USD per million tokens, as decimal text."""

    input: DecimalText | None = None
    cached_input: DecimalText | None = None
    cache_write: DecimalText | None = None
    output: DecimalText | None = None
    as_of: Text | None = None


def looks_secret(name: str) -> bool:
    """Whether a variable of that name would hold a secret, whose value stands in no plan."""
    return name.upper().endswith(SECRET_ENDINGS)


def _public(values: dict[str, str] | None) -> dict[str, str] | None:
    for name in values or {}:
        if looks_secret(name):
            message = f"{name} looks like a secret: set_env holds public values, pass it by `env`"
            raise ValueError(message)
    return values


class Agent(Document):
    adapter: Word[Adapter]
    model: str | None = None
    argv: Items[str] = ()
    env: Items[EnvironmentName] = ()
    set_env: dict[EnvironmentName, str] = Field(default_factory=dict)
    home: Literal["fresh", "inherit"] = "fresh"
    login: Items[Text] = ()
    cleanup: Items[Command] = ()
    mock: bool = False
    may_be_missing: bool = False
    version: str | None = None
    binary_sha256: Sha256 | None = None
    prices: Prices | None = None
    token_weights: TokenWeights | None = None

    _set_env_is_public = field_validator("set_env")(_public)


class AgentOverride(Document):
    """What a subject changes of its agent, so that models and agents can be compared as subjects."""

    adapter: Word[Adapter] | None = None
    model: str | None = None
    argv: Items[str] | None = None
    env: Items[EnvironmentName] | None = None
    set_env: dict[EnvironmentName, str] | None = None
    prices: Prices | None = None
    token_weights: TokenWeights | None = None

    _set_env_is_public = field_validator("set_env")(_public)


class Subject(Document):
    binary: str | None = None
    version: str | None = None
    binary_sha256: Sha256 | None = None
    parameters: dict[Name, str] = Field(default_factory=dict)
    setup: Items[Command] = ()
    instruments: Items[Text] = ()
    may_be_missing: bool = False
    unsupported: dict[JoinedNames, str] = Field(default_factory=dict)
    agent: AgentOverride | None = None


class ScheduleEntry(Document):
    """One entry of the schedule, as it stands there."""

    model_config = ConfigDict(title="ScheduledTrial")

    trial_id: JoinedNames
    block_id: JoinedNames
    workflow: Name
    task: Name
    instruction_level: Name
    agent: Name
    subject: Name
    repetition: Positive
    timeout_s: Positive
    model: str | None = None
    retry_of: JoinedNames | None = None


class ScheduledTrial(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One entry of the schedule, once it is checked: a plan holds up to hundreds of thousands, and models are large."""

    trial_id: str
    block_id: str
    workflow: str
    task: str
    instruction_level: str
    agent: str
    subject: str
    repetition: _Positive
    timeout_s: _Positive
    model: str | None
    retry_of: str | None

    @classmethod
    def __get_pydantic_core_schema__(cls, _: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_after_validator_function(
            lambda entry: cls(**vars(entry)),
            handler.generate_schema(ScheduleEntry),
            serialization=plain_serializer_function_ser_schema(asdict),
        )


class Parent(Document):
    """The campaign that a follow-up plan was made from; nothing is pooled over the two."""

    campaign_id: Name
    plan_sha256: Sha256
    kind: Literal["retry", "extension"]
    finished_trials: Count | None = None


class Provenance(Document):
    tool: str | None
    definition_sha256: Sha256 | None
    source: Literal["definition", "import"]
    parent: Parent | None = None


class PlanDocument(Document):
    """The whole of plan.json."""

    schema_: Literal["oakbench.plan/1"] = Field(alias="schema")
    plan_sha256: Sha256
    campaign_id: Name
    created_at: UtcTime
    seed: Integer
    participants: Literal["agents"] = "agents"
    admission_budget_s: Count | None = None
    compares: Items[Word[Treatment]] = ()
    population: PlannedPopulation = PlannedPopulation()
    workflows: Annotated[dict[Name, Workflow], Field(min_length=1)]
    agents: Annotated[dict[Name, Agent], Field(min_length=1)]
    subjects: Annotated[dict[Name, Subject], Field(min_length=1)]
    schedule: Annotated[Items[ScheduledTrial], Field(min_length=1)]
    provenance: Provenance

    @field_validator("participants", mode="before")
    @classmethod
    def _no_human_study(cls, value: object) -> object:
        if value == "humans":
            message = 'expected "agents": a human study is no campaign, it has its own protocol (ADR-0010)'
            raise ValueError(message)
        return value

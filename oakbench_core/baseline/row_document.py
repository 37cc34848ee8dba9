"""`oakbench.row/1` of the command lanes as a strict model: what `schema row` prints, and why a row is refused.

A key that is absent and one that is null say the same: it was not recorded. Rows of lane `agent` belong to a campaign
and have a model of their own.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from oakbench_core.baseline.vocabulary import CAMPAIGN_LANE, RowOutcome
from oakbench_core.shapes import Document, Integer, Sha256, Text, UtcTime, Word

CAMPAIGN_ROW: Final = (
    "expected a lane other than agent: a campaign's rows are evidence, no gate; "
    "`oakbench-tui report DIR` says what may be said of them"
)


def refusal(rule: str) -> ValueError:
    """What a validator raises, so that the model names the place and goes on to the next."""
    return ValueError(rule)


def _lane(value: str) -> str:
    if value == CAMPAIGN_LANE:
        raise refusal(CAMPAIGN_ROW)
    return value


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise refusal("expected a number or null")
    return value


def _share(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise refusal("expected a number from 0 to 1, or null")
    return value


def _version(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise refusal("expected text, an integer or null")
    return value


def _run(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise refusal("expected a number, text or null")
    return value


Lane = Annotated[
    Text, AfterValidator(_lane), WithJsonSchema({"type": "string", "minLength": 1, "not": {"const": CAMPAIGN_LANE}})
]
Number = Annotated[Any, AfterValidator(_number), WithJsonSchema({"type": "number"})]
Share = Annotated[Any, AfterValidator(_share), WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})]
Version = Annotated[Any, AfterValidator(_version), WithJsonSchema({"type": ["string", "integer"]})]
Run = Annotated[Any, AfterValidator(_run), WithJsonSchema({"type": ["number", "string"]})]


class OutputOracle(Document):
    """What the oracle of an operation's output found."""

    version: Version | None = None
    recall: Share | None = None
    precision: Share | None = None


class PatchOracle(Document):
    """Whether the produced patch applies."""

    version: Version | None = None
    apply_ok: bool | None = None


class Oracles(Document):
    output: OutputOracle | None = None
    patch: PatchOracle | None = None


class FixtureAlias(Document):
    version: Version | None = None


class InstructionAlias(Document):
    level: str | None = None


class PromptAlias(Document):
    instruction_level: str | None = None


class OperationRow(Document):
    """One measured operation. The last four keys are spellings of older rows for two of the keys above."""

    schema_: Literal["oakbench.row/1"] | None = Field(default=None, alias="schema")
    bench_id: str | None = None
    run: Run | None = None
    lane: Lane
    scenario: Text
    scenario_version: Version | None = None
    operation: Text
    subject: Text
    subject_version: Version | None = None
    subject_binary_sha256: Sha256 | None = None
    prompt_label: str | None = None
    track: str | None = None
    semantics_version: Version | None = None
    fixture_version: Version | None = None
    oracle_version: Version | None = None
    environment_isolation: str | None = None
    runner_class: str | None = None
    cache_state: str | None = None
    load_state: str | None = None
    transport: str | None = None
    server: str | None = None
    shaping: str | None = None
    token_calibration: str | None = None
    agent: str | None = None
    agent_version: Version | None = None
    model: str | None = None
    instruction_level: str | None = None
    outcome: Word[RowOutcome]
    exit_code: Integer | None = None
    skip_reason: str | None = None
    metrics: dict[Text, Number | None]
    oracles: Oracles | None = None
    at: UtcTime | None = None
    extra: dict[str, Any] | None = None
    fixture: FixtureAlias | None = None
    instruction: InstructionAlias | None = None
    instructions: InstructionAlias | None = None
    prompt: PromptAlias | None = None

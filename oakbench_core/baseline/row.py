"""One measured operation of a command lane: `oakbench.row/1` with a `lane` other than `agent`.

Rule: an absent key is a value that was not observed. Older rows keep some identity in nested tables; `normalised` is
the one place where these are read, and a row in which two places disagree is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter

from oakbench_core.canonical import canonical_text, plain_problems
from oakbench_core.errors import DocumentError, Problem
from oakbench_core.shapes import Document, Integer, Text, UtcTime, Word, checked

AGENT_LANE: Final = "agent"
REFUSED_LANE: Final = (
    "this is a row of an agent campaign: its failures are evidence and no gate; see `report` for what may be said of it"
)

Figure = Integer | Annotated[float, Field(allow_inf_nan=False)]


class Outcome(StrEnum):
    """`failed` was observed (a non-zero exit, a failed check); of `unknown` nothing was: the two are never the same."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


class OutputOracle(Document):
    version: Integer | str | None = None
    recall: Annotated[float, Field(ge=0, le=1)] | None = None
    precision: Annotated[float, Field(ge=0, le=1)] | None = None


class PatchOracle(Document):
    version: Integer | str | None = None
    apply_ok: bool | None = None


class RowOracles(Document):
    output: OutputOracle | None = None
    patch: PatchOracle | None = None


class _Version(Document):
    version: Text | Integer | None = None


class _Level(Document):
    level: Text | None = None


class _PromptLevel(Document):
    instruction_level: Text | None = None


class MeasuredRow(Document):
    """The row as it was written; `normalised` gives the identity that it states.

    `metrics`: name, with its unit after the last `_` → a number, or null where it was not measured. `run` is the index
    of the trial in its session `bench_id`; only an integer tells trials apart.
    """

    schema_: Literal["oakbench.row/1"] | None = Field(default=None, alias="schema")
    bench_id: str | None = None
    run: Integer | Annotated[float, Field(allow_inf_nan=False)] | str | None = None
    lane: Text
    scenario: Text
    scenario_version: Text | Integer | None = None
    operation: Text
    subject: Text
    subject_version: Text | None = None
    subject_binary_sha256: Text | None = None
    prompt_label: Text | None = None
    track: Text | None = None
    semantics_version: Text | Integer | None = None
    fixture_version: Text | Integer | None = None
    oracle_version: Text | Integer | None = None
    environment_isolation: Text | None = None
    runner_class: Text | None = None
    cache_state: str | None = None
    load_state: str | None = None
    transport: Text | None = None
    server: Text | None = None
    shaping: Text | None = None
    token_calibration: Text | None = None
    agent: Text | None = None
    agent_version: Text | None = None
    model: str | None = None
    instruction_level: Text | None = None
    outcome: Word[Outcome]
    exit_code: Integer | None = None
    skip_reason: Text | None = None
    metrics: dict[Text, Figure | None]
    oracles: RowOracles | None = None
    at: UtcTime | None = None
    extra: dict[str, Any] | None = None
    fixture: _Version | None = None
    instruction: _Level | None = None
    instructions: _Level | None = None
    prompt: _PromptLevel | None = None


_ALIASES: Final = (
    ("fixture_version", "fixture", "version"),
    ("instruction_level", "instruction", "level"),
    ("instruction_level", "instructions", "level"),
    ("instruction_level", "prompt", "instruction_level"),
)


def has_aliases(row: MeasuredRow) -> bool:
    """Whether some of its identity may stand in an older row's nested tables."""
    return any(table is not None for table in (row.fixture, row.instruction, row.instructions, row.prompt))


def normalised(row: MeasuredRow, field: str) -> Any:
    """The value of a field of the row, taken from an older row's nested table where the field itself is null."""
    value = getattr(row, field)
    for name, table, key in _ALIASES:
        if value is None and name == field:
            value = getattr(getattr(row, table), key, None)
    return value


def _disagreements(row: MeasuredRow) -> list[Problem]:
    found: list[Problem] = []
    if not has_aliases(row):
        return found
    for field in ("fixture_version", "instruction_level"):
        said = {"$." + field: getattr(row, field)}
        for name, table, key in _ALIASES:
            if name == field:
                said[f"$.{table}.{key}"] = getattr(getattr(row, table), key, None)
        given = {path: value for path, value in said.items() if value is not None}
        if len(set(given.values())) > 1:
            stated = ", ".join(f"{path} says {value!r}" for path, value in given.items())
            found.append(Problem(path=f"$.{field}", rule=f"expected one value, found several: {stated}"))
    return found


@cache
def row_type() -> TypeAdapter[MeasuredRow]:
    return TypeAdapter(MeasuredRow)


def read_row(value: object) -> tuple[MeasuredRow | None, tuple[Problem, ...]]:
    """The row of plain JSON data, or None and every problem with its JSON path."""
    if isinstance(value, MeasuredRow):
        return value, ()
    if isinstance(value, Mapping) and value.get("lane") == AGENT_LANE:
        return None, (Problem(path="$.lane", rule=REFUSED_LANE),)
    read = checked(row_type(), dict(value) if isinstance(value, Mapping) else value)
    row, _ = read
    if row is not None and (disagreements := tuple(_disagreements(row))):
        return None, disagreements
    return read


def rows_of(values: Iterable[object], name: str) -> Iterator[tuple[MeasuredRow, str | None]]:
    """Each row that was passed in Python, checked; beside it the canonical text of one that was a plain mapping.

    `name` is what the list is called.

    Raises:
        DocumentError: at its end, where some are refused, with every problem of each.
    """
    problems: list[Problem] = []
    for number, value in enumerate(values):
        row, found = read_row(value)
        text = None
        if row is not None and row is not value:
            text, found = _plain_text(row, value)
        problems += [Problem(path=f"$[{number}]{(one.path or '$')[1:]}", rule=one.rule) for one in found]
        if row is not None and not problems:
            yield row, text
    if problems:
        raise DocumentError(f"these {name} are refused", problems)


def _plain_text(row: MeasuredRow, value: object) -> tuple[str | None, tuple[Problem, ...]]:
    """The canonical text, or what the model lets pass and no file could hold: lone surrogates, anything in `extra`."""
    if row.extra is not None and (problems := plain_problems(row.extra)):
        return None, tuple(Problem(path=f"$.extra{(one.path or '$')[1:]}", rule=one.rule) for one in problems)
    try:
        text = canonical_text(value)
        text.encode()
    except (ValueError, TypeError):
        return None, plain_problems(value)
    return text, ()


def written(row: MeasuredRow) -> str:
    """The canonical text of a row as it was written."""
    return canonical_text(row.model_dump(mode="json", by_alias=True, exclude_unset=True))

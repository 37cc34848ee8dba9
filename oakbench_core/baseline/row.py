"""A row of the command lanes: checked, its older spellings normalised, and its canonical text beside it.

Rule: there is one way in. A line takes a fast one where it proves itself: it is decoded into a strict structure and
encoded again, and as many quotation marks on both sides prove, where no escape is written, that no key stood twice.
What is not proved is no error: the line is read again by `canonical.parse_strict` and the model, which name all that is
wrong. A mapping always goes that way. Both end in the same structure and the same text.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from pydantic import TypeAdapter

from oakbench_core.baseline.row_document import CAMPAIGN_ROW
from oakbench_core.baseline.row_document import OperationRow as RowDocument
from oakbench_core.baseline.vocabulary import CAMPAIGN_LANE, RowOutcome
from oakbench_core.canonical import MAX_INTEGER, canonical_text, parse_strict, plain_data, plain_problems
from oakbench_core.errors import Problem
from oakbench_core.forms import is_utc_time
from oakbench_core.shapes import checked

_SHORT_FLOAT: Final = 1e-4  # below it, and from the next on, msgspec does not spell a float as Python does
_LONG_FLOAT: Final = 1e16
_SHA256: Final = r"^[0-9a-f]{64}$"

Integer = Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
Share = Annotated[int, Meta(ge=0, le=1)] | Annotated[float, Meta(ge=0, le=1)]
Name = Annotated[str, Meta(min_length=1)]
Number = Integer | float
MaybeText = str | UnsetType | None
MaybeVersion = Integer | str | UnsetType | None


class OutputOracle(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    version: MaybeVersion = UNSET
    recall: Share | UnsetType | None = UNSET
    precision: Share | UnsetType | None = UNSET


class PatchOracle(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    version: MaybeVersion = UNSET
    apply_ok: bool | UnsetType | None = UNSET


class Oracles(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    output: OutputOracle | UnsetType | None = UNSET
    patch: PatchOracle | UnsetType | None = UNSET


class FixtureAlias(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    version: MaybeVersion = UNSET


class InstructionAlias(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    level: MaybeText = UNSET


class PromptAlias(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    instruction_level: MaybeText = UNSET


class OperationRow(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One row; UNSET is an absent key, kept apart from null so that the row's text can be written again."""

    lane: Name
    scenario: Name
    operation: Name
    subject: Name
    outcome: RowOutcome
    metrics: dict[Name, Number | None]
    schema_: Literal["oakbench.row/1"] | UnsetType | None = msgspec.field(default=UNSET, name="schema")
    bench_id: MaybeText = UNSET
    run: Integer | float | str | UnsetType | None = UNSET
    scenario_version: MaybeVersion = UNSET
    subject_version: MaybeVersion = UNSET
    subject_binary_sha256: Annotated[str, Meta(pattern=_SHA256)] | UnsetType | None = UNSET
    prompt_label: MaybeText = UNSET
    track: MaybeText = UNSET
    semantics_version: MaybeVersion = UNSET
    fixture_version: MaybeVersion = UNSET
    oracle_version: MaybeVersion = UNSET
    environment_isolation: MaybeText = UNSET
    runner_class: MaybeText = UNSET
    cache_state: MaybeText = UNSET
    load_state: MaybeText = UNSET
    transport: MaybeText = UNSET
    server: MaybeText = UNSET
    shaping: MaybeText = UNSET
    token_calibration: MaybeText = UNSET
    agent: MaybeText = UNSET
    agent_version: MaybeVersion = UNSET
    model: MaybeText = UNSET
    instruction_level: MaybeText = UNSET
    exit_code: Integer | UnsetType | None = UNSET
    skip_reason: MaybeText = UNSET
    oracles: Oracles | UnsetType | None = UNSET
    at: MaybeText = UNSET
    extra: dict[str, Any] | UnsetType | None = UNSET
    fixture: FixtureAlias | UnsetType | None = UNSET
    instruction: InstructionAlias | UnsetType | None = UNSET
    instructions: InstructionAlias | UnsetType | None = UNSET
    prompt: PromptAlias | UnsetType | None = UNSET


class CheckedRow(NamedTuple):
    """A row whose aliases are normalised, and the canonical text of what was written, in UTF-8."""

    row: OperationRow
    text: bytes


_decode: Final = msgspec.json.Decoder(OperationRow).decode
_encode: Final = msgspec.json.Encoder(order="sorted").encode
_ALIASES: Final = {
    "fixture_version": (("fixture", "version"),),
    "instruction_level": (
        ("instruction", "level"),
        ("instructions", "level"),
        ("prompt", "instruction_level"),
    ),
}


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[RowDocument]:
    return TypeAdapter(RowDocument)


def checked_line(line: bytes) -> tuple[CheckedRow | None, tuple[Problem, ...]]:
    """The row of one line of a rows file, its line feed taken off; or None and every problem with its JSON path."""
    proved = _proved(line)
    if proved is not None:
        return proved, ()
    value, problems = parse_strict(line)
    return (None, problems) if problems else _checked_plain(value)


def checked_mapping(value: object) -> tuple[CheckedRow | None, tuple[Problem, ...]]:
    """The row of plain data that was never text, held to the rules of the file."""
    problems = plain_problems(value)
    return (None, problems) if problems else _checked_plain(plain_data(value))


class _Content(Struct, gc=False):
    """What a row says besides its conditions, its trial and its time."""

    conditions: int
    exit_code: Integer | UnsetType | None
    skip_reason: MaybeText
    prompt_label: MaybeText
    metrics: dict[Name, Number | None]
    oracles: Oracles | UnsetType | None
    extra: dict[str, Any] | UnsetType | None


def content(row: OperationRow, conditions: int) -> bytes:
    """What a row says but for when and as which trial it was measured: equal for rows equal in all else.

    `conditions` is a number that rows share whose comparison fields and subjects are equal.
    """
    return _encode(
        _Content(conditions, row.exit_code, row.skip_reason, row.prompt_label, row.metrics, row.oracles, row.extra)
    )


def _proved(line: bytes) -> CheckedRow | None:
    if b"\\" in line:
        return None
    try:
        row = _decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    # `extra` may hold anything, so also what its type does not refuse: integers too large, nesting too deep.
    if row.extra or row.lane == CAMPAIGN_LANE or (row.at and not is_utc_time(row.at)) or row.at == "":
        return None
    text = _encode(row) if _spelled_alike(row) else canonical_text(msgspec.to_builtins(row)).encode()
    if text.count(b'"') != line.count(b'"'):
        return None
    normal, problems = _normalised(row)
    return None if problems else CheckedRow(normal, text)


def _spelled_alike(row: OperationRow) -> bool:
    for value in row.metrics.values():
        if value and not _SHORT_FLOAT <= abs(value) < _LONG_FLOAT and type(value) is float:
            return False
    if row.oracles and row.oracles.output:
        output = row.oracles.output
        if (output.recall and output.recall < _SHORT_FLOAT) or (output.precision and output.precision < _SHORT_FLOAT):
            return False
    return type(row.run) is not float


def _checked_plain(value: object) -> tuple[CheckedRow | None, tuple[Problem, ...]]:
    if isinstance(value, dict) and value.get("lane") == CAMPAIGN_LANE:
        return None, (Problem(rule=CAMPAIGN_ROW, path="$.lane"),)
    read = checked(_adapter(), value)
    if read[0] is None:
        return None, read[1]
    text = canonical_text(value).encode()
    normal, problems = _normalised(_decode(text))
    return (None, problems) if problems else (CheckedRow(normal, text), ())


def _normalised(row: OperationRow) -> tuple[OperationRow, tuple[Problem, ...]]:
    """The row with one spelling of each key; null says nothing, and two known values that differ are a problem."""
    if not (row.fixture or row.instruction or row.instructions or row.prompt):
        return row, ()
    changes: dict[str, Any] = dict.fromkeys(("fixture", "instruction", "instructions", "prompt"), UNSET)
    problems = []
    for field, aliases in _ALIASES.items():
        known = {f"$.{field}": getattr(row, field)}
        known |= {f"$.{outer}.{inner}": getattr(getattr(row, outer), inner, UNSET) for outer, inner in aliases}
        said = {path: value for path, value in known.items() if value is not None and value is not UNSET}
        if not said:
            continue
        (first_path, first), *others = said.items()
        problems += [
            Problem(rule=f"expected the same as {first_path}, {first!r}; found {value!r}", path=path)
            for path, value in others
            if (type(value), value) != (type(first), first)
        ]
        changes[field] = first
    return msgspec.structs.replace(row, **changes), tuple(problems)

"""hyperfine's JSON (`--export-json`) → rows of a command lane, one row a run.

Rule: what hyperfine measured comes from its file, and everything else from an identity that a person wrote: what was
compared, at which versions, under which conditions. Nothing is guessed, and nothing is taken from the machine that
imports. An exit code that hyperfine recorded is kept, and one that it did not is an unknown outcome, no success.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field, TypeAdapter, model_validator

from oakbench_core.baseline.row import checked_mapping
from oakbench_core.baseline.row_document import OperationRow, refusal
from oakbench_core.baseline.vocabulary import ROW_SCHEMA, RowOutcome
from oakbench_core.canonical import parse_strict, plain_problems
from oakbench_core.errors import DocumentError, Problem
from oakbench_core.shapes import Count, Document, Items, checked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SECONDS_METRIC: Final = "wall_s"
MEMORY_METRIC: Final = "peak_memory_bytes"
_MEASURED: Final = frozenset({"schema", "run", "outcome", "exit_code", "skip_reason", "metrics", "extra"})
_CONSTANTS: Final = tuple(
    field.alias or name for name, field in OperationRow.model_fields.items() if (field.alias or name) not in _MEASURED
)
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Result(Document):
    """One benchmarked command, as hyperfine writes it; its summary figures are left aside."""

    command: str
    times: Items[Seconds]
    exit_codes: Items[int | None] | None = None
    memory_usage_byte: Items[Count] | None = None
    parameters: dict[str, str] | None = None
    mean: Any = None
    stddev: Any = None
    median: Any = None
    user: Any = None
    system: Any = None
    min: Any = None
    max: Any = None

    @model_validator(mode="after")
    def _has_one_of_each_a_run(self) -> Result:
        for name in ("exit_codes", "memory_usage_byte"):
            held = getattr(self, name)
            if held is not None and len(held) != len(self.times):
                raise refusal(f"expected {len(self.times)} {name}, one a time")
        return self


class Export(Document):
    results: Items[Result]


@dataclass(frozen=True, slots=True)
class Identity:
    """What a person wrote: constants of all rows, those of single commands by their text, and each file's bench_id."""

    constants: Mapping[str, Any]
    commands: Mapping[str, Mapping[str, Any]]
    sessions: Mapping[str, str]


@lru_cache(maxsize=1)
def _export_type() -> TypeAdapter[Export]:
    return TypeAdapter(Export)


def checked_identity(document: Mapping[str, Any]) -> Identity:
    """The identity of a TOML document: keys of a row, `[[commands]]` tables, a `[sessions]` table.

    Raises:
        DocumentError: a key is none of a row's, or is what hyperfine measures; a command stands there twice.
    """
    constants = {key: value for key, value in document.items() if key not in {"commands", "sessions"}}
    problems = [*plain_problems(document), *_unknown(constants, "$")]
    commands: dict[str, dict[str, Any]] = {}
    tables = document.get("commands", [])
    for number, table in enumerate(tables if isinstance(tables, list) else [tables]):
        path = f"$.commands[{number}]"
        if not isinstance(table, dict) or not isinstance(table.get("command"), str):
            problems.append(Problem(rule="expected a [[commands]] table with the command's text", path=path))
            continue
        if table["command"] in commands:
            problems.append(Problem(rule="this command stands there twice", path=f"{path}.command"))
        commands[table["command"]] = {key: value for key, value in table.items() if key != "command"}
        problems += _unknown(commands[table["command"]], path)
    sessions = document.get("sessions", {})
    if not isinstance(sessions, dict) or not all(isinstance(name, str) and name for name in sessions.values()):
        problems.append(Problem(rule="expected file names with a bench_id each", path="$.sessions"))
    if problems:
        raise DocumentError("this identity is refused", problems)
    return Identity(constants, commands, sessions)


def _unknown(constants: Mapping[str, Any], path: str) -> Iterator[Problem]:
    for key in constants:
        if key in _MEASURED:
            yield Problem(rule="this is what hyperfine's file says, or this import; leave it out", path=f"{path}.{key}")
        elif key not in _CONSTANTS:
            yield Problem(rule="this key is unknown", path=f"{path}.{key}")


def rows_of_exports(exports: Sequence[tuple[str, bytes]], identity: Identity) -> list[dict[str, Any]]:
    """The rows of hyperfine's files, each given as its name and its bytes; runs are numbered from 1.

    Raises:
        DocumentError: a file is none of hyperfine's; a command is not named; a session is not; a row is refused.
    """
    problems = list(_unnamed_sessions([name for name, _ in exports], identity))
    runs: Counter[tuple[str, ...]] = Counter()
    rows: list[dict[str, Any]] = []
    for name, content in exports:
        value, found = parse_strict(content)
        read = checked(_export_type(), value)
        export = None if found else read[0]
        if export is None:
            problems += [replace(problem, file=name) for problem in found or read[1]]
            continue
        for number, result in enumerate(export.results):
            made, wrong = _rows_of(result, name, identity, runs)
            rows += made
            problems += [replace(one, file=name, path=f"$.results[{number}]{(one.path or '$')[1:]}") for one in wrong]
    if problems:
        raise DocumentError("hyperfine's results are not imported", problems)
    return rows


def _unnamed_sessions(names: Sequence[str], identity: Identity) -> Iterator[Problem]:
    """Two files are two sessions: under one bench_id their runs would be the same trials."""
    one_for_all = any("bench_id" in held for held in (identity.constants, *identity.commands.values()))
    if identity.sessions and one_for_all:
        yield Problem(rule="a bench_id stands beside [sessions]: one of them", path="$.bench_id")
    for name, number in Counter(names).items():
        if identity.sessions and name not in identity.sessions:
            yield Problem(rule=f"no bench_id of {name!r} in [sessions]", path="$.sessions")
        if number > 1:
            yield Problem(rule="two files of this name: their sessions could not be told apart", file=name)
    if one_for_all and len(names) > 1:
        rule = 'several files are several sessions: name each in [sessions], such as "monday.json" = "2026-11-30"'
        yield Problem(rule=rule, path="$.bench_id")


def _rows_of(
    result: Result, file: str, identity: Identity, runs: Counter[tuple[str, ...]]
) -> tuple[list[dict[str, Any]], Iterable[Problem]]:
    own = identity.commands.get(result.command)
    if own is None and identity.commands:
        rule = f"no [[commands]] table of the identity has this command: {result.command!r}"
        return [], [Problem(rule=rule, path="$.command")]
    constants = {**identity.constants, **(own or {})}
    if file in identity.sessions:
        constants["bench_id"] = identity.sessions[file]
    trial = tuple(str(constants.get(key)) for key in ("bench_id", "lane", "scenario", "operation", "track", "subject"))
    rows = []
    for place, seconds in enumerate(result.times):
        runs[trial] += 1
        rows.append({"schema": ROW_SCHEMA, "run": runs[trial], **constants, **_measured(result, place, seconds)})
    # Rows of one command differ in figures only: what is wrong with one is wrong with all.
    return rows, checked_mapping(rows[0])[1] if rows else ()


def _measured(result: Result, place: int, seconds: float) -> dict[str, Any]:
    code = None if result.exit_codes is None else result.exit_codes[place]
    outcome = RowOutcome.UNKNOWN if code is None else RowOutcome.OK if code == 0 else RowOutcome.FAILED
    metrics: dict[str, float] = {SECONDS_METRIC: seconds}
    if result.memory_usage_byte is not None:
        metrics[MEMORY_METRIC] = result.memory_usage_byte[place]
    extra: dict[str, Any] = {"hyperfine_command": result.command}
    if result.parameters:
        extra["hyperfine_parameters"] = result.parameters
    return {"outcome": outcome.value, "exit_code": code, "metrics": metrics, "extra": extra}

"""`scorecard`: candidate rows held against a saved baseline and targets."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oakbench_core.errors import ExitCode
from oakbench_tui.cli.measured import Confidence, Rows
from oakbench_tui.cli.output import put, put_line

if TYPE_CHECKING:
    from collections.abc import Mapping


class ModeName(StrEnum):
    CLAIM = "claim"
    DIAGNOSTIC = "diagnostic"


class ScorecardFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    MD = "md"
    CSV = "csv"


class FailOn(StrEnum):
    RED = "RED"


def gate(document: Mapping[str, Any], fail_on: FailOn | None) -> ExitCode:
    """0 only if every verdict is GREEN (claim), or none is INVALID, UNMEASURED or one that is to fail (diagnostic)."""
    verdicts = {result["verdict"] for result in document["results"]}
    if document["mode"] == ModeName.CLAIM:
        passed = verdicts == {"GREEN"}
    else:
        passed = not verdicts & {"INVALID", "UNMEASURED", *(() if fail_on is None else (fail_on.value,))}
    return ExitCode.DONE if passed else ExitCode.GATE_NOT_MET


def scorecard(  # noqa: PLR0913 - each is an option of the command line
    rows: Rows,
    *,
    book: Annotated[Path, typer.Option(metavar="BOOK", help="The saved baseline.")],
    targets: Annotated[Path, typer.Option(metavar="TOML", help="What the candidates have to reach.")],
    mode: Annotated[
        ModeName, typer.Option(help="claim asks for all the evidence that a claim needs.")
    ] = ModeName.CLAIM,
    confidence: Confidence = 0.95,
    draws: Annotated[
        int | None, typer.Option(metavar="N", help="Recorded in the result; no interval here draws.")
    ] = None,
    fail_on: Annotated[
        FailOn | None, typer.Option(help="In diagnostic mode, exit with 1 for a RED verdict as well.")
    ] = None,
    form: Annotated[ScorecardFormat, typer.Option("--format", help="text, md, json or csv.")] = ScorecardFormat.TEXT,
) -> None:
    """Say of each target whether the candidate reaches it, and what that rests on.

    \b
    Examples:
      oakbench-tui scorecard oak.jsonl --book baseline.json --targets targets.toml
      oakbench-tui scorecard oak.jsonl --book baseline.json --targets targets.toml --mode diagnostic --fail-on RED
      oakbench-tui scorecard oak.jsonl --book baseline.json --targets targets.toml --format json > scorecard.json

    docs/claims.md goes through an example, and through each way in which a claim can fail.

    Exit codes: 0 every verdict is GREEN (claim), or none is INVALID or UNMEASURED (diagnostic); 1 else; 2 a file is not
    there; 40 rows, book or targets are refused, with every problem.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.baseline.scorecard import scorecard as judged
    from oakbench_core.durable.books import load_book, load_targets
    from oakbench_core.durable.measured_rows import load_rows
    from oakbench_core.errors import UsageError
    from oakbench_core.rendering.baselines import scorecard_csv, scorecard_lines, scorecard_markdown

    if fail_on is not None and mode is ModeName.CLAIM:
        raise UsageError("--fail-on is of --mode diagnostic: in claim mode every verdict but GREEN fails")
    loaded, wanted = load_book(book), load_targets(targets)
    document = judged(loaded, load_rows(*rows), wanted, mode.value, confidence, draws)
    match form:
        case ScorecardFormat.JSON:
            put_line(json.dumps(document, ensure_ascii=True, indent=1, allow_nan=False))
        case ScorecardFormat.MD:
            put(scorecard_markdown(document))
        case ScorecardFormat.CSV:
            put(scorecard_csv(document))
        case ScorecardFormat.TEXT:
            for line in scorecard_lines(document):
                put_line(line)
    raise typer.Exit(gate(document, fail_on))

"""`scorecard`: candidate rows held against a book and targets; a claim, unless a diagnosis is asked for."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from oakbench_core.errors import UsageError
from oakbench_tui.cli.book import RowsFiles
from oakbench_tui.cli.forms import Form, FormOption, Quiet, in_form
from oakbench_tui.cli.output import put, say


class ModeName(StrEnum):
    CLAIM = "claim"
    DIAGNOSTIC = "diagnostic"


class FailOn(StrEnum):
    RED = "RED"


def scorecard(  # noqa: PLR0913 - each is an option of the command line
    rows: RowsFiles,
    *,
    book: Annotated[Path, typer.Option("--book", metavar="BOOK", help="The saved baselines.")],
    targets: Annotated[Path, typer.Option("--targets", metavar="TOML", help="What is asked: [[targets]] tables.")],
    mode: Annotated[
        ModeName, typer.Option(help="diagnostic looks at the numbers and claims nothing.")
    ] = ModeName.CLAIM,
    confidence: Annotated[float, typer.Option(metavar="C", help="Of the candidates' intervals.")] = 0.95,
    draws: Annotated[int | None, typer.Option(metavar="N", help="Recorded as given; no interval here draws.")] = None,
    fail_on: Annotated[
        FailOn | None, typer.Option("--fail-on", help="In diagnostic mode, exit with 1 on RED too.")
    ] = None,
    form: FormOption = Form.TEXT,
    quiet: Quiet = False,
) -> None:
    """Judge candidate rows against saved baselines: GREEN, AMBER, RED, INVALID or UNMEASURED, and why.

    \b
    Examples:
      oakbench-tui scorecard --book git.book.json --targets targets.toml oak.jsonl
      oakbench-tui scorecard --book git.book.json --targets targets.toml oak.jsonl --mode diagnostic --fail-on RED
      oakbench-tui scorecard --book git.book.json --targets targets.toml oak.jsonl --format json > result.json

    Exit 0 only if every verdict is GREEN (claim), or none is INVALID or UNMEASURED (diagnostic); else 1.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.baseline.scorecard import gate
    from oakbench_core.baseline.scorecard import scorecard as judge
    from oakbench_core.durable.baselines import load_rows, load_targets, read_book
    from oakbench_core.rendering.scorecard import gate_words, scorecard_csv, scorecard_markdown, scorecard_text

    if fail_on is not None and mode is ModeName.CLAIM:
        raise UsageError("--fail-on is for --mode diagnostic: a claim fails on all that is not GREEN")
    card = judge(read_book(book), load_rows(*rows), load_targets(targets), mode.value, confidence, draws)
    renderings = {Form.TEXT: scorecard_text, Form.MD: scorecard_markdown, Form.CSV: scorecard_csv}
    put(in_form(form, card, renderings))
    code = gate(card, fail_on_red=fail_on is FailOn.RED)
    if not quiet:
        say(gate_words(card, fail_on_red=fail_on is FailOn.RED, passed=not code))
        if code:
            files = " ".join(shlex.quote(str(path)) for path in rows)
            say(f"next: oakbench-tui stats {files} --missing   (what a claim still needs)")
    raise typer.Exit(code)

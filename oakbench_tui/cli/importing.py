"""`import hyperfine`: another tool's measurements become rows, under an identity that a person wrote."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from oakbench_core.errors import DocumentError
from oakbench_tui.cli.forms import Quiet
from oakbench_tui.cli.output import say

app = typer.Typer(
    name="import",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Make rows of another tool's results.",
)


@app.callback()
def importing() -> None:
    """Make rows of another tool's results."""


@app.command()
def hyperfine(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="What hyperfine --export-json wrote.")],
    *,
    identity: Annotated[
        Path, typer.Option("--identity", metavar="TOML", help="What was compared, and under which conditions.")
    ],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="ROWS", help="The new rows; an existing file is never overwritten."),
    ],
    quiet: Quiet = False,
) -> None:
    """Write one row for each run of hyperfine's files, exit codes kept.

    \b
    Examples:
      hyperfine --export-json monday.json 'git status' 'oak status'
      oakbench-tui import hyperfine monday.json --identity identity.toml -o monday.jsonl

    The identity holds keys of a row (lane, scenario, runner_class, ...), a [[commands]] table for each command, and for
    several files a [sessions] table. Nothing is taken from this machine.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.durable.baselines import read_toml
    from oakbench_core.durable.documents import expect_new, write_document
    from oakbench_core.durable.opening import read_whole
    from oakbench_core.importers.hyperfine import checked_identity, rows_of_exports

    expect_new(output)
    try:
        person = checked_identity(read_toml(identity))
    except DocumentError as error:
        raise DocumentError(error.message, [replace(one, file=str(identity)) for one in error.problems]) from None
    rows = rows_of_exports([(path.name, read_whole(path)) for path in files], person)
    lines = [json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows]
    write_document(output, "".join(lines).encode())
    if not quiet:
        say(f"written: {output}, {len(rows):,} rows")

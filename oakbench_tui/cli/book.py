"""`book build` and `book show`: saved baselines of the command lanes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from oakbench_tui.cli.measured import Confidence, Rows
from oakbench_tui.cli.output import put_line

app = typer.Typer(no_args_is_help=True, help="Saved baselines of the command lanes: build one, look at one.")


@app.command("build")
def build(
    rows: Rows,
    *,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="BOOK", help="The new book; never written over.")],
    noise: Annotated[
        list[Path] | None,
        typer.Option(metavar="ROWS", help="A/A rows: sessions of the same subject, for the noise floors."),
    ] = None,
    confidence: Confidence = 0.95,
) -> None:
    """Summarise measured rows into an immutable Baseline Book.

    \b
    Examples:
      oakbench-tui book build git.jsonl -o git-2.49.book.json --noise git-aa.jsonl
      oakbench-tui book build runs/*.jsonl -o baseline.json

    Every cell keeps its denominators and the conditions that the rows state; rows of one key that do not agree are
    refused, and so are rows of agent campaigns (see `report`).

    Exit codes: 0 written; 2 a file is not there, or BOOK exists; 40 rows are refused, with every problem and its line.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.baseline.building import build_book
    from oakbench_core.durable.books import expect_new, write_book
    from oakbench_core.durable.measured_rows import load_rows

    expect_new(output)  # before a million rows are read for nothing
    moment = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    document = build_book(load_rows(*rows), load_rows(*noise or ()), confidence, created_at=moment)
    write_book(output, document)
    without = sum(cell["noise_floor"] is None for cell in document["cells"])
    put_line(f"{len(document['cells']):,} cells, {without:,} of them without a noise floor, in {output}")


@app.command("show")
def show(
    book: Annotated[Path, typer.Argument(metavar="BOOK", help="A book of version 2 or 1.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="The document as it is.")] = False,
) -> None:
    """Show what a book holds. The file is only read.

    \b
    Examples:
      oakbench-tui book show baseline.json
      oakbench-tui book show baseline.json --json | jq '.cells[].key'
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.durable.books import load_book
    from oakbench_core.rendering.baselines import book_lines

    loaded = load_book(book)
    document = loaded.plain
    if as_json:
        put_line(json.dumps(document, ensure_ascii=True, indent=1))
        return
    for line in book_lines(document):
        put_line(line)

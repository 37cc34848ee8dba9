"""`book build` and `book show`: rows become an immutable book of saved summaries, and a book is looked at."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from oakbench_core.canonical import readable_text
from oakbench_tui.cli.forms import Form, FormOption, Quiet, in_form
from oakbench_tui.cli.output import put, say

app = typer.Typer(
    name="book",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Build a Baseline Book from rows, or show one.",
)

RowsFiles = Annotated[list[Path], typer.Argument(metavar="ROWS...", help="Files of rows (oakbench.row/1, JSONL).")]


@app.command()
def build(
    rows: RowsFiles,
    *,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="BOOK", help="The new book; an existing file is never overwritten."),
    ],
    noise: Annotated[
        list[Path] | None,
        typer.Option("--noise", metavar="ROWS", help="A/A rows, for noise floors; may be given more than once."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Save a summary of every population's metrics, with its denominators and conditions.

    \b
    Examples:
      oakbench-tui book build git.jsonl -o git.book.json
      oakbench-tui book build git-*.jsonl --noise git-aa.jsonl -o git.book.json

    Rows of one key under different conditions, or of two binaries, are refused, never pooled. Nothing is taken from
    this machine but the time of making.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.baseline.building import build_book
    from oakbench_core.durable.baselines import load_rows
    from oakbench_core.durable.documents import expect_new, write_document

    expect_new(output)
    document = build_book(
        load_rows(*rows),
        load_rows(*noise) if noise else None,
        created_at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
    )
    write_document(output, readable_text(document).encode())
    if not quiet:
        cells = document["cells"]
        floors = sum(cell["noise_floor"] is not None for cell in cells)
        say(f"written: {output}, {len(cells):,} cells, {floors:,} of them with a noise floor")


@app.command()
def show(
    book: Annotated[Path, typer.Argument(metavar="BOOK", help="A book, of version 2 or 1.")],
    *,
    form: FormOption = Form.TEXT,
) -> None:
    """Print a book's cells: values, intervals, denominators, noise floors, conditions.

    \b
    Examples:
      oakbench-tui book show git.book.json
      oakbench-tui book show git.book.json --format csv > cells.csv

    A version 1 book is shown for diagnosis; its file is never touched.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.durable.baselines import load_book
    from oakbench_core.rendering.book import book_csv, book_markdown, book_text

    renderings = {Form.TEXT: book_text, Form.MD: book_markdown, Form.CSV: book_csv}
    put(in_form(form, load_book(book), renderings))

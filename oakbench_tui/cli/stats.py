"""`stats`: each cell in its own numbers, every denominator before any figure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from oakbench_core.errors import Problem, UsageError
from oakbench_tui.cli.forms import Form, FormOption, in_form
from oakbench_tui.cli.output import put


def stats(
    rows: Annotated[list[Path], typer.Argument(metavar="ROWS...", help="Files of rows, or one book.")],
    *,
    missing: Annotated[bool, typer.Option("--missing", help="Also say what a claim on each cell still needs.")] = False,
    form: FormOption = Form.TEXT,
) -> None:
    """Print rows, attempts, failures, skips and unmeasured rows of each cell; then, of what succeeded, its figures.

    \b
    Examples:
      oakbench-tui stats oak.jsonl git.jsonl
      oakbench-tui stats oak.jsonl --missing
      oakbench-tui stats old-book.json --format json
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.baseline.statistics import statistics_of_book, statistics_of_rows
    from oakbench_core.durable.baselines import holds_book, load_rows, read_book
    from oakbench_core.rendering.statistics import statistics_csv, statistics_markdown, statistics_text

    books = [path for path in rows if holds_book(path)]
    if books and len(rows) > 1:
        rule = "a book stands alone: its cells are summaries already, and are not counted together with rows"
        raise UsageError("expected files of rows, or one book", [Problem(rule=rule, file=str(books[0]))])
    if books:
        document = statistics_of_book(read_book(books[0]), missing=missing)
    else:
        document = statistics_of_rows(load_rows(*rows), missing=missing)
    renderings = {Form.TEXT: statistics_text, Form.MD: statistics_markdown, Form.CSV: statistics_csv}
    put(in_form(form, document, renderings))

"""`stats ROWS…`: what measured rows hold, every denominator before its figures."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from oakbench_tui.cli.measured import Confidence, Rows
from oakbench_tui.cli.output import put, put_line


class StatsFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    CSV = "csv"


def stats(
    rows: Rows,
    *,
    missing: Annotated[
        bool, typer.Option("--missing", help="Also what a claim would still need of each cell.")
    ] = False,
    confidence: Confidence = 0.95,
    form: Annotated[StatsFormat, typer.Option("--format", help="text, json or csv.")] = StatsFormat.TEXT,
) -> None:
    """Say what rows hold: attempts, failures, unknown outcomes, skips; then figures conditional on success.

    \b
    Examples:
      oakbench-tui stats oak.jsonl
      oakbench-tui stats oak.jsonl --missing
      oakbench-tui stats *.jsonl --format csv > stats.csv

    A percentile stands only where enough values carry it: p95 from 20, p99 from 100 on.

    Exit codes: 0 told; 2 a file is not there; 40 rows are refused, with every problem and its line.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.baseline.statistics import statistics
    from oakbench_core.durable.measured_rows import load_rows
    from oakbench_core.rendering.baselines import statistics_csv, statistics_lines

    document = statistics(load_rows(*rows), confidence)
    if form is StatsFormat.JSON:
        put_line(json.dumps(document, ensure_ascii=True, indent=1))
    elif form is StatsFormat.CSV:
        put(statistics_csv(document))
    else:
        for line in statistics_lines(document, missing=missing):
            put_line(line)

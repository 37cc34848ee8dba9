"""Rows are read and not held: what stays of a row is its metrics and a few bytes that tell it from others."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING

from oakbench_core import load_rows
from oakbench_core.baseline.columns import table_of
from oakbench_core.baseline.intake import checked_rows
from tests.core.baseline.staging import row

if TYPE_CHECKING:
    from pathlib import Path

METRICS = 2
KEPT = 21 + 8 * METRICS  # bytes of a row: outcome, session, run, content, and its metrics
ROOM = 1.25  # an array grows by an eighth at a time


def grown(path: Path, rows: int) -> int:
    """Bytes that are held after so many rows of one population were read."""
    with path.open("w") as file:
        for number in range(rows):
            metrics = {"wall_ms": 100 + number / 7, "size_bytes": number}
            file.write(json.dumps(row(bench_id=f"s{number // 100}", run=number % 100, metrics=metrics)) + "\n")
    source = load_rows(path)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        table = table_of(checked_rows(source))
        held = tracemalloc.get_traced_memory()[0] - before
        assert sum(columns.rows for columns in table) == rows
    finally:
        tracemalloc.stop()
    return held


def test_a_row_leaves_its_metrics_and_a_few_bytes(tmp_path: Path) -> None:
    few, many = grown(tmp_path / "few.jsonl", 1_000), grown(tmp_path / "many.jsonl", 5_000)

    assert many - few <= 4_000 * KEPT * ROOM + 64 * 1024

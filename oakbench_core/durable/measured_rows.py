"""Rows files of the command lanes: read line by line, strictly, none of them kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.baseline.row import MeasuredRow, read_row
from oakbench_core.canonical import parse_strict
from oakbench_core.durable.opening import failures_named, open_to_read
from oakbench_core.errors import DocumentError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_LIMIT: Final = 16 << 20
MOST_PROBLEMS: Final = 1_000
"""More of them than anyone reads: a file that is none of rows is not read to its end to say so."""


def load_rows(*paths: Path | str) -> Iterator[MeasuredRow]:
    """The rows of JSONL files, one after the other; blank lines are refused like any other that is no row.

    Raises:
        UsageError: a file is not there.
        PlatformError: it is no regular file, or may not be read.
        DocumentError: behind the last good row, where some are refused; every problem has its file, line and JSON path.
    """
    problems: list[Problem] = []
    for path in map(Path, paths):
        descriptor = open_to_read(path)
        with os.fdopen(descriptor, "rb") as file, failures_named(path, "read it"):
            number = 0
            while line := file.readline(LINE_LIMIT):
                number += 1
                row, found = _row(line)
                problems += [
                    Problem(file=str(path), line=number, path=problem.path, rule=problem.rule) for problem in found
                ]
                if len(problems) >= MOST_PROBLEMS:
                    raise _refused(problems)
                if row is not None and not problems:
                    yield row
    if problems:
        raise _refused(problems)


def _refused(problems: list[Problem]) -> DocumentError:
    return DocumentError("these rows are refused", problems)


def _row(line: bytes) -> tuple[MeasuredRow | None, tuple[Problem, ...]]:
    if len(line) == LINE_LIMIT:
        return None, (Problem(rule=f"expected a line of less than {LINE_LIMIT:,} bytes"),)
    value: Any
    value, found = parse_strict(line)
    if found:
        return None, found
    if value is None:
        return None, (Problem(rule="expected a row, found null"),)
    return read_row(value)

"""Rows, books and targets as files: read strictly, a file of rows line by line, and never held as rows."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from pydantic import TypeAdapter

from oakbench_core.baseline.book import checked_book
from oakbench_core.baseline.intake import Refusals
from oakbench_core.baseline.row import checked_line
from oakbench_core.baseline.scorecard_document import ScorecardDocument
from oakbench_core.baseline.targets import checked_targets
from oakbench_core.canonical import parse_strict
from oakbench_core.durable.opening import failures_named, open_to_read, read_whole
from oakbench_core.errors import DocumentError, Problem
from oakbench_core.shapes import checked

if TYPE_CHECKING:
    import io
    from collections.abc import Iterable, Iterator

    from oakbench_core.baseline.book import Book
    from oakbench_core.baseline.row import CheckedRow

_BOOK: Final = re.compile(rb'\s*\{\s*"(?:schema"\s*:\s*"oakbench\.book/|schema_version"|cells"|created_at"|source")')
_CHUNK: Final = 2**18
MAX_LINE: Final = 2**20  # bytes: a row is no larger than a record of a journal


class RowsFile:
    """The rows of one file or more, read anew each time that they are iterated over.

    Iterating gives plain mappings, as written. A refused line ends the rows, and raises once all files are read.
    """

    def __init__(self, paths: tuple[Path, ...]) -> None:
        self.paths = paths

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in self.checked_rows():
            yield msgspec.json.decode(row.text)

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Each row of all files, in order.

        Raises:
            UsageError: a path is not there.
            PlatformError: it is no regular file, or may not be read.
            DocumentError: lines are refused, each with its file, line and JSON path.
        """
        refusals = Refusals()
        for path in self.paths:
            yield from _rows_of(path, refusals)
        refusals.raise_found()


def _rows_of(path: Path, refusals: Refusals) -> Iterator[CheckedRow]:
    with os.fdopen(open_to_read(path), "rb", buffering=0) as file, failures_named(path, "read it"):
        start = 0
        for number, (line, size) in enumerate(_lines(file), 1):
            row, problems = _checked(line)
            if row is None:
                refusals.add(_placed(problem, path, number, start) for problem in problems)
            elif not refusals.count:
                yield row
            start += size + 1


def _placed(problem: Problem, path: Path, number: int, start: int) -> Problem:
    """A problem of a line as one of its file."""
    return replace(problem, file=str(path), line=number, byte=None if problem.byte is None else start + problem.byte)


def _lines(file: io.FileIO) -> Iterator[tuple[bytes, int]]:
    """The lines without line feeds, each with its size in the file; of one that is too long no more than shows it."""
    rest, dropped = b"", 0
    while chunk := file.read(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line, len(line) + dropped
            dropped = 0
        dropped += max(len(rest) - MAX_LINE - 1, 0)
        rest = rest[: MAX_LINE + 1]
    if rest:
        yield rest, len(rest) + dropped


def _checked(line: bytes) -> tuple[CheckedRow | None, tuple[Problem, ...]]:
    if len(line) > MAX_LINE:
        return None, (Problem(rule=f"expected a row of at most {MAX_LINE:,} bytes"),)
    if not line.strip():
        return None, (Problem(rule="expected a row, found an empty line"),)
    return checked_line(line)


def load_rows(path: Path | str, *more: Path | str) -> RowsFile:
    """The rows of one file or more (`oakbench.row/1` of the command lanes, JSONL), checked as they are read.

    Raises:
        UsageError: a path is not there.
        PlatformError: it is no regular file, or may not be read.
    """
    paths = tuple(Path(one) for one in (path, *more))
    for one in paths:
        os.close(open_to_read(one))
    return RowsFile(paths)


def load_book(path: Path | str) -> dict[str, Any]:
    """The checked book at `path` as plain data: `oakbench.book/2`, or version 1 as it was written.

    Raises:
        UsageError: the path is not there.
        PlatformError: it is no regular file, or may not be read.
        DocumentError: it is refused; every problem has the file, and a JSON path or a line.
    """
    return read_book(path).document


def read_book(path: Path | str) -> Book:
    """The same, with its cells found by key; errors as `load_book`."""
    file = Path(path)
    value, problems = parse_strict(read_whole(file))
    if problems:
        raise DocumentError("this book is refused", _in_file(problems, file))
    try:
        return checked_book(value)
    except DocumentError as error:
        raise DocumentError(error.message, _in_file(error.problems, file)) from None


def load_scorecard(path: Path | str) -> dict[str, Any]:
    """The checked result of a scorecard at `path`, `oakbench.scorecard/1`; errors as `load_book`."""
    file = Path(path)
    value, problems = parse_strict(read_whole(file))
    if not problems:
        problems = checked(TypeAdapter(ScorecardDocument), value)[1]
    if problems:
        raise DocumentError("this scorecard result is refused", _in_file(problems, file))
    card: dict[str, Any] = value
    return card


def load_targets(path: Path | str) -> list[dict[str, Any]]:
    """The targets of a TOML file, as the mappings that `scorecard` takes; errors as `load_book`."""
    file = Path(path)
    document = read_toml(file)
    try:
        checked_targets(document)
    except DocumentError as error:
        raise DocumentError(error.message, _in_file(error.problems, file)) from None
    targets: list[dict[str, Any]] = document["targets"]
    return targets


def holds_book(path: Path | str) -> bool:
    """Whether a file begins as a book does, and not as a row; errors as `load_rows`."""
    with os.fdopen(open_to_read(Path(path)), "rb") as file:
        return _BOOK.match(file.read(4096)) is not None


def read_toml(file: Path) -> dict[str, Any]:
    """A TOML document; errors as `load_book`."""
    try:
        return tomllib.loads(read_whole(file).decode())
    except UnicodeDecodeError as error:
        raise DocumentError(
            "expected UTF-8", [Problem(rule="expected UTF-8", file=str(file), byte=error.start)]
        ) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DocumentError("expected TOML", [Problem(rule=f"expected TOML: {error}", file=str(file))]) from None


def _in_file(problems: Iterable[Problem], file: Path) -> list[Problem]:
    return [replace(problem, file=str(file)) for problem in problems]

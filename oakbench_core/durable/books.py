"""Baseline Books and targets as files: read strictly, written once, never over anything."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oakbench_core.baseline.book import read_book
from oakbench_core.baseline.targets import read_targets
from oakbench_core.canonical import parse_strict
from oakbench_core.durable.documents import in_file, write_document
from oakbench_core.durable.opening import read_whole
from oakbench_core.errors import DocumentError, Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oakbench_core.baseline.book import Book
    from oakbench_core.baseline.targets import Targets


def load_book(path: Path | str) -> Book:
    """The book of a file, of version 2 or 1; the file is only read.

    Raises:
        UsageError, PlatformError: it is not there, or cannot be read.
        DocumentError: it is refused, with every problem.
    """
    path = Path(path)
    value, problems = parse_strict(read_whole(path))
    if problems:
        raise DocumentError("this book is refused", in_file(problems, path))
    try:
        return read_book(value)
    except DocumentError as error:
        raise DocumentError(error.message, in_file(error.problems, path)) from None


def expect_new(path: Path | str) -> None:
    """Refuse a place where something stands already.

    Raises:
        UsageError: it does.
    """
    if os.path.lexists(path):
        rule = "it exists already, and nothing is written over it"
        raise UsageError(f"{path}: {rule}", [Problem(file=str(path), rule=rule)])


def write_book(path: Path | str, document: Mapping[str, Any]) -> None:
    """Write a new book; errors as `write_document`, and never over an existing file."""
    write_document(Path(path), (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode())


def load_targets(path: Path | str) -> Targets:
    """The targets of a TOML file.

    Raises:
        UsageError, PlatformError: it is not there, or cannot be read.
        DocumentError: it is no TOML, or a target is refused; every problem.
    """
    path = Path(path)
    value = parsed_toml(path, "these targets are refused")
    try:
        return read_targets(value)
    except DocumentError as error:
        raise DocumentError(error.message, in_file(error.problems, path)) from None


def parsed_toml(path: Path, refused: str) -> dict[str, Any]:
    """The plain data of a TOML file; errors as `load_targets`, with `refused` as the headline."""
    try:
        return tomllib.loads(read_whole(path).decode())
    except UnicodeDecodeError as error:
        raise DocumentError(refused, [Problem(file=str(path), byte=error.start, rule="expected UTF-8")]) from None
    except tomllib.TOMLDecodeError as error:
        raise DocumentError(refused, [Problem(file=str(path), rule=f"expected TOML: {error}")]) from None
    except RecursionError:
        raise DocumentError(refused, [Problem(file=str(path), rule="nested too deep")]) from None

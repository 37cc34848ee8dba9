"""A Baseline Book's document → a book that may be compared with.

Rule: a book is refused whole where one of its cells contradicts itself or another. Version 1 is read, never written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic import TypeAdapter

from oakbench_core.baseline.book_document import BookDocument, Cell, LegacyBook
from oakbench_core.baseline.populations import COMPARISON_FIELDS
from oakbench_core.canonical import sha256_hex
from oakbench_core.errors import DocumentError, Problem
from oakbench_core.shapes import checked

if TYPE_CHECKING:
    from collections.abc import Iterator

BOOK_SCHEMA: Final = "oakbench.book/2"
INTERVAL_METHOD: Final = "order_statistics"
STATISTICS: Final = {"median": 50, "p99": 99}
"""Statistic → which hundredth of the values lies below it."""


class Book(NamedTuple):
    """A checked book; `sha256` is of its canonical text. `legacy`: a version 1 book, for diagnostics alone."""

    document: BookDocument | None
    legacy: LegacyBook | None
    sha256: str

    @property
    def plain(self) -> dict[str, Any]:
        """The document as plain JSON data."""
        held = self.document or self.legacy
        return {} if held is None else held.model_dump(mode="json", by_alias=True)

    @property
    def cells(self) -> Mapping[tuple[str | None, ...], Cell]:
        """The cells of a version 2 book by (lane, scenario, operation, track, subject, metric, statistic)."""
        return {} if self.document is None else {cell_key(cell.key): cell for cell in self.document.cells}


def cell_key(key: Any) -> tuple[str | None, ...]:
    return (key.lane, key.scenario, key.operation, key.track, key.subject, key.metric, key.statistic)


@cache
def _book_type() -> TypeAdapter[BookDocument]:
    return TypeAdapter(BookDocument)


@cache
def _legacy_type() -> TypeAdapter[LegacyBook]:
    return TypeAdapter(LegacyBook)


def read_book(value: Any) -> Book:
    """The book of plain JSON data.

    Raises:
        DocumentError: with every problem: of its form, two cells of one key, an identity of an unknown version, an
            interval that does not hold its value, counts that do not add up.
    """
    if isinstance(value, Book):
        return value
    is_legacy = isinstance(value, Mapping) and "schema_version" in value
    if is_legacy:
        legacy, problems = _read_legacy(dict(value))
        document = None
    else:
        document, problems = _read(dict(value) if isinstance(value, Mapping) else value)
        legacy = None
    if document is None and legacy is None:
        raise DocumentError("this book is refused", problems)
    cells: Iterable[Any] = document.cells if document is not None else legacy.cells if legacy is not None else ()
    found = list(_repeated(cells))
    for number, cell in enumerate(document.cells if document is not None else ()):
        found += [Problem(path=f"$.cells[{number}]{path}", rule=rule) for path, rule in _contradictions(cell)]
    if found:
        raise DocumentError("this book is refused", found)
    # Not canonical_text: a book that was put together in Python may hold a floor that is no number, which is judged.
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=dict)
    return Book(document, legacy, sha256_hex(text))


def _read(value: Any) -> tuple[BookDocument | None, tuple[Problem, ...]]:
    return checked(_book_type(), value)


def _read_legacy(value: Any) -> tuple[LegacyBook | None, tuple[Problem, ...]]:
    return checked(_legacy_type(), value)


def _repeated(cells: Iterable[Any]) -> Iterator[Problem]:
    first: dict[tuple[str | None, ...], int] = {}
    for number, cell in enumerate(cells):
        earlier = first.setdefault(cell_key(cell.key), number)
        if earlier != number:
            yield Problem(path=f"$.cells[{number}].key", rule=f"this key stands already at $.cells[{earlier}]")


def _contradictions(cell: Cell) -> Iterator[tuple[str, str]]:
    """What each key may say, but not all of them together."""
    low, high = cell.interval.low, cell.interval.high
    if (low is None) is not (high is None):
        yield ".interval", "expected both ends or neither"
    elif low is not None and high is not None and (cell.value is None or not low <= cell.value <= high):
        yield ".interval", f"expected low ≤ value ≤ high, found {low} and {high} around {cell.value}"
    total = cell.n + cell.failure_n + cell.skipped_n + cell.unknown_n + cell.unmeasured_n
    if total != cell.attempted_n:
        yield ".attempted_n", f"expected the sum of its parts, {total:,}, found {cell.attempted_n:,}"
    if (cell.value is None) is not (cell.n == 0):
        yield ".value", f"expected {'null' if cell.n == 0 else 'a number'}: n is {cell.n:,}"
    if cell.independent_n is not None and cell.independent_n > cell.n:
        yield ".independent_n", f"expected at most n, {cell.n:,}, found {cell.independent_n:,}"
    if set(cell.comparison_identity.fields) != set(COMPARISON_FIELDS):
        missing = sorted(set(COMPARISON_FIELDS) ^ set(cell.comparison_identity.fields))
        yield (
            ".comparison_identity.fields",
            f"expected each of the comparison fields and no other: {', '.join(missing)}",
        )

"""A Baseline Book that is held against candidates: checked, and its cells found by key (ADR-0009).

Rule: a cell's key stands once in a book. A version 1 cell has a median and what was written beside it, and nothing
else: no identity, no interval, no denominators. None of it is made up here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import TypeAdapter

from oakbench_core.baseline.book_document import BookDocument, BookDocumentV1
from oakbench_core.baseline.figures import ValueInterval
from oakbench_core.baseline.populations import SubjectIdentity, from_fields
from oakbench_core.baseline.samples import Counts
from oakbench_core.baseline.vocabulary import BOOK_SCHEMA
from oakbench_core.canonical import canonical_text, plain_data, plain_problems, sha256_hex
from oakbench_core.errors import DocumentError, Problem
from oakbench_core.shapes import checked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oakbench_core.baseline.book_document import Cell, CellNoise, CellV1
    from oakbench_core.baseline.populations import Identity
    from oakbench_core.baseline.vocabulary import Doubt, Statistic

# Numbers that only Python can hold here are no fault of the book's form; what they forbid, the reasons say.
_READ_LATER = tuple(
    f".{name}"
    for name in (
        "noise_floor.value",
        "noise_floor.session_range",
        "interval.low",
        "interval.high",
        "interval.confidence",
        "interval.achieved_confidence",
    )
)


class CellKey(NamedTuple):
    """What a saved summary is found by."""

    lane: str
    scenario: str
    operation: str
    track: str | None
    subject: str
    metric: str | None
    statistic: Statistic | None

    def as_document(self) -> dict[str, Any]:
        return {**self._asdict(), "statistic": None if self.statistic is None else self.statistic.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedCell:
    """One cell as an analysis reads it. What version 1 did not record is None."""

    key: CellKey
    value: float | None
    interval: ValueInterval | None = None
    counts: Counts | None = None
    noise: CellNoise | None = None
    identity: Identity | None = None
    subject: SubjectIdentity | None = None
    doubts: tuple[Doubt, ...] = ()
    uncertainty: Any = None


@dataclass(frozen=True, slots=True)
class Book:
    """`sha256` is of the canonical text of the document; None if it holds a number that JSON cannot say."""

    version: int
    cells: Mapping[CellKey, SavedCell]
    sha256: str | None
    document: dict[str, Any] = field(repr=False)


@lru_cache(maxsize=1)
def _adapters() -> tuple[TypeAdapter[BookDocument], TypeAdapter[BookDocumentV1]]:
    return TypeAdapter(BookDocument), TypeAdapter(BookDocumentV1)


def checked_book(document: object) -> Book:
    """The book of a plain document, `oakbench.book/2` or version 1.

    Raises:
        DocumentError: it is refused, with every problem found.
    """
    if not isinstance(document, Mapping):
        raise DocumentError("this book is refused", [Problem(rule="expected an object", path="$")])
    found = plain_problems(document)
    problems = tuple(problem for problem in found if not (problem.path or "").endswith(_READ_LATER))
    if problems:
        raise DocumentError("this book is refused", problems)
    plain = plain_data(document)
    cells = _cells(plain)
    problems = tuple(_doubled(cell.key for cell in cells))
    if problems:
        raise DocumentError("this book is refused", problems)
    return Book(
        version=1 if "schema_version" in document else 2,
        cells={cell.key: cell for cell in cells},
        sha256=_sha256(plain),
        document=plain,
    )


def _cells(document: Mapping[str, Any]) -> list[SavedCell]:
    if "schema_version" in document:
        old = checked(_adapters()[1], document)
        if old[0] is not None:
            return [_saved_v1(cell) for cell in old[0].cells]
        raise DocumentError("this book is refused", old[1])
    if document.get("schema") == BOOK_SCHEMA:
        new = checked(_adapters()[0], document)
        if new[0] is not None:
            return [_saved(cell) for cell in new[0].cells]
        raise DocumentError("this book is refused", new[1])
    rule = f"expected {BOOK_SCHEMA!r} (or schema_version 1), found {document.get('schema')!r}"
    raise DocumentError("this book is refused", [Problem(rule=rule, path="$.schema")])


def _sha256(document: Mapping[str, Any]) -> str | None:
    try:
        return sha256_hex(canonical_text(document))
    except ValueError:
        return None


def _doubled(keys: Iterable[CellKey]) -> Iterable[Problem]:
    first: dict[CellKey, int] = {}
    for number, key in enumerate(keys):
        if key in first:
            rule = f"the key of cells[{first[key]}] stands here again: {canonical_text(key.as_document())}"
            yield Problem(rule=rule, path=f"$.cells[{number}].key")
        first.setdefault(key, number)


def _saved(cell: Cell) -> SavedCell:
    key = cell.key
    return SavedCell(
        key=CellKey(key.lane, key.scenario, key.operation, key.track, key.subject, key.metric, key.statistic),
        value=cell.value,
        interval=ValueInterval(
            low=cell.interval.low,
            high=cell.interval.high,
            confidence=cell.interval.confidence,
            method=cell.interval.method,
            achieved_confidence=cell.interval.achieved_confidence,
        ),
        counts=Counts(
            n=cell.n,
            independent_n=cell.independent_n,
            failure_n=cell.failure_n,
            skipped_n=cell.skipped_n,
            unmeasured_n=cell.unmeasured_n,
            unknown_n=cell.unknown_n,
        ),
        noise=cell.noise_floor,
        identity=from_fields(cell.comparison_identity.fields.model_dump()),
        subject=SubjectIdentity(cell.subject_identity.version, cell.subject_identity.binary_sha256),
        doubts=cell.warnings,
    )


def _saved_v1(cell: CellV1) -> SavedCell:
    key = cell.key
    return SavedCell(
        key=CellKey(key.lane, key.scenario, key.operation, key.track, key.subject, key.metric, key.statistic),
        value=cell.median,
        uncertainty=cell.uncertainty,
    )

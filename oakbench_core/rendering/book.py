"""A Baseline Book → text for a terminal, Markdown, and CSV.

Rule: the book is all that is read, and what it did not record is said to be not recorded. A version 1 book is shown as
what it is: for diagnosis, with the uncertainty that was written and no interval made of it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.rendering.baseline_words import KEY_FIELDS, count, figure, floor, interval, key_columns
from oakbench_core.rendering.csv_text import csv_text
from oakbench_core.rendering.escaping import sentence
from oakbench_core.rendering.numbers import counted
from oakbench_core.rendering.text_tables import Column, constant_words, folded, markdown_table, text_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_COUNTS: Final = ("n", "independent_n", "attempted_n", "failure_n", "skipped_n", "unmeasured_n", "unknown_n")
_ONLY_DIAGNOSTIC: Final = (
    "Version 1: for diagnosis only. Its cells recorded no identity, no denominators and no interval; against known "
    "rows they are INVALID."
)
_LONGEST: Final = 60  # characters of an uncertainty: it may be any JSON value


def book_text(book: Mapping[str, Any]) -> str:
    """The cells in a table, conditions that all share said once above it."""
    return "".join(f"{line}\n" for line in _text_lines(book))


def book_markdown(book: Mapping[str, Any]) -> str:
    return "".join(f"{line}\n" for line in _markdown_lines(book))


def book_csv(book: Mapping[str, Any]) -> str:
    """One line a cell, figures in full; of version 1 the key, the median and the uncertainty."""
    records = [_record(cell) if "value" in cell else _record_v1(cell) for cell in book["cells"]]
    header = list(records[0]) if records else list(KEY_FIELDS)
    return csv_text(header, [list(record.values()) for record in records])


def _is_old(book: Mapping[str, Any]) -> bool:
    return "schema_version" in book


def _key(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {"track": None, "statistic": "median", **cell["key"]}


def _columns(book: Mapping[str, Any]) -> list[Column]:
    cells: Sequence[Mapping[str, Any]] = book["cells"]
    keys = key_columns([_key(cell) for cell in cells])
    if _is_old(book):
        return [
            *keys,
            Column("median", [figure(cell["median"]) for cell in cells], right=True),
            Column("uncertainty, as written", [uncertainty_words(cell.get("uncertainty")) for cell in cells]),
        ]
    return [
        *keys,
        Column("value", [figure(cell["value"]) for cell in cells], right=True),
        Column("unit", [cell["unit"] or "" for cell in cells]),
        Column("interval", [interval(cell["interval"], "none") for cell in cells], right=True),
        Column("n", [count(cell["n"]) for cell in cells], right=True),
        Column("trials", [count(cell["independent_n"]) for cell in cells], right=True),
        Column("attempted", [count(cell["attempted_n"]) for cell in cells], right=True),
        Column("failed", [count(cell["failure_n"]) for cell in cells], right=True),
        Column("skipped", [count(cell["skipped_n"]) for cell in cells], right=True),
        Column("unmeasured", [count(cell["unmeasured_n"]) for cell in cells], right=True),
        Column("unknown", [count(cell["unknown_n"]) for cell in cells], right=True),
        Column("noise floor", [floor(cell["noise_floor"]) for cell in cells]),
        Column("warnings", [" ".join(cell["warnings"]) for cell in cells]),
    ]


def uncertainty_words(value: object) -> str:
    """What a version 1 cell holds as uncertainty, as JSON, shortened if it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


def _conditions(book: Mapping[str, Any]) -> tuple[list[tuple[str, str]], list[str]]:
    """Identity that every cell shares, known and said once; and the fields in which cells differ."""
    if _is_old(book) or not book["cells"]:
        return [], []
    identities = [
        cell["comparison_identity"]["fields"]
        | {f"subject_{name}": value for name, value in cell["subject_identity"].items()}
        for cell in book["cells"]
    ]
    names = [name for name in identities[0] if name not in {"lane", "scenario", "operation", "track"}]
    shared, differing = [], []
    for name in names:
        values = {json.dumps(identity.get(name)) for identity in identities}
        if len(values) > 1:
            differing.append(name)
        elif identities[0][name] is not None:
            shared.append((name, str(identities[0][name])))
    return shared, differing


def _head(book: Mapping[str, Any]) -> list[str]:
    number = counted(len(book["cells"]), "cell")
    if _is_old(book):
        return [f"Baseline Book, version 1, {number}", _ONLY_DIAGNOSTIC]
    made = book["created_at"] or "at a time not recorded"
    return [
        f"Baseline Book, version 2, {number}, made {made}",
        f"rows SHA-256 {book['source']['rows_sha256']}",
    ]


def _text_lines(book: Mapping[str, Any]) -> Iterator[str]:
    yield from _head(book)
    shared, differing = _conditions(book)
    if shared:
        yield f"all cells: {constant_words(shared)}"
    if differing:
        yield f"cells differ in: {', '.join(differing)} (--format json has each cell's)"
    constant, columns = folded(
        _columns(book),
        keep=("value", "median", "interval", "n", "operation", "metric", "statistic", "uncertainty, as written"),
    )
    if constant:
        yield f"every row: {constant_words(constant)}"
    yield ""
    yield from text_table(columns)


def _markdown_lines(book: Mapping[str, Any]) -> Iterator[str]:
    title, *rest = _head(book)
    yield f"# {sentence(title)}"
    yield ""
    for line in rest:
        yield f"- {sentence(line)}"
    shared, differing = _conditions(book)
    for name, word in shared:
        yield f"- All cells: {sentence(name)} {sentence(word)}"
    if differing:
        yield f"- Cells differ in: {', '.join(map(sentence, differing))}"
    yield ""
    yield from markdown_table(_columns(book))


def _record(cell: Mapping[str, Any]) -> dict[str, Any]:
    noise = cell["noise_floor"] or {}
    return {
        **{name: cell["key"].get(name) for name in KEY_FIELDS},
        "value": cell["value"],
        "unit": cell["unit"],
        **{name: cell[name] for name in _COUNTS},
        **{f"interval_{name}": value for name, value in cell["interval"].items()},
        **{
            f"noise_{name}": noise.get(name)
            for name in ("value", "sessions", "pairs", "min_session_rows", "session_range")
        },
        **cell["comparison_identity"]["fields"],
        "subject_version": cell["subject_identity"].get("version"),
        "subject_binary_sha256": cell["subject_identity"].get("binary_sha256"),
        "warnings": " ".join(cell["warnings"]),
    }


def _record_v1(cell: Mapping[str, Any]) -> dict[str, Any]:
    key = _key(cell)
    return {
        **{name: key.get(name) for name in KEY_FIELDS},
        "median": cell["median"],
        "uncertainty": json.dumps(cell.get("uncertainty"), ensure_ascii=False),
    }

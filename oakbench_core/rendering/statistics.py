"""Statistics of cells → text for a terminal, Markdown, and CSV.

Rule: denominators stand before figures in every form, and a cell without a figure has words in its place.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.display import display_safe
from oakbench_core.rendering.baseline_words import count, figure, interval, key_columns, name_of
from oakbench_core.rendering.book import uncertainty_words
from oakbench_core.rendering.csv_text import csv_text
from oakbench_core.rendering.escaping import sentence
from oakbench_core.rendering.text_tables import Column, constant_words, folded, markdown_table, text_table
from oakbench_core.rendering.words import UNMEASURED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_KEY: Final = ("lane", "scenario", "operation", "track", "subject", "metric")
_DENOMINATORS: Final = ("rows", "attempts", "ok", "failed", "unknown", "skipped", "unmeasured")
_CONDITIONAL: Final = "n and what follows are of the ok rows with a number; skips are no attempts"


def statistics_text(document: Mapping[str, Any]) -> str:
    """A table, then what each cell's claim still needs, where that was asked for."""
    return "".join(f"{line}\n" for line in _text_lines(document))


def statistics_markdown(document: Mapping[str, Any]) -> str:
    return "".join(f"{line}\n" for line in _markdown_lines(document))


def statistics_csv(document: Mapping[str, Any]) -> str:
    """One line a cell, figures in full; an empty field is null."""
    records = [_record(cell) for cell in document["cells"]]
    header = list(records[0]) if records else [*_KEY, *_DENOMINATORS]
    return csv_text(header, [list(record.values()) for record in records])


def _columns(cells: Sequence[Mapping[str, Any]]) -> list[Column]:
    figures = [cell["figures"] for cell in cells]
    columns = [
        *key_columns([cell["key"] for cell in cells], _KEY),
        *(Column(name, [count(cell[name]) for cell in cells], right=True) for name in _DENOMINATORS),
        Column("n", ["" if held is None else count(held["n"]) for held in figures], right=True),
        Column("median", [_median(cell) for cell in cells], right=True),
        Column(
            "interval", ["" if held is None else interval(held["interval"], "none") for held in figures], right=True
        ),
        Column("p95", [_percentile(held, "p95") for held in figures], right=True),
        Column("p99", [_percentile(held, "p99") for held in figures], right=True),
    ]
    if any("uncertainty" in (held or {}) for held in figures):
        words = ["" if held is None else uncertainty_words(held.get("uncertainty")) for held in figures]
        columns.append(Column("uncertainty, as written", words))
    return columns


def _median(cell: Mapping[str, Any]) -> str:
    if cell["differing"]:
        return "not pooled"
    return UNMEASURED if cell["figures"] is None else figure(cell["figures"]["median"])


def _percentile(held: Mapping[str, Any] | None, name: str) -> str:
    return "" if held is None or held[name] is None else figure(held[name])


def _differences(cell: Mapping[str, Any]) -> str:
    parts = (f"{one['field']} {', '.join(map(json.dumps, one['values']))}" for one in cell["differing"])
    return f"mixed_population: {'; '.join(parts)}"


def _remarks(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(cells, sentence) of everything that is said of single cells; what is said of all is said once."""
    cells = document["cells"]
    told: dict[tuple[str, str], list[str]] = {}
    names = _telling_fields([cell["key"] for cell in cells])
    for cell in cells:
        place = name_of(cell["key"], names)
        if cell["differing"]:
            told.setdefault(("", _differences(cell)), []).append(place)
        for statistic, reasons in cell.get("missing", {}).items():
            texts = [f"{reason['code']}: {reason['text']}" for reason in reasons]
            for text in texts or ["nothing that these rows could show is missing"]:
                told.setdefault((statistic, text), []).append(place)
    for (statistic, text), places in told.items():
        where = ["every cell"] if len(places) == len(cells) > 1 else places
        for place in where:
            yield ", ".join(part for part in (place, statistic) if part), text


def _telling_fields(keys: Sequence[Mapping[str, Any]]) -> list[str]:
    """The parts of the keys that tell the cells apart; none of one cell."""
    return [name for name in _KEY if len({key[name] for key in keys}) > 1]


def _text_lines(document: Mapping[str, Any]) -> Iterator[str]:
    cells = document["cells"]
    if not cells:
        yield "no rows"
        return
    constant, columns = folded(
        _columns(cells), keep=(*_DENOMINATORS, "n", "median", "interval", "p95", "p99", "subject", "metric")
    )
    if constant:
        yield f"every cell: {constant_words(constant)}"
        yield ""
    yield from text_table(columns)
    yield ""
    yield _CONDITIONAL
    remarks = list(_remarks(document))
    if remarks:
        yield ""
        if any("missing" in cell for cell in cells):
            yield "what a claim still needs"
        for place, text in remarks:
            yield f"  {display_safe(place)}{': ' if place else ''}{display_safe(text)}"


def _markdown_lines(document: Mapping[str, Any]) -> Iterator[str]:
    yield "# Statistics"
    yield ""
    yield from markdown_table(_columns(document["cells"]))
    yield ""
    yield f"{_CONDITIONAL}."
    remarks = list(_remarks(document))
    if remarks:
        yield ""
    for place, text in remarks:
        yield f"- {sentence(place)}{': ' if place else ''}{sentence(text)}"


def _record(cell: Mapping[str, Any]) -> dict[str, Any]:
    held = cell["figures"] or {}
    ends = held.get("interval") or {}
    record = {
        **{name: cell["key"][name] for name in _KEY},
        **{name: cell[name] for name in _DENOMINATORS},
        "n": held.get("n"),
        "median": held.get("median"),
        **{f"interval_{name}": ends.get(name) for name in ("low", "high", "confidence", "achieved_confidence")},
        "p95": held.get("p95"),
        "p99": held.get("p99"),
        "differing": " ".join(one["field"] for one in cell["differing"]),
    }
    for statistic, reasons in cell.get("missing", {}).items():
        record[f"missing_{statistic}"] = " ".join(reason["code"] for reason in reasons)
    return record

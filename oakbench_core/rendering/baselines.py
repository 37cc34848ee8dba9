"""A book, a scorecard and statistics in words: for a terminal, as Markdown, and as comma-separated values.

Rule: the plain data alone is read; every denominator stands before the figure that it belongs to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oakbench_core.display import display_safe
from oakbench_core.rendering.csv_text import csv_text
from oakbench_core.rendering.escaping import sentence
from oakbench_core.rendering.numbers import counted
from oakbench_core.rendering.tables import text_table
from oakbench_core.rendering.words import UNMEASURED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_KEY: Final = ("lane", "scenario", "operation", "track", "subject", "metric", "statistic")
_COUNTS: Final = ("attempted_n", "failure_n", "skipped_n", "unknown_n", "unmeasured_n", "n", "independent_n")


def _figure(value: float | None) -> str:
    """Six significant digits, which is more than any of these measurements carries."""
    return UNMEASURED if value is None else f"{value:,.6g}"


def _range(interval: Mapping[str, Any] | None) -> str:
    if interval is None or interval["low"] is None:
        return "none"
    return f"{_figure(interval['low'])} … {_figure(interval['high'])}"


def _count(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def book_lines(document: Mapping[str, Any]) -> list[str]:
    """A version 2 or version 1 book for a terminal."""
    if "schema_version" in document:
        legacy = (*_KEY, "median", "uncertainty, as written")
        rows = [
            (*(str(cell["key"].get(name) or "–") for name in _KEY[:-1]), cell["key"].get("statistic", "median"),
             _figure(cell["median"]), str(cell.get("uncertainty")))
            for cell in document["cells"]
        ]  # fmt: skip
        told = "version 1: for diagnostics only. It recorded no conditions, so that nothing can be compared with it."
        return [display_safe(told), "", *text_table(legacy, rows, left=len(_KEY))]
    heading = (*_KEY, *_COUNTS, "value", "interval", "noise floor")
    cells = [
        (*(str(cell["key"][name] or "–") for name in _KEY), *(_count(cell[name]) for name in _COUNTS),
         _figure(cell["value"]), _range(cell["interval"]),
         "none" if cell["noise_floor"] is None else _figure(cell["noise_floor"]["value"]))
        for cell in document["cells"]
    ]  # fmt: skip
    lines = [
        f"book       {document['schema']}, made {document['created_at']}, {len(document['cells']):,} cells",
        f"rows       {document['source']['rows_sha256']}",
        "",
    ]
    return [*map(display_safe, lines), *text_table(heading, cells, left=len(_KEY))]


def _title(cell: Mapping[str, Any]) -> str:
    where = "/".join(str(cell[name]) for name in ("lane", "scenario", "operation", "track") if cell[name] is not None)
    return f"{cell['candidate']} against {cell['baseline']}: {where}, {cell['statistic']} of {cell['metric']}"


def _sides(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in ("candidate", "baseline"):
        side = result[name]
        if side is None:
            yield name, "missing"
        elif "schema_version" in side:
            yield name, f"{_figure(side['value'])}, from a book of version 1"
        else:
            left_out = [
                f"{side[f'{word}_n']:,} {told}"
                for word, told in (
                    ("failure", "failed"),
                    ("skipped", "skipped"),
                    ("unknown", "unknown"),
                    ("unmeasured", "unmeasured"),
                )
            ]
            distinct = (
                "distinct trials unknown" if side["independent_n"] is None else f"{side['independent_n']:,} trials"
            )
            yield (
                name,
                (
                    f"{side['n']:,} values of {side['attempted_n']:,} rows ({', '.join(left_out)}; {distinct}): "
                    f"{_figure(side['value'])}, interval {_range(side['interval'])}"
                ),
            )


def _ratio(result: Mapping[str, Any]) -> str:
    ratio = result["ratio"]
    bound = "at most" if result["direction"] == "lower" else "at least"
    target = f"target {bound} {_figure(result['target_ratio'])}"
    if ratio is None:
        return f"no ratio; {target}"
    level = "" if ratio["confidence"] is None else f" at {ratio['confidence'] * 100:g} %"
    return f"{_figure(ratio['value'])}, interval {_range(ratio)}{level}; {target}"


def _floor(result: Mapping[str, Any]) -> str:
    floor = result["noise_floor"]
    if floor is None or floor["value"] is None:
        return "none"
    return f"{_figure(floor['value'])} on the log scale, from {floor['pairs']:,} pairs of sessions"


def _verdict(result: Mapping[str, Any]) -> str:
    verdict, statistical = result["verdict"], result["statistical_verdict"]
    told = verdict if statistical in {None, verdict} else f"{verdict} (the figures alone: {statistical})"
    if result["mode"] != "claim":
        return f"{told}, diagnostic"
    return f"{told}, {'claim-eligible' if result['claim_eligible'] else 'not claim-eligible'}"


def scorecard_lines(document: Mapping[str, Any]) -> list[str]:
    """A scorecard for a terminal: each verdict with its reasons, both sides, and what has to be said beside it."""
    lines: list[str] = []
    for result in document["results"]:
        lines += [_verdict(result), f"  {_title(result['cell'])}", f"  ratio      {_ratio(result)}"]
        lines += [f"  {name:<10} {told}" for name, told in _sides(result)]
        lines.append(f"  floor      {_floor(result)}")
        lines += [f"  because    {said['text']} ({said['code']})" for said in result["reasons"]]
        lines += [f"  note       {said['text']}" for said in result["notices"]]
        lines.append("")
    unjudged = len(document["unjudged"])
    targets, cells = counted(len(document["results"]), "target"), counted(unjudged, "cell")
    lines.append(f"{targets}; {cells} of the book without a target")
    lines.append(f"book {document['book_sha256']}, targets {document['targets_sha256']}")
    return [display_safe(line) for line in lines]


def scorecard_markdown(document: Mapping[str, Any]) -> str:
    """The same as Markdown."""
    lines = ["# Scorecard", ""]
    lines.append(
        "Mode: claim." if document["mode"] == "claim" else "Mode: diagnostic. None of these verdicts is a claim."
    )
    for result in document["results"]:
        lines += ["", f"## {sentence(_title(result['cell']))}", "", f"**{_verdict(result)}**", ""]
        lines.append(f"- Ratio: {sentence(_ratio(result))}")
        lines += [f"- {name.capitalize()}: {sentence(told)}" for name, told in _sides(result)]
        lines.append(f"- Noise floor: {sentence(_floor(result))}")
        lines += [f"- Because: {sentence(said['text'])} (`{said['code']}`)" for said in result["reasons"]]
        lines += [f"- Note: {sentence(said['text'])}" for said in result["notices"]]
    lines += ["", f"Book SHA-256: {document['book_sha256']}  ", f"Targets SHA-256: {document['targets_sha256']}", ""]
    return "\n".join(lines)


_RESULT_COLUMNS: Final = (
    "lane", "scenario", "operation", "track", "metric", "statistic", "candidate", "baseline",
    "verdict", "statistical_verdict", "claim_eligible", "reasons", "ratio", "ratio_low", "ratio_high",
    "target_ratio", "direction", "candidate_n", "baseline_n", "mode",
)  # fmt: skip


def scorecard_csv(document: Mapping[str, Any]) -> str:
    """One line a result; reasons are codes, separated by spaces."""
    rows = []
    for result in document["results"]:
        ratio = result["ratio"] or {"value": None, "low": None, "high": None}
        cell = result["cell"]
        rows.append(
            (
                *(cell[name] for name in _RESULT_COLUMNS[:8]),
                result["verdict"],
                result["statistical_verdict"],
                result["claim_eligible"],
                " ".join(said["code"] for said in result["reasons"]),
                ratio["value"],
                ratio["low"],
                ratio["high"],
                result["target_ratio"],
                result["direction"],
                (result["candidate"] or {}).get("n"),
                (result["baseline"] or {}).get("n"),
                result["mode"],
            )
        )
    return csv_text(_RESULT_COLUMNS, rows)


_WHERE: Final = ("lane", "scenario", "operation", "track", "subject", "metric")
_DENOMINATORS: Final = ("rows", "attempts", "ok", "failed", "unknown", "skipped", "unmeasured")
_FIGURES: Final = ("n", "median", "low", "high", "p95", "p99")


def _figures_of(cell: Mapping[str, Any]) -> tuple[Any, ...]:
    told = cell["on_success"]
    if told is None:
        return (None,) * len(_FIGURES)
    interval = told["interval"]
    return (told["n"], told["median"], interval["low"], interval["high"], told["p95"], told["p99"])


def statistics_lines(document: Mapping[str, Any], *, missing: bool = False) -> list[str]:
    """Statistics for a terminal; with `missing`, what a claim would still need of each cell."""
    rows = []
    for cell in document["cells"]:
        n, *figures = _figures_of(cell)
        told = "–" if n is None else f"{n:,}"
        shown = ("–" if figure is None else _figure(figure) for figure in figures)
        where = (str(cell[name] or "–") for name in _WHERE)
        rows.append((*where, *(_count(cell[name]) for name in _DENOMINATORS), told, *shown))
    lines = text_table((*_WHERE, *_DENOMINATORS, *_FIGURES), rows, left=len(_WHERE))
    for cell in document["cells"]:
        name = "/".join(str(cell[part]) for part in _WHERE if cell[part] is not None)
        if cell["disagreement"]:
            lines += ["", display_safe(f"{name}: no figures, {cell['disagreement']}")]
        if missing:
            needs = cell["claim_needs"]
            lines += ["", display_safe(f"{name}: " + ("a claim lacks nothing of it" if not needs else "a claim needs"))]
            lines += [display_safe(f"  {need}") for need in needs]
    meaning = (
        f"Figures are conditional on success; low and high: the median's {document['confidence'] * 100:g} % interval."
    )
    return [*lines, "", meaning]


def statistics_csv(document: Mapping[str, Any]) -> str:
    """One line a cell; what too few values carry is an empty field."""
    rows = [
        (*(cell[name] for name in (*_WHERE, *_DENOMINATORS)), *_figures_of(cell), "; ".join(cell["claim_needs"]))
        for cell in document["cells"]
    ]
    return csv_text((*_WHERE, *_DENOMINATORS, *_FIGURES, "claim_needs"), rows)

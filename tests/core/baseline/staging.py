"""Rows, books and targets of tests: a comparison that passes as a claim, to be broken in one place at a time."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from oakbench_core import build_book, scorecard

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CONDITIONS: dict[str, Any] = {
    "lane": "core",
    "track": "agent-default",
    "semantics_version": "1",
    "scenario": "tiny_text",
    "scenario_version": "3",
    "operation": "status.dirty",
    "fixture_version": "f2",
    "oracle_version": 1,
    "environment_isolation": "container",
    "runner_class": "linux-x86_64-2c",
    "cache_state": "warm",
    "load_state": "idle",
}
ORACLES: dict[str, Any] = {
    "output": {"version": 1, "recall": 1.0, "precision": 1.0},
    "patch": {"version": 1, "apply_ok": True},
}


def row(**changes: Any) -> dict[str, Any]:
    """A measured operation of git; changes replace keys."""
    base = {
        "schema": "oakbench.row/1",
        "bench_id": "session-1",
        "run": 1,
        **CONDITIONS,
        "subject": "git",
        "subject_version": "2.39.5",
        "subject_binary_sha256": "a" * 64,
        "outcome": "ok",
        "metrics": {"wall_ms": 100.5},
        "oracles": ORACLES,
        "at": "2026-11-30T08:15:00Z",
    }
    return base | changes


def spread(median: float, n: int, width: float = 0.01) -> list[float]:
    """n different values around a median, symmetric on the log scale."""
    if n == 1:
        return [median]
    return [round(median * math.exp(width * (2 * place / (n - 1) - 1)), 6) for place in range(n)]


def rows(values: Iterable[float | None], *, bench_id: str | None = "session-1", **changes: Any) -> list[dict[str, Any]]:
    """One `ok` row a value, runs from 1 on."""
    return [
        row(**{"bench_id": bench_id, "run": number, "metrics": {"wall_ms": value}, **changes})
        for number, value in enumerate(values, 1)
    ]


def git_rows(n: int = 30, median: float = 100.0, **changes: Any) -> list[dict[str, Any]]:
    return rows(spread(median, n), **changes)


def oak_rows(n: int = 30, median: float = 60.0, **changes: Any) -> list[dict[str, Any]]:
    changes = {"subject": "oak", "subject_version": "0.9", "subject_binary_sha256": "b" * 64, **changes}
    return rows(spread(median, n), **{"bench_id": "session-9", **changes})


def noise_rows(pairs: int = 10, step: float = 0.01, n: int = 3, **changes: Any) -> list[dict[str, Any]]:
    """A/A sessions of git: within each pair the medians are `step` apart on the log scale."""
    return [
        one
        for session in range(2 * pairs)
        for one in rows(spread(100.0 * math.exp(step * (session % 2)), n), bench_id=f"aa-{session:02}", **changes)
    ]


def book(
    baseline: Sequence[dict[str, Any]] | None = None, noise: Sequence[dict[str, Any]] | None = None, **options: Any
) -> dict[str, Any]:
    """A book with a noise floor of 0.01."""
    if baseline is noise is None and not options:
        return _the_book()
    return build_book(git_rows() if baseline is None else baseline, noise_rows() if noise is None else noise, **options)


@cache
def _the_book() -> dict[str, Any]:
    return build_book(git_rows(), noise_rows())


def target(**changes: Any) -> dict[str, Any]:
    base = {name: CONDITIONS[name] for name in ("lane", "scenario", "operation", "track")}
    base |= {"metric": "wall_ms", "statistic": "median", "candidate": "oak", "baseline": "git"}
    base |= {"direction": "lower", "target_ratio": 0.8, "guards": ["recall", "precision", "patch_apply_ok"]}
    return base | changes


def result(
    saved: dict[str, Any] | None = None,
    candidates: Sequence[dict[str, Any]] | None = None,
    asked: dict[str, Any] | None = None,
    *,
    mode: str = "claim",
    **options: Any,
) -> dict[str, Any]:
    """The one result of one target; what is not given is as in a claim that passes."""
    card = scorecard(
        book() if saved is None else saved,
        oak_rows() if candidates is None else candidates,
        [target() if asked is None else asked],
        mode=mode,
        **options,
    )
    (only,) = card["results"]
    held: dict[str, Any] = only
    return held


def codes(entries: Iterable[dict[str, str]]) -> list[str]:
    return [entry["code"] for entry in entries]


def cell_of(document: dict[str, Any], **key: Any) -> dict[str, Any]:
    """The one cell of a book whose key has these values."""
    (only,) = [cell for cell in document["cells"] if all(cell["key"][name] == value for name, value in key.items())]
    held: dict[str, Any] = only
    return held


def with_cell(document: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The book with keys of its median cell replaced; a mapping is laid over the one that is there."""
    cells = []
    for cell in document["cells"]:
        if cell["key"]["statistic"] == "median":
            laid = {
                name: {**cell[name], **value} if isinstance(value, dict) and isinstance(cell[name], dict) else value
                for name, value in changes.items()
            }
            cells.append(cell | laid)
        else:
            cells.append(cell)
    return document | {"cells": cells}

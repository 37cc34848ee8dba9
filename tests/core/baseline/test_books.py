"""Books: what a cell records, what does not load, and version 1, which is read and stays as it is."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from oakbench_core import build_book, load_book, scorecard
from oakbench_core.baseline.book import checked_book
from oakbench_core.errors import DocumentError, OakbenchError, UsageError
from oakbench_tui.cli.schema import SchemaName, json_schema
from tests.core.baseline.staging import (
    book,
    cell_of,
    codes,
    git_rows,
    noise_rows,
    oak_rows,
    result,
    row,
    rows,
    target,
    with_cell,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

V1 = {
    "schema_version": 1,
    "cells": [
        {
            "key": {
                "lane": "core",
                "scenario": "tiny_text",
                "operation": "status.dirty",
                "track": "agent-default",
                "subject": "git",
                "metric": "wall_ms",
            },
            "median": 100.0,
            "uncertainty": {"bootstrap": [98.0, 103.0], "note": "draws 200"},
        }
    ],
}


def median(document: dict[str, Any]) -> dict[str, Any]:
    return cell_of(document, statistic="median")


@pytest.mark.clause("A09-01")
def test_a_book_is_written_as_version_two_and_its_schema_takes_it() -> None:
    document = book(created_at="2026-11-30T08:15:00Z")

    assert document["schema"] == "oakbench.book/2"
    assert list(document) == ["schema", "created_at", "source", "cells"]
    jsonschema.Draft202012Validator(json_schema(SchemaName.BOOK)).validate(json.loads(json.dumps(document)))


@pytest.mark.clause("A09-03")
def test_each_cell_records_its_comparison_identity_versioned_as_one() -> None:
    for cell in book()["cells"]:
        assert cell["comparison_identity"]["schema"] == 1
        assert cell["comparison_identity"]["fields"]["cache_state"] == "warm"


@pytest.mark.clause("A09-06", "A09-17")
def test_a_cell_keeps_the_summary_and_every_denominator_beside_it() -> None:
    measured = rows([float(value) for value in range(1, 8)])
    others = [
        row(run=8, outcome="failed", exit_code=1, metrics={"wall_ms": 0.001}),
        row(run=9, outcome="failed", exit_code=2),
        row(run=10, outcome="skipped", metrics={}),
        row(run=11, outcome="unknown", metrics={"wall_ms": 9000}),
        row(run=12, metrics={"wall_ms": None}),
        row(run=13, metrics={}),
        row(run=14, metrics={}),
    ]
    cell = median(build_book([*measured, *others]))

    assert (cell["value"], cell["unit"], cell["n"], cell["independent_n"]) == (4.0, "ms", 7, 7)
    counts = [cell[name] for name in ("failure_n", "skipped_n", "unmeasured_n", "unknown_n", "attempted_n")]
    assert counts == [2, 1, 3, 1, 14]
    assert cell["interval"] == {
        "low": 1.0,
        "high": 7.0,
        "confidence": 0.95,
        "method": "order_statistics",
        "achieved_confidence": 1 - 2 / 128,
    }
    assert cell["noise_floor"] is None


@pytest.mark.clause("A09-05")
def test_attempts_of_a_cell_include_skipped_rows_with_failures_and_skips_beside_them() -> None:
    cell = median(build_book([row(), *(row(run=n, outcome="skipped", metrics={}) for n in range(2, 6))]))

    assert (cell["attempted_n"], cell["failure_n"], cell["skipped_n"]) == (5, 0, 4)


@pytest.mark.clause("A09-04")
def test_independent_n_counts_distinct_trials_of_the_measured_rows() -> None:
    trials = [("a", 1), ("a", 2), ("a", 2), ("b", 1), ("b", 1)]
    cell = median(build_book([row(bench_id=bench, run=run) for bench, run in trials]))

    assert (cell["n"], cell["independent_n"]) == (5, 3)


@pytest.mark.clause("A09-07")
@pytest.mark.parametrize(
    "changes", [{"bench_id": None}, {"bench_id": ""}, {"run": None}, {"run": "1"}, {"run": 1.0}, {"run": 1.5}]
)
def test_a_missing_campaign_or_a_run_that_is_no_integer_leaves_independent_n_null(changes: dict[str, Any]) -> None:
    assert median(build_book([row(), row(run=2) | changes]))["independent_n"] is None


def test_an_id_that_is_missing_on_an_unmeasured_row_takes_nothing_from_the_measured_ones() -> None:
    assert median(build_book([row(), row(run=None, outcome="failed")]))["independent_n"] == 1


def test_each_metric_gives_a_median_and_a_p99_at_the_nearest_rank() -> None:
    document = build_book([row(run=n, metrics={"wall_ms": n, "size_bytes": 2 * n}) for n in range(1, 201)])

    values = {(cell["key"]["metric"], cell["key"]["statistic"]): cell["value"] for cell in document["cells"]}
    assert values == {
        ("size_bytes", "median"): 201.0,
        ("size_bytes", "p99"): 396.0,
        ("wall_ms", "median"): 100.5,
        ("wall_ms", "p99"): 198.0,
    }


def test_rows_that_name_no_metric_give_one_cell_without_one() -> None:
    (cell,) = build_book([row(outcome="failed", metrics={}), row(run=2, outcome="failed", metrics={})])["cells"]

    assert (cell["key"]["metric"], cell["key"]["statistic"], cell["value"], cell["unit"]) == (None, None, None, None)
    assert (cell["n"], cell["failure_n"]) == (0, 2)


def test_a_metric_that_only_failed_rows_name_is_a_cell_without_a_value() -> None:
    cell = median(build_book([row(outcome="failed"), row(run=2, metrics={})]))

    assert (cell["value"], cell["n"], cell["failure_n"], cell["unmeasured_n"]) == (None, 0, 1, 1)


@pytest.mark.parametrize(
    ("metric", "unit"), [("wall_ms", "ms"), ("peak_rss_bytes", "bytes"), ("wall", None), ("odd_", None)]
)
def test_the_unit_is_what_the_metric_s_name_ends_in(metric: str, unit: str | None) -> None:
    assert median(build_book([row(metrics={metric: 1})]))["unit"] == unit


def test_where_no_interval_exists_the_confidence_stays_and_the_rest_is_null() -> None:
    interval = median(build_book(rows([1.0] * 5), confidence=0.99))["interval"]

    assert (interval["low"], interval["high"], interval["achieved_confidence"]) == (None, None, None)
    assert interval["confidence"] == 0.99


@pytest.mark.clause("A09-43")
def test_two_machines_and_two_days_make_the_same_book_of_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import platform
    import socket
    import time

    first = json.dumps(book(rows([1.5, 2.5])))
    for module, name in ((os, "uname"), (platform, "node"), (platform, "machine"), (socket, "gethostname")):
        monkeypatch.setattr(module, name, lambda: pytest.fail("a builder asked what machine it runs on"))
    monkeypatch.setattr(time, "time", lambda: pytest.fail("a builder asked the time"))

    assert json.dumps(book(rows([1.5, 2.5]))) == first
    assert book([row(runner_class=None)], [])["cells"][0]["comparison_identity"]["fields"]["runner_class"] is None


class TestNoise:
    def test_the_floor_is_the_largest_log_ratio_of_disjoint_pairs_of_sorted_sessions(self) -> None:
        medians = {"s1": 100, "s2": 110, "s3": 90, "s4": 90, "s5": 200}
        noise = [row(bench_id=name, run=run, metrics={"wall_ms": m}) for name, m in medians.items() for run in (1, 2)]
        floor = median(build_book(git_rows(), reversed(noise)))["noise_floor"]

        assert floor["value"] == pytest.approx(math.log(1.1))
        assert floor["session_range"] == pytest.approx(math.log(200 / 90))
        assert (floor["method"], floor["sessions"], floor["pairs"], floor["min_session_rows"]) == ("aa_pairs", 5, 2, 2)

    def test_each_statistic_has_the_floor_of_its_own(self) -> None:
        noise = [
            row(bench_id=name, run=run, metrics={"wall_ms": value})
            for name, values in (("s1", (10, 10, 20)), ("s2", (10, 10, 40)))
            for run, value in enumerate(values)
        ]
        document = build_book(git_rows(), noise)

        assert median(document)["noise_floor"]["value"] == 0.0
        assert cell_of(document, statistic="p99")["noise_floor"]["value"] == pytest.approx(math.log(2))

    @pytest.mark.parametrize(
        "noise",
        [
            [],
            [row(bench_id="s1")],
            [row(bench_id="s1"), row(bench_id="s2", metrics={"wall_ms": 0})],
            [row(bench_id="s1"), row(bench_id="s2", metrics={"wall_ms": -3})],
            [row(bench_id="s1"), row(bench_id="s2", outcome="failed")],
            [row(bench_id="s1"), row(bench_id="s2", operation="another")],
            [row(bench_id="s1", metrics={"user_ms": 1}), row(bench_id="s2", metrics={"user_ms": 1})],
        ],
    )
    def test_nothing_is_invented_where_there_is_no_pair_of_measured_sessions(self, noise: list[dict[str, Any]]) -> None:
        assert median(build_book(git_rows(), noise))["noise_floor"] is None

    @pytest.mark.parametrize("changes", [{"cache_state": "cold"}, {"subject_binary_sha256": "c" * 64}])
    def test_rows_of_another_identity_or_binary_are_refused(self, changes: dict[str, Any]) -> None:
        with pytest.raises(DocumentError, match="no A/A"):
            build_book(git_rows(), noise_rows(1, **changes))

    def test_noise_rows_must_name_their_session(self) -> None:
        with pytest.raises(DocumentError, match="bench_id"):
            build_book(git_rows(), [row(bench_id=None), row(bench_id="s2")])


@pytest.mark.clause("A09-15")
@pytest.mark.parametrize(
    ("broken", "path", "rule"),
    [
        ({"n": 29}, "$.cells[0]", "attempted_n ="),
        ({"attempted_n": 99}, "$.cells[0]", "attempted_n ="),
        ({"independent_n": 31}, "$.cells[0]", "independent_n up to n"),
        ({"interval": {"low": 200.0}}, "$.cells[0]", "low ≤ value ≤ high"),
        ({"interval": {"high": 1.0}}, "$.cells[0]", "low ≤ value ≤ high"),
        ({"interval": {"low": None}}, "$.cells[0]", "low ≤ value ≤ high"),
        ({"value": None}, "$.cells[0]", "a value exactly if"),
        ({"comparison_identity": {"schema": 2}}, "$.cells[0].comparison_identity.schema", "expected 1"),
        ({"comparison_identity": {"schema": None}}, "$.cells[0].comparison_identity.schema", "expected 1"),
        ({"key": {"track": "other"}}, "$.cells[0]", "the key's lane"),
        ({"key": {"statistic": "mean"}}, "$.cells[0].key.statistic", "'median' or 'p99'"),
        ({"warnings": ["odd"]}, "$.cells[0].warnings[0]", "'repeated_content' or 'run_gaps'"),
        ({"noise_floor": {"method": "guess"}}, "$.cells[0].noise_floor.method", "aa_pairs"),
        ({"surplus": 1}, "$.cells[0].surplus", "unknown"),
        ({"n": True}, "$.cells[0].n", "integer"),
    ],
)
def test_a_book_that_contradicts_itself_does_not_load(
    broken: dict[str, Any], path: str, rule: str, tmp_path: Path
) -> None:
    place = tmp_path / "book.json"
    place.write_text(json.dumps(with_cell(book(), **broken)))

    with pytest.raises(DocumentError) as refusal:
        load_book(place)

    assert any(problem.path == path and rule in problem.rule for problem in refusal.value.problems), str(refusal.value)
    assert refusal.value.file == str(place)


@pytest.mark.clause("A09-15")
def test_a_book_whose_key_stands_twice_does_not_load() -> None:
    document = book()

    with pytest.raises(DocumentError, match=r"the key of cells\[0\] stands here again"):
        checked_book(document | {"cells": [*document["cells"], document["cells"][0]]})


def test_nan_in_a_file_does_not_load(tmp_path: Path) -> None:
    place = tmp_path / "book.json"
    place.write_text(json.dumps(with_cell(book(), noise_floor={"value": math.nan})))

    with pytest.raises(DocumentError, match="NaN"):
        load_book(place)


@pytest.mark.parametrize("schema", ["oakbench.book/3", None, 2])
def test_another_schema_does_not_load(schema: object) -> None:
    with pytest.raises(DocumentError, match=r"oakbench\.book/2"):
        checked_book(book() | {"schema": schema})


@pytest.mark.parametrize("version", [2, True, 1.0, "1"])
def test_only_the_integer_one_is_version_one(version: object) -> None:
    with pytest.raises(DocumentError):
        checked_book(V1 | {"schema_version": version})


class TestVersionOne:
    @pytest.mark.clause("A09-02")
    def test_it_loads_for_diagnostics_and_its_bytes_stay(self, tmp_path: Path) -> None:
        place = tmp_path / "old.json"
        written = json.dumps(V1, indent=3).encode() + b"\n\n"
        place.write_bytes(written)
        place.chmod(0o444)

        loaded = load_book(place)
        found = scorecard(loaded, oak_rows(), [target()])

        assert loaded == V1
        assert found["results"][0]["baseline"]["value"] == 100.0
        assert place.read_bytes() == written

    @pytest.mark.clause("A09-02")
    @pytest.mark.parametrize("mode", ["claim", "diagnostic"])
    def test_it_is_invalid_against_a_known_candidate_and_never_eligible_with_the_reason(self, mode: str) -> None:
        found = result(V1, mode=mode)

        assert (found["verdict"], found["claim_eligible"], found["ratio"]) == ("INVALID", False, None)
        assert codes(found["reasons"])[0] == "identity_mismatch"
        assert "version 1" in found["reasons"][0]["text"]

    def test_what_it_did_not_record_is_null_and_its_uncertainty_is_no_interval(self) -> None:
        found = result(V1, mode="diagnostic")

        baseline = found["baseline"]
        assert (baseline["interval"], baseline["n"], baseline["independent_n"]) == (None, None, None)
        assert (baseline["attempted_n"], baseline["comparison_identity"]) == (None, None)

    @pytest.mark.parametrize("uncertainty", [None, 3, "±2", [98, 103], {"low": 98, "high": 103}])
    def test_uncertainty_is_any_json_value(self, uncertainty: object) -> None:
        cell = V1["cells"][0] | {"uncertainty": uncertainty}  # type: ignore[index]  # a list of cells
        book_v1 = checked_book(V1 | {"cells": [cell]})

        assert next(iter(book_v1.cells.values())).uncertainty == uncertainty

    def test_a_key_that_stands_twice_does_not_load_with_the_median_said_or_not(self) -> None:
        cell: Any = V1["cells"][0]  # type: ignore[index]  # a list of cells
        said = cell | {"key": cell["key"] | {"statistic": "median"}}

        with pytest.raises(DocumentError, match="stands here again"):
            checked_book(V1 | {"cells": [cell, said]})


class Unread:
    """Rows that must not be looked at."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        pytest.fail("a row was read")


@pytest.mark.clause("A09-34")
@pytest.mark.parametrize("confidence", [0, 1, 1.0, -0.5, 95, math.nan, math.inf, True, "0.95", None])
def test_a_confidence_that_is_none_is_refused_before_a_row_is_read(confidence: Any) -> None:
    with pytest.raises(UsageError, match="confidence"):
        build_book(Unread(), confidence=confidence)
    with pytest.raises(UsageError, match="confidence"):
        scorecard(book(), Unread(), [target()], confidence=confidence)


@pytest.mark.clause("A09-34")
@pytest.mark.parametrize("draws", [0, -1, 1.0, 1000.5, math.nan, True, "100"])
def test_draws_that_are_no_positive_integer_are_refused_before_a_row_is_read(draws: Any) -> None:
    with pytest.raises(UsageError, match="draws"):
        scorecard(book(), Unread(), [target()], draws=draws)


def test_a_book_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(OakbenchError, match="no such file"):
        load_book(tmp_path / "none.json")

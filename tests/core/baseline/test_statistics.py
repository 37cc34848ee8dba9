"""Statistics: denominators of every cell first, figures conditional on success after, and what a claim still needs."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from oakbench_core.baseline.statistics import statistics_of_book, statistics_of_rows
from oakbench_core.rendering.statistics import statistics_csv, statistics_markdown, statistics_text
from tests.core.baseline.staging import book, git_rows, oak_rows, row, rows
from tests.core.baseline.test_books import V1

DENOMINATORS = ["rows", "attempts", "ok", "failed", "unknown", "skipped", "unmeasured"]


def mixed_outcomes() -> list[dict[str, Any]]:
    return [
        *rows([float(value) for value in range(1, 8)]),
        row(run=8, outcome="failed", metrics={"wall_ms": 0.1}),
        row(run=9, outcome="skipped", metrics={}),
        row(run=10, outcome="skipped", metrics={}),
        row(run=11, outcome="unknown"),
        row(run=12, metrics={"wall_ms": None}),
    ]


@pytest.mark.clause("A09-44", "A09-45", "A09-46")
def test_every_denominator_stands_before_the_figures_and_skips_are_no_attempts() -> None:
    (cell,) = statistics_of_rows(mixed_outcomes())["cells"]

    assert list(cell) == ["key", *DENOMINATORS, "differing", "figures"]
    assert [cell[name] for name in DENOMINATORS] == [12, 10, 8, 1, 1, 2, 1]
    assert cell["attempts"] == cell["ok"] + cell["failed"] + cell["unknown"]
    assert (cell["figures"]["n"], cell["figures"]["median"]) == (7, 4.0)


@pytest.mark.clause("A09-44")
@pytest.mark.parametrize("outcome", ["failed", "skipped", "unknown", "ok"])
def test_a_cell_in_which_nothing_was_measured_prints_its_denominators_and_no_figure(outcome: str) -> None:
    unmeasured = [row(run=n, outcome=outcome, metrics={"wall_ms": None}) for n in range(1, 8)]
    document = statistics_of_rows([*unmeasured, row(operation="other")])
    cell = next(cell for cell in document["cells"] if cell["key"]["operation"] == "status.dirty")

    assert cell["rows"] == 7
    assert cell["figures"] is None
    (line,) = [line for line in statistics_text(document).splitlines() if line.startswith("status.dirty")]
    assert "7" in line
    assert "unmeasured" in line
    record = next(one for one in read_csv(statistics_csv(document)) if one["operation"] == "status.dirty")
    assert [record["rows"], record["n"], record["median"], record["p95"]] == ["7", "", "", ""]


@pytest.mark.parametrize(("n", "p95", "p99"), [(19, None, None), (20, 19.0, None), (99, 95.0, None), (100, 95.0, 99.0)])
def test_percentiles_are_shown_from_20_and_from_100_values_on(n: int, p95: float | None, p99: float | None) -> None:
    (cell,) = statistics_of_rows(rows([float(value) for value in range(1, n + 1)]))["cells"]

    assert (cell["figures"]["p95"], cell["figures"]["p99"]) == (p95, p99)


def test_rows_that_are_no_one_population_are_counted_and_not_pooled() -> None:
    document = statistics_of_rows([*git_rows(), row(run=31, cache_state="cold")])
    (cell,) = document["cells"]

    assert (cell["rows"], cell["figures"]) == (31, None)
    assert cell["differing"] == [{"field": "cache_state", "values": ["cold", "warm"]}]
    assert "not pooled" in statistics_text(document)
    assert 'mixed_population: cache_state "cold", "warm"' in statistics_text(document)


def test_what_is_missing_is_what_a_claim_would_meet() -> None:
    candidates = oak_rows(10, bench_id=None, fixture_version=None, oracles={"output": {"recall": 1.0}})
    (cell,) = statistics_of_rows([*candidates, *oak_rows(1, outcome="failed", fixture_version=None)], missing=True)[
        "cells"
    ]

    told = {reason["code"]: reason["text"] for reason in cell["missing"]["median"]}
    assert set(told) == {
        *("identity_incomplete", "trial_ids_missing", "hidden_outcomes", "guard_unmeasured", "noise_floor_absent"),
    }
    assert "fixture_version" in told["identity_incomplete"]
    assert "no_interval" in [reason["code"] for reason in cell["missing"]["p99"]]
    assert "recall: a row without the version of its oracle" in told["guard_unmeasured"]


def test_rows_that_miss_nothing_but_a_floor_say_so() -> None:
    document = statistics_of_rows(oak_rows(), missing=True)

    assert [reason["code"] for reason in document["cells"][0]["missing"]["median"]] == ["noise_floor_absent"]
    assert "A/A rows of two sessions" in statistics_text(document)


def test_duplicates_and_repetitions_are_missing_evidence() -> None:
    twice = [*oak_rows(), *oak_rows()[:1], *oak_rows(bench_id="x")[:1]]
    (cell,) = statistics_of_rows(twice, missing=True)["cells"]

    assert (cell["figures"]["n"], cell["figures"]["median"]) == (32, pytest.approx(60, rel=0.01))
    told = [reason["code"] for reason in cell["missing"]["median"]]
    assert told[0] == "duplicate_trials"
    assert "repeated_content" in told


def test_a_book_s_cells_are_shown_with_what_they_recorded() -> None:
    (cell,) = statistics_of_book(book(), missing=True)["cells"]

    assert [cell[name] for name in DENOMINATORS] == [30, 30, 30, 0, 0, 0, 0]
    assert (cell["figures"]["n"], cell["figures"]["p99"]) == (30, None)
    assert cell["missing"]["median"] == []
    assert [reason["code"] for reason in cell["missing"]["p99"]] == ["no_interval", "too_few_trials"]


@pytest.mark.clause("A09-02")
def test_a_version_one_book_is_shown_and_what_it_did_not_record_is_said_to_be_so() -> None:
    document = statistics_of_book(V1, missing=True)
    (cell,) = document["cells"]

    assert [cell[name] for name in DENOMINATORS] == [None] * 7
    assert (cell["figures"]["median"], cell["figures"]["interval"], cell["figures"]["n"]) == (100.0, None, None)
    text = statistics_text(document)
    assert "not recorded" in text
    assert "draws 200" in text
    assert "measure the baseline anew" in text


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_has_figures_in_full_and_an_empty_field_for_null() -> None:
    (record,) = read_csv(statistics_csv(statistics_of_rows(rows([1 / 3, 2 / 3, 1.0]))))

    assert record["median"] == repr(2 / 3)
    assert record["interval_low"] == ""
    assert list(record).index("unmeasured") < list(record).index("n")


def test_hostile_names_reach_no_form_as_commands() -> None:
    evil = "\x1b]52;c;eA==\x07\u202e|[x](javascript:1)"
    document = statistics_of_rows([row(operation=evil, subject="=cmd()", fixture_version=evil), row(operation="b")])

    for text in (statistics_text(document), statistics_markdown(document), statistics_csv(document)):
        assert not set("\x1b\x07\u202e") & set(text)
    assert "'=cmd()" in statistics_csv(document)
    assert "[x](" not in statistics_markdown(document)


def test_the_document_is_plain_json() -> None:
    for document in (statistics_of_rows(mixed_outcomes(), missing=True), statistics_of_book(V1)):
        assert json.loads(json.dumps(document, allow_nan=False)) == document
        assert document["schema"] == "oakbench.stats/1"

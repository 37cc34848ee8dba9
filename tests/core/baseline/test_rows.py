"""Rows of the command lanes: what is refused, what is normalised, and that both ways in end in the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core import OakbenchError, build_book, load_rows, scorecard
from oakbench_core.baseline.row import checked_line, checked_mapping
from oakbench_core.canonical import canonical_text, sha256_hex
from oakbench_core.errors import DocumentError
from tests.core.baseline.staging import cell_of, git_rows, result, row, target

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"unknown_key": 1}, "$.unknown_key", "unknown"),
    ({"lane": ""}, "$.lane", "at least 1 character"),
    ({"scenario": 3}, "$.scenario", "valid string"),
    ({"outcome": "timed_out"}, "$.outcome", "'ok', 'failed', 'skipped' or 'unknown'"),
    ({"schema": "oakbench.row/2"}, "$.schema", "oakbench.row/1"),
    ({"metrics": None}, "$.metrics", "dictionary"),
    ({"metrics": {"wall_ms": True}}, "$.metrics.wall_ms", "number or null"),
    ({"metrics": {"wall_ms": "3"}}, "$.metrics.wall_ms", "number or null"),
    ({"metrics": {"": 1}}, "$.metrics.", "at least 1 character"),
    ({"run": True}, "$.run", "number, text or null"),
    ({"exit_code": 1.5}, "$.exit_code", "integer"),
    ({"subject_version": 2.39}, "$.subject_version", "text, an integer or null"),
    ({"subject_binary_sha256": "abc"}, "$.subject_binary_sha256", "[0-9a-f]{64}"),
    ({"at": "2026-02-30T08:15:00Z"}, "$.at", "real UTC time"),
    ({"oracles": {"output": {"recall": 1.5}}}, "$.oracles.output.recall", "from 0 to 1"),
    ({"oracles": {"patch": {"apply_ok": 1}}}, "$.oracles.patch.apply_ok", "boolean"),
    ({"oracles": {"speed": {}}}, "$.oracles.speed", "unknown"),
    ({"fixture": {"version": "f2", "sha": "x"}}, "$.fixture.sha", "unknown"),
    ({"instruction": {"text": "x"}}, "$.instruction.text", "unknown"),
    ({"extra": {"deep": 2**60}}, "$.extra.deep", "±(2^53 − 1)"),
]


@pytest.mark.parametrize(("changes", "path", "rule"), REFUSED)
def test_a_row_that_breaks_a_rule_is_refused_at_its_path_both_as_line_and_as_mapping(
    changes: dict[str, Any], path: str, rule: str
) -> None:
    for read, problems in (checked_line(line(row(**changes))), checked_mapping(row(**changes))):
        assert read is None
        assert any(problem.path == path and rule in problem.rule for problem in problems), problems


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"lane":"core","lane":"core"', "stands there twice"),
        ('{"metrics":{"wall_ms":NaN}', "finite number"),
        ('{"metrics":{"wall_ms":1e999}', "finite number"),
        ('{"metrics":{"wall_ms":90071992547409920}', "±(2^53 − 1)"),
        ('{"subject":"\\ud800"', "lone surrogate"),
    ],
)
def test_a_line_is_held_to_the_strict_rules_of_json(text: str, rule: str) -> None:
    rest = {key: value for key, value in row().items() if f'"{key}"' not in text}
    read, problems = checked_line((text + "," + json.dumps(rest)[1:]).encode())

    assert read is None
    assert any(rule in problem.rule for problem in problems)


@pytest.mark.parametrize("missing", ["lane", "scenario", "operation", "subject", "outcome", "metrics"])
def test_six_keys_are_required_and_all_others_may_be_absent(missing: str) -> None:
    least = {key: row()[key] for key in ("lane", "scenario", "operation", "subject", "outcome", "metrics")}

    assert checked_line(line(least))[0] is not None
    read, problems = checked_mapping({key: value for key, value in least.items() if key != missing})
    assert read is None
    assert [problem.path for problem in problems] == [f"$.{missing}"]


def test_every_problem_of_a_file_is_told_at_once_with_its_line_and_path(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n".join([line(row(lane=3, surplus=1)), line(row()), b"", b"{", line(row(run=False))]) + b"\n")

    with pytest.raises(DocumentError) as refusal:
        build_book(load_rows(path))

    places = [(problem.line, problem.path) for problem in refusal.value.problems]
    assert places == [(1, "$.lane"), (1, "$.surplus"), (3, None), (4, None), (5, "$.run")]
    assert {problem.file for problem in refusal.value.problems} == {str(path)}


def test_of_very_many_bad_lines_a_hundred_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"{}\n" * 50)

    with pytest.raises(DocumentError) as refusal:
        list(load_rows(path))

    assert len(refusal.value.problems) == 101
    assert refusal.value.problems[-1].rule == "and 200 more problems"


def test_rows_end_at_the_first_refused_line_and_the_error_comes_once_all_is_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n".join([line(row(run=1)), b"{}", line(row(run=2))]))
    seen: list[dict[str, Any]] = []

    with pytest.raises(DocumentError):
        seen.extend(load_rows(path))

    assert not seen or [one["run"] for one in seen] == [1]


def test_a_line_beyond_a_mebibyte_is_refused_and_the_next_is_read_as_the_next(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b" " * (3 * 2**20) + b"\n" + b"{}\n")

    with pytest.raises(DocumentError) as refusal:
        list(load_rows(path))

    assert refusal.value.problems[0].line == 1
    assert "1,048,576 bytes" in refusal.value.problems[0].rule
    assert refusal.value.problems[1].line == 2


def test_bytes_are_counted_from_the_start_of_the_file_over_lines_of_any_length(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    long = b" " * (2 * 2**20 + 5) + b"\n"
    path.write_bytes(line(row()) + b"\n" + long + b'{"lane": \xff}\n' + long + b"\xff")

    with pytest.raises(DocumentError) as refusal:
        list(load_rows(path))

    content = path.read_bytes()
    places = [(problem.line, problem.byte) for problem in refusal.value.problems]
    assert places == [(2, None), (3, content.index(b"\xff")), (4, None), (5, len(content) - 1)]


def test_load_rows_gives_plain_mappings_as_written_each_time_anew(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    written = [row(run=1, fixture={"version": "f2"}), row(run=2, extra={"note": 'a "quote"'})]
    path.write_bytes(b"\n".join(map(line, written)))
    rows = load_rows(path)

    assert list(rows) == written
    assert list(rows) == written


@pytest.mark.clause("A09-11")
@pytest.mark.parametrize(
    ("alias", "field", "value"),
    [
        ({"fixture": {"version": "f7"}}, "fixture_version", "f7"),
        ({"instruction": {"level": "guided"}}, "instruction_level", "guided"),
        ({"instructions": {"level": "guided"}}, "instruction_level", "guided"),
        ({"prompt": {"instruction_level": "guided"}}, "instruction_level", "guided"),
    ],
)
def test_an_older_spelling_is_compared_as_the_key_that_it_means(alias: dict[str, Any], field: str, value: str) -> None:
    plain = row()
    del plain["fixture_version"]
    baseline = [dict(one, **alias) for one in (plain | {"run": 1}, plain | {"run": 2})]

    (cell, _) = build_book(baseline)["cells"]
    assert cell["comparison_identity"]["fields"][field] == value
    spelled_out = [{**plain, "run": 3, "subject": "oak", field: value}]
    book = build_book(baseline)
    assert "identity_mismatch" not in [r["code"] for r in result(book, spelled_out)["reasons"]]


def test_aliases_that_disagree_are_refused_and_null_disagrees_with_nothing() -> None:
    read, problems = checked_mapping(row(fixture_version="f2", fixture={"version": "f3"}))
    assert read is None
    assert problems[0].path == "$.fixture.version"

    _, problems = checked_mapping(row(instruction={"level": "a"}, prompt={"instruction_level": "b"}))
    assert problems[0].path == "$.prompt.instruction_level"

    read, _ = checked_mapping(row(fixture_version=None, fixture={"version": "f3"}))
    assert read is not None
    assert read.row.fixture_version == "f3"


def test_rows_sha256_is_of_the_canonical_texts_as_written_joined_by_line_feeds() -> None:
    written = [row(run=1, fixture={"version": "f2"}), row(run=2, metrics={"wall_ms": 1e-7, "size_bytes": 3})]

    expected = sha256_hex("\n".join(map(canonical_text, written)))
    assert build_book(written)["source"]["rows_sha256"] == expected


ANALYSES: dict[str, Callable[[list[dict[str, Any]], Path], object]] = {
    "build_book": lambda rows, _: build_book(rows),
    "scorecard": lambda rows, _: scorecard(build_book(git_rows()), rows, [target()]),
    "load_rows": lambda _, path: list(load_rows(path)),
}


@pytest.mark.parametrize("analyse", ANALYSES.values(), ids=ANALYSES)
def test_rows_of_a_campaign_are_refused_and_the_report_is_named(
    analyse: Callable[[list[dict[str, Any]], Path], object], tmp_path: Path
) -> None:
    campaign = {"schema": "oakbench.row/1", "lane": "agent", "bench_id": "c", "run": 1, "workflow": "w"}
    path = tmp_path / "rows.jsonl"
    path.write_bytes(line(campaign))

    with pytest.raises(OakbenchError) as refusal:
        analyse([campaign], path)

    assert "oakbench-tui report" in refusal.value.rule
    assert refusal.value.next_step is not None
    assert "report" in refusal.value.next_step


def test_a_lane_that_only_begins_like_agent_is_a_command_lane() -> None:
    assert cell_of(build_book([row(lane="agent-ux")]), statistic="median")["n"] == 1


def test_no_rows_make_no_book() -> None:
    with pytest.raises(DocumentError, match="no rows"):
        build_book([])


def test_a_single_row_is_no_list_of_rows() -> None:
    with pytest.raises(DocumentError, match="one mapping each"):
        build_book(row())  # type: ignore[arg-type]  # what is tested


def test_the_json_schema_of_a_row_takes_both_kinds_and_refuses_what_the_reader_refuses() -> None:
    import jsonschema

    from oakbench_tui.cli.schema import SchemaName, json_schema

    check = jsonschema.Draft202012Validator(json_schema(SchemaName.ROW))

    assert check.is_valid(row())
    for changes in ({"unknown_key": 1}, {"lane": ""}, {"run": True}, {"metrics": {"wall_ms": "3"}}, {"outcome": "x"}):
        assert not check.is_valid(row(**changes)), changes

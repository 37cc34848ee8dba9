"""hyperfine's files → rows: one a run, exit codes kept, constants only from what a person wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oakbench_core import build_book
from oakbench_core.errors import DocumentError
from oakbench_core.importers.hyperfine import checked_identity, rows_of_exports

IDENTITY: dict[str, Any] = {
    "bench_id": "2026-11-30",
    "lane": "core",
    "scenario": "tiny_text",
    "operation": "status.dirty",
    "runner_class": "ws-1",
    "commands": [
        {"command": "git status", "subject": "git", "subject_version": "2.39.5"},
        {"command": "oak status", "subject": "oak"},
    ],
}


def result(command: str = "git status", **changes: Any) -> dict[str, Any]:
    """One result with hyperfine's own keys."""
    times = changes.get("times", [0.0101, 0.0099, 0.0123])
    summary = dict.fromkeys(("mean", "median", "user", "system", "min", "max"), 0.01) | {"stddev": None}
    return {"command": command, **summary, "times": times, "exit_codes": [0] * len(times)} | changes


def export(*results: dict[str, Any]) -> bytes:
    return json.dumps({"results": list(results)}).encode()


def imported(*results: dict[str, Any], identity: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    return rows_of_exports([("a.json", export(*results))], checked_identity(identity or IDENTITY))


def test_each_run_becomes_a_row_numbered_from_one_that_a_book_takes() -> None:
    made = imported(result(), result("oak status", times=[0.005]))

    assert [(one["subject"], one["run"], one["metrics"]) for one in made] == [
        ("git", 1, {"wall_s": 0.0101}),
        ("git", 2, {"wall_s": 0.0099}),
        ("git", 3, {"wall_s": 0.0123}),
        ("oak", 1, {"wall_s": 0.005}),
    ]
    assert made[0]["subject_version"] == "2.39.5"
    assert "subject_version" not in made[3]
    assert {cell["unit"] for cell in build_book(made)["cells"]} == {"s"}


def test_exit_codes_are_kept_and_one_that_was_not_seen_is_unknown() -> None:
    made = imported(result(exit_codes=[0, 3, None]))

    assert [(one["outcome"], one["exit_code"]) for one in made] == [("ok", 0), ("failed", 3), ("unknown", None)]


def test_without_exit_codes_nothing_is_taken_for_a_success() -> None:
    without = result()
    del without["exit_codes"]

    assert {one["outcome"] for one in imported(without)} == {"unknown"}


def test_memory_is_taken_where_it_was_measured_and_parameters_are_kept_aside() -> None:
    (one, _) = imported(result(times=[0.1, 0.2], memory_usage_byte=[4096, 8192], parameters={"n": "3"}))

    assert one["metrics"] == {"wall_s": 0.1, "peak_memory_bytes": 4096}
    assert one["extra"] == {"hyperfine_command": "git status", "hyperfine_parameters": {"n": "3"}}


@pytest.mark.clause("A09-43")
def test_the_constants_are_what_a_person_wrote_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import platform

    monkeypatch.setattr(os, "uname", lambda: pytest.fail("an import asked what machine it runs on"))
    monkeypatch.setattr(platform, "machine", lambda: pytest.fail("an import asked what machine it runs on"))
    (one, *_) = imported(result())

    said = {key for key in IDENTITY if key != "commands"} | {"subject", "subject_version"}
    assert set(one) == said | {"schema", "run", "outcome", "exit_code", "metrics", "extra"}


def test_the_same_command_twice_in_a_file_goes_on_counting_its_runs() -> None:
    assert [one["run"] for one in imported(result(), result())] == [1, 2, 3, 4, 5, 6]


def test_several_files_are_several_sessions_that_a_person_names() -> None:
    files = [("a.json", export(result(times=[1.0]))), ("b.json", export(result(times=[2.0])))]
    person = {key: value for key, value in IDENTITY.items() if key != "bench_id"}

    made = rows_of_exports(files, checked_identity(person | {"sessions": {"a.json": "s1", "b.json": "s2"}}))
    assert [(one["bench_id"], one["run"]) for one in made] == [("s1", 1), ("s2", 1)]
    with pytest.raises(DocumentError, match="several sessions"):
        rows_of_exports(files, checked_identity(IDENTITY))
    with pytest.raises(DocumentError, match=r"no bench_id of 'b\.json'"):
        rows_of_exports(files, checked_identity(person | {"sessions": {"a.json": "s1"}}))
    with pytest.raises(DocumentError, match="one of them"):
        rows_of_exports(files, checked_identity(IDENTITY | {"sessions": {"a.json": "s1", "b.json": "s2"}}))
    with pytest.raises(DocumentError, match="could not be told apart"):
        rows_of_exports([files[0], files[0]], checked_identity(person))


@pytest.mark.parametrize(
    ("identity", "rule"),
    [
        ({"metrics": {"wall_s": 1}}, "hyperfine's file says"),
        ({"outcome": "ok"}, "hyperfine's file says"),
        ({"runner": "x"}, "unknown"),
        ({"commands": [{"subject": "git"}]}, "the command's text"),
        ({"commands": "git"}, "the command's text"),
        ({"commands": [{"command": "a"}, {"command": "a"}]}, "stands there twice"),
        ({"commands": [{"command": "a", "speed": 1}]}, "unknown"),
        ({"sessions": {"a.json": 3}}, "a bench_id each"),
    ],
)
def test_an_identity_that_says_what_it_may_not_is_refused(identity: dict[str, Any], rule: str) -> None:
    with pytest.raises(DocumentError, match=rule):
        checked_identity({"lane": "core"} | identity)


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"{", "expected JSON"),
        (b'{"results": 3}', "tuple"),
        (export(result("hg status")), "no .* table of the identity has this command"),
        (export(result(exit_codes=[0])), "expected 3 exit_codes"),
        (export(result(times=[-1.0])), "greater than or equal to 0"),
        (export(result() | {"odd": 1}), "unknown"),
    ],
)
def test_a_file_that_hyperfine_did_not_write_is_refused_by_name(content: bytes, rule: str) -> None:
    with pytest.raises(DocumentError, match=rule) as refusal:
        rows_of_exports([("a.json", content)], checked_identity(IDENTITY))

    assert refusal.value.file == "a.json"


def test_constants_that_make_no_row_are_refused_where_they_are_used() -> None:
    with pytest.raises(DocumentError, match="scenario: this key is required"):
        imported(result(), identity={"lane": "core", "operation": "x", "subject": "git"})

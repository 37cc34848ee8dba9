"""The commands of saved baselines: files in, data on stdout, messages on stderr, the documented exit code."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from oakbench_core.errors import ExitCode
from oakbench_tui.cli.schema import SchemaName, json_schema
from tests.core.baseline.staging import git_rows, noise_rows, oak_rows, target
from tests.core.baseline.test_books import V1

if TYPE_CHECKING:
    from collections.abc import Iterable

Cli = Callable[..., tuple[int, str, str]]


def write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def toml(*targets: dict[str, Any]) -> str:
    return "\n".join("[[targets]]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in t.items()) for t in targets)


@pytest.fixture
def place(tmp_path: Path, cli: Cli) -> Path:
    """A book, candidate rows and targets that pass as a claim."""
    write(tmp_path / "git.jsonl", git_rows())
    write(tmp_path / "aa.jsonl", noise_rows())
    write(tmp_path / "oak.jsonl", oak_rows())
    (tmp_path / "targets.toml").write_text(toml(target()))
    assert (
        cli("book", "build", tmp_path / "git.jsonl", "--noise", tmp_path / "aa.jsonl", "-o", tmp_path / "book.json")[0]
        == 0
    )
    return tmp_path


def card(cli: Cli, place: Path, *options: object, rows: str = "oak.jsonl") -> tuple[int, str, str]:
    return cli("scorecard", "--book", place / "book.json", "--targets", place / "targets.toml", place / rows, *options)


def test_a_book_is_built_whole_and_said_on_stderr_alone(place: Path, cli: Cli) -> None:
    code, out, err = cli("book", "build", place / "git.jsonl", "-o", place / "second.json")

    assert (code, out) == (0, "")
    assert "2 cells, 0 of them with a noise floor" in err
    document = json.loads((place / "second.json").read_text())
    jsonschema.Draft202012Validator(json_schema(SchemaName.BOOK)).validate(document)
    assert document["created_at"] is not None


def test_an_existing_file_is_never_overwritten_and_no_row_is_read_for_it(place: Path, cli: Cli) -> None:
    before = (place / "book.json").read_bytes()
    code, _, err = cli("book", "build", place / "not-there.jsonl", "-o", place / "book.json")

    assert code == ExitCode.USAGE
    assert "exists already" in err
    assert (place / "book.json").read_bytes() == before


@pytest.mark.parametrize("form", ["text", "json", "md", "csv"])
def test_a_book_is_shown_in_four_forms(form: str, place: Path, cli: Cli) -> None:
    code, out, err = cli("book", "show", place / "book.json", "--format", form)

    assert (code, err) == (0, "")
    assert "wall_ms" in out
    if form == "json":
        assert json.loads(out) == json.loads((place / "book.json").read_text())
    if form == "csv":
        assert len(list(csv.DictReader(io.StringIO(out)))) == 2


@pytest.mark.clause("A09-18")
def test_the_command_claims_unless_a_diagnosis_is_asked_for(place: Path, cli: Cli) -> None:
    code, out, _ = card(cli, place, "--format", "json")
    assert (code, json.loads(out)["mode"], json.loads(out)["claim_eligible"]) == (0, "claim", True)

    code, out, _ = card(cli, place, "--format", "json", "--mode", "diagnostic")
    assert (code, json.loads(out)["mode"], json.loads(out)["claim_eligible"]) == (0, "diagnostic", False)


@pytest.mark.clause("A09-36")
def test_a_claim_that_lacks_evidence_ends_with_1_and_its_reasons_and_a_diagnosis_of_it_with_0(
    place: Path, cli: Cli
) -> None:
    write(place / "few.jsonl", oak_rows(29))

    code, out, err = card(cli, place, rows="few.jsonl")
    assert code == ExitCode.GATE_NOT_MET
    assert "too_few_trials" in out
    assert "exit 1: 0 of 1 are GREEN" in err
    assert "--missing" in err
    assert card(cli, place, "--mode", "diagnostic", rows="few.jsonl")[0] == 0


@pytest.mark.clause("A09-37")
@pytest.mark.parametrize("mode", ["claim", "diagnostic"])
def test_missing_inputs_end_with_1_in_both_modes(mode: str, place: Path, cli: Cli) -> None:
    write(place / "none.jsonl", oak_rows(outcome="failed"))

    code, out, _ = card(cli, place, "--mode", mode, rows="none.jsonl")
    assert code == ExitCode.GATE_NOT_MET
    assert "UNMEASURED" in out


def test_red_fails_a_diagnosis_only_where_that_is_asked_for(place: Path, cli: Cli) -> None:
    write(place / "slow.jsonl", oak_rows(median=95.0))

    assert card(cli, place, "--mode", "diagnostic", rows="slow.jsonl")[0] == 0
    code, out, _ = card(cli, place, "--mode", "diagnostic", "--fail-on", "RED", rows="slow.jsonl")
    assert (code, "✗ RED" in out) == (1, True)
    code, _, err = card(cli, place, "--fail-on", "RED")
    assert code == ExitCode.USAGE
    assert "--mode diagnostic" in err


@pytest.mark.parametrize("form", ["text", "json", "md", "csv"])
def test_a_scorecard_is_printed_in_four_forms_on_stdout(form: str, place: Path, cli: Cli) -> None:
    code, out, err = card(cli, place, "--format", form, "--quiet")

    assert (code, err) == (0, "")
    assert "GREEN" in out
    if form == "json":
        jsonschema.Draft202012Validator(json_schema(SchemaName.SCORECARD)).validate(json.loads(out))


@pytest.mark.clause("A09-34")
@pytest.mark.parametrize(
    "options",
    [
        *(("--confidence", value) for value in ("0", "1", "1.5", "-1", "nan", "inf")),
        *(("--draws", value) for value in ("0", "-3", "2.5")),
        ("--mode", "publish"),
        ("--fail-on", "AMBER"),
    ],
)
def test_options_that_mean_nothing_are_refused_with_2(options: tuple[str, str], place: Path, cli: Cli) -> None:
    code, out, err = card(cli, place, *options)

    assert (code, out) == (ExitCode.USAGE, "")
    assert options[0].removeprefix("--") in err


def test_draws_and_confidence_are_recorded(place: Path, cli: Cli) -> None:
    _, out, _ = card(cli, place, "--format", "json", "--draws", 500, "--confidence", 0.97)

    (result,) = json.loads(out)["results"]
    assert (result["draws"], result["confidence"]) == (500, 0.97)


@pytest.mark.clause("A09-02")
def test_a_version_one_book_is_for_diagnosis_and_is_not_touched(place: Path, cli: Cli) -> None:
    old = place / "old.json"
    old.write_text(json.dumps(V1))
    before = (old.read_bytes(), old.stat().st_mtime_ns)

    assert "Version 1: for diagnosis only" in cli("book", "show", old)[1]
    assert "not recorded" in cli("stats", old)[1]
    for mode in ("claim", "diagnostic"):
        code, out, _ = cli(
            "scorecard", "--book", old, "--targets", place / "targets.toml", place / "oak.jsonl", "--mode", mode
        )
        assert (code, "≠ INVALID" in out, "version 1" in out) == (1, True, True)
    assert (old.read_bytes(), old.stat().st_mtime_ns) == before


@pytest.mark.parametrize(
    ("broken", "content", "place_in_error"),
    [
        ("book.json", '{"schema": "oakbench.book/2"', "book.json"),
        ("book.json", '{"schema": "oakbench.book/2", "cells": []}', "$.source"),
        ("targets.toml", "[[targets]]\nlane = 3\n", "$.targets[0].lane"),
        ("targets.toml", "[[targets]", "targets.toml"),
        ("oak.jsonl", '{"lane": "core"}\n', "line 1, $.scenario"),
    ],
)
def test_a_refused_input_ends_with_40_and_every_place(
    broken: str, content: str, place_in_error: str, place: Path, cli: Cli
) -> None:
    (place / broken).write_text(content)

    code, out, err = card(cli, place)
    assert (code, out) == (ExitCode.REFUSED, "")
    assert place_in_error in err
    assert str(place / broken) in err


def test_a_campaign_s_rows_are_refused_with_40_and_the_report_is_named(place: Path, cli: Cli) -> None:
    write(place / "agents.jsonl", [{"schema": "oakbench.row/1", "lane": "agent", "bench_id": "c", "run": 1}])

    for arguments in (
        ("book", "build", place / "agents.jsonl", "-o", place / "new.json"),
        ("stats", place / "agents.jsonl"),
    ):
        code, _, err = cli(*arguments)
        assert code == ExitCode.REFUSED
        assert "oakbench-tui report" in err
    assert not (place / "new.json").exists()


@pytest.mark.parametrize("form", ["text", "json", "md", "csv"])
@pytest.mark.clause("A09-44", "A09-46")
def test_statistics_are_printed_in_four_forms(form: str, place: Path, cli: Cli) -> None:
    write(place / "failed.jsonl", [*oak_rows(3, outcome="failed"), *oak_rows(5, outcome="skipped")[3:]])

    code, out, err = cli("stats", place / "failed.jsonl", "--format", form)
    assert (code, err) == (0, "")
    assert "wall_ms" in out
    if form == "json":
        (cell,) = json.loads(out)["cells"]
        assert (cell["rows"], cell["attempts"], cell["failed"], cell["skipped"], cell["figures"]) == (5, 3, 3, 2, None)


def test_statistics_of_rows_and_a_book_together_are_refused(place: Path, cli: Cli) -> None:
    code, _, err = cli("stats", place / "oak.jsonl", place / "book.json")

    assert code == ExitCode.USAGE
    assert "a book stands alone" in err
    assert cli("stats", place / "book.json", "--missing")[0] == 0


def test_what_is_missing_is_said_for_rows(place: Path, cli: Cli) -> None:
    _, out, _ = cli("stats", place / "oak.jsonl", "--missing")

    assert "what a claim still needs" in out
    assert "368 values" in out


def test_hyperfine_s_file_becomes_rows_under_the_identity_of_a_person(place: Path, cli: Cli) -> None:
    times = [0.01, 0.02]
    (place / "hf.json").write_text(
        json.dumps({"results": [{"command": "git status", "times": times, "exit_codes": [0, 1]}]})
    )
    (place / "id.toml").write_text(
        'lane = "core"\nscenario = "s"\noperation = "o"\n[[commands]]\ncommand = "git status"\nsubject = "git"\n'
    )
    arguments = ("import", "hyperfine", place / "hf.json", "--identity", place / "id.toml", "-o", place / "hf.jsonl")

    code, out, err = cli(*arguments)
    assert (code, out) == (0, "")
    assert "2 rows" in err
    assert cli(*arguments)[0] == ExitCode.USAGE
    _, out, _ = cli("stats", place / "hf.jsonl", "--format", "json")
    assert [(cell["ok"], cell["failed"]) for cell in json.loads(out)["cells"]] == [(1, 1)]


def test_an_identity_that_is_refused_is_named(place: Path, cli: Cli) -> None:
    (place / "hf.json").write_text('{"results": []}')
    (place / "id.toml").write_text('speed = "fast"\n')

    code, _, err = cli("import", "hyperfine", place / "hf.json", "--identity", place / "id.toml", "-o", place / "x")
    assert code == ExitCode.REFUSED
    assert f"{place / 'id.toml'}, $.speed: this key is unknown" in err


@pytest.mark.parametrize("arguments", [("book", "show"), ("stats",)])
def test_a_file_that_is_not_there_ends_with_2(arguments: tuple[str, ...], tmp_path: Path, cli: Cli) -> None:
    code, out, err = cli(*arguments, tmp_path / "none")

    assert (code, out) == (ExitCode.USAGE, "")
    assert "no such file" in err


@pytest.mark.parametrize(
    "command", [("book", "build"), ("book", "show"), ("scorecard",), ("stats",), ("import", "hyperfine")]
)
def test_help_starts_with_what_it_does_and_has_examples(command: tuple[str, ...], cli: Cli) -> None:
    code, out, _ = cli(*command, "-h")

    assert code == 0
    assert "Examples:" in out

"""The command line: one clear message, the right exit code, no traceback, and data on stdout alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from oakbench_core import report_campaign
from oakbench_core.campaign.vocabulary import StopReason, Terminal
from oakbench_core.durable.documents import load_plan, write_plan
from oakbench_core.durable.writer import JournalWriter
from oakbench_core.errors import PRECEDENCE, ExitCode, strongest
from tests import campaigns

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent.parent
COMMANDS = (
    "demo", "init", "check", "freeze", "run", "retry", "watch", "status", "report", "verify", "recover", "schema",
)  # fmt: skip
HOSTILE = "\x1b]52;c;eA==\x07\u202e[/foo]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sound campaign, stopped by its budget with trials left."""
    place = tmp_path / "campaign"
    place.mkdir()
    write_plan(place / "plan.json", json.dumps(campaigns.plan_document(budget_s=60, mock=True)).encode())
    plan = load_plan(place)
    with JournalWriter.open(place, plan, clock=lambda: "2026-11-30T08:00:00.000Z") as writer:
        for number, trial in enumerate(plan.schedule[:3]):
            writer.append_started(trial.trial_id)
            row = campaigns.row(plan, number, verified=number != 1)
            writer.append_finished(trial.trial_id, Terminal.COMPLETED, row)
        writer.append_closed(StopReason.BUDGET, 12, None)
    return place


def journal(folder: Path) -> Path:
    return folder / "journal.jsonl"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_shows_an_example(command: str, cli: Callable[..., Any]) -> None:
    code, out, _ = cli(command, "-h")

    assert code == 0
    assert f"  oakbench-tui {command}" in out


def test_the_help_of_the_program_names_every_command_and_shows_examples(cli: Callable[..., Any]) -> None:
    code, out, _ = cli("-h")

    assert code == 0
    assert all(f"\n  {command} " in out for command in COMMANDS)
    assert "  oakbench-tui demo" in out


def test_the_version_is_printed(cli: Callable[..., Any]) -> None:
    code, out, _ = cli("--version")

    assert (code, out.split()[0]) == (0, "oakbench")


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "--recover"),
        ("frobnicate",),
        ("report", "--format", "svg"),
        ("schema", "journal"),
        ("status", "--follow"),
    ],
)
def test_what_is_not_built_is_refused_by_name(arguments: tuple[str, ...], cli: Callable[..., Any]) -> None:
    code, out, err = cli(*arguments)

    assert (code, out) == (ExitCode.USAGE, "")
    assert arguments[-1] in err or arguments[0] in err


@pytest.mark.parametrize("command", ["verify", "status", "report"])
def test_a_sound_campaign_gives_0_and_writes_data_to_stdout_only(
    command: str, folder: Path, cli: Callable[..., Any]
) -> None:
    code, out, err = cli(command, folder)

    assert (code, err) == (0, "")
    assert "c1" in out


@pytest.mark.parametrize("command", ["verify", "status", "report"])
@pytest.mark.parametrize("name", ["nowhere", "file", "empty"])
def test_a_wrong_path_is_named_and_gives_2(command: str, name: str, tmp_path: Path, cli: Callable[..., Any]) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()

    code, out, err = cli(command, tmp_path / name)

    assert (code, out) == (ExitCode.USAGE, "")
    assert str(tmp_path / name) in err
    assert "next:" in err


def _break_plan(folder: Path) -> None:
    (folder / "plan.json").write_text('{"schema": "oakbench.plan/1", "seed": true, "seed": 1')


def _refuse_plan(folder: Path) -> None:
    document = json.loads((folder / "plan.json").read_text())
    (folder / "plan.json").write_text(json.dumps(document | {"seed": "x", "participants": "humans"}))


def _edit_plan(folder: Path) -> None:
    document = json.loads((folder / "plan.json").read_text())
    (folder / "plan.json").write_text(json.dumps(document | {"seed": 8}))


def _tear(folder: Path) -> None:
    with journal(folder).open("ab") as file:
        file.write(b'{"event":"opened","trial')


def _zero(folder: Path) -> None:
    journal(folder).write_bytes(journal(folder).read_bytes() + bytes(64))


def _spoil_tail(folder: Path) -> None:
    journal(folder).write_bytes(journal(folder).read_bytes() + b"what is this")


def _flip(folder: Path) -> None:
    text = journal(folder).read_bytes()
    journal(folder).write_bytes(text.replace(b'"duration_s":1.5', b'"duration_s":0.5', 1))


def _foreign(folder: Path) -> None:
    text = journal(folder).read_text()
    own = json.loads((folder / "plan.json").read_text())["plan_sha256"]
    journal(folder).write_text(text.replace(own, "f" * 64))


@pytest.mark.parametrize(
    ("damage", "code", "words"),
    [
        (_break_plan, ExitCode.REFUSED, "plan.json, line 1"),
        (_refuse_plan, ExitCode.REFUSED, "$.seed"),
        (_edit_plan, ExitCode.IDENTITY, "$.plan_sha256"),
        (_flip, ExitCode.INVALID, "line 3"),
        (_foreign, ExitCode.IDENTITY, "line 1"),
    ],
)
@pytest.mark.parametrize("command", ["verify", "status", "report"])
def test_evidence_that_proves_nothing_gives_its_place_its_code_and_no_number(
    command: str, damage: Callable[[Path], None], code: ExitCode, words: str, folder: Path, cli: Callable[..., Any]
) -> None:
    damage(folder)

    found, out, err = cli(command, folder)

    assert found == code
    assert words in out + err
    assert "verified" not in out


@pytest.mark.parametrize(
    ("damage", "code"), [(_tear, ExitCode.TORN), (_zero, ExitCode.TORN), (_spoil_tail, ExitCode.UNCERTAIN)]
)
@pytest.mark.parametrize("command", ["verify", "status", "report"])
def test_a_torn_end_is_said_and_what_stands_before_it_is_reported(
    command: str, damage: Callable[[Path], None], code: ExitCode, folder: Path, cli: Callable[..., Any]
) -> None:
    damage(folder)

    found, out, err = cli(command, folder)

    assert found == code
    assert out
    assert "byte" in out + err


def test_all_problems_of_a_plan_are_printed_one_a_line(folder: Path, cli: Callable[..., Any]) -> None:
    _refuse_plan(folder)

    _, _, err = cli("verify", folder)

    assert [line.split(": ")[0].strip().rsplit(", ")[-1] for line in err.splitlines()[1:3]] == [
        "$.seed",
        "$.participants",
    ]


def test_the_json_report_is_the_apis_and_is_the_same_twice(folder: Path, cli: Callable[..., Any]) -> None:
    from oakbench_core import load_plan, read_journal

    plan = load_plan(folder)

    _, first, _ = cli("report", folder, "--format", "json")
    _, second, _ = cli("report", folder, "--format", "json")

    assert first == second
    assert json.loads(first) == report_campaign(plan, read_journal(folder, plan).events)


@pytest.mark.parametrize("name", ["plan", "event", "row", "report"])
def test_a_schema_accepts_what_the_program_itself_writes(name: str, folder: Path, cli: Callable[..., Any]) -> None:
    _, text, _ = cli("schema", name)
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    events = [json.loads(line) for line in journal(folder).read_text().splitlines()]
    documents = {
        "plan": [json.loads((folder / "plan.json").read_text())],
        "event": events,
        "row": [event["row"] for event in events if "row" in event],
        "report": [json.loads(cli("report", folder, "--format", "json")[1])],
    }

    for document in documents[name]:
        validator.validate(document)
        with pytest.raises(jsonschema.ValidationError):
            validator.validate({**document, "unknown": 1})


def test_require_complete_and_exit_code_tell_what_is_missing(folder: Path, cli: Callable[..., Any]) -> None:
    assert cli("report", folder, "--require-complete", "--quiet")[0] == ExitCode.INCOMPLETE
    assert cli("verify", folder, "--exit-code")[0] == ExitCode.INCOMPLETE
    assert cli("status", folder, "--exit-code")[0] == ExitCode.INCOMPLETE


def test_a_live_writer_is_told_by_its_code(folder: Path, cli: Callable[..., Any]) -> None:
    plan = load_plan(folder)
    with JournalWriter.open(folder, plan, clock=lambda: "2026-11-30T08:00:00.000Z"):
        assert cli("verify", folder)[0] == ExitCode.DONE
        assert cli("verify", folder, "--exit-code")[0] == ExitCode.WRITER_LIVE
        assert cli("status", folder, "--exit-code")[0] == ExitCode.WRITER_LIVE


def test_a_report_is_written_whole_to_a_new_file_and_over_nothing(
    folder: Path, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    target = tmp_path / "report.md"
    assert cli("report", folder, "-o", target)[:2] == (0, "")
    written = target.read_text()

    code, _, err = cli("report", folder, "-o", target, "--format", "json")

    assert code == ExitCode.USAGE
    assert str(target) in err
    assert target.read_text() == written


def test_a_report_is_never_written_over_the_evidence(folder: Path, tmp_path: Path, cli: Callable[..., Any]) -> None:
    before = journal(folder).read_bytes()
    link = tmp_path / "link.md"
    link.symlink_to(journal(folder))

    assert cli("report", folder, "-o", journal(folder))[0] == ExitCode.USAGE
    assert cli("report", folder, "-o", link)[0] == ExitCode.PLATFORM
    assert journal(folder).read_bytes() == before


def test_status_takes_many_folders_and_gives_the_strongest_code(
    folder: Path, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    _tear(other)

    code, out, _ = cli("status", folder, other, "--json")

    assert code == ExitCode.TORN
    assert [json.loads(line)["schema"] for line in out.splitlines()] == ["oakbench.status/1"] * 2


def test_status_says_what_it_can_of_every_folder(folder: Path, tmp_path: Path, cli: Callable[..., Any]) -> None:
    other = shutil.copytree(folder, tmp_path / "other")

    code, out, err = cli("status", folder, tmp_path / "missing", other, "--json")

    assert code == ExitCode.USAGE
    assert len(out.splitlines()) == 2
    assert f"{tmp_path}/missing: there is no such folder" in err


def test_hostile_text_in_arguments_and_documents_reaches_no_stream_raw(folder: Path, cli: Callable[..., Any]) -> None:
    document = json.loads((folder / "plan.json").read_text())
    (folder / "plan.json").write_text(json.dumps(document | {"seed": HOSTILE, HOSTILE: 1}))

    _, out, err = cli("verify", folder)
    _, out2, err2 = cli("verify", folder / HOSTILE)

    assert not set("\x1b\x07\u202e") & set(out + err + out2 + err2)
    assert "\\x1b" in err
    assert "\\x1b" in err2


def test_a_closed_pipe_ends_quietly(folder: Path) -> None:
    command = f"{sys.executable} -m oakbench_tui report {folder} --format json | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, cwd=ROOT)

    assert (len(done.stdout), done.stderr) == (10, "")


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"TERM": "xterm"}])
def test_a_console_without_a_terminal_is_refused_with_a_way_on(folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "oakbench_tui", "watch", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=ROOT,
        env=os.environ | environment,
    )

    assert done.returncode == ExitCode.USAGE
    assert "status" in done.stderr
    assert "report" in done.stderr


def test_a_defect_of_ours_leaves_a_file_and_no_traceback_on_the_screen(
    folder: Path, tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("oakbench_tui.cli.verify.verification_lines", lambda *_: 1 / 0)

    code, _, err = cli("verify", folder)

    assert code == ExitCode.DEFECT
    [crash] = (tmp_path / "state" / "oakbench").iterdir()
    assert str(crash) in err
    assert "ZeroDivisionError" in crash.read_text()


def test_of_several_codes_the_first_of_the_table_wins() -> None:
    assert set(PRECEDENCE) == {int(code) for code in ExitCode}
    assert strongest([]) == ExitCode.DONE
    assert strongest([ExitCode.INCOMPLETE, ExitCode.WRITER_LIVE, ExitCode.TORN]) == ExitCode.TORN
    assert strongest([ExitCode.REFUSED, ExitCode.IDENTITY]) == ExitCode.IDENTITY


def test_the_documents_table_of_exit_codes_is_the_programs() -> None:
    text = (ROOT / "docs" / "exit-codes.md").read_text()
    listed = {
        int(line.split("|")[1])
        for line in text.splitlines()
        if line.startswith("| ") and line[2].isdigit() and "N" not in line[:8]
    }

    assert listed <= {int(code) for code in ExitCode}
    assert "70, 128+N, " + ", ".join(map(str, PRECEDENCE[1:])) in text


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_jq_reads_a_journal(folder: Path) -> None:
    done = subprocess.run(["jq", "-r", ".event", str(journal(folder))], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["opened", *["started", "finished"] * 3, "closed"]


@pytest.mark.clause("A10-41")
def test_measured_failures_are_evidence_and_close_no_gate(tmp_path: Path, cli: Callable[..., Any]) -> None:
    write_plan(tmp_path / "plan.json", json.dumps(campaigns.plan_document()).encode())
    plan = load_plan(tmp_path)
    with JournalWriter.open(tmp_path, plan, clock=lambda: "2026-11-30T08:00:00.000Z") as writer:
        for number, trial in enumerate(plan.schedule):
            writer.append_started(trial.trial_id)
            writer.append_finished(trial.trial_id, Terminal.COMPLETED, campaigns.row(plan, number, verified=False))
        writer.append_closed(StopReason.EXHAUSTED, 0, None)

    code, out, _ = cli("report", tmp_path, "--format", "json", "--require-complete")

    summary = json.loads(out)
    assert (code, summary["completeness"]) == (ExitCode.DONE, "complete")
    assert all(group["success"]["fraction"] == 0 and group["success"]["wilson"] for group in summary["groups"])

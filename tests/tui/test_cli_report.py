"""The `report` command's formats: prefixes, tables and the HTML file, as somebody at a shell meets them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core import load_plan, read_journal, report_campaign
from oakbench_core.durable.writer import JournalWriter
from oakbench_core.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDED = Path(__file__).resolve().parent.parent / "recorded"
LAST = 181


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the recorded demonstration: 132 trials, stopped by its budget."""
    place = tmp_path / "campaign"
    place.mkdir()
    for name in ("plan.json", "journal.jsonl"):
        shutil.copy(RECORDED / name, place / name)
    return place


def test_a_prefix_is_the_report_of_the_records_up_to_there(folder: Path, cli: Callable[..., Any]) -> None:
    plan = load_plan(folder)
    events = list(read_journal(folder, plan).events)
    code, out, err = cli("report", folder, "--at", 3, "--format", "json")

    assert (code, err) == (0, "")
    assert json.loads(out) == report_campaign(plan, events, as_of=3)
    assert "This is a prefix: the journal up to record 3" in cli("report", folder, "--at", 3)[1]
    assert '"prefix_report"' in cli("report", folder, "--at", len(events) - 1, "--format", "json")[1]


def test_a_prefix_up_to_a_record_that_is_not_there_is_refused(folder: Path, cli: Callable[..., Any]) -> None:
    code, out, err = cli("report", folder, "--at", 999)

    assert (code, out) == (ExitCode.USAGE, "")
    assert f"no record number 999: its last record is number {LAST}" in err
    (folder / "journal.jsonl").unlink()
    assert "it has no record" in cli("report", folder, "--at", 0)[2]
    assert cli("report", folder, "--at", -1)[0] == ExitCode.USAGE


def test_a_prefix_of_a_torn_journal_leaves_out_what_a_recovery_would_add(folder: Path, cli: Callable[..., Any]) -> None:
    lines = (folder / "journal.jsonl").read_bytes().split(b"\n")
    (folder / "journal.jsonl").write_bytes(b"\n".join([*lines[:60], lines[60][:40]]))
    whole, prefix = (json.loads(cli("report", folder, "--format", "json", *at)[1]) for at in ((), ("--at", 59)))

    assert len(whole["execution"]["recoveries"]) == 1
    assert prefix["execution"]["recoveries"] == []
    assert cli("report", folder, "--at", 59)[0] == ExitCode.TORN


@pytest.mark.parametrize("table", [None, "trials", "groups", "pairs", "resources"])
def test_the_tables_are_csv_with_a_header(table: str | None, folder: Path, cli: Callable[..., Any]) -> None:
    code, out, err = cli("report", folder, "--format", "csv", *(("--table", table) if table else ()))

    assert (code, err) == (0, "")
    assert out.startswith("campaign_id,plan_sha256,as_of,evidence_class,claim_eligible,mock,")
    assert len(out.splitlines()) == 1 + {"trials": 132, "groups": 30, "pairs": 30, "resources": 330}[table or "trials"]


def test_a_table_of_what_is_no_csv_is_refused_with_the_right_command(folder: Path, cli: Callable[..., Any]) -> None:
    code, out, err = cli("report", folder, "--table", "groups")

    assert (code, out) == (ExitCode.USAGE, "")
    assert f"next: oakbench-tui report {folder} --format csv --table groups" in err


def test_the_html_is_one_file_and_says_that_a_writer_is_alive(folder: Path, cli: Callable[..., Any]) -> None:
    target = folder / "report.html"
    assert cli("report", folder, "--format", "html", "-o", target)[0] == 0
    said = "A runner was writing this journal when it was read"
    assert said not in target.read_text()

    plan = load_plan(folder)
    with JournalWriter.open(folder, plan, clock=lambda: "2026-11-30T09:00:00.000Z"):
        assert said in cli("report", folder, "--format", "html")[1]
        assert said in cli("report", folder)[1]

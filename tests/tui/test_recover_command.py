"""`recover`, and what `verify`, `status` and `report` say before and after it."""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.campaign.vocabulary import Terminal
from oakbench_core.durable.documents import load_plan, write_plan
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.writer import JournalWriter
from oakbench_core.errors import ExitCode
from tests import campaigns

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the writer's lock is Linux's")

START = b'{"event":"started","trial_id":"'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign whose runner was killed when one trial had ended and none was running."""
    write_plan(tmp_path / "plan.json", json.dumps(campaigns.plan_document(budget_s=60, mock=True)).encode())
    plan = load_plan(tmp_path)
    with JournalWriter.open(tmp_path, plan, clock=lambda: "2026-11-30T08:00:00.000Z") as writer:
        writer.append_started(plan.schedule[0].trial_id)
        writer.append_finished(plan.schedule[0].trial_id, Terminal.COMPLETED, campaigns.row(plan, 0, verified=True))
    return tmp_path


@pytest.fixture
def plan(folder: Path) -> Plan:
    return load_plan(folder)


def add(folder: Path, tail: bytes) -> None:
    with (folder / "journal.jsonl").open("ab") as file:
        file.write(tail)


def without_tail(document: dict[str, Any]) -> dict[str, Any]:
    return {key: document[key] for key in ("counts", "admission", "measured")}


@pytest.mark.clause("A10-18")
@pytest.mark.parametrize("tail", ["torn start", "zeros", "uncertain"])
def test_a_lost_start_is_uncertain_before_and_after_recovery_in_every_count(
    tail: str, folder: Path, plan: Plan, cli: Callable[..., Any]
) -> None:
    second = plan.schedule[1].trial_id
    add(folder, {"torn start": START + second.encode() + b'"', "zeros": bytes(9), "uncertain": b"hello\n"}[tail])
    code = ExitCode.UNCERTAIN if tail == "uncertain" else ExitCode.TORN
    status_before = cli("status", folder, "--json")
    report_before = cli("report", folder, "--format", "json")
    text_before = cli("status", folder)[1]
    recovered = cli("recover", folder)
    status_after = cli("status", folder, "--json")
    report_after = cli("report", folder, "--format", "json")

    assert (status_before[0], report_before[0], recovered[0]) == (code, code, ExitCode.DONE)
    assert (status_after[0], report_after[0]) == (ExitCode.DONE, ExitCode.DONE)
    before, after = (json.loads(report[1]) for report in (report_before, report_after))
    assert {key for key in before if before[key] != after[key]} == {"execution", "summary_sha256"}
    assert before["execution"]["recoveries"] == after["execution"]["recoveries"]
    assert json.loads(report_after[1])["counts"]["interrupted_uncertain"] == 1
    assert without_tail(json.loads(status_before[1])) == without_tail(json.loads(status_after[1]))
    assert "1 interrupted (1 uncertain)" in text_before
    assert f"reserves {second} as an uncertain interruption" in text_before
    assert f"reserved  {second}, as an uncertain interruption" in recovered[1]


def test_verify_says_what_recovery_would_do_and_recover_says_what_it_did(
    folder: Path, plan: Plan, cli: Callable[..., Any]
) -> None:
    good = (folder / "journal.jsonl").stat().st_size
    add(folder, START + plan.schedule[1].trial_id.encode() + b'"')
    foreseen = json.loads(cli("verify", folder, "--json")[1])["tail"]["would_recover"]
    done = json.loads(cli("recover", folder, "--json")[1])
    again = json.loads(cli("recover", folder, "--json")[1])

    assert done["event"] == foreseen
    assert (done["schema"], done["found"], done["action"]) == ("oakbench.recover/1", "TORN", "recovered")
    assert done["cut"] == {"offset": good, "bytes": len(START) + len(plan.schedule[1].trial_id) + 1}
    assert done["reserved"] == plan.schedule[1].trial_id
    assert (folder / done["kept_as"][0]).is_file()
    assert (again["action"], again["event"]) == ("nothing", None)


def test_an_uncertain_tail_that_nothing_proves_is_left_until_it_is_accepted(
    folder: Path, cli: Callable[..., Any]
) -> None:
    add(folder, b"hello\n")
    (folder / "journal.head").unlink()
    left = (folder / "journal.jsonl").read_bytes()
    code, out, err = cli("recover", folder)

    assert (code, out) == (ExitCode.UNCERTAIN, "")
    assert "--accept-uncertain-tail" in err
    assert "--accept-uncertain-tail" in cli("verify", folder)[1]
    assert (folder / "journal.jsonl").read_bytes() == left
    assert cli("recover", folder, "--accept-uncertain-tail")[0] == ExitCode.DONE
    assert "uncertain_accepted" in json.dumps(list(read_journal(folder, load_plan(folder)).events)[-1])
    assert "accepted by hand" in cli("report", folder)[1]


def test_a_missing_lf_is_sound_and_is_added(folder: Path, cli: Callable[..., Any]) -> None:
    path = folder / "journal.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])

    assert cli("verify", folder)[0] == ExitCode.DONE
    assert "line feed" in cli("recover", folder)[1]
    assert path.read_bytes() == whole


@pytest.mark.parametrize("command", ["verify", "status", "report", "recover", "run"])
def test_acknowledged_records_that_are_missing_are_missed_by_every_command(
    command: str, folder: Path, cli: Callable[..., Any]
) -> None:
    """Fault 8."""
    path = folder / "journal.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    left = path.read_bytes()
    code, out, err = cli(command, folder)

    if command != "run":  # a plan that cannot be run here is refused first
        assert code == ExitCode.MISSING_RECORDS
        assert "acknowledged records are missing" in out + err
    assert path.read_bytes() == left


@pytest.mark.parametrize("command", ["verify", "report"])
def test_a_journal_is_held_to_hashes_that_were_published_earlier(
    command: str, folder: Path, plan: Plan, cli: Callable[..., Any]
) -> None:
    hashes = [event["hash"] for event in read_journal(folder, plan).events]
    for number, published in enumerate(hashes):
        code, out, err = cli(command, folder, "--expect-plan", plan.plan_sha256, "--expect-last", published)
        following = len(hashes) - number - 1

        assert code == ExitCode.DONE
        assert (f"{following} records follow it" if following else "it is the last record") in out + err
    assert cli(command, folder, "--expect-last", "0" * 32)[0] == ExitCode.INVALID
    assert cli(command, folder, "--expect-plan", "0" * 64)[0] == ExitCode.IDENTITY
    assert cli(command, folder, "--expect-plan", "0" * 64, "--expect-last", "0" * 32)[0] == ExitCode.IDENTITY


def test_a_report_of_what_was_not_expected_is_not_written(folder: Path, cli: Callable[..., Any]) -> None:
    code, out, _ = cli("report", folder, "--expect-last", "0" * 32, "-o", folder / "report.md")

    assert (code, out) == (ExitCode.INVALID, "")
    assert not (folder / "report.md").exists()


def test_a_journal_that_is_being_written_is_not_recovered(folder: Path, plan: Plan, cli: Callable[..., Any]) -> None:
    with JournalWriter.open(folder, plan, clock=lambda: "2026-11-30T08:00:00.000Z"):
        assert cli("recover", folder)[0] == ExitCode.LOCKED


def test_a_broken_off_recovery_of_a_journal_that_is_gone_is_not_said_to_be_finished_by_recover(
    folder: Path, cli: Callable[..., Any]
) -> None:
    tail = b'{"event":"opened","trial_id":null'
    for name in ("journal.jsonl", "journal.head"):
        (folder / name).unlink()
    (folder / "journal.quarantine").mkdir()
    (folder / "journal.quarantine" / f"0-1-{sha256(tail).hexdigest()[:16]}.bin").write_bytes(tail)
    code, out, _ = cli("verify", folder)
    refused = cli("recover", folder)

    assert (code, refused[0]) == (ExitCode.TORN, ExitCode.TORN)
    assert "RECOVERY_PENDING" in out
    assert "which is gone" in out
    for said in (out, cli("report", folder)[2], refused[2]):
        assert said.rpartition("next: ")[2].startswith("put the journal back from a copy")


def test_a_broken_off_recovery_that_a_person_must_accept_says_how(folder: Path, cli: Callable[..., Any]) -> None:
    tail, size = b"hello\n", (folder / "journal.jsonl").stat().st_size
    (folder / "journal.head").unlink()
    (folder / "journal.quarantine").mkdir()
    (folder / "journal.quarantine" / f"{size}-1-{sha256(tail).hexdigest()[:16]}.bin").write_bytes(tail)
    _, out, _ = cli("verify", folder)

    assert "RECOVERY_PENDING" in out
    assert "`recover --accept-uncertain-tail` keeps them aside" in out
    assert cli("recover", folder)[0] == ExitCode.UNCERTAIN
    assert cli("recover", folder, "--accept-uncertain-tail")[0] == ExitCode.DONE

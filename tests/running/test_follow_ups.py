"""`retry` and `freeze --parent` on real campaigns: the original stays as it is, the new folder needs nothing of it."""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.campaign.vocabulary import Terminal
from oakbench_core.durable.documents import load_plan, write_plan
from oakbench_core.durable.writer import JournalWriter
from oakbench_core.errors import ExitCode
from tests import campaigns
from tests.running.real_runs import RealCampaign, definition, task, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

SUBJECTS = '[subjects.one]\n[subjects.two]\nsetup = ["test ! -e {0}/down"]'
FIXTURE = 'fixture = "fixture"'


def contents(folder: Path) -> dict[str, str]:
    """Every file below the folder, by its hash."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def campaign(tmp_path: Path) -> RealCampaign:
    """Two tasks with two subjects each; where `marks/down` is, the setup of the second subject fails."""
    made = RealCampaign(tmp_path)
    (made.place / "source" / "fixture").mkdir(parents=True)
    (made.place / "source" / "fixture" / "file").write_text("as frozen")
    tasks = {
        "writes": task("cat file > out", more=FIXTURE, checks='{ name = "out", path = "out", contains = "as frozen" }'),
        "hangs": task(f"test -e {made.marks}/go && exit 0; touch {made.marks}/begun; sleep 68", more=FIXTURE),
    }
    return made.freeze(definition(tasks, subjects=SUBJECTS.format(made.marks), campaign="admission_budget_s = 900"))


def killed_in_a_trial(campaign: RealCampaign) -> str:
    """Kill the runner when it is in the trial that hangs; the trial's ID."""
    with campaign.start() as runner:
        wait_for((campaign.marks / "begun").exists)
        runner.send_signal(signal.SIGKILL)
        runner.communicate()
    ended = set(campaign.ids("finished"))
    return next(name for name in campaign.ids("started") if name not in ended)


def test_a_retry_of_interrupted_and_failed_trials_runs_without_its_parent(
    campaign: RealCampaign, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    (campaign.marks / "down").touch()
    interrupted = killed_in_a_trial(campaign)
    (campaign.marks / "go").touch()
    assert campaign.run()[0] == ExitCode.DONE
    failed = {event["trial_id"] for event in campaign.events() if event.get("terminal") == "infrastructure_failure"}
    before = contents(campaign.folder)
    (campaign.marks / "down").unlink()

    code, out, _ = cli("retry", campaign.folder, "-o", tmp_path / "again", "--json")
    told = json.loads(out)
    again = RealCampaign(tmp_path / "elsewhere")
    again.place.mkdir()
    (tmp_path / "again").rename(again.folder)
    assert contents(campaign.folder) == before
    shutil.rmtree(campaign.folder)

    assert code == ExitCode.DONE
    assert told["schema"] == "oakbench.retry/1"
    assert told["selected"] == {"interrupted": 1, "infrastructure": len(failed)}
    assert told["changed"] == []
    assert (told["parent"]["campaign_id"], told["parent"]["kind"]) == ("real", "retry")
    assert {interrupted, *failed} <= {trial.retry_of for trial in again.plan.schedule}
    assert again.run()[0] == ExitCode.DONE
    report = again.report()
    assert report["counts"]["verified_success"] == report["counts"]["scheduled"] == told["trials"]
    assert report["campaign"]["parent"]["plan_sha256"] == told["parent"]["plan_sha256"]
    assert "retry_campaign" in {notice["code"] for notice in report["notices"]}


def test_unstarted_trials_are_retried_under_another_budget(campaign: RealCampaign, cli: Callable[..., Any]) -> None:
    new = campaign.place / "new"
    code, out, _ = cli("retry", campaign.folder, "-o", new, "--unstarted", "--budget", 60, "--id", "rest")
    plan = load_plan(new)

    assert code == ExitCode.DONE
    assert "retries    real" in out
    assert "4 unstarted" in out
    assert "60 s of agents: covers 3 of 4 trials" in out
    assert out.endswith(f"next: oakbench-tui run {new}\n")
    assert (plan.campaign_id, plan.admission_budget_s) == ("rest", 60)
    assert all(trial.trial_id == f"{trial.retry_of}~2" for trial in plan.schedule)


def test_without_a_trial_to_retry_nothing_is_made_and_the_exit_code_says_so(
    campaign: RealCampaign, cli: Callable[..., Any]
) -> None:
    code, out, err = cli("retry", campaign.folder, "-o", campaign.place / "new", "--skipped", "--interrupted")

    assert (code, out) == (ExitCode.GATE_NOT_MET, "")
    assert "no trial of this campaign is interrupted or skipped" in err
    assert not (campaign.place / "new").exists()


def test_a_campaign_that_is_being_run_is_not_retried(campaign: RealCampaign, cli: Callable[..., Any]) -> None:
    with campaign.start() as runner:
        wait_for((campaign.marks / "begun").exists)
        code, _, err = cli("retry", campaign.folder, "-o", campaign.place / "new")
        runner.send_signal(signal.SIGTERM)
        runner.communicate()

    assert code == ExitCode.LOCKED
    assert "another runner" in err
    assert not (campaign.place / "new").exists()


def test_inputs_that_are_not_the_frozen_ones_are_not_carried_on(
    campaign: RealCampaign, cli: Callable[..., Any]
) -> None:
    [tree] = (campaign.folder / "inputs").iterdir()
    (tree / "file").write_text("as edited")
    changed, _, err = cli("retry", campaign.folder, "-o", campaign.place / "new", "--unstarted")
    shutil.rmtree(tree)
    gone, _, _ = cli("retry", campaign.folder, "-o", campaign.place / "new", "--unstarted")

    assert (changed, gone) == (ExitCode.IDENTITY, ExitCode.IDENTITY)
    assert tree.name in err
    assert [path.name for path in campaign.place.iterdir() if path.name.startswith((".", "new"))] == []


def test_nothing_is_written_over(campaign: RealCampaign, cli: Callable[..., Any]) -> None:
    before = contents(campaign.folder)
    code, _, err = cli("retry", campaign.folder, "-o", campaign.folder, "--unstarted")

    assert code == ExitCode.USAGE
    assert "exists already" in err
    assert contents(campaign.folder) == before


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A campaign without inputs, whose runner was killed when one trial had ended and none was running."""
    folder = tmp_path / "killed"
    folder.mkdir()
    document = campaigns.plan_document()
    for one in document["workflows"]["w"]["tasks"].values():
        one["fixture_sha256"] = None
    write_plan(folder / "plan.json", json.dumps(campaigns.sealed(document)).encode())
    plan = load_plan(folder)
    with JournalWriter.open(folder, plan, clock=lambda: "2026-11-30T08:00:00.000Z") as writer:
        writer.append_started(plan.schedule[0].trial_id)
        writer.append_finished(plan.schedule[0].trial_id, Terminal.COMPLETED, campaigns.row(plan, 0))
    return folder


def test_a_start_that_was_lost_is_retried_as_the_report_counts_it(killed: Path, cli: Callable[..., Any]) -> None:
    second = load_plan(killed).schedule[1].trial_id
    with (killed / "journal.jsonl").open("ab") as journal:
        journal.write(f'{{"event":"started","trial_id":"{second}"'.encode())
    before = contents(killed)
    code, out, _ = cli("retry", killed, "-o", killed.with_name("new"), "--json")

    assert code == ExitCode.DONE
    assert json.loads(out)["selected"] == {"interrupted": 1}
    assert second in {trial.retry_of for trial in load_plan(killed.with_name("new")).schedule}
    assert contents(killed) == before


def test_a_follow_up_does_not_stand_in_the_campaign_that_it_follows(
    campaign: RealCampaign, cli: Callable[..., Any]
) -> None:
    before = sorted(campaign.folder.rglob("*"))
    inside = campaign.folder / "deep" / "new"
    retried = cli("retry", campaign.folder, "-o", inside, "--unstarted")
    frozen = cli("freeze", campaign.place / "source", "-o", inside, "--parent", campaign.folder)

    assert (retried[0], frozen[0]) == (ExitCode.USAGE, ExitCode.USAGE)
    assert "which is only read" in retried[2]
    assert sorted(campaign.folder.rglob("*")) == before


def test_what_the_last_bytes_of_a_journal_were_is_decided_before_a_retry(killed: Path, cli: Callable[..., Any]) -> None:
    (killed / "journal.head").unlink()
    with (killed / "journal.jsonl").open("ab") as journal:
        journal.write(b"hello\n")
    code, _, err = cli("retry", killed, "-o", killed.with_name("new"), "--unstarted")

    assert code == ExitCode.UNCERTAIN
    assert "recover" in err
    assert not killed.with_name("new").exists()


def test_an_import_is_neither_retried_nor_extended(campaign: RealCampaign, cli: Callable[..., Any]) -> None:
    provenance = {"tool": None, "definition_sha256": None, "source": "import", "parent": None}
    imported = campaign.place / "imported"
    imported.mkdir()
    write_plan(imported / "plan.json", json.dumps(campaigns.plan_document(provenance=provenance)).encode())

    for command in (
        ("retry", imported, "-o", campaign.place / "new", "--unstarted"),
        ("freeze", campaign.place / "source", "-o", campaign.place / "new", "--parent", imported),
    ):
        code, _, err = cli(*command)
        assert code == ExitCode.REFUSED
        assert "imported plan" in err
    assert not (campaign.place / "new").exists()


def test_an_extension_schedules_what_is_lacking_and_its_report_says_so(
    campaign: RealCampaign, cli: Callable[..., Any]
) -> None:
    (campaign.marks / "go").touch()
    assert campaign.run()[0] == ExitCode.DONE
    before = contents(campaign.folder)
    source = campaign.place / "source"
    file = source / "campaign.toml"
    same, _, told = cli("freeze", source, "-o", campaign.place / "more", "--parent", campaign.folder)
    file.write_text(file.read_text().replace("seed = 1\n", "seed = 1\nrepetitions = 2\n"))
    code, out, _ = cli("freeze", source, "-o", campaign.place / "more", "--parent", campaign.folder, "--json")
    more = RealCampaign(campaign.place / "m")
    more.place.mkdir()
    (campaign.place / "more").rename(more.folder)

    assert (same, code) == (ExitCode.GATE_NOT_MET, ExitCode.DONE)
    assert "has every trial of this definition" in told
    assert json.loads(out)["parent"]["kind"] == "extension"
    assert contents(campaign.folder) == before
    assert {trial.repetition for trial in more.plan.schedule} == {2}
    assert more.run()[0] == ExitCode.DONE
    report = more.report()
    assert report["counts"]["verified_success"] == 4
    assert "extended_campaign" in {notice["code"] for notice in report["notices"]}


def test_a_changed_meaning_refuses_an_extension_with_its_line(campaign: RealCampaign, cli: Callable[..., Any]) -> None:
    file = campaign.place / "source" / "campaign.toml"
    (campaign.place / "source" / "fixture" / "file").write_text("as edited")
    code, _, err = cli("freeze", file, "-o", campaign.place / "more", "--parent", campaign.folder)
    line = 1 + file.read_text().splitlines().index(FIXTURE)

    assert code == ExitCode.REFUSED
    assert f"line {line}, $.workflows.w.tasks.writes.fixture: is not what the parent has" in err
    assert not (campaign.place / "more").exists()

"""`run` as a user starts it: what becomes of each trial, of the budget, of a run that is not wanted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.vocabulary import Terminal
from oakbench_core.durable.writer import JournalWriter
from oakbench_core.errors import ExitCode
from oakbench_tui.cli.main import run
from tests import campaigns
from tests.running.real_runs import COMMAND, PASSES, RealCampaign, definition, task
from tests.running.trials import alive

if TYPE_CHECKING:
    from collections.abc import Sequence

SENTINEL = "never-in-a-file-5d1c"


@pytest.fixture
def campaign(tmp_path: Path) -> RealCampaign:
    return RealCampaign(tmp_path)


@pytest.mark.clause("A10-20")
def test_five_endings_are_what_the_table_says(campaign: RealCampaign) -> None:
    tasks = {
        "fails": task("exit 3", checks='{ name = "done", run = ["false"] }'),
        "toolless": task("true", checks=f'{PASSES}, {{ name = "probe", run = ["no-such-probe"] }}'),
        "broken": task("true", more='setup = ["echo so >&2; exit 7"]'),
        "hangs": task("sleep 66", more="timeout_s = 1"),
        "daemon": task(f"setsid sh -c 'sleep 67; : {campaign.place}' & exit 0"),
    }
    code, out, _ = campaign.freeze(definition(tasks)).run()
    rows = campaign.rows()

    assert code == ExitCode.DONE
    assert campaign.stop() == {"reason": "exhausted", "code": 0, "detail": None}
    assert (rows["fails"]["verified_success"], rows["fails"]["exit_code"]) == (False, 3)
    assert rows["toolless"]["verified_success"] is None
    assert rows["toolless"]["skip"]["phase"] == "after_start"
    assert (rows["toolless"]["skip"]["reason"], rows["toolless"]["skip"]["instrument"]) == (
        "missing_instrument",
        "no-such-probe",
    )
    assert rows["broken"]["error"]["type"] == "setup_failed"
    assert "so (tried 3 times)" in rows["broken"]["error"]["message"]
    assert (rows["hangs"]["timed_out"], rows["hangs"]["oracle"]["checks"]) == (True, [])
    assert rows["hangs"]["resources"]["duration_s"] >= 1
    assert (rows["daemon"]["verified_success"], rows["daemon"]["exit_code"]) == (True, 0)
    assert rows["daemon"]["resources"]["duration_s"] < 20
    assert alive(str(campaign.place)) == []
    for words in ("done fails", "missing_instrument: no-such-probe", "setup_failed: ", "timed out", "verified success"):
        assert words in out
    assert "5 = 4 finished + 1 skipped + 0 interrupted + 0 unstarted" in out


@pytest.mark.clause("A10-19")
def test_what_goes_wrong_in_the_runner_is_an_infrastructure_failure(campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("exit 1")}))
    (campaign.folder / "artifacts").write_text("in the way")

    assert campaign.run()[0] == ExitCode.DONE
    row = campaign.rows()["t"]
    assert row["error"]["type"] == "runner_error"
    assert (row["verified_success"], row["resources"]["duration_s"]) == (None, None)
    assert campaign.report()["groups"][0]["counts"]["task_failure"] == 0


def test_a_start_is_on_file_before_anything_of_its_trial_happens(campaign: RealCampaign) -> None:
    """Setup and agent both look for their own start; neither succeeds if it is not there."""
    started = f"""grep -q '"event":"started","trial_id":"'{{trial_id}}'"' {campaign.journal}"""
    looks = f"""grep -q '"event":"started","trial_id":"'$0'"' {campaign.journal} && echo seen > seen"""
    seen = '{ name = "seen", path = "seen", contains = "seen" }'
    tasks = {name: task(looks, more=f"setup = [{json.dumps(started)}]", checks=seen) for name in ("t", "u")}

    assert campaign.freeze(definition(tasks)).run()[0] == ExitCode.DONE
    assert [row["verified_success"] for row in campaign.rows().values()] == [True, True]


def test_the_end_of_a_trial_is_on_file_before_the_next_one_starts(campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("true")}, campaign="repetitions = 3")).run()

    assert [event["event"] for event in campaign.events()] == ["opened", *["started", "finished"] * 3, "closed"]
    assert campaign.ids("started") == campaign.ids("finished") == [trial.trial_id for trial in campaign.plan.schedule]


@pytest.mark.parametrize("where", [["campaign"], ["."], []])
def test_a_folder_is_run_from_wherever_its_user_stands(where: list[str], campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("echo out")}))
    place = campaign.place if where == ["campaign"] else campaign.folder
    done = subprocess.run([*COMMAND, "run", *where], cwd=place, env=campaign.environment, check=False)

    assert done.returncode == ExitCode.DONE
    assert campaign.rows()["t"]["verified_success"] is True
    assert (campaign.folder / campaign.rows()["t"]["artifacts"]["stdout"]).read_text() == "out\n"


def spent(campaign: RealCampaign, durations: Sequence[float]) -> None:
    """The first trials of the schedule end on file, each after so many seconds."""
    plan = campaign.plan
    with JournalWriter.open(campaign.folder, plan, clock=lambda: "2026-11-30T08:00:00.000Z") as writer:
        for place, duration_s in enumerate(durations):
            writer.append_started(plan.schedule[place].trial_id)
            row = campaigns.row(plan, place, resources={"duration_s": duration_s})
            writer.append_finished(plan.schedule[place].trial_id, Terminal.COMPLETED, row)


@pytest.mark.clause("A10-45")
def test_a_budget_that_is_exactly_the_next_timeout_admits(campaign: RealCampaign) -> None:
    """Sums are decimal: in binary these four are more than 6, and the fifth trial would be refused."""
    durations = [1.1, 1.6, 1.6, 1.7]
    binary = 0.0
    for duration_s in durations:
        binary += duration_s
    assert 7 - binary < 1

    campaign.freeze(
        definition({"t": task("true", more="timeout_s = 1")}, campaign="repetitions = 5\nadmission_budget_s = 7")
    )
    spent(campaign, durations)

    assert campaign.run()[0] == ExitCode.DONE
    assert len(campaign.ids("finished")) == 5


@pytest.mark.clause("A10-45")
def test_a_budget_of_a_tenth_of_a_second_less_stops_and_says_how_to_go_on(campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("true")}, campaign="repetitions = 3\nadmission_budget_s = 20"))
    spent(campaign, [0.1])
    code, out, err = campaign.run()

    assert (code, err) == (ExitCode.BUDGET, "")
    assert campaign.stop() == {
        "reason": "budget",
        "code": 12,
        "detail": "19.9 s remain, the next trial needs 20 s",
    }
    assert campaign.ids("started") == [campaign.plan.schedule[0].trial_id]
    assert "stopped by the budget (exit 12): 19.9 s remain, the next trial needs 20 s; nothing was shortened" in out
    assert "left  2 unstarted trials, at worst 40 s of agents; 19.9 s of the budget" in out
    assert f"with another one: oakbench-tui retry {campaign.folder} -o NEW --unstarted --budget S" in out

    assert campaign.run()[0] == ExitCode.BUDGET
    assert len(campaign.ids("started")) == 1


def test_a_skip_before_its_start_needs_no_budget(campaign: RealCampaign) -> None:
    absent = '[subjects.one]\nbinary = "no-such-subject"\nmay_be_missing = true'
    text = definition({"t": task("true")}, campaign="repetitions = 2\nadmission_budget_s = 0", subjects=absent)

    assert campaign.freeze(text).run()[0] == ExitCode.DONE
    assert campaign.ids("started") == []
    assert [event["terminal"] for event in campaign.events()[1:-1]] == ["skipped", "skipped"]


def test_running_an_exhausted_campaign_again_starts_nothing(campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("true")})).run()
    code, out, _ = campaign.run()

    assert code == ExitCode.DONE
    assert "0 of 1 trials are unstarted" in out
    assert [event["event"] for event in campaign.events()[-2:]] == ["opened", "closed"]
    assert len(campaign.ids("started")) == 1


def test_values_of_the_environment_stand_in_no_file_and_no_line(campaign: RealCampaign) -> None:
    """The agent gives its secret away in every way it has; the other variable it must not even have."""
    script = (
        'env; echo "$TOKEN"; echo "$TOKEN" >&2; echo "$TOKEN" > left-behind; '
        'printf \'{"agent_version": "%s"}\' "$TOKEN" > "$1"; exit 1'
    )
    tasks = {
        "agent": task(script, checks='{ name = "shows", run = "cat left-behind; exit 1" }'),
        "setup": task("true", more='setup = ["env; exit 1"]'),
    }
    agent = 'env = ["TOKEN"]\nset_env = { PUBLIC = "yes" }'
    campaign.freeze(definition(tasks, agent=agent))
    environment = {**campaign.environment, "TOKEN": SENTINEL, "OTHER_VARIABLE": f"other-{SENTINEL}"}
    code, out, err = campaign.run(env=environment)

    assert code == ExitCode.DONE
    files = [path for path in campaign.folder.rglob("*") if path.is_file()]
    assert any(b"[TOKEN]" in path.read_bytes() for path in files)
    assert [path for path in files if SENTINEL.encode() in path.read_bytes()] == []
    assert SENTINEL not in out + err
    assert campaign.rows()["agent"]["population"]["agent_version"] == "[TOKEN]"


@pytest.mark.clause("A10-42")
def test_a_campaign_folder_in_a_repository_offers_its_plan_and_nothing_of_its_runs(campaign: RealCampaign) -> None:
    repository = campaign.place
    subprocess.run(["git", "init", "-q"], cwd=repository, check=True)
    script = "echo said; echo made > made; exit 1"
    checks = '{ name = "no", run = ["false"] }'
    campaign.freeze(definition({"t": task(script, checks=checks)}, keep_workspaces="failed"))
    # The workspaces root must not be in the repository: that is refused, by the default as well as by --workspaces.
    assert campaign.run("--workspaces", str(repository / "ws"))[0] == ExitCode.PLATFORM
    with_state = {**campaign.environment, "XDG_STATE_HOME": str(repository / "state")}
    code, _, _ = campaign.run(env=with_state)
    shutil.rmtree(repository / "source")
    asked = ["git", "-c", "core.excludesFile=", "status", "--porcelain", "-uall"]
    status = subprocess.run(asked, cwd=repository, check=True, capture_output=True, text=True).stdout.split()[1::2]

    assert code == ExitCode.DONE
    assert (campaign.folder / "workspaces").is_dir()
    assert sorted(status) == ["campaign/.gitignore", "campaign/campaign.toml", "campaign/plan.json"]


def test_a_setting_for_this_run_only_stands_above_the_file_and_in_the_journal(campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("exit 1", more='setup = ["false"]')}, campaign="repetitions = 4"))
    code, out, _ = campaign.run("--set", "halt_after=2", "--set", "keep_workspaces=all")

    assert code == ExitCode.SELF_STOPPED
    assert campaign.events()[0]["runner"]["settings"]["halt_after"] == 2
    assert len(campaign.ids("finished")) == 2
    assert "the run stopped itself (exit 13): 2 infrastructure failures of a in a row, the last: setup_failed" in out
    assert "next  oakbench-tui run " in out
    assert campaign.stop()["reason"] == "halted"


@pytest.mark.parametrize("setting", ["halt_after=never", "hue=1", "max_parallel=0", "hold_s=x", "grace_s"])
def test_a_setting_that_there_is_not_is_usage(setting: str, campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("true")}))
    code, out, err = campaign.run("--set", setting)

    assert (code, out) == (ExitCode.USAGE, "")
    assert f"run.{setting.partition('=')[0]}" in err
    assert not campaign.journal.exists()


def test_an_environment_that_lacks_a_variable_of_an_agent_is_refused_by_its_name(campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("true")}, agent='env = ["NO_SUCH_TOKEN", "HOME"]'))
    code, out, err = campaign.run()

    assert (code, out) == (ExitCode.REFUSED, "")
    assert "$.agents.a.env: the variable NO_SUCH_TOKEN is not set here" in err
    assert not campaign.journal.exists()


def test_an_import_is_read_and_not_run(campaign: RealCampaign) -> None:
    campaign.folder.mkdir()
    provenance = {"tool": "other", "definition_sha256": None, "source": "import", "parent": None}
    document = campaigns.plan_document(provenance=provenance)
    (campaign.folder / "plan.json").write_text(json.dumps(document))
    code, _, err = campaign.run()

    assert code == ExitCode.REFUSED
    assert "$.provenance.source: an imported plan was run by another tool" in err
    assert not campaign.journal.exists()


def test_a_torn_end_is_repaired_and_said_and_the_run_goes_on(campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("true")})).run()
    torn = b'{"event":"opened","trial'
    with campaign.journal.open("ab") as file:
        file.write(torn)
    code, _, err = campaign.run()

    assert code == ExitCode.DONE
    assert "the journal's end was repaired:" in err
    assert "reserved  no trial" in err
    [kept] = (campaign.journal.parent / "journal.quarantine").iterdir()
    assert kept.read_bytes() == torn


def test_an_uncertain_end_is_refused_and_not_touched(campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("true")})).run()
    with campaign.journal.open("ab") as file:
        file.write(b"hello")
    before = campaign.journal.read_bytes()
    code, out, err = campaign.run()

    assert (code, out) == (ExitCode.UNCERTAIN, "")
    assert "next: `verify` shows the place, `recover` goes on" in err
    assert campaign.journal.read_bytes() == before


LIMITED = """
import resource, sys
from oakbench_tui.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
main()
"""


def test_a_write_that_breaks_off_ends_the_run_and_nothing_more_is_started(campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("true")}, campaign="repetitions = 3"))
    opened = 1500  # room for `opened` and `started`, and not for the first row
    code, _, err = campaign.run(command=(COMMAND[0], "-c", LIMITED, str(opened)))

    assert code == ExitCode.POISONED
    assert err.count("nothing more is written") == 1
    assert campaign.ids("started") == [campaign.plan.schedule[0].trial_id]
    assert campaign.ids("finished") == []
    assert campaign.run()[0] == ExitCode.DONE
    assert campaign.ids("started") == [trial.trial_id for trial in campaign.plan.schedule]


def test_a_run_outlives_whoever_read_its_progress(campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("true")}, campaign="repetitions = 2"))
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        assert campaign.run(stdout=write_end)[0] == ExitCode.DONE
    finally:
        os.close(write_end)
    assert campaign.stop()["reason"] == "exhausted"


def test_a_full_disk_under_the_progress_ends_no_run(campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("true")}, campaign="repetitions = 2"))
    with Path("/dev/full").open("w") as full:
        assert campaign.run(stdout=full)[0] == ExitCode.DONE
    assert campaign.stop()["reason"] == "exhausted"


def test_a_quiet_run_says_only_why_it_ended_before_its_schedule(campaign: RealCampaign) -> None:
    campaign.freeze(definition({"t": task("true")}, campaign="repetitions = 2\nadmission_budget_s = 20"))
    code, out, err = campaign.run("--quiet")

    assert (code, out) == (ExitCode.BUDGET, "")
    assert err.startswith("stopped by the budget (exit 12): ")
    assert err.count("\n") == 1


def test_what_an_agent_says_commands_no_terminal(campaign: RealCampaign) -> None:
    hostile = "printf '\\033]52;c;eA==\\007' >&2; exit 7"
    campaign.freeze(definition({"t": task("true", more=f"setup = [{json.dumps(hostile)}]")}))
    _, out, err = campaign.run()

    assert "\\x1b]52;c;eA==\\x07" in out
    assert not {"\x1b", "\x07"} & set(out + err)


def test_a_place_without_a_campaign_is_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", str(tmp_path)]) == ExitCode.USAGE
    assert "no plan.json in it" in capsys.readouterr().err

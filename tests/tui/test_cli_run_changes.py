"""What is not the frozen one stops a run before the next admission, by name, and is no end of the campaign."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.plan import plan_hash
from oakbench_core.errors import ExitCode
from oakbench_core.running.executables import sha256_of
from tests.running.real_runs import PASSES, RealCampaign, definition, task

if TYPE_CHECKING:
    from collections.abc import Callable

FROZEN = '#!/bin/sh\nexec sh "$@"\n'
CHANGED = '#!/bin/sh\nexec sh "$@" # changed\n'


def program(path: Path, text: str = FROZEN) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def campaign(tmp_path: Path) -> RealCampaign:
    """A campaign of two trials with everything that can change: programs, fixture, oracle files, inputs."""
    campaign = RealCampaign(tmp_path)
    for name in ("fixture", "oracle", "scripts"):
        (tmp_path / "source" / name).mkdir(parents=True)
        (tmp_path / "source" / name / "file").write_text(f"{name}\n")
    tool, agent = program(tmp_path / "bin" / "tool"), program(tmp_path / "bin" / "agent")
    more = 'fixture = "fixture"\noracle.files = "oracle"\nrepetitions = 2'
    text = definition(
        {"t": task(f"if [ -x {tmp_path}/change ]; then {tmp_path}/change; fi", more=more, checks=PASSES)},
        subjects=f'[subjects.one]\nbinary = "{tool}"',
    )
    text = text.replace('argv = ["sh"', f'argv = ["{agent}"')
    return campaign.freeze(
        text.replace("[workflows.w]\nversion = 1", '[workflows.w]\nversion = 1\ninputs = ["scripts"]')
    )


def frozen_file(campaign: RealCampaign, kind: str) -> Path:
    """The copy in the campaign folder of what stands in that folder of the definition."""
    found = [path for path in (campaign.folder / "inputs").rglob("file") if path.read_text() == f"{kind}\n"]
    assert len(found) == 1
    return found[0]


def binary(name: str) -> Callable[[RealCampaign], Path]:
    return lambda campaign: campaign.place / "bin" / name


def tree(kind: str) -> Callable[[RealCampaign], Path]:
    return lambda campaign: frozen_file(campaign, kind)


@pytest.mark.parametrize(
    ("place", "what"),
    [
        (binary("tool"), "the binary of the subject one"),
        (binary("agent"), "the program of the agent a"),
        (tree("fixture"), "the fixture of w.t"),
        (tree("oracle"), "the oracle files of w.t"),
        (tree("scripts"), "the inputs of w"),
    ],
)
def test_a_change_before_the_run_admits_nothing_and_names_both(
    place: Callable[[RealCampaign], Path], what: str, campaign: RealCampaign
) -> None:
    file = place(campaign)
    before = file.read_text()
    frozen = sha256_of(file) if file.parent.name == "bin" else next(p for p in file.parts if len(p) == 64)
    file.write_text(CHANGED)
    code, out, _ = campaign.run()
    stop = campaign.stop()

    assert code == ExitCode.IDENTITY
    assert (stop["reason"], stop["code"]) == ("changed_input", 31)
    assert stop["detail"].startswith(f"{what}, ")
    assert f"is not the frozen one: frozen {frozen}, found " in stop["detail"]
    assert stop["detail"].rpartition("found ")[2] != frozen
    assert campaign.ids("started") == []
    assert f"stopped, for something is not the frozen one (exit 31): {what}" in out
    assert "next  put back what was frozen, then oakbench-tui run " in out

    file.write_text(before)
    assert campaign.run()[0] == ExitCode.DONE
    assert len(campaign.ids("finished")) == 2


def test_a_fixture_and_a_binary_that_both_changed_are_both_named(campaign: RealCampaign) -> None:
    frozen_file(campaign, "fixture").write_text("another\n")
    program(campaign.place / "bin" / "tool", CHANGED)

    assert campaign.run()[0] == ExitCode.IDENTITY
    assert "the binary of the subject one" in campaign.stop()["detail"]
    assert "the fixture of w.t" in campaign.stop()["detail"]


def test_a_fixture_that_is_gone_is_named(campaign: RealCampaign) -> None:
    shutil.rmtree(frozen_file(campaign, "fixture").parent)

    assert campaign.run()[0] == ExitCode.IDENTITY
    assert "the fixture of w.t, inputs/" in campaign.stop()["detail"]
    assert "there is no such folder" in campaign.stop()["detail"]


def expect_stopped_after_one(campaign: RealCampaign, *words: str) -> None:
    code, out, _ = campaign.run()

    assert code == ExitCode.IDENTITY
    assert len(campaign.ids("started")) == len(campaign.ids("finished")) == 1
    assert campaign.stop()["reason"] == "changed_input"
    for word in words:
        assert word in campaign.stop()["detail"]
    assert "2 = 1 finished + 0 skipped + 0 interrupted + 1 unstarted" in out


def change(campaign: RealCampaign, script: str) -> None:
    """What the agent of a trial does, in a shell, with PLAN and JOURNAL named."""
    lines = f"#!/bin/sh\nPLAN={campaign.folder}/plan.json JOURNAL={campaign.journal}\n{script}\n"
    program(campaign.place / "change", lines)


def test_a_change_while_a_trial_runs_lets_it_end_and_admits_no_other(campaign: RealCampaign) -> None:
    change(campaign, f"echo more >> {campaign.place}/bin/tool")

    expect_stopped_after_one(campaign, "the binary of the subject one")


def test_a_plan_that_is_edited_while_its_trials_run_stops_them(campaign: RealCampaign) -> None:
    frozen = campaign.plan.plan_sha256
    change(campaign, """sed -i 's/"seed": 1/"seed": 2/' $PLAN""")

    expect_stopped_after_one(
        campaign, f"plan.json is not the frozen one: frozen {frozen}", "its content hashes to ", f"it says {frozen}"
    )
    assert campaign.run()[0] == ExitCode.IDENTITY


def test_a_plan_that_is_exchanged_for_another_stops_the_run(campaign: RealCampaign) -> None:
    other = json.loads((campaign.folder / "plan.json").read_text()) | {"seed": 2}
    other["plan_sha256"] = plan_hash(other)
    (campaign.place / "other.json").write_text(json.dumps(other))
    frozen = campaign.plan.plan_sha256
    change(campaign, f"cp {campaign.place}/other.json $PLAN")

    expect_stopped_after_one(campaign, f"frozen {frozen}, found {other['plan_sha256']}")
    code, _, err = campaign.run()
    assert code == ExitCode.IDENTITY
    assert "another plan" in err


def test_a_plan_that_is_gone_stops_the_run(campaign: RealCampaign) -> None:
    change(campaign, "rm $PLAN")

    expect_stopped_after_one(campaign, "plan.json cannot be read: No such file or directory")


def test_a_plan_in_another_layout_is_the_same_plan(campaign: RealCampaign) -> None:
    document = json.loads((campaign.folder / "plan.json").read_text())
    (campaign.place / "other.json").write_text(json.dumps(document, indent=4))
    change(campaign, f"cp {campaign.place}/other.json $PLAN")

    assert campaign.run()[0] == ExitCode.DONE


def test_artifacts_of_a_trial_that_was_never_started_stop_the_run(campaign: RealCampaign) -> None:
    first = campaign.plan.schedule[0].trial_id
    (campaign.folder / "artifacts" / first).mkdir(parents=True)

    assert campaign.run()[0] == ExitCode.IDENTITY
    assert campaign.stop()["detail"].startswith(f"artifacts/{first} exists although {first} was never started")
    assert campaign.ids("started") == []


def test_a_journal_that_was_taken_away_from_its_artifacts_is_noticed(campaign: RealCampaign) -> None:
    campaign.run()
    campaign.journal.rename(campaign.place / "journal.jsonl")

    assert campaign.run()[0] == ExitCode.MISSING_RECORDS
    assert not campaign.journal.exists()
    campaign.journal.with_name("journal.head").unlink()
    assert campaign.run()[0] == ExitCode.IDENTITY
    assert campaign.ids("started") == []


def test_a_trial_that_makes_its_workspaces_part_of_a_repository_is_the_last(campaign: RealCampaign) -> None:
    change(campaign, "mkdir ../.git")
    code, _, err = campaign.run()

    assert code == ExitCode.PLATFORM
    assert "workspaces must stand outside every repository" in err
    assert len(campaign.ids("finished")) == 1
    assert campaign.run()[0] == ExitCode.PLATFORM
    assert len(campaign.ids("started")) == 1


def test_a_trial_that_removes_its_workspaces_harms_no_other(campaign: RealCampaign) -> None:
    change(campaign, f"rm -rf {campaign.place}/state")
    code, _, _ = campaign.run()

    assert code == ExitCode.DONE
    assert len(campaign.ids("finished")) == 2

"""Freezing: the same from the same, complete in itself, whole or not at all, never over anything."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.canonical import sha256_hex
from oakbench_core.durable.documents import load_plan
from oakbench_core.errors import DocumentError, UsageError
from oakbench_core.running.executables import find_executable, sha256_of
from oakbench_core.running.freezing import freeze, freeze_plan
from oakbench_core.running.trees import tree_sha256
from tests.core.definitions import NOTES, changed, definition

if TYPE_CHECKING:
    from pathlib import Path

AT = "2026-12-01T00:00:00Z"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A copy of the realistic definition, to be changed."""
    return shutil.copytree(NOTES, tmp_path / "notes")


def edited(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, old
    file.write_text(text.replace(old, new))


def small(**changes: Any) -> dict[str, Any]:
    """The small definition without the tree that it names, its values at dotted paths (`__` is the dot) changed."""
    task = "workflows.w.tasks.t"
    checks = [{"name": "ran", "run": "true"}]
    replaced = {key.replace("__", "."): value for key, value in changes.items()}
    return changed((f"{task}.oracle", {"version": 1, "checks": checks}), (f"{task}.solution", ...), *replaced.items())


def test_the_realistic_definition_freezes(tmp_path: Path) -> None:
    frozen = freeze(NOTES, tmp_path / "new" / "campaign", created_at=AT)
    folder, plan = frozen.folder, frozen.plan

    assert load_plan(folder) == plan
    assert plan.is_mock
    assert plan.document.provenance.definition_sha256 == sha256_hex((NOTES / "campaign.toml").read_bytes())
    assert (folder / "campaign.toml").read_bytes() == (NOTES / "campaign.toml").read_bytes()
    assert (folder / ".gitignore").read_text() == "/journal*\n/artifacts/\n/workspaces/\n"
    assert {path.name for path in folder.iterdir()} == {".gitignore", "campaign.toml", "inputs", "plan.json"}
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in folder.parent.iterdir()] == ["campaign"]
    assert frozen.run.grace_s == 1
    assert [absence.program for absence in frozen.absent] == ["hg-that-no-machine-has", "no-such-agent"]


@pytest.mark.clause("A10-42")
def test_what_a_campaign_folder_ignores_is_what_a_run_writes(tmp_path: Path) -> None:
    folder = freeze(NOTES, tmp_path / "c").folder
    for name in ("artifacts/x", "workspaces/x", "journal.jsonl", "journal.quarantine/x"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    listed = subprocess.run(
        ["git", "ls-files", "-o", "--exclude-standard"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert {path.split("/")[0] for path in listed} == {".gitignore", "campaign.toml", "inputs", "plan.json"}


def test_the_folder_holds_every_tree_that_the_plan_names_by_its_hash(tmp_path: Path) -> None:
    frozen = freeze(NOTES, tmp_path / "c")
    named = set()
    for workflow in frozen.plan.document.workflows.values():
        named.add(workflow.inputs_sha256)
        for task in workflow.tasks.values():
            named |= {task.fixture_sha256, task.oracle.files_sha256}
    inputs = frozen.folder / "inputs"

    assert {path.name for path in inputs.iterdir()} == named - {None}
    assert all(tree_sha256(path) == path.name for path in inputs.iterdir())
    bugfix = frozen.plan.document.workflows["bugfix"]
    assert (inputs / str(bugfix.inputs_sha256) / "scripts" / "agent.sh").is_file()
    assert bugfix.tasks["off-by-one"].fixture_sha256 == tree_sha256(NOTES / "fixtures" / "off-by-one")
    assert "{subject.help}" in bugfix.tasks["off-by-one"].prompts["helped"]


def test_a_frozen_campaign_needs_nothing_of_its_definition_any_more(notes: Path, tmp_path: Path) -> None:
    frozen = freeze(notes, tmp_path / "c")
    shutil.rmtree(notes)
    moved = frozen.folder.rename(tmp_path / "elsewhere")

    assert load_plan(moved) == frozen.plan
    assert str(tmp_path) not in (moved / "plan.json").read_text()


@pytest.mark.clause("A10-01")
def test_the_same_definition_gives_the_same_bytes_wherever_it_stands(notes: Path, tmp_path: Path) -> None:
    shutil.copytree(notes, tmp_path / "other" / "place")
    first = freeze(notes, tmp_path / "1", created_at=AT).folder
    second = freeze(tmp_path / "other" / "place" / "campaign.toml", tmp_path / "2", created_at=AT).folder

    assert tree_sha256(first) == tree_sha256(second)


def test_the_schedule_depends_on_the_seed_and_on_no_order_of_keys() -> None:
    def schedule(document: dict[str, Any]) -> list[str]:
        return [entry["trial_id"] for entry in freeze_plan(document)["schedule"]]

    document = small()
    backwards = json.loads(json.dumps(document), object_pairs_hook=lambda pairs: dict(reversed(pairs)))

    assert schedule(document) == schedule(backwards)
    assert schedule(document) != schedule(small(campaign__seed=8))
    assert sorted(schedule(document)) == sorted(schedule(small(campaign__seed=8)))


def test_whole_repetitions_come_first_and_a_block_stays_together() -> None:
    schedule = freeze_plan(small(campaign__repetitions=3))["schedule"]
    blocks = [entry["block_id"] for entry in schedule]

    assert [entry["repetition"] for entry in schedule] == [1] * 6 + [2] * 6 + [3] * 6
    assert blocks[::2] == blocks[1::2]
    assert len(set(blocks)) == 9
    assert schedule[0]["trial_id"] == f"{blocks[0]}.{schedule[0]['subject']}"


def test_the_innermost_of_campaign_workflow_and_task_wins() -> None:
    document = small(
        workflows__w__repetitions=1,
        workflows__w__tasks__t__repetitions=3,
        workflows__w__tasks__t__subjects=["two"],
        workflows__w__tasks__t__instruction_levels=["helped"],
    )
    schedule = freeze_plan(document)["schedule"]

    of_t = [entry for entry in schedule if entry["task"] == "t"]
    of_u = [entry for entry in schedule if entry["task"] == "u"]
    assert [entry["trial_id"] for entry in of_t] == [f"w.t.helped.a.r00{n}.two" for n in (1, 2, 3)]
    assert {entry["subject"] for entry in of_u} == {"one", "two"}
    assert {entry["repetition"] for entry in of_u} == {1}
    assert {entry["timeout_s"] for entry in of_t} == {60}
    assert {entry["timeout_s"] for entry in of_u} == {30}


def test_a_workflow_without_tasks_is_its_own_one_task() -> None:
    document = small()
    document["workflows"]["w"] = {"version": 1, **document["workflows"]["w"]["tasks"]["u"]}
    plan = freeze_plan(document)

    assert list(plan["workflows"]["w"]["tasks"]) == ["w"]
    assert {entry["trial_id"] for entry in plan["schedule"]} >= {"w.w.plain.a.r001.one", "w.w.plain.a.r002.two"}


def test_prices_stand_in_the_plan_as_they_were_written() -> None:
    prices = {"input": "1.250", "output": "10", "as_of": "2026-12-01"}
    plan = freeze_plan(small(agents__a__prices=prices, subjects__one__agent={"prices": {"input": "1", "output": "2"}}))

    assert plan["agents"]["a"]["prices"] == prices
    assert plan["subjects"]["one"]["agent"] == {"prices": {"input": "1", "output": "2"}}


def test_a_mock_is_frozen_as_one_and_looks_for_no_program() -> None:
    plan = freeze_plan(small(agents__a__adapter="mock", agents__a__argv=["pass=1", "do=true"]))

    agent = plan["agents"]["a"]
    assert (agent["adapter"], agent["mock"], agent["argv"]) == ("mock", True, ["pass=1", "do=true"])
    assert (agent["version"], agent["binary_sha256"]) == (None, None)


def test_a_mock_says_its_version_where_it_is_asked() -> None:
    agent = {"adapter": "mock", "argv": ["pass=1"], "version": ["echo", "script 3"]}

    assert freeze_plan(small(agents__a=agent, subjects__one__setup=[]))["agents"]["a"]["version"] == "script 3"


def test_a_subject_may_bring_another_script() -> None:
    override = {"argv": ["fail=1"]}
    plan = freeze_plan(small(agents__a__adapter="mock", agents__a__argv=["pass=1"], subjects__one__agent=override))

    assert plan["subjects"]["one"]["agent"] == {"argv": ["fail=1"]}


def test_where_a_subject_brings_its_agent_no_trial_of_the_block_has_the_agents_model() -> None:
    plain = freeze_plan(small())
    assert {entry["model"] for entry in plain["schedule"]} == {"m"}

    document = small(
        subjects__one__agent={"model": "n", "argv": ["sh"], "set_env": {"A": "b"}},
        workflows__w__tasks__u__subjects=["two"],
    )
    plan = freeze_plan(document)

    assert plan["subjects"]["one"]["agent"] == {"model": "n", "argv": ["sh"], "set_env": {"A": "b"}}
    assert {entry["model"] for entry in plan["schedule"] if entry["task"] == "t"} == {None}
    assert {entry["model"] for entry in plan["schedule"] if entry["task"] == "u"} == {"m"}


def test_what_no_trial_uses_stays_out_of_the_plan_and_may_be_absent() -> None:
    document = small(
        campaign__agents=["a"],
        campaign__subjects=["one"],
        agents__b={"adapter": "command", "argv": ["no-such-agent"]},
        subjects__two__binary="no-such-tool",
    )
    plan = freeze_plan(document)

    assert list(plan["agents"]) == ["a"]
    assert list(plan["subjects"]) == ["one"]


def test_programs_are_frozen_by_version_and_hash() -> None:
    document = small(
        subjects__one__version="echo one 1.0; echo {subject.help}",
        subjects__two__version=["sh", "-c", "echo {subject.help}"],
        agents__a__version=["echo", "agent 2"],
    )
    plan = freeze_plan(document)
    sh = find_executable("sh", os.environ["PATH"])
    assert sh is not None

    assert (plan["subjects"]["one"]["version"], plan["subjects"]["one"]["binary_sha256"]) == ("one 1.0", sha256_of(sh))
    assert (plan["subjects"]["two"]["version"], plan["subjects"]["two"]["binary_sha256"]) == ("Use two.", None)
    assert (plan["agents"]["a"]["version"], plan["agents"]["a"]["binary_sha256"]) == ("agent 2", sha256_of(sh))


def test_the_machine_is_described_unless_the_definition_says_what_it_is() -> None:
    described = freeze_plan(small())["population"]["runner_class"]
    system = os.uname()

    assert described.startswith(f"{system.sysname.lower()} {system.machine}, ")
    assert f"{os.cpu_count()} cores" in described
    assert freeze_plan(small(campaign__runner_class="mine"))["population"]["runner_class"] == "mine"


@pytest.mark.parametrize("program", ["{inputs}/agent", "./agent", "{subject.binary}", "{workspace}/x"])
def test_an_agent_of_the_workspace_has_no_hash_of_its_own(program: str, tmp_path: Path) -> None:
    (tmp_path / "agent").touch()
    document = small(agents__a__argv=[program], campaign__subjects=["one"], workflows__w__inputs=["agent"])
    (tmp_path / "campaign.toml").write_text(toml(document))

    assert freeze_plan(tmp_path)["agents"]["a"]["binary_sha256"] is None


def toml(value: Any, *, top: bool = True) -> str:
    """Plain data as TOML, inline but for the outermost table."""
    if isinstance(value, dict):
        pairs = [f"{json.dumps(key)} = {toml(inner, top=False)}" for key, inner in value.items()]
        return "\n".join(pairs) if top else f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(toml(inner, top=False) for inner in value)}]"
    return json.dumps(value)


def test_a_definition_is_a_file_a_folder_or_a_mapping(tmp_path: Path) -> None:
    document = small()
    (tmp_path / "campaign.toml").write_text(toml(document))

    plans = [freeze_plan(given) for given in (tmp_path, tmp_path / "campaign.toml", str(tmp_path), document)]

    for plan in plans:
        assert plan_from_document(plan).campaign_id == "small"
        assert plan["schedule"] == plans[0]["schedule"]
    assert list(tmp_path.iterdir()) == [tmp_path / "campaign.toml"]


def test_the_time_of_a_plan_comes_from_the_source_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    first, second = freeze_plan(small()), freeze_plan(small())

    assert first["created_at"] == "2001-09-09T01:46:40Z"
    assert first == second

    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
        freeze_plan(small())


def test_the_campaigns_name_may_be_given_beside_the_definition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frozen = freeze(NOTES, campaign_id="another")

    assert frozen.plan.campaign_id == "another"
    assert (tmp_path / "runs" / "another" / "plan.json").is_file()
    with pytest.raises(UsageError, match="campaign ID"):
        freeze(NOTES, campaign_id="../x")


@pytest.mark.parametrize("stands", ["file", "link", "full"])
def test_nothing_is_ever_written_over(stands: str, tmp_path: Path) -> None:
    target = tmp_path / "c"
    match stands:
        case "file":
            target.write_text("mine")
        case "link":
            target.symlink_to(tmp_path / "nowhere")
        case _:
            freeze(NOTES, target)
    before = tree_sha256(tmp_path)

    with pytest.raises(UsageError, match="nothing is written over it"):
        freeze(NOTES, target)

    assert tree_sha256(tmp_path) == before


def test_an_empty_folder_may_be_filled(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()

    frozen = freeze(NOTES, tmp_path / "c")

    assert load_plan(tmp_path / "c") == frozen.plan


def test_a_refused_definition_leaves_nothing_behind(notes: Path, tmp_path: Path) -> None:
    edited(notes / "campaign.toml", "seed = 20261201", 'seed = "x"')

    with pytest.raises(DocumentError):
        freeze(notes, tmp_path / "deep" / "c")

    assert list(tmp_path.iterdir()) == [notes]


def test_an_absent_program_refuses_freezing_unless_it_may_be_missing() -> None:
    document = small(
        subjects__one__binary="no-such-tool",
        subjects__two__agent={"argv": ["no-such-override"]},
        agents__a__argv=["/no/such/agent"],
    )
    with pytest.raises(DocumentError) as caught:
        freeze_plan(document)

    assert {problem.path for problem in caught.value.problems} == {
        "$.subjects.one.binary",
        "$.subjects.two.agent.argv[0]",
        "$.agents.a.argv[0]",
    }
    for table in (document["subjects"]["one"], document["subjects"]["two"], document["agents"]["a"]):
        table["may_be_missing"] = True
    document["subjects"]["one"]["version"] = ["{subject.binary}"]
    plan = freeze_plan(document)
    assert plan["subjects"]["one"]["binary_sha256"] is plan["subjects"]["one"]["version"] is None


def test_a_version_that_was_asked_for_and_does_not_come_refuses_freezing() -> None:
    with pytest.raises(DocumentError) as caught:
        freeze_plan(small(subjects__one__version=["false"], agents__a__version="exit 3"))

    assert {problem.path for problem in caught.value.problems} == {"$.subjects.one.version", "$.agents.a.version"}


def test_an_id_that_would_be_too_long_is_refused() -> None:
    document = small()
    document["workflows"] = {"w" * 64: {"version": 1, "tasks": {"t" * 64: document["workflows"]["w"]["tasks"]["u"]}}}
    document["subjects"] = {"s" * 64: {}}

    with pytest.raises(DocumentError, match="at most 200 characters"):
        freeze_plan(document)


def test_a_definition_has_the_small_mapping_only_as_far_as_its_files_are_there() -> None:
    with pytest.raises(DocumentError) as caught:
        freeze_plan(definition())

    assert [problem.path for problem in caught.value.problems] == ["$.workflows.w.tasks.t.oracle.files"]

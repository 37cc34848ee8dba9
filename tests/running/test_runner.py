"""The runner's loop: what it admits, what it skips, when it stops by itself, what it does with a row of ours."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from oakbench_core.campaign.definition import RunTable
from oakbench_core.campaign.vocabulary import StopReason, Terminal
from oakbench_core.durable.documents import load_plan, write_plan
from oakbench_core.errors import DocumentError, ExitCode
from oakbench_core.running.attempt import Attempted, attempt
from oakbench_core.running.runner import RunEnd, RunRequest, TrialEnd, run_campaign
from oakbench_core.running.stopping import StopSwitch
from tests.campaigns import plan_document, sealed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_core.durable.recovery import Repair
    from oakbench_core.running.leftovers import Cleared

Json = dict[str, Any]
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


@dataclass
class Heard:
    """A listener that remembers, and may act when a trial has ended."""

    begun: list[str] = field(default_factory=list)
    ends: list[TrialEnd] = field(default_factory=list)
    act: Callable[[TrialEnd], None] = lambda _: None

    def repaired(self, repair: Repair) -> None:
        raise AssertionError(repair)

    def cleared(self, cleared: Cleared, root: Path) -> None:
        raise AssertionError(cleared, root)

    def opened(self, ledger: Ledger) -> None:
        assert ledger.last_runner is not None

    def started(self, trial: ScheduledTrial) -> None:
        self.begun.append(trial.trial_id)

    def ended(self, end: TrialEnd) -> None:
        self.ends.append(end)
        self.act(end)


class Ran(NamedTuple):
    end: RunEnd
    heard: Heard
    events: list[Json]

    @property
    def terminals(self) -> list[str]:
        return [event["terminal"] for event in self.events if event["event"] == "finished"]


def document(agents: Json, order: str, *, subjects: Json | None = None, **top: Any) -> Json:
    """A plan of one task, a repetition for each letter of `order`, each by the agent of that letter."""
    value = plan_document(tasks=["t"], subjects=["s"], repetitions=1, **top)
    task = value["workflows"]["w"]["tasks"]["t"]
    task |= {"fixture_sha256": None, "oracle": {"version": 1, "checks": [check("ok")]}}
    value["agents"] = {name: {"adapter": "command", "mock": True} | agent for name, agent in agents.items()}
    value["subjects"] = subjects or {"s": {}}
    entry = value["schedule"][0]
    value["schedule"] = [
        entry
        | {
            "trial_id": f"w.t.plain.{agent}.r{number:03}.{subject}",
            "block_id": f"w.t.plain.{agent}.r{number:03}",
            "agent": agent,
            "subject": subject,
            "repetition": number,
        }
        for number, agent in enumerate(order, 1)
        for subject in value["subjects"]
    ]
    return sealed({key: part for key, part in value.items() if key != "plan_sha256"})


def check(name: str) -> Json:
    return {"name": name, "kind": "command", "run": ["true"]}


def campaign(tmp_path: Path, value: Json) -> Path:
    folder = tmp_path / "campaign"
    folder.mkdir()
    write_plan(folder / "plan.json", json.dumps(value).encode())
    return folder


def ran(folder: Path, *, heard: Heard | None = None, switch: StopSwitch | None = None, **settings: Any) -> Ran:
    heard = heard or Heard()
    request = RunRequest(
        plan=load_plan(folder),
        folder=folder,
        settings=RunTable(min_free_gib=0, grace_s=1, keep_workspaces="none").model_copy(update=settings),
        environment=ENVIRONMENT | {"XDG_STATE_HOME": str(folder.parent / "state")},
        tool="test",
        clock=lambda: "2026-11-30T08:00:00.000Z",
    )
    end = run_campaign(request, switch or StopSwitch(), heard)
    lines = (folder / "journal.jsonl").read_bytes().splitlines()
    return Ran(end, heard, [json.loads(line) for line in lines])


ABSENT = {"argv": ["no-such-agent-here"]}
WORKS = {"argv": ["true"]}


@pytest.mark.parametrize(
    ("order", "limit", "ended"),
    [
        ("aaaa", 3, 3),
        ("aaaa", 1, 1),
        ("aaaa", 0, 4),
        ("aawaa", 3, 4),  # one agent's row is not broken by another's trial
        ("awawa", 3, 5),
        ("aa", 3, 2),
    ],
)
def test_a_run_halts_after_so_many_infrastructure_failures_of_one_agent_in_a_row(
    order: str, limit: int, ended: int, tmp_path: Path
) -> None:
    seen = ran(campaign(tmp_path, document({"a": ABSENT, "w": WORKS}, order)), halt_after=limit)

    assert len(seen.heard.ends) == ended
    if ended < len(order) or (limit and order.count("a") >= limit):
        assert (seen.end.reason, seen.end.code) == (StopReason.HALTED, ExitCode.SELF_STOPPED)
        assert seen.end.detail is not None
        assert seen.end.detail.startswith(
            f"{limit} infrastructure failures of a in a row, the last: agent_not_started: "
        )
    else:
        assert (seen.end.reason, seen.end.code) == (StopReason.EXHAUSTED, ExitCode.DONE)
    assert seen.events[-1]["stop"] == {
        "reason": seen.end.reason,
        "code": seen.end.code,
        "detail": seen.end.detail,
    }


def test_a_trial_that_was_measured_ends_the_row_of_failures(tmp_path: Path) -> None:
    """The agent is there for its third trial only."""
    agent = tmp_path / "agent"

    def come_and_go(end: TrialEnd) -> None:
        if end.trial.repetition == 2:
            agent.write_text("#!/bin/sh\nexit 1\n")
            agent.chmod(0o755)
        else:
            agent.unlink(missing_ok=True)

    folder = campaign(tmp_path, document({"a": {"argv": [str(agent)]}}, "aaaaaa"))
    seen = ran(folder, heard=Heard(act=come_and_go), halt_after=3)

    failed = Terminal.INFRASTRUCTURE_FAILURE
    assert seen.terminals == [failed, failed, Terminal.COMPLETED, failed, failed, failed]
    assert seen.end.reason is StopReason.HALTED


def test_skips_before_and_after_the_start_neither_count_nor_reset(tmp_path: Path) -> None:
    """Between the failures, one subject is unsupported and another one's check has no instrument."""
    subjects = {
        "s": {},
        "t": {"unsupported": {"w": "not that"}},
        "u": {"agent": {"argv": ["true"]}},
    }
    value = document({"a": ABSENT}, "aaa", subjects=subjects)
    value["workflows"]["w"]["tasks"]["t"]["oracle"]["checks"] = [check("ok") | {"instruments": ["no-such-probe"]}]
    value = sealed({key: part for key, part in value.items() if key != "plan_sha256"})
    seen = ran(campaign(tmp_path, value), halt_after=3)

    assert seen.terminals == ["infrastructure_failure", "skipped", "skipped"] * 2 + ["infrastructure_failure"]
    assert len(seen.heard.begun) == 5
    assert seen.end.reason is StopReason.HALTED


def test_running_again_after_a_halt_counts_anew(tmp_path: Path) -> None:
    folder = campaign(tmp_path, document({"a": ABSENT}, "aaaaa"))

    assert len(ran(folder, halt_after=2).heard.ends) == 2
    assert len(ran(folder, halt_after=2).heard.ends) == 2
    last = ran(folder, halt_after=2)
    assert (len(last.heard.ends), last.end.reason) == (1, StopReason.EXHAUSTED)


def test_too_little_free_disk_admits_nothing(tmp_path: Path) -> None:
    seen = ran(campaign(tmp_path, document({"w": WORKS}, "w")), min_free_gib=1 << 30)

    assert (seen.end.reason, seen.end.code) == (StopReason.DISK, ExitCode.SELF_STOPPED)
    assert seen.heard.begun == []
    assert seen.end.detail is not None
    assert "GiB are free on the disk of workspaces, fewer than 1073741824" in seen.end.detail


def test_of_several_reasons_to_stop_the_one_that_weighs_most_is_said(tmp_path: Path) -> None:
    """A changed input (31) before the disk (13) before the budget (12)."""
    value = document({"w": WORKS}, "w", budget_s=0)
    value["workflows"]["w"]["tasks"]["t"]["fixture_sha256"] = "0" * 64
    folder = campaign(tmp_path, sealed({key: part for key, part in value.items() if key != "plan_sha256"}))
    assert ran(folder, min_free_gib=1 << 30).end.code == ExitCode.IDENTITY

    value["workflows"]["w"]["tasks"]["t"]["fixture_sha256"] = None
    (tmp_path / "other").mkdir()
    folder = campaign(tmp_path / "other", sealed({key: part for key, part in value.items() if key != "plan_sha256"}))
    assert ran(folder, min_free_gib=1 << 30).end.code == ExitCode.SELF_STOPPED
    assert ran(folder).end.code == ExitCode.BUDGET


def test_a_request_to_stop_is_the_reason_even_when_the_schedule_ends_with_it(tmp_path: Path) -> None:
    switch = StopSwitch()
    heard = Heard(act=lambda _: switch.ask(2))
    seen = ran(campaign(tmp_path, document({"w": WORKS}, "w")), heard=heard, switch=switch)

    assert (seen.end.reason, seen.end.code) == (StopReason.SIGNAL, 130)
    assert seen.terminals == ["completed"]


def test_a_request_before_the_first_trial_starts_nothing(tmp_path: Path) -> None:
    switch = StopSwitch()
    switch.ask(15)
    seen = ran(campaign(tmp_path, document({"w": WORKS}, "w")), switch=switch)

    assert (seen.end.reason, seen.end.code) == (StopReason.SIGNAL, 143)
    assert [event["event"] for event in seen.events] == ["opened", "closed"]


def test_each_end_is_told_with_its_place_in_the_schedule(tmp_path: Path) -> None:
    folder = campaign(tmp_path, document({"a": ABSENT, "w": WORKS}, "waw"))
    first = ran(folder, halt_after=1)
    second = ran(folder)

    assert [end.number for end in first.heard.ends + second.heard.ends] == [1, 2, 3]
    assert second.heard.begun == ["w.t.plain.w.r003.s"]


def test_a_skip_says_what_is_missing_and_looks_at_every_instrument(tmp_path: Path) -> None:
    subjects: Json = {
        "s": {"binary": "no-such-binary"},
        "t": {"instruments": ["sh", "no-such-tool"]},
        "u": {"unsupported": {"w.t": "not this task", "w": "not this workflow"}},
        "v": {"unsupported": {"other": "nor that"}},
    }
    seen = ran(campaign(tmp_path, document({"w": WORKS}, "w", subjects=subjects)))
    skips = [event["row"]["skip"] for event in seen.events if event["event"] == "finished"]

    assert [skip and (skip["phase"], skip["reason"], skip["instrument"], skip["detail"]) for skip in skips] == [
        ("before_start", "missing_instrument", "no-such-binary", "not found on PATH"),
        ("before_start", "missing_instrument", "no-such-tool", "not found on PATH"),
        ("before_start", "unsupported", None, "not this task"),
        None,
    ]
    assert len(seen.heard.begun) == 1


@pytest.mark.clause("A10-19")
def test_a_row_that_no_journal_takes_ends_its_trial_as_our_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*arguments: Any, **options: Any) -> Attempted:
        terminal, row = attempt(*arguments, **options)
        return Attempted(terminal, row | {"verified_success": None, "run": 7})

    monkeypatch.setattr("oakbench_core.running.runner.attempt", wrong)
    seen = ran(campaign(tmp_path, document({"w": WORKS}, "ww")))

    assert seen.terminals == ["infrastructure_failure"] * 2
    error = seen.events[2]["row"]["error"]
    assert error["type"] == "runner_error"
    assert error["message"].startswith("its row was refused: ")
    assert seen.heard.ends[0].terminal is Terminal.INFRASTRUCTURE_FAILURE
    assert seen.end.reason is StopReason.EXHAUSTED


def expect_refused(tmp_path: Path, value: Json, *paths: str) -> None:
    folder = campaign(tmp_path, sealed({key: part for key, part in value.items() if key != "plan_sha256"}))
    with pytest.raises(DocumentError) as refused:
        ran(folder)

    assert [problem.path for problem in refused.value.problems] == list(paths)
    assert not (folder / "journal.jsonl").exists()


def test_what_cannot_be_run_is_refused_all_at_once(tmp_path: Path) -> None:
    agents: Json = {
        "a": {"adapter": "codex", "argv": ["codex"]},
        "b": {"argv": [], "env": ["NO_SUCH_A", "NO_SUCH_B"]},
        "c": {"argv": ["c"], "login": ["~/.c"], "cleanup": ["true"], "prices": {"input": "1"}},
    }
    value = document(agents, "abc")
    task = value["workflows"]["w"]["tasks"]["t"]
    task |= {"cleanup": ["true"], "prompts": {"plain": "{subject.absent}"}}
    paths = [
        "$.agents.a.adapter",
        "$.agents.b.argv",
        "$.agents.b.env",
        "$.agents.b.env",
        "$.agents.c.login",
        "$.agents.c.cleanup",
        "$.agents.c.prices",
        "$.workflows.w.tasks.t.cleanup",
        "$.workflows.w.tasks.t.prompts.plain",
    ]

    expect_refused(tmp_path, value, *paths)


def test_a_task_without_a_check_is_refused_for_it_would_verify_anything(tmp_path: Path) -> None:
    value = document({"w": WORKS}, "w")
    value["workflows"]["w"]["tasks"]["t"]["oracle"]["checks"] = []

    expect_refused(tmp_path, value, "$.workflows.w.tasks.t.oracle.checks")


def test_an_agent_that_a_subject_brings_is_looked_at_as_it_is_started(tmp_path: Path) -> None:
    subjects: Json = {"s": {"agent": {"env": ["NO_SUCH_C"]}}, "t": {}}

    expect_refused(tmp_path, document({"w": WORKS}, "w", subjects=subjects), "$.subjects.s.agent.env")


def test_variables_that_are_not_set_are_told_with_the_line_that_sets_them(tmp_path: Path) -> None:
    agents: Json = {"a": {"argv": ["true"], "env": ["NO_SUCH_B", "NO_SUCH_A", "PATH"]}, "b": {"argv": []}}

    for order, next_step in (("a", "`export NO_SUCH_A=… NO_SUCH_B=…` in the shell that starts the run"), ("b", "None")):
        place = tmp_path / order
        place.mkdir()
        with pytest.raises(DocumentError) as refused:
            ran(campaign(place, document(agents, order)))
        assert str(refused.value.next_step).startswith(next_step)


def test_a_folder_whose_name_is_no_unicode_is_run_and_its_changes_are_recorded(tmp_path: Path) -> None:
    place = tmp_path / "caf\udce9"
    place.mkdir()
    seen = ran(campaign(place, document({"w": WORKS}, "w")))
    assert seen.end.reason is StopReason.EXHAUSTED

    for name in ("journal.jsonl", "journal.head"):
        (place / "campaign" / name).unlink()
    assert ran(place / "campaign").end.code == ExitCode.IDENTITY

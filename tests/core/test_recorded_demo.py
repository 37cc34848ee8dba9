"""A real run of the demonstration, kept: the same reader, ledger, report and words as on the day it was made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core import load_plan, read_journal, render_markdown, report_campaign
from oakbench_core.durable.fold import Fold
from oakbench_core.durable.tail import JournalState

if TYPE_CHECKING:
    from collections.abc import Callable

    from oakbench_core.campaign.plan import Plan

take_line = Fold.take_line
FOLDER = Path(__file__).resolve().parent.parent / "recorded"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return load_plan(FOLDER)


@pytest.fixture(scope="module")
def summary(plan: Plan) -> dict[str, Any]:
    return report_campaign(plan, read_journal(FOLDER, plan).events)


def test_the_recorded_run_is_whole(plan: Plan) -> None:
    reading = read_journal(FOLDER, plan)

    assert (reading.state, reading.problems) == (JournalState.CLEAN, ())


def test_nothing_that_our_runner_writes_is_read_the_slow_way(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """A million rows are read in time, and `verify` starts in time, only if none of them needs the measure."""
    slow: list[bytes] = []

    def noted(fold: Fold, line: bytes) -> None:
        slow.append(line)
        take_line(fold, line)

    monkeypatch.setattr(Fold, "take_line", noted)

    read_journal(FOLDER, plan)

    assert not slow


def test_it_names_no_machine_and_no_path_of_one() -> None:
    text = (FOLDER / "journal.jsonl").read_text() + (FOLDER / "plan.json").read_text()

    assert not any(word in text for word in ("/root/", "/home/", "/var/", "/work/", "GiB"))


@pytest.mark.clause("A10-40")
def test_its_markdown_is_the_golden_one(summary: dict[str, Any], golden: Callable[[str, str], None]) -> None:
    golden("report_recorded_demo.md", render_markdown(summary))


def test_the_demonstration_shows_what_it_promises(summary: dict[str, Any]) -> None:
    counts = summary["counts"]

    assert counts["unstarted"] > 0
    assert summary["admission"]["next_admissible"] is False
    assert all(counts[key] > 0 for key in ("verified_success", "task_failure", "timed_out", "infrastructure_failure"))
    assert counts["skipped_before_start"] == counts["skipped"] > 0
    disagreements = [pair["table"]["only_a"] + pair["table"]["only_b"] for pair in summary["pairs"]]
    assert sum(disagreements) > 0


def test_the_summary_survives_a_round_trip_through_json(summary: dict[str, Any]) -> None:
    assert render_markdown(json.loads(json.dumps(summary))) == render_markdown(summary)

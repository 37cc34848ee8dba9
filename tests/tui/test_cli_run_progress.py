"""Lines of progress: one line each, safe to show, cut where a stranger's text is long, the trial's ID whole."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from oakbench_core.campaign.ledger import Ledger
from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.campaign.vocabulary import StopReason, Terminal
from oakbench_core.running.runner import RunEnd, TrialEnd
from oakbench_tui.cli.progress import (
    LONGEST_DETAIL,
    LONGEST_REASON,
    closing_lines,
    ending_line,
    longest_s,
    opening_lines,
)
from tests import campaigns

NOW = datetime(2026, 11, 30, 14, 2, 41, tzinfo=UTC)
HOSTILE = "\x1b]52;c;eA==\x07\u202e\nnext line "
PLAN = campaigns.plan(budget_s=60)
TRIAL = PLAN.schedule[0].trial_id


def line(terminal: Terminal = Terminal.COMPLETED, **changes: Any) -> str:
    row = campaigns.row(PLAN, 0, terminal.value, **changes)
    return ending_line(TrialEnd(PLAN.schedule[0], terminal, row, 3), 1500, NOW)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (line(), f"14:02:41      3 of 1,500  verified success          1.500 s  {TRIAL}"),
        (line(verified=False), f"14:02:41      3 of 1,500  task failure              1.500 s  {TRIAL}  tests fails"),
        (line(Terminal.TIMED_OUT), f"14:02:41      3 of 1,500  timed out                 1.500 s  {TRIAL}"),
        (
            line(Terminal.SKIPPED, resources={}),
            f"14:02:41      3 of 1,500  skipped                            {TRIAL}  missing_instrument: hg",
        ),
        (
            line(Terminal.INFRASTRUCTURE_FAILURE, resources={}),
            f"14:02:41      3 of 1,500  infrastructure failure unmeasured  {TRIAL}  setup_failed: no space",
        ),
    ],
)
def test_each_ending_has_its_line(shown: str, expected: str) -> None:
    assert shown == expected


def test_what_a_trial_says_is_one_line_made_safe_and_cut() -> None:
    shown = line(Terminal.INFRASTRUCTURE_FAILURE, error={"type": "runner_error", "message": HOSTILE * 500})
    reason = shown.partition(TRIAL)[2]

    assert reason.startswith("  runner_error: \\x1b]52;c;eA==\\x07\\u202e next line \\x1b")
    assert reason.endswith(" characters)")
    assert LONGEST_REASON - 10 < len(reason) <= LONGEST_REASON + 2
    assert shown.isprintable()


def test_the_longest_identity_is_shown_whole() -> None:
    name = ".".join(["x" * 49] * 4)
    longest = replace(PLAN.schedule[0], trial_id=name)

    assert ending_line(TrialEnd(longest, Terminal.COMPLETED, campaigns.row(PLAN, 0), 1), 8, NOW).endswith(f"  {name}")


def end(reason: StopReason, code: int, detail: str | None = None) -> list[str]:
    return list(closing_lines(RunEnd(reason, code, detail, Ledger(PLAN)), Path("runs/a b")))


RETRY = "oakbench-tui retry 'runs/a b' -o NEW --unstarted --budget S"
RUN = "oakbench-tui run 'runs/a b'    (starts unstarted trials only)"


@pytest.mark.parametrize(
    ("lines", "why", "way_on"),
    [
        (end(StopReason.SIGNAL, 143), "stopped by SIGTERM (exit 143)", f"next  {RUN}"),
        (
            end(StopReason.SIGNAL, 130, "left alone"),
            "stopped as by SIGINT (exit 130): left alone",
            f"next  {RUN}",
        ),
        (end(StopReason.DISK, 13, "no room"), "the run stopped itself (exit 13): no room", f"next  {RUN}"),
        (end(StopReason.HALTED, 13, "again"), "the run stopped itself (exit 13): again", f"next  {RUN}"),
        (
            end(StopReason.CHANGED_INPUT, 31, "x"),
            "stopped, for something is not the frozen one (exit 31): x",
            f"next  put back what was frozen, then {RUN}",
        ),
        (
            end(StopReason.BUDGET, 12, "9.9 s remain"),
            "stopped by the budget (exit 12): 9.9 s remain; nothing was shortened",
            f"next  the budget is part of the frozen plan; a campaign of the rest, with another one: {RETRY}",
        ),
    ],
)
def test_a_run_that_ended_early_says_why_what_is_left_and_how_to_go_on(lines: list[str], why: str, way_on: str) -> None:
    assert lines[:2] == [why, "8 = 0 finished + 0 skipped + 0 interrupted + 8 unstarted"]
    assert way_on in lines
    assert lines[-1] == "next  oakbench-tui report 'runs/a b'"


def test_a_detail_is_one_line_made_safe_and_cut() -> None:
    first = end(StopReason.HALTED, 13, HOSTILE * 500)[0]

    assert first.isprintable()
    assert first.endswith(" characters)")
    assert LONGEST_DETAIL - 10 < len(first) <= LONGEST_DETAIL


def test_a_run_begins_by_saying_what_there_is_to_do() -> None:
    assert list(opening_lines(Ledger(PLAN), Path("runs/a b"), NOW)) == [
        "2026-11-30 14:02:41 +0000  8 of 8 trials are unstarted; 60 of 60 s of the budget remain",
        "look on  oakbench-tui watch 'runs/a b'",
    ]
    assert not any("budget" in line for line in opening_lines(Ledger(campaigns.plan()), Path("c"), NOW))


def test_a_run_that_goes_on_says_what_is_on_file() -> None:
    plan = campaigns.plan()
    ledger = campaigns.folded(plan, *campaigns.run(plan, 0), campaigns.started(plan, 1))

    assert list(opening_lines(ledger, Path("c"), NOW))[:2] == [
        "2026-11-30 14:02:41 +0000  6 of 8 trials are unstarted",
        "on file  8 = 1 finished + 0 skipped + 1 interrupted + 6 unstarted",
    ]


@pytest.mark.parametrize(("setup", "seconds"), [([], 10 + 2 + 300 + 2), (["true"], 314 + 3 * (600 + 2))])
def test_the_longest_that_a_trial_may_take_counts_setup_agent_checks_and_graces(setup: list[str], seconds: int) -> None:
    document = campaigns.plan_document()
    for task in document["workflows"]["w"]["tasks"].values():
        task["setup"] = setup
    plan = plan_from_document(campaigns.sealed({k: v for k, v in document.items() if k != "plan_sha256"}))

    assert longest_s(plan, plan.schedule[0], 2) == seconds

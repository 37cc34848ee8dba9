"""What is said of a trial that has not ended, or never began: in words that fit what it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.plan import plan_from_document
from oakbench_tui.view.coverage import measured_row, why_no_total
from oakbench_tui.view.inspector.record import Inspected, RawEvent, Records
from oakbench_tui.view.inspector.resources import resources_page
from oakbench_tui.view.inspector.summary import summary_page
from oakbench_tui.view.segments import plain
from oakbench_tui.view.trial_columns import Column, Columns, Key, columns_for, variety
from oakbench_tui.view.trial_rows import trial_line
from tests.campaigns import Json, folded, plan, plan_document, run, sealed, skipped_before_start, started
from tests.tui.snapshots import NOW, small_snapshot, snapshot

if TYPE_CHECKING:
    from oakbench_tui.view.page import Page

PLAN = plan()


def text_of(page: Page) -> str:
    return "\n".join(plain(page.line_at(row)) for row in range(page.rows))


def on_file(event: Json) -> RawEvent:
    return RawEvent(10, json.dumps({**event, "seq": 3, "at": "2026-11-30T14:00:00.123Z"}).encode())


def test_what_still_runs_is_not_called_unmeasured() -> None:
    held = small_snapshot(run(PLAN, 0), [started(PLAN, 1)], running=(1,))
    lost = small_snapshot(run(PLAN, 0), [started(PLAN, 1)])
    both = small_snapshot(run(PLAN, 0), [started(PLAN, 1)], [started(PLAN, 2)], running=(2,))

    assert [why_no_total(shown.measured[0]) for shown in (held, lost, both)] == [
        "no total: 1 still running",
        "no total: 1 unmeasured",
        "no total: 1 unmeasured, 1 still running",
    ]
    group = held.groups[1]
    inspected = Inspected(held, Records(1, on_file(started(PLAN, 1))), [0, 1], group, NOW)
    assert "still running" not in text_of(resources_page(inspected, 80))  # nothing is observed yet in that group


def test_before_anything_ended_the_coverage_says_what_is_waited_for() -> None:
    held = small_snapshot([started(PLAN, 1)], running=(1,))

    assert "nothing yet: 1 trial still running" in plain(measured_row(held.measured, 80))


def test_the_sentence_about_a_withheld_total_names_what_still_runs() -> None:
    held = small_snapshot(run(PLAN, 0), [started(PLAN, 2)], [started(PLAN, 4)], running=(4,))
    inspected = Inspected(held, Records(0, on_file(started(PLAN, 0))), [0, 1], held.groups[0], NOW)

    said = " ".join(text_of(resources_page(inspected, 80)).split())
    assert "observed in 1 of 3 started trials. 1 still running. / unmeasured:duration_s lists those that ended" in said


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([skipped_before_start(PLAN, 0)], ["skipped  2026-11-30T14:00:00.123Z  seq 3, byte 10"]),
        (run(PLAN, 0), ["started  2026", "completed  2026"]),
        (run(PLAN, 0, "timed_out"), ["started  2026", "timed out  2026"]),
        (run(PLAN, 0, "infrastructure_failure"), ["started  2026", "infrastructure failure  2026"]),
    ],
)
def test_what_is_on_file_of_a_trial_is_said_by_how_it_ended(events: list[Json], said: list[str]) -> None:
    held = small_snapshot(events)
    start = on_file(events[0]) if len(events) == 2 else None
    records = Records(0, start, on_file(events[-1]))

    text = text_of(summary_page(Inspected(held, records, [0, 1], held.groups[0], NOW), 70))

    assert "finished" not in text
    for words in said:
        assert words in text


@pytest.mark.parametrize("width", [30, 40, 58])
def test_a_place_on_file_is_never_cut(width: int) -> None:
    events = run(PLAN, 0, "infrastructure_failure")
    held = small_snapshot(events)
    records = Records(0, on_file(events[0]), on_file(events[1]))

    text = text_of(summary_page(Inspected(held, records, [0, 1], held.groups[0], NOW), width))

    assert " ".join(text.split()).endswith("seq 3, byte 10")


@pytest.mark.parametrize(("width", "title"), [(200, "oracle"), (77, "passed")])
def test_a_column_of_bare_counts_says_of_what(width: int, title: str) -> None:
    held = plan(
        workflows=("bugfix", "upkeep"),
        subjects=("git", "git-tuned", "hg"),
        tasks=("null-check", "lost-commit"),
        levels=("plain", "guided"),
    )

    columns = columns_for(variety(held), width, cost=True)

    assert plain(columns.header()).split()[-1] == title


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (Column(Key.ORACLE, 34), "committed to main fails"),
        (Column(Key.ORACLE, 11), "1 of 2 pass"),
        (Column(Key.ORACLE, 6, in_words=False), "1 of 2"),
    ],
)
def test_a_failing_check_whose_name_does_not_fit_leaves_a_count_with_its_verb(column: Column, said: str) -> None:
    document = plan_document()
    for task in document["workflows"]["w"]["tasks"].values():
        task["oracle"]["checks"][0]["name"] = "committed to main"
    del document["plan_sha256"]
    held = plan_from_document(sealed(document))
    shown = snapshot(folded(held, *run(held, 0, verified=False)))

    line = plain(trial_line(shown, 0, Columns((column,), 1, wide_words=False), NOW))

    assert line.rstrip() == said

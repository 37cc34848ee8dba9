"""Every legal value can be shown: no row, however extreme, ends a screen, fills it with digits or is cut to another."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oakbench_core.campaign.report import report_ledger
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS
from oakbench_core.canonical import MAX_INTEGER
from oakbench_core.errors import OakbenchError
from oakbench_core.intervals import Interval
from oakbench_core.rendering.markdown import render_markdown
from oakbench_tui.view.figures import amount, clock, fixed, money, resource_value, seconds, within
from oakbench_tui.view.head import head
from oakbench_tui.view.inspector.record import Inspected, RawEvent, Records
from oakbench_tui.view.inspector.tabs import Tab, inspector_head, inspector_page
from oakbench_tui.view.layout import Frame, Pane
from oakbench_tui.view.running import utc_time
from oakbench_tui.view.segments import cells, plain
from oakbench_tui.view.status import status_document, status_lines
from oakbench_tui.view.trial_columns import columns_for, variety
from oakbench_tui.view.trial_rows import compact_line, trial_line
from tests.campaigns import Json, finished, folded, plan, started
from tests.tui.snapshots import NOW, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.campaign.plan import Plan
    from oakbench_tui.view.snapshot import Snapshot

MANY_DIGITS = re.compile(r"[0-9][0-9,]{30}")
AMOUNTS = ("duration_s", "cost_usd", "cost_weighted_tokens")
edges = st.sampled_from([0.0, 5e-324, 0.004999, 99.9995, 1e15, 1e26, 1e300, 1.7976931348623157e308])
amounts = st.none() | edges | st.floats(0, allow_infinity=False, allow_nan=False)
counts = st.none() | st.sampled_from([0, 1, 10**9, MAX_INTEGER]) | st.integers(0, MAX_INTEGER)
resources = st.fixed_dictionaries({name: amounts if name in AMOUNTS else counts for name in RESOURCE_UNITS})
ends = st.tuples(st.sampled_from(["completed", "timed_out", "infrastructure_failure", "skipped"]), resources)
budgets = st.none() | st.sampled_from([0, 78, MAX_INTEGER])
timeouts = st.sampled_from([1, 10, MAX_INTEGER])
HUGE = dict.fromkeys(RESOURCE_UNITS, MAX_INTEGER) | dict.fromkeys(AMOUNTS, 1.7976931348623157e308)


class Shown:
    """A campaign of eight trials: the first ones ended as drawn, then one runs."""

    def __init__(self, drawn: list[tuple[str, Json]], budget_s: int | None, timeout_s: int) -> None:
        self.plan = plan(budget_s=budget_s, timeout_s=timeout_s)
        self.ends = [
            finished(self.plan, place, terminal, resources=used) for place, (terminal, used) in enumerate(drawn)
        ]
        skipped = {place for place, (terminal, _) in enumerate(drawn) if terminal == "skipped"}
        self.starts = {place: started(self.plan, place) for place in range(len(drawn)) if place not in skipped}
        events = [
            event
            for place, end in enumerate(self.ends)
            for event in ([self.starts[place]] if place in self.starts else []) + [end]
        ]
        running = len(drawn)
        self.snapshot = snapshot(
            folded(self.plan, *events, started(self.plan, running)), running=[running], host="h", pid=1
        )

    def records(self, place: int) -> Records:
        record = {"seq": 1, "at": "2026-11-30T14:00:00Z"}
        start = RawEvent(0, json.dumps({**self.starts[place], **record}).encode()) if place in self.starts else None
        return Records(place, start, RawEvent(9, json.dumps({**self.ends[place], **record}).encode()))


def page_lines(shown: Shown, place: int, width: int) -> Iterator[str]:
    held = shown.snapshot
    number = next(n for n, g in enumerate(held.groups) if g)  # every group has the same resources
    inspected = Inspected(held, shown.records(place), [0, 1], held.groups[number], NOW)
    for tab in Tab:
        for pane in Pane:
            yield from map(plain, inspector_head(inspected, tab, pane, width))
        page = inspector_page(inspected, tab, width)
        yield from (plain(page.line_at(row)) for row in range(page.rows))


def table_lines(held: Snapshot, the_plan: Plan, width: int) -> Iterator[str]:
    columns = columns_for(variety(the_plan), width, cost=True)
    for place in range(held.scheduled):
        line = trial_line(held, place, columns, NOW)
        # Whole or in another form: the beginning of a figure is another figure.
        figures = [segment.text for segment in line if re.match(r"\s*(of )?[0-9]", segment.text)]
        assert not any("…" in figure for figure in figures), figures
        yield plain(line)
        yield plain(compact_line(held, place, width))


def no_interval(_: object) -> Interval:
    return Interval(0.0, 0.0)


@settings(max_examples=60)
@given(st.lists(ends, min_size=1, max_size=4), budgets, timeouts, st.integers(20, 200), st.sampled_from([10, 24, 48]))
@example([("completed", HUGE)] * 2, 78, 10, 80, 24)
@example([("completed", dict.fromkeys(RESOURCE_UNITS))], None, MAX_INTEGER, 44, 10)
@example([("completed", HUGE)] * 2, None, 10, 160, 48)
def test_no_legal_row_ends_a_screen_or_fills_it_with_digits(
    drawn: list[tuple[str, Json]], budget_s: int | None, timeout_s: int, width: int, height: int
) -> None:
    shown = Shown(drawn, budget_s, timeout_s)
    held = shown.snapshot

    lines = [plain(row) for row in head(held, Frame(width=width, height=height, now=NOW))]
    lines += status_lines(held, now=NOW)
    lines += table_lines(held, shown.plan, width)
    for place in range(len(drawn)):
        lines += [line for line in page_lines(shown, place, width) if '":' not in line]

    assert not [line for line in lines if MANY_DIGITS.search(line)]
    document = json.dumps(status_document(held, now=NOW), allow_nan=False)
    assert json.loads(document)["campaign_id"] == "c1"


@settings(max_examples=40)
@given(st.lists(ends, min_size=1, max_size=3), budgets)
@example([("completed", HUGE)], 78)
def test_no_legal_row_fills_a_report_with_digits(drawn: list[tuple[str, Json]], budget_s: int | None) -> None:
    shown = Shown(drawn, budget_s, 10)
    try:
        summary = report_ledger(shown.snapshot.ledger, resample=no_interval)
    except OakbenchError:  # a sum beyond every float is refused by name
        return

    assert not MANY_DIGITS.search(render_markdown(summary))


@given(st.floats(-1e308, 1e308), st.integers(0, 4), st.integers(9, 30))
def test_a_figure_fits_and_keeps_its_size(value: float, decimals: int, width: int) -> None:
    text = within(value, width, decimals)

    assert cells(text) <= width
    read = float(text.replace(",", "").replace("−", "-"))
    assert read == pytest.approx(value, rel=0.06, abs=1)
    for shown in (fixed(value, decimals), amount(value), amount(-value)):
        assert len(shown) < 30


@given(st.floats(0, allow_infinity=False))
def test_every_duration_and_cost_is_short(value: float) -> None:
    texts = (seconds(value), clock(value), money(value), resource_value("duration_s", value))

    assert all(len(text) <= 30 for text in texts), texts
    assert len(seconds(value)) <= 10  # a column's width


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (253402300800.0, "9999-12-31 23:59:59 UTC"),  # …59.999999999, rounded by its float
        (-62135596800.0, "0001-01-01 00:00:00 UTC"),
        (NOW - 0.5, "07:59:59 UTC"),
    ],
)
def test_every_time_of_the_calendar_can_be_said(at: float, said: str) -> None:
    assert utc_time(at, NOW) == said


def test_a_sum_beyond_every_float_is_said_in_full_digits_where_json_needs_it() -> None:
    held: Any = Shown([("completed", HUGE)] * 2, 78, 10).snapshot
    document = status_document(held, now=NOW)

    assert document["admission"]["observed_s"] == 2 * int(Decimal("1.7976931348623157e308"))
    assert "3.60e+308 s observed" in "\n".join(status_lines(held, now=NOW))

"""The inspector as a whole: its title, its tabs, and the page of the tab that is open."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from oakbench_core.display import display_safe
from oakbench_tui.view.inspector.artifact import artifacts_page
from oakbench_tui.view.inspector.checks import checks_page
from oakbench_tui.view.inspector.event import event_page, row_page
from oakbench_tui.view.inspector.resources import resources_page
from oakbench_tui.view.inspector.summary import outcome_line, summary_page
from oakbench_tui.view.layout import Pane
from oakbench_tui.view.segments import EMPTY, Segment, Token, cut_middle, joined, width_of
from oakbench_tui.view.views import titled_rule

if TYPE_CHECKING:
    from oakbench_tui.view.inspector.record import Inspected
    from oakbench_tui.view.page import Page
    from oakbench_tui.view.segments import Line


class Tab(StrEnum):
    SUMMARY = "Summary"
    EVENT = "Event"
    ROW = "Row"
    CHECKS = "Checks"
    ARTIFACTS = "Artifacts"
    RESOURCES = "Resources"

    def next(self, step: int) -> Tab:
        tabs: Final = list(Tab)
        return tabs[(tabs.index(self) + step) % len(tabs)]


def tab_row(current: Tab) -> Line:
    return joined([(Segment(tab, Token.HERE if tab is current else Token.SOFT),) for tab in Tab], "  ")


def inspector_head(inspected: Inspected, tab: Tab, pane: Pane, width: int) -> tuple[Line, ...]:
    """The rows above the page: below a list a titled rule and tabs, elsewhere title, outcome and tabs with a rule."""
    snapshot, place, now = inspected.snapshot, inspected.place, inspected.now
    trial_id = display_safe(snapshot.trial(place).trial_id)
    outcome = outcome_line(snapshot, place, now)
    if pane is Pane.BELOW:
        room = width - width_of(outcome) - 8
        title = (Segment(cut_middle(trial_id, room), Token.STRONG), Segment("  "), *outcome)
        return titled_rule(title, width), (Segment("  "), *tab_row(tab))
    title = (Segment(cut_middle(trial_id, width), Token.STRONG),)
    if pane is Pane.ALONE:
        return title, outcome, tab_row(tab)
    return title, outcome, EMPTY, tab_row(tab), _tab_rule(tab, width)


def empty_head(pane: Pane, width: int) -> tuple[Line, ...]:
    """What stands there while no trial is listed."""
    said = (Segment("no trial", Token.SOFT),)
    return (titled_rule(said, width),) if pane is Pane.BELOW else (said,)


def _tab_rule(current: Tab, width: int) -> Line:
    column = 0
    for tab in Tab:
        if tab is current:
            break
        column += len(tab) + 2
    heavy = len(current)
    return (
        Segment("─" * column, Token.LINE),
        Segment("━" * heavy, Token.ACCENT),
        Segment("─" * max(width - column - heavy, 0), Token.LINE),
    )


def inspector_page(inspected: Inspected, tab: Tab, width: int) -> Page:
    match tab:
        case Tab.SUMMARY:
            return summary_page(inspected, width)
        case Tab.EVENT:
            return event_page(inspected.records, width)
        case Tab.ROW:
            return row_page(inspected.records, width)
        case Tab.CHECKS:
            return checks_page(inspected, width)
        case Tab.ARTIFACTS:
            return artifacts_page(inspected.artifacts, width)
    return resources_page(inspected, width)

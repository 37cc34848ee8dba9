"""What `e` writes: the report, or the rows that the list shows; and the command line that prints the same, if one does.

A filtered export holds rows and counts only, with the filter as its first line: no fraction of a chosen part of a
campaign is ever written.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.vocabulary import RESOURCE_UNITS
from oakbench_core.canonical import readable_text
from oakbench_core.display import display_safe
from oakbench_core.rendering.csv_text import csv_text
from oakbench_tui.view.glyphs import Shown
from oakbench_tui.view.segments import cells, cut_left
from oakbench_tui.view.trouble import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_tui.view.snapshot import Snapshot

_STATES: Final = {
    Shown.SKIPPED: "skipped",
    Shown.INTERRUPTED: "interrupted",
    Shown.RUNNING: "interrupted",  # running is a word of the screen; files say what the journal proves
    Shown.UNSTARTED: "unstarted",
}
_OUTCOMES: Final = {
    Shown.VERIFIED: "verified_success",
    Shown.FAILED: "task_failure",
    Shown.TIMED_OUT: "timed_out",
    Shown.INFRASTRUCTURE: "infrastructure_failure",
}
_FOLDER_LEAST: Final = 8  # cells of a folder's path that are kept
_PLANNED: Final = (
    "trial_id",
    "block_id",
    "workflow",
    "task",
    "instruction_level",
    "agent",
    "model",
    "subject",
    "repetition",
    "timeout_s",
)


class Form(StrEnum):
    """What can be written; the value is the file's name, before a number where it is taken."""

    REPORT_MARKDOWN = "report.md"
    REPORT_JSON = "report.json"
    ROWS_CSV = "trials.csv"
    ROWS_JSON = "trials.json"

    @property
    def needs_report(self) -> bool:
        return self in {Form.REPORT_MARKDOWN, Form.REPORT_JSON}


def same_command(form: Form, folder: str) -> str | None:
    """The command line that writes the same; None where none does."""
    match form:
        case Form.REPORT_MARKDOWN:
            return f"{command('report', folder)} --format md -o {form}"
        case Form.REPORT_JSON:
            return f"{command('report', folder)} --format json -o {form}"
    return None


def fitted_command(form: Form, folder: str, width: int) -> str:
    """That command line safe to show, the path of its folder cut at the left where it is too long; empty if none is."""
    whole = display_safe(same_command(form, folder) or "")
    too_much = cells(whole) - width
    if too_much <= 0:
        return whole
    return display_safe(same_command(form, cut_left(folder, max(cells(folder) - too_much, _FOLDER_LEAST))) or "")


def exported_words(path: str, form: Form, folder: str, width: int) -> str:
    """What was written where; and the command line that does the same, where one does and the width holds it."""
    done, lead = "exported to ", "   the same: "
    for kept in (cells(path), width // 3):
        said = done + cut_left(display_safe(path), kept)
        room = width - cells(said) - cells(lead)
        same = fitted_command(form, folder, room)
        if same and cells(same) <= room:
            return f"{said}{lead}{same}"
    return done + cut_left(display_safe(path), width - len(done))


def rows_text(snapshot: Snapshot, places: Sequence[int], filter_text: str, form: Form) -> str:
    """The rows at `places`, in that order, and how many of how many they are."""
    head = {
        "filter": filter_text or None,
        "campaign_id": snapshot.plan.campaign_id,
        "plan_sha256": snapshot.plan.plan_sha256,
        "as_of_seq": snapshot.reading.seq,
        "rows": len(places),
        "of": snapshot.scheduled,
    }
    rows = [_row(snapshot, place) for place in places]
    if form is Form.ROWS_JSON:
        return readable_text({**head, "trials": rows})
    said = ", ".join(f"{key} {'none' if value is None else value}" for key, value in head.items())
    header = [*_PLANNED, "state", "outcome", *RESOURCE_UNITS]
    return csv_text(header, ([*row.values()] for row in rows), first_line=said)


def _row(snapshot: Snapshot, place: int) -> dict[str, Any]:
    trial, shown = snapshot.trial(place), snapshot.shown(place)
    return {
        **{name: getattr(trial, name) for name in _PLANNED},
        "state": _STATES.get(shown, "finished"),
        "outcome": _OUTCOMES.get(shown),
        **{name: snapshot.resource(name, place) for name in RESOURCE_UNITS},
    }

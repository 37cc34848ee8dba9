"""What runs now and for how long: the longest running trial first, with its silence, so that a hanging one is seen."""

from __future__ import annotations

from datetime import UTC, datetime
from math import floor
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.display import display_safe
from oakbench_tui.view.figures import DAY_S, counted, seconds
from oakbench_tui.view.layout import FULL_FROM, WIDE_FROM, label, label_width
from oakbench_tui.view.segments import Segment, Token, cut_middle, width_of
from oakbench_tui.view.snapshot import Chip, longest_running

if TYPE_CHECKING:
    from oakbench_tui.view.segments import Line
    from oakbench_tui.view.snapshot import Running, Snapshot


_LAST: Final = datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp()


def elapsed_s(running: Running, now: float) -> float | None:
    """Seconds since the trial's start by the wall clock of this machine; None where the event does not say."""
    return None if running.started_at is None else max(now - running.started_at, 0.0)


def silence_s(running: Running, now: float) -> float | None:
    """Seconds since the trial last wrote to its artifacts; None where none are seen."""
    return None if running.last_output is None else max(now - running.last_output, 0.0)


def running_words(snapshot: Snapshot, running: Running, now: float) -> str:
    """`1.89 of 2 s, silent 1.24`."""
    elapsed, silence = elapsed_s(running, now), silence_s(running, now)
    timeout = snapshot.trial(running.place).timeout_s
    words = f"timeout {timeout:,} s" if elapsed is None else f"{seconds(elapsed, 2)} of {timeout:,} s"
    return words if silence is None else f"{words}, silent {seconds(silence, 2)}"


def utc_time(at: float, now: float) -> str:
    """The time of day, with the date where it is not within the last day."""
    # Truncated: the last moment of the year 9999 is a legal time, and rounding would leave the calendar.
    day, time = datetime.fromtimestamp(floor(min(at, _LAST)), UTC).isoformat()[:19].split("T")
    return f"{time} UTC" if abs(now - at) < DAY_S else f"{day} {time} UTC"


def _nothing(snapshot: Snapshot, now: float) -> str:
    reading = snapshot.reading
    if snapshot.chip is Chip.WAITING:
        return "nothing"
    last = "" if reading.last_at is None else f", last event {utc_time(reading.last_at, now)}"
    if snapshot.chip is Chip.COMPLETE:
        return f"nothing; every trial has ended{last}"
    if reading.writer_lives:
        return f"nothing at the moment{last}"
    if reading.writer_lives is None:
        open_trials = snapshot.tallies[Standing.INTERRUPTED]
        held = f"; {counted(open_trials, 'trial')} without an end" if open_trials else ""
        return f"not known whether a runner lives{held}{last}"
    return f"nothing; no runner holds the journal{last}"


def running_row(snapshot: Snapshot, width: int, now: float) -> Line:
    """The row of the head. The ID is cut in the middle before any figure is."""
    name = label("running", width)
    room = width - label_width(width)
    trials = longest_running(snapshot)
    if not trials:
        return (name, Segment(_nothing(snapshot, now), Token.SOFT))
    shown: list[Segment] = []
    for position, running in enumerate(trials):
        figures = Segment(f"▶ {running_words(snapshot, running, now)}", Token.ACCENT)
        trial_id = display_safe(snapshot.trial(running.place).trial_id)
        gap = "    " if position else ""
        others = len(trials) - position
        more = f"   and {others - 1:,} more" if width >= FULL_FROM else f"  +{others - 1:,}"
        left = room - width_of(shown) - len(gap) - width_of((figures,)) - 2
        if position and (width < WIDE_FROM or left < len(trial_id) + (len(more) if others > 1 else 0)):
            shown.append(Segment(more.replace(f"{others - 1:,}", f"{others:,}"), Token.SOFT))
            break
        held = left - (len(more) if others > 1 else 0)
        shown += [Segment(gap), figures, Segment("  "), Segment(cut_middle(trial_id, held))]
    return (name, *shown)

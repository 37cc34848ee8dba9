"""One trial of the list as a line: glyph and word, what it is, how long, what it used, what the oracle said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.display import display_safe
from oakbench_tui.view.figures import HATCHED, UNMEASURED, seconds, within
from oakbench_tui.view.glyphs import LOOKS, Shown
from oakbench_tui.view.running import elapsed_s, silence_s
from oakbench_tui.view.segments import Segment, Token, cells, cut_middle, left, right
from oakbench_tui.view.trial_columns import NAMES, Key

if TYPE_CHECKING:
    from oakbench_core.campaign.endings import Ending
    from oakbench_tui.view.segments import Line
    from oakbench_tui.view.snapshot import Snapshot
    from oakbench_tui.view.trial_columns import Column, Columns

_LONG_CHECK = 24


def trial_line(snapshot: Snapshot, place: int, columns: Columns, now: float) -> Line:
    """The row of the trial at `place` of the schedule, without the cursor's column."""
    shown = snapshot.shown(place)
    look = LOOKS[shown]
    parts: list[Segment] = []
    for column in columns.columns:
        if parts:
            parts.append(Segment(" " * columns.gap))
        if column.key is Key.STATE:
            word = look.word if columns.wide_words else look.short
            parts.append(Segment(left(f"{look.glyph} {word}", column.width), look.token))
        else:
            parts.append(_cell(snapshot, place, column, shown, now))
    return tuple(parts)


def _cell(snapshot: Snapshot, place: int, column: Column, shown: Shown, now: float) -> Segment:
    trial = snapshot.trial(place)
    token = Token.FAINT if shown is Shown.UNSTARTED else Token.TEXT
    if column.key in NAMES:
        text = display_safe(getattr(trial, NAMES[column.key]) or "none")
        return Segment(left(cut_middle(text, column.width), column.width), token)
    match column.key:
        case Key.REPETITION:
            return Segment(right(str(trial.repetition), column.width), token)
        case Key.DURATION:
            return _duration(snapshot, place, column.width, shown, now)
        case Key.TOKENS:
            return _figure(snapshot, place, "input_tokens", column.width)
        case Key.COST:
            return _figure(snapshot, place, "cost_usd", column.width)
    text, token = oracle_words(snapshot, place, shown, now, short=not column.in_words)
    if cells(text) > column.width:
        text, token = oracle_words(snapshot, place, shown, now, short=True)
        ending = snapshot.ending(place)
        if column.in_words and ending is not None and text == _counted(ending):
            text += " pass"
        elif shown is Shown.RUNNING and cells(text) > column.width:
            text = ""  # a timeout, whose beginning is another
    return Segment(left(text, column.width), token)


def _can_have_used(snapshot: Snapshot, place: int) -> bool:
    return snapshot.has_row(place) and snapshot.standing(place) is not Standing.SKIPPED_BEFORE_START


def _unmeasured(width: int) -> Segment:
    return Segment(right(UNMEASURED if width >= cells(UNMEASURED) else HATCHED, width), Token.NOTE)


def _duration(snapshot: Snapshot, place: int, width: int, shown: Shown, now: float) -> Segment:
    if shown is Shown.RUNNING:
        running = snapshot.running_at(place)
        elapsed = None if running is None else elapsed_s(running, now)
        # Two decimals and a blank: the decimal points of the column stand under each other.
        text = "" if elapsed is None else seconds(elapsed, 2) + (" " if elapsed < 99.995 else "")
        return Segment(right(text, width), Token.ACCENT)
    if not _can_have_used(snapshot, place):
        return Segment(" " * width)
    value = snapshot.resource("duration_s", place)
    if value is None:
        return _unmeasured(width)
    return Segment(right(seconds(value), width), LOOKS[shown].token if shown is Shown.TIMED_OUT else Token.TEXT)


def _figure(snapshot: Snapshot, place: int, resource: str, width: int) -> Segment:
    if not _can_have_used(snapshot, place):
        return Segment(" " * width)
    value = snapshot.resource(resource, place)
    if value is None:
        return _unmeasured(width)
    return Segment(right(within(value, width, 4 if isinstance(value, float) else 0), width))


def oracle_words(snapshot: Snapshot, place: int, shown: Shown, now: float, *, short: bool) -> tuple[str, Token]:
    """What ended the trial, or what it is doing: `3 of 3 pass`, `tests fails`, `supervisor_lost`, `silent 1.24`."""
    if shown is Shown.RUNNING:
        running = snapshot.running_at(place)
        silence = None if running is None else silence_s(running, now)
        timeout = f"of {snapshot.trial(place).timeout_s:,} s"
        return (timeout if silence is None or short else f"silent {seconds(silence, 2)}"), Token.SOFT
    ending = snapshot.ending(place)
    if ending is None:
        uncertain = snapshot.standing(place) is Standing.UNCERTAIN
        return ("start uncertain" if uncertain else ""), Token.NOTE
    return ending_words(ending, short=short)


def _counted(ending: Ending) -> str:
    return f"{ending.passed} of {ending.checks}"


def ending_words(ending: Ending, *, short: bool) -> tuple[str, Token]:
    """Why a trial ended as it did."""
    reason = ending.error_type or ending.skip_reason
    if reason is not None:
        instrument = f" {ending.instrument}" if ending.instrument else ""
        return display_safe(reason + instrument), Token.SOFT
    if not ending.checks:
        return "", Token.SOFT
    if short or ending.first_not_passed is None:
        return _counted(ending) + ("" if short else " pass"), Token.SOFT
    return f"{cut_middle(display_safe(ending.first_not_passed), _LONG_CHECK)} fails", Token.TEXT


def compact_line(snapshot: Snapshot, place: int, width: int) -> Line:
    """The row of the compact list: `✗ null-check.plain.2.git   task failure`."""
    trial = snapshot.trial(place)
    look = LOOKS[snapshot.shown(place)]
    word = look.short
    name = display_safe(".".join((trial.task, trial.instruction_level, str(trial.repetition), trial.subject)))
    room = width - len(word) - 4
    return (
        Segment(f"{look.glyph} ", look.token),
        Segment(left(cut_middle(name, room), room)),
        Segment(f"  {word}", look.token),
    )

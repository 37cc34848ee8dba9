"""What is said where there are no figures, or figures with a reservation: where, which rule, what to do next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from oakbench_core.display import display_safe
from oakbench_tui.view.figures import counted, thousands
from oakbench_tui.view.inspector.wrapping import wrapped
from oakbench_tui.view.page import Page, page_of
from oakbench_tui.view.segments import EMPTY, Segment, Token, cut, cut_left, first_fitting, left
from oakbench_tui.view.snapshot import Chip

if TYPE_CHECKING:
    from oakbench_core.errors import OakbenchError, Problem
    from oakbench_tui.view.segments import Line
    from oakbench_tui.view.snapshot import Failure, Reading, Snapshot

_LABEL = 9
_RULE_MOST = 3  # rows of a rule on a compact page


def command(name: str, folder: str) -> str:
    """A command line that may be pasted into a shell."""
    return f"oakbench-tui {name} {shlex.quote(folder)}"


def error_in_a_line(error: OakbenchError) -> str:
    """What is wrong and where, safe to show: the rule first, since the end of a long path may be cut."""
    said = []
    for problem in error.problems:
        place = f" ({problem.place})" if problem.place else ""
        said.append(f"{problem.rule}{place}")
    return display_safe("; ".join(said))


def trouble_page(snapshot: Snapshot, folder: str, width: int, *, compact: bool = False) -> Page:
    """No figures: why, where, and what to do next. A compact page holds the beginning of each in eight rows."""
    failure = snapshot.reading.failure
    if compact:
        room = max(width - 2, 10)
        return page_of(_compact(snapshot, folder, room) if failure is None else _compact_failure(failure, room))
    room = max(width - _LABEL - 4, 10)
    return page_of(_invalid(snapshot, folder, room) if failure is None else _unreadable(failure, folder, room))


def _unreadable(failure: Failure, folder: str, room: int) -> list[Line]:
    said = "Nothing is shown, because it would be no reading of this folder. Looking changed nothing, and goes on."
    return [
        *_first(said, room),
        *_labelled("where", failure.place, room),
        *_labelled("found", failure.rule, room),
        EMPTY,
        *_labelled("next", failure.next_step, room),
        *_labelled("", f"{command('verify', folder)}    says what stands there now", room),
    ]


def _first(text: str, room: int) -> list[Line]:
    return [EMPTY, *((Segment(f"  {line}", Token.STRONG),) for line in wrapped(text, room)), EMPTY]


def _invalid(snapshot: Snapshot, folder: str, room: int) -> list[Line]:
    said = "This journal gives no results: nothing is counted from it, and looking changed nothing."
    lines = _first(said, room)
    for problem in snapshot.reading.problems:
        lines += _labelled("where", ", ".join(filter(None, ("journal.jsonl", _place(problem)))), room)
        lines += _labelled("rule", problem.rule, room)
    lines += _labelled("before", _good_before(snapshot.reading), room)
    lines += [EMPTY, *_labelled("next", f"{command('verify', folder)}    says the same as text", room)]
    missing = snapshot.chip is Chip.BEHIND_HEAD
    then = "Put the journal back from a copy" if missing else "Compare with a copy of the journal"
    return lines + _labelled("", f"{then}, if there is one.", room)


def _place(problem: Problem) -> str:
    line = f"line {thousands(problem.line)}" if problem.line is not None else ""
    byte = f"byte {thousands(problem.byte)}" if problem.byte is not None else ""
    return ", ".join(filter(None, (line, byte)))


def _good_before(reading: Reading) -> str:
    good = 0 if reading.seq is None else reading.seq + 1
    last = "" if reading.seq is None else f", the last is seq {thousands(reading.seq)}"
    return f"{counted(good, 'good record')} before it{last}"


def _compact(snapshot: Snapshot, folder: str, room: int) -> list[Line]:
    reading = snapshot.reading
    problem = next(iter(reading.problems), None)
    place, rule = ("", "") if problem is None else (_place(problem), problem.rule)
    good = 0 if reading.seq is None else reading.seq + 1
    return [
        (Segment(" No figures from this journal.", Token.STRONG),),
        *_rows(place, room, most=1),
        *_rows(rule, room, most=_RULE_MOST),
        *_rows(f"{counted(good, 'good record')} before it", room, most=1),
        *_rows(f"next: {command('verify', folder)}", room, most=2),
    ]


def _compact_failure(failure: Failure, room: int) -> list[Line]:
    return [
        (Segment(" Nothing can be shown now.", Token.STRONG),),
        (Segment(f" {cut_left(display_safe(failure.place), room)}"),),
        *_rows(failure.rule, room, most=_RULE_MOST),
        *_rows(f"next: {failure.next_step}", room, most=_RULE_MOST),
    ]


def _rows(text: str, room: int, *, most: int) -> list[Line]:
    """At most so many rows of prose, the last one marked where there is more."""
    lines = wrapped(text, room) if text else []
    if len(lines) > most:
        lines = [*lines[: most - 1], cut(" ".join(lines[most - 1 :]), room)]
    return [(Segment(f" {line}"),) for line in lines]


def _labelled(label: str, text: str, room: int) -> list[Line]:
    return [
        (Segment("  " + left("" if number else label, _LABEL), Token.SOFT), Segment(line))
        for number, line in enumerate(wrapped(text, room))
    ]


def banner(snapshot: Snapshot, folder: str, width: int, *, replaced: bool) -> Line:
    """One row under the strip while something about the journal needs saying; empty where nothing does."""
    reading = snapshot.reading
    if replaced:
        what = "the journal was replaced, cut or changed where it was read"
        said = [f"{what}: all was dropped and read anew; esc hides this", f"{what}; esc hides this", "read anew"]
        return _said(said, width, Token.INTERRUPTED)
    if snapshot.chip in {Chip.TORN, Chip.UNCERTAIN}:
        size = counted(reading.tail_bytes or 0, "byte")
        what = "a torn end" if snapshot.chip is Chip.TORN else "an end that cannot be judged"
        if reading.state == "RECOVERY_PENDING":
            what = "a recovery was broken off"
        start = "" if reading.tail_offset is None else f" from byte {thousands(reading.tail_offset)}"
        next_step = display_safe(command("recover", folder))
        counted_as = _foreseen(reading)
        long, short = f"{what}: {size}{start}; {counted_as}", f"{what}: {counted_as}"
        return _said([f"{long}; next: {next_step}", long, short, what], width, Token.INTERRUPTED)
    if reading.leftovers:
        found = leftovers_words(reading)
        put_back = "put the journal back, if there is a copy"
        return _said([f"{found}: {put_back}", found, "artifacts, and no journal"], width, Token.INTERRUPTED)
    if snapshot.chip is Chip.WAITING:
        empty = "the journal is empty" if reading.state == "EMPTY" else "no journal yet: waiting for journal.jsonl"
        also = ("; this screen changes by itself, enter shows the plan of a trial", "; enter shows a trial's plan", "")
        return _said([*(f"{empty}{words}" for words in also), "waiting for journal.jsonl"], width, Token.NOTE)
    return EMPTY


def leftovers_words(reading: Reading) -> str:
    """What stands where a journal has been: `no journal, yet 5 trials have artifacts here`."""
    what = "an empty journal" if reading.state == "EMPTY" else "no journal"
    have = "trial has" if reading.leftovers == 1 else "trials have"
    return f"{what}, yet {thousands(reading.leftovers)} {have} artifacts here, so one was taken away"


def _foreseen(reading: Reading) -> str:
    if reading.foreseen is None or reading.foreseen.trial_id is None:
        return "no trial is lost with it"
    return f"{display_safe(reading.foreseen.trial_id)} is counted as uncertain"


def _said(texts: list[str], width: int, token: Token) -> Line:
    return first_fitting([(Segment(f" {text}", token),) for text in texts], width)

"""What is said where there are no figures, or figures with a reservation: where, which rule, what to do next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from oakbench_core.display import display_safe
from oakbench_tui.view.figures import counted, thousands
from oakbench_tui.view.inspector.wrapping import wrapped
from oakbench_tui.view.page import Page, page_of
from oakbench_tui.view.segments import EMPTY, Segment, Token, first_fitting, left
from oakbench_tui.view.snapshot import Chip

if TYPE_CHECKING:
    from oakbench_tui.view.segments import Line
    from oakbench_tui.view.snapshot import Reading, Snapshot

_LABEL = 9


def command(name: str, folder: str) -> str:
    """A command line that may be pasted into a shell."""
    return f"oakbench-tui {name} {shlex.quote(folder)}"


def invalid_page(snapshot: Snapshot, folder: str, width: int) -> Page:
    """No figures: where the journal breaks, which rule, how much before it is good, what to do next."""
    reading = snapshot.reading
    room = max(width - _LABEL - 4, 10)
    said = "This journal gives no results: nothing is counted from it, and looking changed nothing."
    lines: list[Line] = [EMPTY, *((Segment(f"  {line}", Token.STRONG),) for line in wrapped(said, room)), EMPTY]
    for problem in reading.problems:
        place = f"line {thousands(problem.line)}" if problem.line is not None else ""
        byte = f"byte {thousands(problem.byte)}" if problem.byte is not None else ""
        lines += _labelled("where", ", ".join(filter(None, ("journal.jsonl", place, byte))), room)
        lines += _labelled("rule", problem.rule, room)
    good = 0 if reading.seq is None else reading.seq + 1
    last = "" if reading.seq is None else f", the last is seq {thousands(reading.seq)}"
    lines += _labelled("before", f"{counted(good, 'good record')} before it{last}", room)
    lines += [EMPTY, *_labelled("next", f"{command('verify', folder)}    says the same as text", room)]
    missing = snapshot.chip is Chip.BEHIND_HEAD
    then = "Put the journal back from a copy" if missing else "Compare with a copy of the journal"
    lines += _labelled("", f"{then}, if there is one.", room)
    return page_of(lines)


def _labelled(label: str, text: str, room: int) -> list[Line]:
    return [
        (Segment("  " + left("" if number else label, _LABEL), Token.SOFT), Segment(line))
        for number, line in enumerate(wrapped(text, room))
    ]


def banner(snapshot: Snapshot, folder: str, width: int, *, replaced: bool) -> Line:
    """One row under the strip while something about the journal needs saying; empty where nothing does."""
    reading = snapshot.reading
    if reading.failure is not None:
        return _said([f"the journal cannot be read: {display_safe(reading.failure)}"], width, Token.INTERRUPTED)
    if replaced:
        said = ["the journal was replaced or cut: all was dropped and read anew; esc hides this", "all was read anew"]
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
    if snapshot.chip is Chip.WAITING:
        empty = "the journal is empty" if reading.state == "EMPTY" else "no journal yet: waiting for journal.jsonl"
        also = ("; this screen changes by itself, enter shows the plan of a trial", "; enter shows a trial's plan", "")
        return _said([*(f"{empty}{words}" for words in also), "waiting for journal.jsonl"], width, Token.NOTE)
    return EMPTY


def _foreseen(reading: Reading) -> str:
    if reading.foreseen is None or reading.foreseen.trial_id is None:
        return "no trial is lost with it"
    return f"{display_safe(reading.foreseen.trial_id)} is counted as uncertain"


def _said(texts: list[str], width: int, token: Token) -> Line:
    return first_fitting([(Segment(f" {text}", token),) for text in texts], width)

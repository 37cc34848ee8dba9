"""The status strip: which campaign, which plan, what the journal is, what may be said of it, how far it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oakbench_core.display import display_safe
from oakbench_tui.view.figures import clock, size, thousands
from oakbench_tui.view.layout import is_compact
from oakbench_tui.view.segments import (
    Segment,
    Token,
    cells,
    cut_middle,
    joined,
    spread,
    width_of,
)
from oakbench_tui.view.snapshot import Chip

if TYPE_CHECKING:
    from oakbench_tui.view.layout import Frame
    from oakbench_tui.view.segments import Line
    from oakbench_tui.view.snapshot import Reading, Snapshot

QUIET_FROM_S: Final = 2
_CHIPS: Final[dict[Chip, tuple[str, Token]]] = {
    Chip.WAITING: ("◌", Token.SOFT),
    Chip.LIVE: ("▶", Token.HERE),
    Chip.STOPPED: ("■", Token.SOFT),
    Chip.COMPLETE: ("●", Token.SOFT),
    Chip.TORN: ("!", Token.INTERRUPTED),
    Chip.UNCERTAIN: ("!", Token.INTERRUPTED),
    Chip.INVALID: ("✗", Token.FILLED),
    Chip.BEHIND_HEAD: ("✗", Token.FILLED),
    Chip.UNKNOWN: ("?", Token.SOFT),
    Chip.UNREADABLE: ("!", Token.INTERRUPTED),
}


def stop_word(reading: Reading) -> str:
    """Why no one writes any more: the reason of the last `closed`, or `killed` where there is none."""
    return reading.stop_reason or "killed"


def chip(snapshot: Snapshot, *, ascii_only: bool = False) -> Segment:
    word = snapshot.chip
    glyph, token = _CHIPS[word]
    text = str(word)
    if word is Chip.STOPPED:
        text += f": {display_safe(stop_word(snapshot.reading))}"
    # In ASCII the word alone: the twins of these glyphs would read as letters.
    shown = text if ascii_only and word is not Chip.LIVE else f"{glyph} {text}"
    return Segment(f" {shown} " if token is Token.FILLED else shown, token)


def _chips(snapshot: Snapshot, frame: Frame) -> list[Line]:
    chips: list[Line] = [(chip(snapshot, ascii_only=frame.ascii_only),)]
    quiet = quiet_s(snapshot, frame.now)
    if quiet is not None:
        chips[0] += (Segment(f" quiet {quiet}", Token.SOFT),)
    if frame.replaced:
        chips.append((Segment(" REPLACED " if frame.ascii_only else " ↻ REPLACED ", Token.FILLED),))
    if frame.paused is not None:
        glyph = "" if frame.ascii_only else "‖ "
        chips.append((Segment(f" {glyph}PAUSED +{thousands(frame.paused)} ", Token.PILL),))
    return chips


def quiet_s(snapshot: Snapshot, now: float) -> str | None:
    """How long ago a live journal last grew, once that is worth saying."""
    growth = snapshot.reading.last_growth
    if snapshot.chip is not Chip.LIVE or growth is None or now - growth < QUIET_FROM_S:
        return None
    silent = int(now - growth)
    return f"{silent} s" if silent < 100 else clock(silent)


def progress(snapshot: Snapshot, paused: int | None) -> Line:
    """The sequence number shown, and what of the file is not in it yet."""
    reading = snapshot.reading
    if not snapshot.sound:
        return (Segment("seq –", Token.SOFT),)
    seq = "seq none" if reading.seq is None else f"seq {thousands(reading.seq)}"
    if paused is not None:
        return (Segment(seq), Segment(f" · {thousands(paused)} behind", Token.SOFT))
    # The bytes of a torn tail are on file and never read; they are not behind.
    behind = reading.size_bytes - reading.read_bytes - (reading.tail_bytes or 0)
    if behind > 0 and reading.rate_mb_s is not None:
        return (Segment(seq), Segment(f" · {size(behind)} behind, {reading.rate_mb_s:,.0f} MB/s", Token.SOFT))
    return (Segment(seq), Segment(" · 0 behind", Token.SOFT))


def status_strip(snapshot: Snapshot, frame: Frame) -> Line:
    """Row 0 of every view. Its words are never cut; the hash, the progress and then the name give way to them."""
    width = frame.width
    chips = _chips(snapshot, frame)
    mock = [(Segment("MOCK", Token.NOTE),)] if snapshot.plan.is_mock else []
    at_end = progress(snapshot, frame.paused)
    if is_compact(width, frame.height):
        claim = (Segment("not claim-eligible", Token.NOTE),)
        words = joined([*chips, *mock, claim], " ")
        if width_of(words) > width:
            bare = (Segment(chips[0][0].text.partition(":")[0], chips[0][0].token),)
            words = joined([bare, *chips[1:], *mock, claim], " ")
        return spread(words, (at_end[0],), width, least=1)
    return _full_strip(snapshot, width, [*chips, *mock], at_end)


def _full_strip(snapshot: Snapshot, width: int, chips: list[Line], at_end: Line) -> Line:
    name = display_safe(snapshot.plan.campaign_id)
    plan_hash = snapshot.plan.plan_sha256
    claim = (Segment("DIAGNOSTIC · not claim-eligible", Token.NOTE),)
    for gap, digits, end in (
        ("    ", f"  plan {plan_hash[:12]}", at_end),
        ("   ", f"  plan {plan_hash[:8]}", at_end),
        ("  ", f" {plan_hash[:8]}", at_end),
        ("  ", f" {plan_hash[:8]}", at_end[:1]),
        ("  ", "", at_end[:1]),
        ("  ", "", ()),
    ):
        words = joined([*chips, claim], gap)
        start = (Segment(f" {name}", Token.STRONG), Segment(digits, Token.SOFT), Segment(gap), *words)
        if width_of(start) + width_of(end) + (3 if end else 0) <= width:
            return spread(start, (*end, Segment(" ")) if end else (), width)
    words = joined([*chips, claim], "  ")
    room = width - width_of(words) - 3
    held = cut_middle(name, room) if room < cells(name) else name
    return (Segment(f" {held}", Token.STRONG), Segment("  "), *words)

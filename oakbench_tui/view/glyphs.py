"""One glyph and one word for each state, and the ASCII twins of every glyph that the console draws."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

from oakbench_core.campaign.vocabulary import Standing
from oakbench_tui.view.segments import Token


class Shown(IntEnum):
    """What a trial is shown as: its standing, but for running, which a live runner makes of an interrupted one.

    The order is that of the state bar.
    """

    VERIFIED = 0
    FAILED = 1
    TIMED_OUT = 2
    INFRASTRUCTURE = 3
    SKIPPED = 4
    INTERRUPTED = 5
    RUNNING = 6
    UNSTARTED = 7


class Look(NamedTuple):
    glyph: str
    fill: str
    word: str
    short: str  # in lists narrower than 140 cells
    token: Token


LOOKS: Final[dict[Shown, Look]] = {
    Shown.VERIFIED: Look("✓", "━", "verified success", "verified", Token.VERIFIED),
    Shown.FAILED: Look("✗", "━", "task failure", "task failure", Token.FAILURE),
    Shown.TIMED_OUT: Look("◷", "━", "timed out", "timed out", Token.TIMEOUT),
    Shown.INFRASTRUCTURE: Look("▲", "━", "infrastructure failure", "infra failure", Token.INFRA),
    Shown.SKIPPED: Look("⊘", "─", "skipped", "skipped", Token.SOFT),
    Shown.INTERRUPTED: Look("!", "░", "interrupted", "interrupted", Token.INTERRUPTED),
    Shown.RUNNING: Look("▶", "▶", "running", "running", Token.ACCENT),
    Shown.UNSTARTED: Look("·", "·", "unstarted", "unstarted", Token.FAINT),
}

SHOWN_BY_STANDING: Final[dict[int, Shown]] = {
    Standing.UNSTARTED: Shown.UNSTARTED,
    Standing.INTERRUPTED: Shown.INTERRUPTED,
    Standing.UNCERTAIN: Shown.INTERRUPTED,
    Standing.SKIPPED_BEFORE_START: Shown.SKIPPED,
    Standing.SKIPPED_AFTER_START: Shown.SKIPPED,
    Standing.VERIFIED_SUCCESS: Shown.VERIFIED,
    Standing.TASK_FAILURE: Shown.FAILED,
    Standing.TIMED_OUT: Shown.TIMED_OUT,
    Standing.INFRASTRUCTURE_FAILURE: Shown.INFRASTRUCTURE,
}
"""By the standing alone, as a report has it: an open trial is interrupted."""

PROBLEMS: Final = frozenset(
    {
        Shown.FAILED,
        Shown.TIMED_OUT,
        Shown.INFRASTRUCTURE,
        Shown.INTERRUPTED,
        Shown.SKIPPED,
    }
)
"""What `]` and `[` go to: everything that ended, or was lost, unverified."""

CHECK_LOOKS: Final = {
    "pass": ("✓", Token.VERIFIED),
    "fail": ("✗", Token.FAILURE),
    "unmeasured": ("░", Token.NOTE),
}

ASCII: Final = str.maketrans(
    {
        "✓": "v",
        "✗": "x",
        "◷": "T",
        "▲": "^",
        "▶": ">",
        "⊘": "/",
        "·": ".",
        "━": "=",
        "─": "-",
        "│": "|",
        "┿": "+",
        "░": "%",
        "▒": "#",
        "○": "o",
        "●": "@",
        "▌": "*",
        "■": "#",
        "◌": "o",
        "▴": "^",
        "▾": "v",
        "…": "~",
        "−": "-",
        "↻": "",
        "‖": "",
        "↑": "^",
        "↓": "v",
        "←": "<",
        "→": ">",
        "×": "x",
        "–": "-",
    }
)
"""The `--ascii` twins, one cell each. The two chips' glyphs without a twin leave their word alone."""

"""Every key in one table: what the screens bind, what the footer names and what the help explains.

A key is in this table only if it does something.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class Where(StrEnum):
    """The pane that a key belongs to."""

    ANY = "any"
    TRIALS = "trials"
    INSPECTOR = "inspector"
    REPORT = "report"
    TROUBLE = "trouble"  # a journal without results: every view is the same page


class Group(StrEnum):
    MOVE = "Move"
    FIND = "Find"
    LOOK = "Look"
    TAKE = "Take"


class Key(NamedTuple):
    """`keys` are Textual's names, `shown` is how people write them; the footer has `short`, the help `words`."""

    keys: str
    shown: str
    action: str
    group: Group
    words: str
    short: str = ""
    where: tuple[Where, ...] = (Where.ANY,)


_LISTS: Final = (Where.TRIALS,)
_PAGES: Final = (Where.INSPECTOR, Where.REPORT)

_TEXTS: Final = (Where.REPORT, Where.TROUBLE)
_SOUND: Final = (Where.TRIALS, Where.INSPECTOR, Where.REPORT)

KEYS: Final = (
    Key("j,down", "j ↓", "move(1)", Group.MOVE, "one row down"),
    Key("k,up", "k ↑", "move(-1)", Group.MOVE, "one row up"),
    Key("g,home", "g home", "first", Group.MOVE, "first row"),
    Key("G,end", "G end", "last", Group.MOVE, "last row"),
    Key("ctrl+d", "ctrl+d", "half(1)", Group.MOVE, "half a page down"),
    Key("ctrl+u", "ctrl+u", "half(-1)", Group.MOVE, "half a page up"),
    Key("space,pagedown", "space", "page(1)", Group.MOVE, "a page down"),
    Key("pageup", "page up", "page(-1)", Group.MOVE, "a page up"),
    Key("right_square_bracket", "]", "problem(1)", Group.MOVE, "next problem trial", "] [ problem", _LISTS),
    Key("left_square_bracket", "[", "problem(-1)", Group.MOVE, "previous problem trial", "", _LISTS),
    Key("right_square_bracket", "]", "heading(1)", Group.MOVE, "next heading", "] [ heading", (Where.REPORT,)),
    Key("left_square_bracket", "[", "heading(-1)", Group.MOVE, "previous heading", "", (Where.REPORT,)),
    Key("left", "←", "side(-1)", Group.MOVE, "previous tab", "← → tab", (Where.INSPECTOR,)),
    Key("right", "→", "side(1)", Group.MOVE, "next tab", "", (Where.INSPECTOR,)),
    Key("left", "←", "side(-1)", Group.MOVE, "wide tables to the left", "", (Where.REPORT,)),
    Key("right", "→", "side(1)", Group.MOVE, "wide tables to the right", "", (Where.REPORT,)),
    Key("slash", "/", "filter", Group.FIND, "filter: state:interrupted !hg duration:>60", "/ filter", _LISTS),
    Key("slash", "/", "filter", Group.FIND, "find: a regex in the text", "/ find", (Where.REPORT,)),
    Key("n", "n", "hit(1)", Group.FIND, "next hit", "", (Where.TRIALS, Where.REPORT)),
    Key("N", "N", "hit(-1)", Group.FIND, "previous hit", "", (Where.TRIALS, Where.REPORT)),
    Key("s", "s", "sort", Group.FIND, "sort by the next column; sort again where order is held", "s sort", _LISTS),
    Key("S", "S", "reverse", Group.FIND, "reverse the order", "", _LISTS),
    Key("enter", "enter", "inspect", Group.LOOK, "inspect the trial", "enter inspect", _LISTS),
    Key("escape", "esc", "back", Group.LOOK, "one level back; never quits", "esc back", _PAGES),
    Key("escape", "esc", "back", Group.LOOK, "clear the filter, or a banner; never quits", "", _LISTS),
    Key("tab", "tab", "pane", Group.LOOK, "next pane", "tab pane", (Where.TRIALS, Where.INSPECTOR)),
    Key("z", "z", "zoom", Group.LOOK, "zoom the pane", "", (Where.TRIALS, Where.INSPECTOR)),
    Key("1", "1", "view('Trials')", Group.LOOK, "trials", "", _SOUND),
    Key("6", "6", "view('Report')", Group.LOOK, "the report that export writes", "", _SOUND),
    Key("p", "p", "pause", Group.LOOK, "pause the screen; reading goes on", "p pause", _SOUND),
    Key("F", "F", "follow", Group.LOOK, "follow the newest event", "F follow", _LISTS),
    Key("T", "T", "theme", Group.LOOK, "theme: dark, light, safe"),
    Key("y", "y", "copy_id", Group.TAKE, "copy the trial's ID", "y copy ID", (Where.TRIALS, Where.INSPECTOR)),
    Key("Y", "Y", "copy_event", Group.TAKE, "copy its last record", "", (Where.TRIALS, Where.INSPECTOR)),
    Key("y", "y", "copy_command", Group.TAKE, "copy its command line", "y copy command", _TEXTS),
    Key("e", "e", "export", Group.TAKE, "export the report, or the rows shown", "e export", _SOUND),
    Key("question_mark", "?", "help", Group.LOOK, "this help", "? help"),
    Key("q,ctrl+c,ctrl+q", "q", "leave", Group.LOOK, "quit; ctrl+c too", "q quit"),
)

_FOOTER_ORDER: Final = (
    "enter inspect",
    "← → tab",
    "esc back",
    "/ filter",
    "/ find",
    "] [ problem",
    "] [ heading",
    "s sort",
    "p pause",
    "F follow",
    "tab pane",
    "y copy ID",
    "y copy command",
    "e export",
    "? help",
    "q quit",
)
_FOOTER_DROPPED: Final = (
    "F follow",
    "y copy ID",
    "tab pane",
    "s sort",
    "y copy command",
    "p pause",
    "e export",
    "] [ problem",
    "] [ heading",
)


def keys_of(where: Where) -> tuple[Key, ...]:
    """The keys that work where the focus is."""
    return tuple(key for key in KEYS if Where.ANY in key.where or where in key.where)


def footer_words(where: Where, width: int, gap: int) -> list[str]:
    """What the footer names: less and less of it where the width does not hold it all."""
    held = {key.short for key in keys_of(where)}
    words: list[str] = [word for word in _FOOTER_ORDER if word in held]
    for dropped in _FOOTER_DROPPED:
        if sum(map(len, words)) + gap * (len(words) - 1) + 1 <= width:
            break
        if dropped in words:
            words.remove(dropped)
    return words

"""The help of the focused pane, made from the table of keys and the table of states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_tui.view.filter import KEYS as FILTER_KEYS
from oakbench_tui.view.glyphs import LOOKS
from oakbench_tui.view.inspector.wrapping import wrapped
from oakbench_tui.view.keys import Group, Where, keys_of
from oakbench_tui.view.page import Page, page_of
from oakbench_tui.view.segments import EMPTY, Segment, Token, fitted, left

if TYPE_CHECKING:
    from oakbench_tui.view.segments import Line

_KEY_COLUMN = 10
_COLUMN_LEAST = 38
_SAID = (
    ("━", "observed"),
    ("░", "not known: lost or unmeasured"),
)


def help_page(where: Where, width: int) -> Page:
    """Groups of keys in as many columns as the width holds, then the words of the glyphs and the filter's keys."""
    blocks = [_keys(group, where) for group in Group]
    blocks.append(_words())
    number = max(min(width // _COLUMN_LEAST, 3), 1)
    column = (width - 2) // number - 2
    # The longest first, so that the columns end together and fewer rows are needed.
    longest_first = sorted((block for block in blocks if len(block) > 1), key=len, reverse=True)
    lines = _columns(longest_first if number > 1 else blocks, number, column)
    filtering = "filter keys: " + " ".join(f"{key}:" for key in FILTER_KEYS) + "; ! before a term inverts it"
    lines += [(Segment(f"  {line}", Token.SOFT),) for line in wrapped(filtering, width - 4)]
    return page_of([EMPTY, *lines])


def _keys(group: Group, where: Where) -> list[Line]:
    held = [key for key in keys_of(where) if key.group is group]
    rows = [(Segment(left(key.shown, _KEY_COLUMN), Token.ACCENT), Segment(key.words, Token.SOFT)) for key in held]
    return [(Segment(group, Token.STRONG),), *rows]


def _words() -> list[Line]:
    looks = [(Segment(left(look.glyph, 3), look.token), Segment(look.word, Token.SOFT)) for look in LOOKS.values()]
    said = [(Segment(left(glyph, 3)), Segment(words, Token.SOFT)) for glyph, words in _SAID]
    return [(Segment("Glyphs", Token.STRONG),), *looks, *said]


def _columns(blocks: list[list[Line]], number: int, width: int) -> list[Line]:
    """The blocks one under the other in `number` columns, each next block in the shortest column."""
    columns: list[list[Line]] = [[] for _ in range(number)]
    for block in blocks:
        shortest = min(columns, key=len)
        shortest += [*block, EMPTY]
    rows: list[Line] = []
    for at in range(max(map(len, columns))):
        row: list[Segment] = [Segment("  ")]
        for column in columns:
            row += [*fitted(column[at] if at < len(column) else EMPTY, width), Segment("  ")]
        rows.append(tuple(row))
    return rows


def help_title(where: Where) -> Line:
    words = {
        Where.TRIALS: "Trials",
        Where.INSPECTOR: "the inspector",
        Where.REPORT: "Report",
        Where.TROUBLE: "a journal without results",
    }
    said = f" Help for {words.get(where, 'every view')}"
    return (Segment(said, Token.STRONG), Segment("   esc closes", Token.SOFT))

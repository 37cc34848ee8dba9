"""The help of the focused pane, made from the table of keys and the table of states."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from oakbench_tui.view.filter import EXPECTED
from oakbench_tui.view.filter import KEYS as FILTER_KEYS
from oakbench_tui.view.glyphs import LOOKS
from oakbench_tui.view.inspector.wrapping import wrapped
from oakbench_tui.view.keys import Group, Where, keys_of
from oakbench_tui.view.page import Page, page_of
from oakbench_tui.view.segments import EMPTY, Segment, Token, fitted, left

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_tui.view.segments import Line

_KEY_COLUMN = 10
_COLUMN_LEAST = 38
_FILTER_COLUMN = 20
_SAID = (
    ("━", "observed"),
    ("░", "not known: lost or unmeasured"),
)


def help_page(where: Where, width: int) -> Page:
    """Groups of keys in as many columns as the width holds, then the words of the glyphs and the filter's keys."""
    number = max(min(width // _COLUMN_LEAST, 3), 1)
    column = (width - 2) // number - 2
    blocks = [_keys(group, where, column) for group in Group]
    blocks.append(_words())
    # The longest first, so that the columns end together and fewer rows are needed.
    longest_first = sorted((block for block in blocks if len(block) > 1), key=len, reverse=True)
    lines = _columns(longest_first if number > 1 else blocks, number, column)
    if where is Where.TRIALS:
        lines += _filter(width)
    return page_of([EMPTY, *lines])


def _filter(width: int) -> list[Line]:
    """What the filter may ask for: its keys, those with the same values together, and what their values may be."""
    keys_by_values: dict[str, list[str]] = {}
    for key in FILTER_KEYS:
        keys_by_values.setdefault(EXPECTED[key], []).append(f"{key}:")
    said = "Terms beside each other must all hold; ! before one inverts it; one without a key is a regex of the ID."
    lines: list[Line] = [(Segment("  Filter", Token.STRONG),)]
    lines += [(Segment(f"  {line}", Token.SOFT),) for line in wrapped(said, width - 4)]
    for values, keys in keys_by_values.items():
        lines += _beside(wrapped(" ".join(keys), _FILTER_COLUMN - 2), wrapped(values, width - _FILTER_COLUMN - 4))
    return lines


def _beside(keys: Sequence[str], words: Sequence[str]) -> list[Line]:
    return [
        (Segment(f"  {left(key, _FILTER_COLUMN)}", Token.ACCENT), Segment(said, Token.SOFT))
        for key, said in zip_longest(keys, words, fillvalue="")
    ]


def _keys(group: Group, where: Where, width: int) -> list[Line]:
    rows: list[Line] = [(Segment(group, Token.STRONG),)]
    for key in keys_of(where):
        if key.group is group:
            for number, line in enumerate(wrapped(key.words, width - _KEY_COLUMN)):
                shown = "" if number else key.shown
                rows.append((Segment(left(shown, _KEY_COLUMN), Token.ACCENT), Segment(line, Token.SOFT)))
    return rows


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

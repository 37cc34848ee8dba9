"""No byte that commands a terminal or hides from the eye passes `display_safe`."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.display import LONGEST_SHOWN, display_safe, display_short, shown_problem
from oakbench_core.errors import Problem


@given(st.text(st.characters()))
def test_nothing_unseen_or_commanding_is_left(text: str) -> None:
    shown = display_safe(text)

    assert all(unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in shown)
    shown.encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]8;;http://x\x1b\\", "\\x1b]8;;http://x\\x1b\\"),
        ("\x1b]52;c;YQ==\x07", "\\x1b]52;c;YQ==\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u2066b\u2069", "a\\u2066b\\u2069"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("\ud800", "\\ud800"),
        ("a\0b", "a\\x00b"),
        ("a\nb\tc\r", "a\\x0ab\\x09c\\x0d"),
        ("\U000e0041", "\\U000e0041"),
        ("é 漢 😀 ✓", "é 漢 😀 ✓"),
        ("[/foo] | ` * \\", "[/foo] | ` * \\"),
    ],
)
def test_hostile_characters_become_visible_escapes(text: str, shown: str) -> None:
    assert display_safe(text) == shown


def test_every_code_point_is_shown_or_escaped() -> None:
    for code in range(sys.maxunicode + 1):
        shown = display_safe(chr(code))
        assert shown == chr(code) or shown.startswith("\\"), hex(code)


@given(st.text(st.characters()), st.text(st.characters()))
def test_lines_are_kept_only_where_asked(one: str, other: str) -> None:
    text = f"{one}\n{other}"

    assert "\n" not in display_safe(text)
    assert display_safe(text, keep_newlines=True).count("\n") == text.count("\n")


@given(st.text(st.characters()))
def test_showing_twice_changes_nothing(text: str) -> None:
    assert display_safe(display_safe(text)) == display_safe(text)


@given(st.text(st.characters()), st.integers(40, 200))
def test_a_short_text_is_whole_and_a_long_one_keeps_to_its_cells_and_says_what_it_lacks(text: str, cells: int) -> None:
    shown = display_short(text, cells)
    wide = sum(unicodedata.east_asian_width(character) in {"W", "F"} for character in shown)

    assert len(shown) + wide <= cells
    if shown != display_safe(text):
        kept, note, number = shown.rpartition("… (+")
        left = int(number.removesuffix(" characters)").replace(",", ""))
        assert note
        assert 0 < left <= len(text)
        assert kept == display_safe(text[: len(text) - left])


def test_a_megabyte_is_cut_to_a_line() -> None:
    assert display_short("x" * 1_000_000) == "x" * (LONGEST_SHOWN - 25) + "… (+999,525 characters)"
    assert display_short("漢" * 300, 100).startswith("漢" * 20)


def test_each_part_of_a_problem_is_cut_so_that_its_rule_is_always_seen() -> None:
    problem = Problem(rule="this key is unknown", path="$." + "x" * 1_000_000, file="a\nb")

    assert str(shown_problem(problem)).endswith(" characters): this key is unknown")
    assert str(shown_problem(problem)).startswith("a\\x0ab, $.xxx")

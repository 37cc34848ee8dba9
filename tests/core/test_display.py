"""No byte that commands a terminal or hides from the eye passes `display_safe`."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.display import display_safe


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

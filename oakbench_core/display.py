"""The one way of hostile text to people.

Text from a journal, a plan or an agent may hold anything: terminal commands (ESC, OSC 8 and 52, C1), bidirectional
overrides that reorder what is read, characters that cannot be seen. They become visible escapes here, and nothing
reaches a screen, a Markdown or HTML file, or an error message by another way.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Cc: C0, DEL, C1. Cf: bidirectional and zero-width controls, the soft hyphen, tags. Cs: surrogates. Zl, Zp: line and
# paragraph separators, which break a line where none was written. Co, Cn: what no font is sure to draw.
_UNSAFE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"})
# Letters by category, yet without a mark of their own on the screen: fillers, and selectors that change a width.
_UNSEEN: Final = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0\u034f") | frozenset(
    map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), 0x180B, 0x180C, 0x180D, 0x180F))
)
_PLAIN: Final = re.compile(r"[\x20-\x7e]*")


def _escaped(character: str) -> str:
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _shown(character: str) -> str:
    if character in _UNSEEN or unicodedata.category(character) in _UNSAFE_CATEGORIES:
        return _escaped(character)
    return character


def display_safe(text: str, *, keep_newlines: bool = False) -> str:
    """`text` with everything that commands a terminal or hides from the eye made a visible escape.

    The result is one line, unless `keep_newlines` leaves LF as it is (for text that is laid out by lines). Nothing is
    cut and nothing is dropped: two texts that differ only in what cannot be seen are shown different.
    """
    if _PLAIN.fullmatch(text):
        return text
    if keep_newlines:
        return "\n".join(display_safe(line) for line in text.split("\n"))
    return "".join(map(_shown, text))

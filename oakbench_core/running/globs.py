"""Globs over paths that are joined by `/`: `*` and `?` within a part, `**` for any number of parts, `[…]` a character.

A glob is of the whole path, so that `src/*.py` is not of `src/a/b.py`; upper and lower case differ.
"""

from __future__ import annotations

import re
from functools import lru_cache


def matches(path: str, glob: str) -> bool:
    """Whether the whole path is one of those that the glob stands for."""
    return _pattern(glob).fullmatch(path) is not None


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    parts = glob.split("/")
    text = ""
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            text += ".+" if last else "(?:[^/]+/)*"
        else:
            text += _part(part) + ("" if last else "/")
    return re.compile(text, re.DOTALL)


def _part(part: str) -> str:
    text, at = "", 0
    while at < len(part):
        character = part[at]
        at += 1
        closed = part.find("]", at + 1) if character == "[" else -1
        if character == "*":
            text += "[^/]*"
        elif character == "?":
            text += "[^/]"
        elif closed > 0:
            text += _class(part[at:closed])
            at = closed + 1
        else:
            text += re.escape(character)
    return text


def _class(inside: str) -> str:
    """One character of these, or with `!` any other; a range from right to left is empty."""
    negated = inside[0] in "!^"
    members, at = "", int(negated)
    while at < len(inside):
        low, high = inside[at], inside[at + 2 : at + 3]
        if high and inside[at + 1] == "-":
            members += f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
            at += 3
        else:
            members += re.escape(low)
            at += 1
    if negated:
        return f"[^/{members}]"
    return f"[{members}]" if members else "(?!)"

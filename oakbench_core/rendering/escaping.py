"""Names and values of a report → Markdown that shows them and obeys none of them.

Rule: every text of a summary goes through here, whoever wrote it: first `display_safe`, then the escapes of Markdown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.display import display_safe
from oakbench_core.rendering.words import UNMEASURED

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST: Final = 120  # characters of one value: a report stays readable whatever a row recorded
_MOST: Final = 6  # values of one field

# What Markdown (CommonMark, GitHub's tables, strikes, mathematics and links without brackets) may read as a command. An
# underscore inside a word is none, and names are full of them.
_COMMANDS: Final = re.compile(r"[\\`*\[\]<>|~&$#@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=//)|(?i:(?<=www)\.)")


def escaped(text: str) -> str:
    """One line of Markdown that reads as `text`, shortened if it is very long."""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}… ({len(text):,} characters)"
    return sentence(text)


def sentence(text: str) -> str:
    """One line of Markdown that reads as `text`, in full."""
    return _COMMANDS.sub(lambda found: "\\" + found[0], display_safe(text))


def value(recorded: object) -> str:
    """A population value in words: null is `unmeasured`."""
    return UNMEASURED if recorded is None else escaped(str(recorded))


def values(recorded: list[Any]) -> str:
    """Values one after the other, the rest of very many by their number."""
    shown = [value(one) for one in recorded[:_MOST]]
    more = len(recorded) - len(shown)
    return ", ".join([*shown, f"{more:,} more"] if more else shown)


def condition(key: Mapping[str, Any]) -> str:
    """What a group or pair shares, in the order of the key: workflow, instruction level, agent, model."""
    parts = [key["workflow"], key["instruction_level"], key["agent"]]
    named = [*parts, key["model"]] if key["model"] is not None else parts
    return ", ".join(map(escaped, named))


def group_name(key: Mapping[str, Any]) -> str:
    return f"{escaped(key['subject'])}: {condition(key)}"


def pair_name(key: Mapping[str, Any]) -> str:
    return f"{escaped(key['a'])} − {escaped(key['b'])}: {condition(key)}"

"""A line of text being typed: where its cursor stands, and what each key makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oakbench_core.display import display_safe
from oakbench_tui.view.segments import Segment, Token

if TYPE_CHECKING:
    from oakbench_tui.view.segments import Line


@dataclass(frozen=True, slots=True)
class Entry:
    """`cursor` is a position between characters, 0 … len(text)."""

    text: str = ""
    cursor: int = 0

    def typed(self, text: str) -> Entry:
        """With `text` at the cursor. What cannot be seen does not get in: a pasted line break ends the text."""
        line = text.splitlines()[0] if text.splitlines() else ""
        held = display_safe(line)
        return Entry(self.text[: self.cursor] + held + self.text[self.cursor :], self.cursor + len(held))

    def pressed(self, key: str) -> Entry | None:
        """After an editing key; None: the key is none of these."""
        edit = _EDITS.get(key)
        return None if edit is None else Entry(*edit(self.text[: self.cursor], self.text[self.cursor :]))

    def line(self) -> Line:
        """The text with its cursor shown by reverse."""
        before, after = self.text[: self.cursor], self.text[self.cursor :]
        under = after[:1] or " "
        return (Segment(before, Token.STRONG), Segment(under, Token.PILL), Segment(after[1:], Token.STRONG))


def _without_last_word(before: str, after: str) -> tuple[str, int]:
    stripped = before.rstrip()
    kept = stripped[: stripped.rfind(" ") + 1]
    return kept + after, len(kept)


_Edit = Callable[[str, str], tuple[str, int]]
_LEFT: Final[_Edit] = lambda before, after: (before + after, max(len(before) - 1, 0))  # noqa: E731 - a table of edits
_RIGHT: Final[_Edit] = lambda before, after: (before + after, len(before) + bool(after))  # noqa: E731 - as above
_HOME: Final[_Edit] = lambda before, after: (before + after, 0)  # noqa: E731 - as above
_END: Final[_Edit] = lambda before, after: (before + after, len(before + after))  # noqa: E731 - as above
_BACK: Final[_Edit] = lambda before, after: (before[:-1] + after, max(len(before) - 1, 0))  # noqa: E731 - as above
_EDITS: Final[Mapping[str, _Edit]] = {
    "left": _LEFT,
    "ctrl+b": _LEFT,
    "right": _RIGHT,
    "ctrl+f": _RIGHT,
    "home": _HOME,
    "ctrl+a": _HOME,
    "end": _END,
    "ctrl+e": _END,
    "backspace": _BACK,
    "ctrl+h": _BACK,
    "delete": lambda before, after: (before + after[1:], len(before)),
    "ctrl+u": lambda _, after: (after, 0),
    "ctrl+k": lambda before, _: (before, len(before)),
    "ctrl+w": _without_last_word,
}
"""Each key with what it makes of the text before and after the cursor: the new text, and the cursor in it."""


def entry_of(text: str) -> Entry:
    return Entry(text, len(text))

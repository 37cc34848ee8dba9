"""The two rows between head and body: the views and a rule, or a line being typed and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Self

from textual.message import Message
from textual.widget import Widget

from oakbench_tui.view.entry import Entry, entry_of
from oakbench_tui.view.segments import EMPTY, Segment, Token, spread
from oakbench_tui.view.views import View, views_row, views_rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.strip import Strip

    from oakbench_tui.view.segments import Line
    from oakbench_tui.widgets.paint import Paint


class Typing(Enum):
    """What became of the text by one key."""

    CHANGED = auto()
    UNCHANGED = auto()
    REFUSED = auto()  # enter, and the text is wrong: typing goes on
    KEPT = auto()
    LEFT = auto()  # what was before holds again


def _anything(_: str) -> bool:
    return True


class ViewsBar(Widget, can_focus=True):
    """Takes the keyboard only while something is being typed."""

    DEFAULT_CSS = "ViewsBar { height: 2; width: 1fr; }"

    @dataclass
    class Left(Message):
        """Typing ended because something else got the focus. `kept`: the text was right."""

        kept: bool

    def __init__(self, paint: Paint, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._paint = paint
        self.view = View.TRIALS
        self.entry: Entry | None = None
        self._at_end: Line = EMPTY
        self._wrong: str | None = None
        self._is_right: Callable[[str], bool] = _anything

    def show(self, view: View, at_end: Line, wrong: str | None) -> None:
        """`at_end` stands at the right; `wrong` says under an entry what is wrong with it."""
        if (view, at_end, wrong) == (self.view, self._at_end, self._wrong):
            return
        self.view, self._at_end, self._wrong = view, at_end, wrong
        self.refresh()

    def type_from(self, text: str, is_right: Callable[[str], bool]) -> None:
        """Begin to type, with the text that holds now; only a right text is kept."""
        self._is_right = is_right
        self.entry = entry_of(text)
        self.focus()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        return self._paint.strip((self._first() if y == 0 else self._second()), self.size.width)

    def _first(self) -> Line:
        width = self.size.width
        if self.entry is None:
            return views_row(self.view, self._at_end, width)
        start = (Segment(" / ", Token.ACCENT), *self.entry.line())
        return spread(start, (*self._at_end, Segment(" ")), width)

    def _second(self) -> Line:
        if self.entry is not None and self._wrong is not None:
            return (Segment(f" {self._wrong}", Token.NOTE),)
        return views_rule(self.view, self.size.width)

    def take_key(self, event: events.Key) -> Typing | None:
        """What became of the text; None: the key was none for it, or nothing is being typed."""
        if self.entry is None or event.key in {"ctrl+c", "ctrl+q"}:
            return None
        if event.key == "enter":
            return self._end(Typing.KEPT) if self._is_right(self.entry.text) else Typing.REFUSED
        if event.key == "escape":
            return self._end(Typing.LEFT)
        edited = self.entry.pressed(event.key)
        if edited is None and event.character is not None and event.is_printable:
            edited = self.entry.typed(event.character)
        return Typing.UNCHANGED if edited is None else self._take(edited)

    def take_paste(self, event: events.Paste) -> Typing | None:
        return None if self.entry is None else self._take(self.entry.typed(event.text))

    def _take(self, entry: Entry) -> Typing:
        before, self.entry = self.entry, entry
        self.refresh()
        return Typing.UNCHANGED if before is not None and before.text == entry.text else Typing.CHANGED

    def _end(self, how: Typing) -> Typing:
        self.entry = None
        self.refresh()
        return how

    def on_blur(self) -> None:
        if self.entry is not None:
            kept = self._is_right(self.entry.text)
            self._end(Typing.KEPT if kept else Typing.LEFT)
            self.post_message(self.Left(kept))

    def focus(self, scroll_visible: bool = True) -> Self:
        """At once: the next key may be there already."""
        self.screen.set_focus(self, scroll_visible)
        return self

"""The two rows between head and body: the views and a rule, or a line being typed and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message
from textual.widget import Widget

from oakbench_tui.view.entry import Entry, entry_of
from oakbench_tui.view.segments import EMPTY, Segment, Token, spread
from oakbench_tui.view.views import View, views_row, views_rule

if TYPE_CHECKING:
    from textual import events
    from textual.strip import Strip

    from oakbench_tui.view.segments import Line
    from oakbench_tui.widgets.paint import Paint


class ViewsBar(Widget, can_focus=True):
    """Takes the keyboard only while something is being typed."""

    DEFAULT_CSS = "ViewsBar { height: 2; width: 1fr; }"

    @dataclass
    class Typed(Message):
        """The text changed; filters apply as they are typed."""

        text: str

    @dataclass
    class Done(Message):
        """Typing ended. `kept`: by enter, else by esc and what was before holds again."""

        kept: bool

    def __init__(self, paint: Paint, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._paint = paint
        self.view = View.TRIALS
        self.entry: Entry | None = None
        self._at_end: Line = EMPTY
        self._wrong: str | None = None

    def show(self, view: View, at_end: Line, wrong: str | None) -> None:
        """`at_end` stands at the right; `wrong` says under an entry what is wrong with it."""
        if (view, at_end, wrong) == (self.view, self._at_end, self._wrong):
            return
        self.view, self._at_end, self._wrong = view, at_end, wrong
        self.refresh()

    def type_from(self, text: str) -> None:
        """Begin to type, with the text that holds now."""
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

    def on_key(self, event: events.Key) -> None:
        if self.entry is None or event.key in {"ctrl+c", "ctrl+q"}:
            return
        event.stop()
        event.prevent_default()
        if event.key in {"enter", "escape"}:
            self._finish(kept=event.key == "enter")
            return
        edited = self.entry.pressed(event.key)
        if edited is None and event.character is not None and event.is_printable:
            edited = self.entry.typed(event.character)
        if edited is not None:
            self._take(edited)

    def on_paste(self, event: events.Paste) -> None:
        if self.entry is not None:
            event.stop()
            self._take(self.entry.typed(event.text))

    def on_blur(self) -> None:
        if self.entry is not None:
            self._finish(kept=True)

    def _take(self, entry: Entry) -> None:
        before, self.entry = self.entry, entry
        self.refresh()
        if before is None or before.text != entry.text:
            self.post_message(self.Typed(entry.text))

    def _finish(self, *, kept: bool) -> None:
        self.entry = None
        self.refresh()
        self.post_message(self.Done(kept))

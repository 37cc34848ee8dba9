"""The help: every key of the pane that was looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen

from oakbench_tui.view.footer import key_line
from oakbench_tui.view.help_page import help_page, help_title
from oakbench_tui.view.segments import Segment, Token, joined
from oakbench_tui.widgets.lines import Lines
from oakbench_tui.widgets.table import Table

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from oakbench_tui.view.keys import Where
    from oakbench_tui.widgets.paint import Paint

_STEPS = {"j": 1, "down": 1, "k": -1, "up": -1}


class HelpScreen(Screen[None], inherit_bindings=False):
    """One page; any key but those that move leaves it."""

    CSS = "HelpScreen { layout: vertical; overflow: hidden; }"

    def __init__(self, paint: Paint, where: Where) -> None:
        super().__init__()
        self._where = where
        self._heading = Lines(paint)
        self._page = Table(paint, with_cursor=False)
        self._foot = Lines(paint)

    def compose(self) -> ComposeResult:
        yield self._heading
        yield self._page
        yield self._foot

    def on_resize(self) -> None:
        width = self.size.width
        self._heading.show((help_title(self._where), (Segment("─" * width, Token.LINE),)))
        self._page.show(help_page(self._where, width))
        self._foot.show(
            ((Segment(" "), *joined([key_line("esc close"), key_line("space page down"), key_line("q quit")])),)
        )

    def take_key(self, event: events.Key) -> None:
        match event.key:
            case "j" | "down" | "k" | "up":
                self._page.move_by(_STEPS[event.key])
            case "space" | "pagedown":
                self._page.move_by(self._page.page)
            case "pageup":
                self._page.move_by(-self._page.page)
            case "q" | "ctrl+c" | "ctrl+q":
                self.app.exit(return_code=0)
            case "escape" | "question_mark" | "enter":
                self.dismiss()

    def take_paste(self, event: events.Paste) -> None:
        """Nothing is typed here."""

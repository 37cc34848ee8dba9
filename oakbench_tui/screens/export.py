"""What is to be exported: one key a choice, over the last rows of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.screen import ModalScreen

from oakbench_tui.view.export import Form, fitted_command
from oakbench_tui.view.segments import Segment, Token, left, width_of
from oakbench_tui.view.views import titled_rule
from oakbench_tui.widgets.lines import Lines

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from oakbench_tui.view.segments import Line
    from oakbench_tui.widgets.paint import Paint

_REPORT: Final = (
    ("m", Form.REPORT_MARKDOWN, "the report, Markdown"),
    ("j", Form.REPORT_JSON, "the report, JSON"),
)
_ROWS: Final = (
    ("c", Form.ROWS_CSV, "CSV"),
    ("t", Form.ROWS_JSON, "JSON"),
)


class ExportScreen(ModalScreen[Form | None], inherit_bindings=False):
    """`rows`: how many rows the list shows, None where no list is shown."""

    CSS = "ExportScreen { align: left bottom; background: transparent; overflow: hidden; }"

    def __init__(self, paint: Paint, rows: int | None, folder: str) -> None:
        super().__init__()
        self._rows = rows
        self._folder = folder
        self._lines = Lines(paint)

    def compose(self) -> ComposeResult:
        yield self._lines

    def on_resize(self) -> None:
        self._lines.show(tuple(self._choices(self.size.width)))

    def _choices(self, width: int) -> list[Line]:
        lines: list[Line] = [titled_rule((Segment("Export", Token.STRONG),), width)]
        for key, form, words in _REPORT:
            choice = _choice(key, words)
            same = fitted_command(form, self._folder, width - width_of(choice) - 2)
            lines.append((*choice, Segment(f"  {same}", Token.SOFT)))
        if self._rows is not None:
            for key, form, words in _ROWS:
                lines.append(
                    (
                        *_choice(key, f"these {self._rows:,} rows, {words}"),
                        Segment(f"  {form}: rows and counts, no figures", Token.SOFT),
                    )
                )
        return [*lines, (Segment("  esc", Token.ACCENT), Segment("  nothing", Token.SOFT))]

    def take_key(self, event: events.Key) -> None:
        choices = _REPORT if self._rows is None else (*_REPORT, *_ROWS)
        for key, form, _ in choices:
            if event.key == key:
                self.dismiss(form)
                return
        if event.key in {"escape", "e"}:
            self.dismiss(None)
        elif event.key in {"q", "ctrl+c", "ctrl+q"}:
            self.app.exit(return_code=0)

    def take_paste(self, event: events.Paste) -> None:
        """Nothing is typed here."""


def _choice(key: str, words: str) -> Line:
    return Segment(f"  {key}    ", Token.ACCENT), Segment(left(words, 24))

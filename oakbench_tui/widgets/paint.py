"""From the names of styles to the terminal's own: the only place where a colour is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment as RichSegment
from rich.style import Style
from textual.strip import Strip

from oakbench_tui.view.glyphs import ASCII
from oakbench_tui.view.palette import COLOURED_ATTRIBUTES, COLOURLESS_ATTRIBUTES, DARK, PALETTES, PLAIN
from oakbench_tui.view.segments import Segment, Token, cells, fitted

if TYPE_CHECKING:
    from oakbench_tui.view.palette import Palette
    from oakbench_tui.view.segments import Line

_CURSOR = "▌"


class Paint:
    """How lines look now. One is shared by all widgets; `choose` changes the theme of all of them."""

    def __init__(self, *, theme: str = DARK.name, ascii_only: bool = False, colourless: bool = False) -> None:
        self.ascii_only = ascii_only
        self.colourless = colourless
        self.palette: Palette = PALETTES[theme]
        self._styles: dict[tuple[Token, bool], Style] = {}

    def choose(self, theme: str) -> None:
        self.palette = PALETTES[theme]
        self._styles.clear()

    def style(self, token: Token, *, on_cursor_row: bool = False) -> Style:
        held = self._styles.get((token, on_cursor_row))
        if held is None:
            make = self._colourless if self.colourless else self._coloured
            held = self._styles[token, on_cursor_row] = make(token, on_cursor_row=on_cursor_row)
        return held

    def _coloured(self, token: Token, *, on_cursor_row: bool) -> Style:
        colours = self.palette.colours
        ground = self.palette.cursor_row if on_cursor_row else self.palette.ground
        match token:
            case Token.FILLED:
                return Style(color=self.palette.ground, bgcolor=colours[Token.INTERRUPTED], bold=True)
            case Token.PILL:
                return Style(color=self.palette.ground, bgcolor=colours[Token.ACCENT])
            case Token.HERE:
                return Style(color=colours[Token.ACCENT], bgcolor=ground, bold=True)
        added = COLOURED_ATTRIBUTES.get(token, PLAIN)
        return Style(color=colours[token], bgcolor=ground, bold=added.bold)

    def _colourless(self, token: Token, *, on_cursor_row: bool) -> Style:
        added = COLOURLESS_ATTRIBUTES.get(token, PLAIN)
        # A reversed word on the reversed row of the cursor stands out by not being reversed.
        reverse = added.reverse != on_cursor_row
        return Style(bold=added.bold, underline=added.underline, reverse=reverse)

    def strip(self, line: Line, width: int, *, on_cursor_row: bool = False) -> Strip:
        """The line in exactly `width` cells."""
        parts = [
            RichSegment(
                segment.text.translate(ASCII) if self.ascii_only else segment.text,
                self.style(segment.token, on_cursor_row=on_cursor_row),
            )
            for segment in fitted(line, width)
            if segment.text
        ]
        return Strip(parts, sum(cells(part.text) for part in parts))

    def cursor(self, *, focused: bool) -> Segment:
        """The mark at the left of the cursor's row; a pane without the focus has a quiet one."""
        return Segment(_CURSOR, Token.ACCENT if focused else Token.LINE)

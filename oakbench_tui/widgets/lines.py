"""A few lines that stand still: the head, the footer, a rule. Only lines that differ are painted again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.widget import Widget

from oakbench_tui.view.segments import EMPTY, Segment, Token

if TYPE_CHECKING:
    from textual.strip import Strip

    from oakbench_tui.view.segments import Line
    from oakbench_tui.widgets.paint import Paint


class Lines(Widget):
    """Draws the lines that it is given; computes nothing."""

    DEFAULT_CSS = "Lines { height: 1; width: 1fr; }"

    def __init__(self, paint: Paint, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._paint = paint
        self.lines: tuple[Line, ...] = ()

    def show(self, lines: tuple[Line, ...]) -> None:
        """Takes the place of what was shown; the widget grows or shrinks to the number of lines."""
        before, self.lines = self.lines, lines
        if len(before) != len(lines):
            self.styles.height = max(len(lines), 1)
            self.refresh(layout=True)
            return
        changed = [y for y, (old, new) in enumerate(zip(before, lines, strict=True)) if old != new]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def render_line(self, y: int) -> Strip:
        return self._paint.strip(self.lines[y] if y < len(self.lines) else EMPTY, self.size.width)


class Fence(Widget):
    """The one vertical rule, between the list and the inspector."""

    DEFAULT_CSS = "Fence { width: 2; height: 1fr; }"

    def __init__(self, paint: Paint, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._paint = paint

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - every line of a rule is the same
        return self._paint.strip((Segment("│", Token.LINE), Segment(" ")), self.size.width)

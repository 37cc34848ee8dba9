"""The one list of the console: rows are made as they are drawn, so that a screen costs the same for any number of rows.

The table knows rows by number and nothing of what they are; whoever fills it keeps the cursor on a trial.
Without a cursor it is a page of text that scrolls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView

from oakbench_tui.view.page import Page
from oakbench_tui.view.segments import EMPTY, Segment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual import events
    from textual.strip import Strip

    from oakbench_tui.widgets.paint import Paint


class Table(ScrollView, can_focus=True):
    """Rows with or without a cursor. `cursor` is the row it stands on, None where the table has none."""

    DEFAULT_CSS = "Table { height: 1fr; width: 1fr; overflow: hidden hidden; scrollbar-size: 0 0; }"

    @dataclass
    class Moved(Message):
        """A person moved the cursor, or scrolled a page without one."""

        table: Table

        @property
        def control(self) -> Table:
            return self.table

    class Chosen(Moved):
        """A person pressed enter, or clicked the row under the cursor."""

    class Resized(Moved):
        """The table has another size, so whoever makes rows to fit makes them anew."""

    def __init__(self, paint: Paint, *, with_cursor: bool, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._paint = paint
        self.content = Page()
        self.cursor: int | None = 0 if with_cursor else None

    # -- what is shown ---------------------------------------------------------------------------------------------

    @property
    def _header_rows(self) -> int:
        return 0 if self.content.header is None else 1

    @property
    def page(self) -> int:
        """How many rows are on the screen at once."""
        return max(self.size.height - self._header_rows, 1)

    @property
    def top(self) -> int:
        """The number of the first row on the screen."""
        return self.scroll_offset.y

    def show(self, content: Page, *, cursor: int | None = None, changed: Iterable[int] | None = None) -> None:
        """Takes the place of what was shown. `changed`: the rows that differ; None: all of them may.

        The row under the cursor keeps its place on the screen where it got another number.
        """
        before, self.content = self.content, content
        moved = 0
        if self.cursor is not None and cursor is not None:
            held = max(min(cursor, content.rows - 1), 0)
            moved, self.cursor = held - self.cursor, held
        size = Size(max(content.width, self.size.width), content.rows + self._header_rows)
        resized = size != self.virtual_size
        if resized:
            self.virtual_size = size
        if moved:
            self._scroll(self.top + moved)
        if changed is None or resized or moved or before.header != content.header:
            self.refresh()
        else:
            self._refresh_rows(changed)
        if self.cursor is not None:
            self.reveal()

    def _refresh_rows(self, rows: Iterable[int]) -> None:
        top, width = self.top - self._header_rows, self.size.width
        visible = range(self.top, self.top + self.page)
        regions = [Region(0, row - top, width, 1) for row in rows if row in visible]
        if regions:
            self.refresh(*regions)

    def render_line(self, y: int) -> Strip:
        width, content = self.size.width, self.content
        if content.header is not None and y == 0:
            return self._paint.strip(content.header, width)
        row = self.top + y - self._header_rows
        if row >= content.rows:
            return self._paint.strip(EMPTY, width)
        line = content.line_at(row)
        if self.cursor is None:
            left = self.scroll_offset.x
            if not left:
                return self._paint.strip(line, width)
            return self._paint.strip(line, max(content.width, width)).crop(left, left + width)
        here = row == self.cursor
        mark = self._paint.cursor(focused=self.has_focus) if here else Segment(" ")
        return self._paint.strip((mark, Segment(" "), *line), width, on_cursor_row=here)

    # -- how it moves ----------------------------------------------------------------------------------------------

    def move_to(self, row: int) -> None:
        """Put the cursor on a row (or, without one, the row at the top), and say so."""
        held = max(min(row, self.content.rows - 1), 0)
        if self.cursor is None:
            self._scroll(held)
        else:
            before, self.cursor = self.cursor, held
            self._refresh_rows((before, held))
            self.reveal()
        self.post_message(self.Moved(self))

    def move_by(self, rows: int) -> None:
        self.move_to((self.top if self.cursor is None else self.cursor) + rows)

    def slide(self, cells: int) -> None:
        """Sideways, where rows are wider than the screen."""
        furthest = max(self.content.width - self.size.width, 0)
        self.scroll_to(x=max(min(self.scroll_offset.x + cells, furthest), 0), animate=False, force=True)

    def reveal(self) -> None:
        """Scroll as little as possible so that the cursor's row is on the screen."""
        if self.cursor is None or not self.size.height:
            return
        if self.cursor < self.top:
            self._scroll(self.cursor)
        elif self.cursor >= self.top + self.page:
            self._scroll(self.cursor - self.page + 1)

    def _scroll(self, top: int) -> None:
        furthest = max(self.content.rows - self.page, 0)
        self.scroll_to(y=max(min(top, furthest), 0), animate=False, force=True)

    # -- what people do with a mouse, and with the screen ----------------------------------------------------------

    def on_resize(self) -> None:
        self.virtual_size = Size(max(self.content.width, self.size.width), self.content.rows + self._header_rows)
        self.reveal()
        self.post_message(self.Resized(self))

    def focus(self, scroll_visible: bool = True) -> Self:
        """At once: the next key may be there already."""
        self.screen.set_focus(self, scroll_visible)
        return self

    def on_focus(self) -> None:
        self._refresh_rows(() if self.cursor is None else (self.cursor,))

    def on_blur(self) -> None:
        self.on_focus()

    def on_click(self, event: events.Click) -> None:
        row = self.top + event.y - self._header_rows
        if self.cursor is None or event.y < self._header_rows or row >= self.content.rows:
            return
        if row == self.cursor:
            self.post_message(self.Chosen(self))
        else:
            self.move_to(row)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.move_by(self.WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.move_by(-self.WHEEL_ROWS)

    WHEEL_ROWS: ClassVar[int] = 3

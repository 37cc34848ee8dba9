"""The screen of a scorecard's result: a row a target, and the target under the cursor in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from textual.containers import Container
from textual.screen import Screen

from oakbench_tui.view.footer import key_line
from oakbench_tui.view.layout import Pane, inspector_width, pane
from oakbench_tui.view.page import page_of
from oakbench_tui.view.scorecard import head, next_problem, rows_page
from oakbench_tui.view.scorecard_inspector import inspector_page
from oakbench_tui.view.segments import EMPTY, Segment, Token, first_fitting, fitted, joined
from oakbench_tui.widgets.lines import Fence, Lines
from oakbench_tui.widgets.table import Table

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from oakbench_tui.view.scorecard import Card
    from oakbench_tui.widgets.paint import Paint

_HEAD_FROM: Final = 14  # rows: below, what all targets share is left to the inspector


class _Key(NamedTuple):
    """`keys` are Textual's names, `shown` is how people write them, with what they do."""

    keys: tuple[str, ...]
    shown: str
    does: str


KEYS: Final = (
    _Key(("j", "down"), "j ↓", "next target"),
    _Key(("k", "up"), "k ↑", "previous target"),
    _Key(("g", "home"), "g", "first"),
    _Key(("G", "end"), "G", "last"),
    _Key(("ctrl+d",), "ctrl+d", "half a page down"),
    _Key(("ctrl+u",), "ctrl+u", "half a page up"),
    _Key(("space", "pagedown"), "space", "a page down"),
    _Key(("pageup",), "page up", "a page up"),
    _Key(("right_square_bracket",), "]", "next target that is not GREEN"),
    _Key(("left_square_bracket",), "[", "previous target that is not GREEN"),
    _Key(("enter",), "enter", "inspect the target"),
    _Key(("tab",), "tab", "next pane"),
    _Key(("escape",), "esc", "one level back; never quits"),
    _Key(("question_mark",), "?", "this help"),
    _Key(("q", "ctrl+c"), "q", "quit"),
)


class ScorecardScreen(Screen[None], inherit_bindings=False):
    """The list has the focus first; on a narrow screen one pane is seen at a time."""

    CSS = """
    ScorecardScreen { layout: vertical; overflow: hidden; }
    #body { height: 1fr; width: 1fr; layout: horizontal; }
    #body.below { layout: vertical; }
    #inspector { height: 1fr; width: 1fr; }
    #body.below #inspector { padding-left: 2; }
    """
    AUTO_FOCUS: ClassVar[str | None] = "#targets"

    def __init__(self, card: Card, paint: Paint) -> None:
        super().__init__()
        self.card = card
        self.paint = paint
        self.inspecting = False
        self.helping = False
        self.head = Lines(paint, id="head")
        self.table = Table(paint, with_cursor=True, id="targets")
        self.fence = Fence(paint)
        self.inspector = Table(paint, with_cursor=False, id="inspector")
        self.help = Table(paint, with_cursor=False, id="help")
        self.foot = Lines(paint, id="foot")

    def compose(self) -> ComposeResult:
        yield self.head
        with Container(id="body"):
            yield self.table
            yield self.fence
            yield self.inspector
            yield self.help
        yield self.foot

    # -- what is seen ----------------------------------------------------------------------------------------------

    @property
    def pane(self) -> Pane:
        return pane(self.size.width, self.size.height)

    def on_resize(self) -> None:
        self.lay_out()

    def lay_out(self) -> None:
        """Decide which panes are seen; then fill them."""
        alone = self.pane is Pane.ALONE
        self.help.display = self.helping
        self.table.display = not self.helping and not (alone and self.inspecting)
        self.inspector.display = not self.helping and (not alone or self.inspecting)
        self.fence.display = self.table.display and self.inspector.display and self.pane is Pane.RIGHT
        self.query_one("#body").set_class(self.pane is Pane.BELOW, "below")
        self.inspector.styles.width = inspector_width(self.size.width) if self.fence.display else "1fr"
        focused = self.help if self.helping else self.inspector if self.inspecting else self.table
        focused.focus()
        self.call_after_refresh(self.show_all)

    def show_all(self) -> None:
        width, ascii_only = self.size.width, self.paint.ascii_only
        lines = head(self.card, width, ascii_only=ascii_only)
        rule = (Segment("─" * width, Token.LINE),)
        held = lines if self.size.height >= _HEAD_FROM else lines[:2]
        self.head.show((*(fitted(line, width) for line in held), rule))
        self.show_table()
        self.show_inspector()
        self.help.show(page_of([EMPTY, *(self._help_line(key) for key in KEYS)]))
        self.show_foot()

    def show_table(self) -> None:
        if self.table.display:
            page = rows_page(self.card, max(self.table.size.width - 2, 1), ascii_only=self.paint.ascii_only)
            self.table.show(page, cursor=self.table.cursor)

    def show_inspector(self) -> None:
        if self.inspector.display:
            width = max(self.inspector.size.width - (2 if self.pane is Pane.BELOW else 0), 1)
            result = self.card.results[self.table.cursor or 0]
            self.inspector.show(inspector_page(result, width, ascii_only=self.paint.ascii_only))

    def show_foot(self) -> None:
        way = "esc back" if self.helping or self.inspecting else "enter inspect"
        held = [way, "] [ not GREEN", "tab pane", "? help", "q quit"]
        lines = [
            (Segment(" "), *joined([key_line(word) for word in held if word not in dropped], "   "))
            for dropped in ((), ("tab pane",), ("tab pane", "] [ not GREEN"))
        ]
        self.foot.show((fitted(first_fitting(lines, self.size.width), self.size.width),))

    @staticmethod
    def _help_line(key: _Key) -> tuple[Segment, ...]:
        return Segment(f"  {key.shown:<10}", Token.ACCENT), Segment(key.does, Token.SOFT)

    # -- what people do --------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        pages = self.help if self.helping else self.inspector if self.inspecting else self.table
        match event.key:
            case "j" | "down":
                pages.move_by(1)
            case "k" | "up":
                pages.move_by(-1)
            case "g" | "home":
                pages.move_to(0)
            case "G" | "end":
                pages.move_to(pages.content.rows)
            case "ctrl+d" | "ctrl+u":
                pages.move_by((pages.page // 2 or 1) * (1 if event.key == "ctrl+d" else -1))
            case "space" | "pagedown" | "pageup":
                pages.move_by(-pages.page if event.key == "pageup" else pages.page)
            case _:
                self._act(event.key)

    def _act(self, key: str) -> None:
        match key:
            case "right_square_bracket" | "left_square_bracket":
                row = next_problem(self.card, self.table.cursor or 0, 1 if key.startswith("right") else -1)
                if row is not None:
                    self.table.move_to(row)
            case "enter":
                self._look(inspecting=True)
            case "tab":
                self._look(inspecting=not self.inspecting)
            case "escape":
                self._look(inspecting=self.inspecting and self.helping)
            case "question_mark":
                self.helping = not self.helping
                self.lay_out()
            case "q" | "ctrl+c":
                self.app.exit(return_code=0)

    def _look(self, *, inspecting: bool) -> None:
        self.inspecting, self.helping = inspecting, False
        self.lay_out()

    def on_table_moved(self, event: Table.Moved) -> None:
        if event.table is self.table:
            self.inspector.move_to(0)
            self.show_inspector()

    def on_table_chosen(self, event: Table.Chosen) -> None:
        if event.table is self.table:
            self._look(inspecting=True)

    def on_table_resized(self, event: Table.Resized) -> None:
        if event.table is self.table:
            self.show_table()
        elif event.table is self.inspector:
            self.show_inspector()

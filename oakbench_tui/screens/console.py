"""The one screen of the console: lays out its parts and hands each what it shows of a snapshot.

Rule: figures come from the view and the feed; this screen decides what is seen, and when it is painted again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.containers import Container
from textual.screen import Screen

from oakbench_tui.screens.actions import Actions
from oakbench_tui.screens.inspection import Inspection
from oakbench_tui.screens.report_view import ReportView
from oakbench_tui.screens.reporting import Reporter
from oakbench_tui.screens.trial_list import EVERY_ROW_FROM, TrialList
from oakbench_tui.view.footer import footer, message_line, typing_footer
from oakbench_tui.view.head import head
from oakbench_tui.view.keys import Where, keys_of
from oakbench_tui.view.layout import Frame, Pane, inspector_width, is_compact, pane
from oakbench_tui.view.segments import fitted
from oakbench_tui.view.snapshot import Chip
from oakbench_tui.view.trouble import banner, trouble_page
from oakbench_tui.view.views import View
from oakbench_tui.widgets.lines import Fence, Lines
from oakbench_tui.widgets.table import Table
from oakbench_tui.widgets.views_bar import ViewsBar

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from oakbench_tui.screens.reporting import Made
    from oakbench_tui.screens.session import Session
    from oakbench_tui.view.snapshot import Snapshot

_MESSAGE_S = 2.0
_QUIET_TICK_S = 1.0


class ConsoleScreen(Screen[None], inherit_bindings=False):
    """`shown` is the moment on the screen; `paused` holds it there while reading goes on."""

    CSS = """
    ConsoleScreen { layout: vertical; overflow: hidden; }
    #body { height: 1fr; width: 1fr; layout: horizontal; }
    #body.below { layout: vertical; }
    #list { height: 1fr; width: 1fr; layout: vertical; }
    #inspector { height: 1fr; width: 1fr; layout: vertical; }
    #body.below #inspector-page { padding-left: 2; }
    """
    AUTO_FOCUS: ClassVar[str | None] = "#trials"

    def __init__(self, session: Session) -> None:
        super().__init__()
        paint = session.paint
        self.session = session
        self.shown: Snapshot = session.feed.latest
        self.view = View.TRIALS
        self.paused = False
        self.inspecting: bool | None = None  # None: as the width has it
        self.zoomed = False
        self.wrong: str | None = None
        self.replaced_seen = 0
        self.message: str | None = None
        self._ticked_at = 0.0
        self.head = Lines(paint, id="head")
        self.bar = ViewsBar(paint, id="views")
        self.table = Table(paint, with_cursor=True, id="trials")
        self.every = Lines(paint, id="every")
        self.inspector_head = Lines(paint, id="inspector-head")
        self.inspector_page = Table(paint, with_cursor=False, id="inspector-page")
        self.text = Table(paint, with_cursor=False, id="text")
        self.foot = Lines(paint, id="foot")
        self.fence = Fence(paint, id="fence")
        self.trials = TrialList(session, self.table, self.every, self.shown)
        self.inspection = Inspection(session, self.inspector_head, self.inspector_page)
        self.report = ReportView(self.text)
        self.actions = Actions(self)
        self._reporter: Reporter | None = None
        self._asked_report: list[Actions.WithReport] = []

    def compose(self) -> ComposeResult:
        yield self.head
        yield self.bar
        with Container(id="body"):
            with Container(id="list"):
                yield self.table
                yield self.every
            yield self.fence
            with Container(id="inspector"):
                yield self.inspector_head
                yield self.inspector_page
            yield self.text
        yield self.foot

    def on_mount(self) -> None:
        self.set_interval(1 / self.session.fps, self.tick)

    def on_unmount(self) -> None:
        if self._reporter is not None:
            self._reporter.close()

    # -- what arrives ----------------------------------------------------------------------------------------------

    def arrived(self) -> None:
        """The feed has something newer. While paused only the strip says so."""
        if self.paused:
            self.show_head()
            return
        snapshot, dirty = self.session.feed.take()
        was_sound, self.shown = self.shown.sound, snapshot
        if snapshot.sound != was_sound:
            self.lay_out()
        self.trials.take(snapshot, dirty)
        self.show_head()
        self.show_bar()
        cursor = self.trials.listing.cursor
        if (
            dirty is None
            or self.trials.following
            or (cursor is not None and self.inspection.concerns(snapshot, cursor, dirty))
        ):
            self.show_inspector()
        self.show_text()

    def tick(self) -> None:
        """Time went on. What says how long something lasts is made again, and painted where it differs."""
        if self.shown.chip is not Chip.LIVE or self.paused:
            return
        # Running trials count in hundredths; the silence of a runner between two trials counts in seconds.
        now = self.session.clock()
        if not self.shown.running and now - self._ticked_at < _QUIET_TICK_S:
            return
        self._ticked_at = now
        self.show_head()
        if self.shown.running and self.view is View.TRIALS:
            self.trials.tick()
        cursor = self.trials.listing.cursor
        if cursor is not None and self.shown.running_at(cursor) is not None:
            self.show_inspector()

    # -- what is seen ----------------------------------------------------------------------------------------------

    @property
    def pane(self) -> Pane:
        return pane(self.size.width, self.size.height)

    @property
    def shows_list(self) -> bool:
        """Whether the body is the list of trials, rather than a page of text."""
        return self.view is View.TRIALS and self.shown.sound

    @property
    def inspector_open(self) -> bool:
        return self.shows_list and (self.pane is Pane.RIGHT if self.inspecting is None else self.inspecting)

    @property
    def where(self) -> Where:
        """Which pane the keys are for."""
        if not self.shown.sound:
            return Where.TROUBLE
        if not self.shows_list:
            return Where.REPORT
        return Where.INSPECTOR if self.focused is self.inspector_page else Where.TRIALS

    def on_resize(self) -> None:
        self.trials.screen_size = (self.size.width, self.size.height)
        self.lay_out()

    def lay_out(self) -> None:
        """Decide which panes are seen and how large they are; then fill them."""
        open_now, alone = self.inspector_open, self.pane is Pane.ALONE
        in_inspector = self.focused is self.inspector_page
        list_seen = self.shows_list and not (open_now and (alone or (self.zoomed and in_inspector)))
        inspector_seen = open_now and not (self.zoomed and not in_inspector)
        self.query_one("#list").display = list_seen
        inspector = self.query_one("#inspector")
        inspector.display = inspector_seen
        self.fence.display = list_seen and inspector_seen and self.pane is Pane.RIGHT
        self.text.display = not self.shows_list
        self.query_one("#body").set_class(self.pane is Pane.BELOW, "below")
        # A compact screen spends no rows on the names of two views; the bar is there while something is typed.
        self.bar.display = not is_compact(*self.size) or self.bar.entry is not None
        both = list_seen and inspector_seen
        inspector.styles.width = inspector_width(self.size.width) if both and self.pane is Pane.RIGHT else "1fr"
        inspector.styles.height = max(self._body_rows() // 2, 6) if both and self.pane is Pane.BELOW else "1fr"
        self.every.display = self._body_rows() // (2 if both and self.pane is Pane.BELOW else 1) >= EVERY_ROW_FROM
        self._focus_what_is_seen()
        self.call_after_refresh(self.show_all)

    def _body_rows(self) -> int:
        return self.size.height - len(self.head.lines) - 1 - 2 * self.bar.display

    def _focus_what_is_seen(self) -> None:
        if self.bar.entry is not None:
            return
        if not self.shows_list:
            self.text.focus()
        elif not self.query_one("#list").display:
            self.inspector_page.focus()
        elif not self.query_one("#inspector").display or self.focused in {None, self.text}:
            self.table.focus()

    def show_all(self) -> None:
        self.show_head()
        self.trials.show()
        self.show_inspector()
        self.show_text()
        self.show_bar()
        self.show_foot()

    def show_head(self) -> None:
        snapshot = self.shown
        replaced = snapshot.reading.replaced > self.replaced_seen
        frame = Frame(
            width=self.size.width,
            height=self.size.height,
            now=snapshot.at if self.paused else self.session.clock(),
            paused=self.session.feed.latest.events - snapshot.events if self.paused else None,
            replaced=replaced,
            banner=banner(snapshot, str(self.session.folder), self.size.width, replaced=replaced),
            ascii_only=self.session.paint.ascii_only,
        )
        self.head.show(head(snapshot, frame))

    def show_bar(self) -> None:
        typing = self.bar.entry is not None
        said = self.trials.at_end(typing=typing, wrong=self.wrong is not None)
        at_end = said if self.shows_list else self.report.at_end(self.shown)
        self.bar.show(self.view, at_end, self.wrong)

    def show_inspector(self) -> None:
        cursor = self.trials.listing.cursor
        if not self.inspector_open:
            return
        if cursor is None:
            self.inspection.show_nothing(self.pane)
        else:
            self.inspection.show(self.shown, cursor, self.pane)

    def show_text(self) -> None:
        if self.shows_list:
            return
        if not self.shown.sound:
            compact = is_compact(*self.size)
            self.text.show(trouble_page(self.shown, str(self.session.folder), self.size.width, compact=compact))
        else:
            self.report.show(self.size.width)
            if self.report.is_behind(self.shown) and not self.paused:
                self.make_report()

    def show_foot(self) -> None:
        width = self.size.width
        line = typing_footer() if self.bar.entry is not None else footer(self.where, width)
        if self.message is not None:
            line = message_line(self.message)
        self.foot.show((fitted(line, width),))

    def say(self, message: str) -> None:
        """One line over the footer for two seconds."""
        self.message = message
        self.show_foot()
        self.set_timer(_MESSAGE_S, lambda: self._unsay(message))

    def _unsay(self, message: str) -> None:
        if self.message == message:
            self.message = None
            self.show_foot()

    # -- the report ------------------------------------------------------------------------------------------------

    def with_report(self, use: Actions.WithReport) -> None:
        """Call `use` with a report of what is on file, as soon as there is one."""
        self._asked_report.append(use)
        self.make_report()

    def make_report(self) -> None:
        if not self.report.is_making:
            self.report.is_making = True
            self._make_report()

    @work(thread=True, exit_on_error=True)
    def _make_report(self) -> None:
        if self._reporter is None:
            self._reporter = Reporter(self.session.folder, self.shown.plan)
        made = self._reporter.make()
        self.app.call_from_thread(self._report_made, made)

    def _report_made(self, made: Made) -> None:
        self.report.take(made)
        asked, self._asked_report = self._asked_report, []
        for use in asked:
            use(made)
        self.show_text()
        self.show_bar()

    # -- what people do --------------------------------------------------------------------------------------------

    def take_key(self, event: events.Key) -> None:
        if typing := self.bar.take_key(event):
            self.actions.typing(typing)
            return
        for key in keys_of(self.where):
            if event.key in key.keys.split(","):
                self.actions.do(key.action)
                self._stand_where_the_cursor_is()
                return

    def take_paste(self, event: events.Paste) -> None:
        if typing := self.bar.take_paste(event):
            self.actions.typing(typing)

    def on_table_moved(self, event: Table.Moved) -> None:
        if event.table is self.table:
            self._stand_where_the_cursor_is()
        self.show_bar()

    def _stand_where_the_cursor_is(self) -> None:
        """The table tells of a moved cursor by a message; the next key may be there before it."""
        listing, row = self.trials.listing, self.table.cursor
        if not self.shows_list or row is None or row == listing.row:
            return
        if self.trials.following and row < (listing.row or 0):
            self.trials.follow(on=False)
        listing.stand_on(row)
        self.show_inspector()

    def on_table_resized(self, event: Table.Resized) -> None:
        if event.table is self.table:
            self.trials.show()
        elif event.table is self.inspector_page:
            self.show_inspector()
        else:
            self.show_text()
        self.show_bar()

    def on_table_chosen(self, event: Table.Chosen) -> None:
        if event.table is self.table:
            self.actions.do("inspect")

    def on_views_bar_left(self, event: ViewsBar.Left) -> None:
        self.actions.typing_done(kept=event.kept)

    def on_descendant_focus(self) -> None:
        self.show_foot()

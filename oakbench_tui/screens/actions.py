"""What each key of the table of keys does: it changes what is looked at and asks for it to be shown."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from oakbench_core.canonical import readable_text
from oakbench_core.display import display_safe
from oakbench_core.durable.documents import write_document
from oakbench_core.errors import OakbenchError, UsageError
from oakbench_tui.screens.export import ExportScreen
from oakbench_tui.screens.help import HelpScreen
from oakbench_tui.screens.reporting import Made
from oakbench_tui.view.export import Form, exported_words, rows_text
from oakbench_tui.view.filter import FilterError, parse_filter
from oakbench_tui.view.keys import Where
from oakbench_tui.view.layout import Pane
from oakbench_tui.view.listing import Order
from oakbench_tui.view.palette import PALETTES
from oakbench_tui.view.trouble import command, error_in_a_line
from oakbench_tui.view.views import View
from oakbench_tui.widgets.views_bar import Typing

if TYPE_CHECKING:
    from pathlib import Path

    from oakbench_tui.screens.console import ConsoleScreen
    from oakbench_tui.widgets.table import Table

_SIDE_CELLS: Final = 8


class Actions:
    """One method an action; the table of keys names them."""

    WithReport = Callable[[Made], None]

    def __init__(self, console: ConsoleScreen) -> None:
        self._console = console
        self._before_typing = ""
        self._cursor_before: int | None = None

    def do(self, action: str) -> None:
        """`move(-1)`: the method with what stands in its parentheses."""
        name, _, argument = action.rstrip(")").partition("(")
        method = getattr(self, name)
        if not argument:
            method()
        elif argument.startswith("'"):
            method(argument.strip("'"))
        else:
            method(int(argument))

    @property
    def _table(self) -> Table:
        """The list or page that the movement keys move."""
        console = self._console
        tables = {Where.TRIALS: console.table, Where.INSPECTOR: console.inspector_page}
        return tables.get(console.where, console.text)

    # -- move ------------------------------------------------------------------------------------------------------

    def move(self, rows: int) -> None:
        self._table.move_by(rows)

    def half(self, step: int) -> None:
        self._table.move_by(step * max(self._table.page // 2, 1))

    def page(self, step: int) -> None:
        self._table.move_by(step * self._table.page)

    def first(self) -> None:
        self._table.move_to(0)

    def last(self) -> None:
        self._table.move_to(self._table.content.rows - 1)

    def side(self, step: int) -> None:
        console = self._console
        if console.where is Where.INSPECTOR:
            console.inspection.tab = console.inspection.tab.next(step)
            console.show_inspector()
        else:
            self._table.slide(step * _SIDE_CELLS)

    def problem(self, step: int) -> None:
        row = self._console.trials.listing.problem_row(step)
        if row is None:
            self._console.say("no problem trial after this one" if step > 0 else "no problem trial before this one")
        else:
            self._table.move_to(row)

    def heading(self, step: int) -> None:
        self._jump(self._console.report.next_row(self._console.report.headings, step))

    def hit(self, step: int) -> None:
        console = self._console
        if console.where is Where.REPORT:
            self._jump(console.report.next_row(console.report.hits, step))
        elif rows := len(console.trials.listing.places):
            self._table.move_to(((console.trials.listing.row or 0) + step) % rows)

    def _jump(self, row: int | None) -> None:
        if row is not None:
            self._table.move_to(row)

    # -- find ------------------------------------------------------------------------------------------------------

    def filter(self) -> None:
        console = self._console
        pattern = console.report.pattern
        found = "" if pattern is None else pattern.pattern
        self._before_typing = console.trials.listing.filter.text if console.shows_list else found
        self._cursor_before = console.trials.listing.cursor
        console.bar.display = True
        console.bar.type_from(self._before_typing, lambda text: self._wrong_with(text, whole=True) is None)
        console.show_bar()

    def _wrong_with(self, text: str, *, whole: bool) -> str | None:
        """What is wrong with what is typed, in words; `whole`: nothing more is going to be typed."""
        try:
            if self._console.shows_list:
                parse_filter(text, whole=whole)
            else:
                re.compile(text)
        except FilterError as error:
            return str(error)
        except re.error as error:
            return f"{display_safe(text)} is no regex: {error.msg}"
        return None

    def typing(self, what: Typing) -> None:
        """After a key for the text that is being typed."""
        match what:
            case Typing.CHANGED:
                self._typed(whole=False)
            case Typing.REFUSED:
                self._typed(whole=True)
            case Typing.KEPT | Typing.LEFT:
                self.typing_done(kept=what is Typing.KEPT)

    def _typed(self, *, whole: bool) -> None:
        """What is wrong is said, and the rows are those of what held before: never of a part of what is typed."""
        console = self._console
        text = "" if console.bar.entry is None else console.bar.entry.text
        console.wrong = self._wrong_with(text, whole=whole)
        self._apply(text if console.wrong is None else self._before_typing)

    def _apply(self, text: str) -> None:
        """From where typing began: what is half typed moves the cursor nowhere for good."""
        console = self._console
        if console.shows_list:
            console.trials.listing.cursor = self._cursor_before
            self._filter_by(text)
        else:
            console.report.pattern = re.compile(text, re.IGNORECASE) if text else None
            console.show_text()
        console.show_bar()

    def _filter_by(self, text: str) -> None:
        console = self._console
        console.trials.listing.arrange(filter=parse_filter(text))
        console.trials.show()
        console.show_inspector()

    def typing_done(self, *, kept: bool) -> None:
        console = self._console
        if not kept:
            self._apply(self._before_typing)
        console.wrong = None
        if console.bar.has_focus:
            (console.table if console.shows_list else console.text).focus()
        if kept and not console.shows_list:
            self.hit(1)
        console.lay_out()

    def sort(self) -> None:
        listing = self._console.trials.listing
        self._arrange(listing.order if listing.held else listing.order.next_sort())

    def reverse(self) -> None:
        order = self._console.trials.listing.order
        self._arrange(Order(order.sort, not order.reverse))

    def _arrange(self, order: Order) -> None:
        self._console.trials.listing.arrange(order=order)
        self._console.trials.show()
        self._console.show_bar()

    # -- look ------------------------------------------------------------------------------------------------------

    def inspect(self) -> None:
        console = self._console
        if console.trials.listing.cursor is None:
            return
        console.inspecting = True
        console.query_one("#inspector").display = True
        console.inspector_page.focus()
        console.call_after_refresh(console.lay_out)

    def back(self) -> None:
        """One level: from the inspector to the list, from Report to Trials, then a banner, then the filter."""
        console = self._console
        if console.where is Where.INSPECTOR:
            console.query_one("#list").display = True
            console.table.focus()
            console.inspecting, console.zoomed = None if console.pane is Pane.RIGHT else False, False
            console.call_after_refresh(console.lay_out)
        elif console.view is not View.TRIALS:
            self.view(View.TRIALS)
        elif console.inspector_open and console.pane is not Pane.RIGHT:
            console.inspecting = False
            console.lay_out()
        elif console.shown.reading.replaced > console.replaced_seen:
            console.replaced_seen = console.shown.reading.replaced
            console.lay_out()
        elif console.trials.listing.filter.text:
            self._filter_by("")
            console.show_bar()

    def pane(self) -> None:
        console = self._console
        if not console.inspector_open:
            self.inspect()
            return
        (console.table if console.where is Where.INSPECTOR else console.inspector_page).focus()
        console.call_after_refresh(console.lay_out)

    def zoom(self) -> None:
        self._console.zoomed = not self._console.zoomed
        self._console.lay_out()

    def view(self, name: str) -> None:
        console = self._console
        console.view = View(name)
        console.lay_out()

    def pause(self) -> None:
        console = self._console
        console.paused = not console.paused
        console.arrived()

    def follow(self) -> None:
        console = self._console
        console.trials.follow(on=not console.trials.following)
        console.trials.show()
        console.show_inspector()
        console.show_bar()

    def theme(self) -> None:
        console = self._console
        names = list(PALETTES)
        current = console.session.paint.palette.name
        chosen = names[(names.index(current) + 1) % len(names)]
        if console.session.paint.colourless:
            console.say("no colour was asked for: the themes differ in colour alone")
            return
        console.session.paint.choose(chosen)
        console.app.theme = f"oakbench-{chosen}"
        for widget in console.query("*"):
            widget.refresh()
        console.say(f"theme: {chosen}")

    def help(self) -> None:
        self._console.app.push_screen(HelpScreen(self._console.session.paint, self._console.where))

    def leave(self) -> None:
        self._console.app.exit(return_code=0)

    # -- take ------------------------------------------------------------------------------------------------------

    def copy_id(self) -> None:
        console = self._console
        if console.trials.listing.cursor is not None:
            self._copy(console.shown.trial(console.trials.listing.cursor).trial_id)

    def copy_event(self) -> None:
        console = self._console
        cursor = console.trials.listing.cursor
        if cursor is None:
            return
        records = console.inspection.records(console.shown, cursor)
        record = records.end or records.start
        if record is None:
            console.say("no record of this trial is on file")
        else:
            self._copy(record.data.decode(errors="replace"))

    def copy_command(self) -> None:
        console = self._console
        name = "report" if console.shown.sound else "verify"
        self._copy(command(name, str(console.session.folder)))

    def _copy(self, text: str) -> None:
        self._console.app.copy_to_clipboard(text)
        self._console.say(f"copied: {display_safe(text[:200])}")

    def export(self) -> None:
        console = self._console
        rows = len(console.trials.listing.places) if console.shows_list else None
        folder = str(console.session.folder)
        console.app.push_screen(ExportScreen(console.session.paint, rows, folder), self._export)

    def _export(self, form: Form | None) -> None:
        console = self._console
        if form is None:
            return
        if form.needs_report:
            console.with_report(lambda made: self._write_report(made, form))
            return
        listing = console.trials.listing
        self._write(rows_text(console.shown, listing.places, listing.filter.text, form), form)

    def _write_report(self, made: Made, form: Form) -> None:
        if made.failure is not None:
            self._console.say(f"not exported: {made.failure}")
        elif made.summary is not None:
            self._write(made.markdown if form is Form.REPORT_MARKDOWN else readable_text(made.summary), form)

    def _write(self, text: str, form: Form) -> None:
        console = self._console
        try:
            path = _write_new(console.session.out, form, text.encode())
        except OakbenchError as error:
            console.say(f"not exported: {error_in_a_line(error)}")
            return
        console.say(exported_words(str(path), form, str(console.session.folder), console.size.width - 1))


def _write_new(folder: Path, form: Form, content: bytes) -> Path:
    """Write to the first free name: `report.md`, `report-2.md` …; nothing is ever written over."""
    stem, _, ending = form.partition(".")
    for number in range(1, 1000):
        path = folder / (f"{stem}.{ending}" if number == 1 else f"{stem}-{number}.{ending}")
        if not path.exists() and not path.is_symlink():
            write_document(path, content)
            return path
    raise UsageError(f"{shlex.quote(str(folder))}: a thousand exports are there already")

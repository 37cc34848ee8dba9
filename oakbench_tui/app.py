"""The console as a program: its themes, its signals, its end. What it shows is in `screens`."""

from __future__ import annotations

import asyncio
import signal
import time
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual import events
from textual.app import App
from textual.theme import Theme

from oakbench_core.durable.documents import load_plan
from oakbench_tui.feed.plan_file import plan_stamp
from oakbench_tui.feed.reader import Feed
from oakbench_tui.screens.console import ConsoleScreen
from oakbench_tui.screens.keyboard import hand_over
from oakbench_tui.screens.session import Session
from oakbench_tui.view.palette import DARK, PALETTES
from oakbench_tui.view.segments import Token
from oakbench_tui.widgets.paint import Paint

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Context

    from oakbench_tui.view.palette import Palette

_AT_ONCE_S: Final = 0.1  # an arrival is painted at once, unless one was painted less long ago
_ENDS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def theme_of(palette: Palette) -> Theme:
    colours = palette.colours
    return Theme(
        name=f"oakbench-{palette.name}",
        primary=colours[Token.ACCENT],
        foreground=colours[Token.TEXT],
        background=palette.ground,
        surface=palette.ground,
        panel=palette.ground,
        dark=palette.dark,
    )


def _call_soon(loop: asyncio.AbstractEventLoop, context: Context, callback: Callable[[], None]) -> None:
    loop.call_soon_threadsafe(callback, context=context)


class ConsoleApp(App[None]):
    """Opens one screen on a feed. `crash` is the error that ended it, if one did."""

    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    TITLE = "oakbench"

    def __init__(self, session: Session) -> None:
        super().__init__(ansi_color=session.paint.colourless)
        self.session = session
        self.crash: BaseException | None = None
        self._painted_at = 0.0
        self._paint_is_due = False
        for palette in PALETTES.values():
            self.register_theme(theme_of(palette))
        self.theme = f"oakbench-{session.paint.palette.name}"

    def on_mount(self) -> None:
        loop = asyncio.get_running_loop()
        for number in _ENDS:
            # What was ignored when we started (nohup) stays ignored.
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, self._end, number)
        self.console_screen = ConsoleScreen(self.session)
        self.push_screen(self.console_screen)
        # The reader's thread knows nothing of this app; timers that a paint sets belong to it by the context.
        self.session.feed.arrived = partial(_call_soon, loop, copy_context(), self._arrived)
        self.call_after_refresh(self._arrived)

    async def on_event(self, event: events.Event) -> None:
        """Keys are taken here, each to its end before the next; while the app ends no screen is left to take them."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            hand_over(event, self.screen_stack[-1] if self.is_running and self.screen_stack else None)
            return
        await super().on_event(event)

    def _end(self, number: signal.Signals) -> None:
        self.exit(return_code=128 + number)

    def _arrived(self) -> None:
        """Paint at once, or at the next tick: however many events arrive, this is at most one paint a tick."""
        if self.session.feed.defect is not None:
            self._handle_exception(RuntimeError("the reader ended"))
            return
        if self._paint_is_due or not self.console_screen.is_mounted:
            return
        waited = time.monotonic() - self._painted_at
        if waited >= _AT_ONCE_S:
            self._paint()
        else:
            self._paint_is_due = True
            self.set_timer(max(1 / self.session.fps - waited, 0.001), self._paint)

    def _paint(self) -> None:
        self._paint_is_due = False
        self._painted_at = time.monotonic()
        self.console_screen.arrived()

    def _handle_exception(self, error: Exception) -> None:
        """A defect: the terminal is restored first; whoever called `run_console` writes it down."""
        super()._handle_exception(error)
        self._exit_renderables.clear()
        self.crash = self.session.feed.defect or error


def run_console(
    folder: Path, *, fps: int = 5, theme: str = DARK.name, ascii_only: bool = False, no_color: bool = False
) -> int:
    """Open the console on a campaign folder, until a person or a signal ends it; the exit code.

    Raises:
        OakbenchError: the plan cannot be read, or is refused.
        Exception: a defect, after the terminal was restored.
    """
    stamp = plan_stamp(folder)  # before it is loaded: a change meanwhile is a change
    plan = load_plan(folder)
    feed = Feed(folder, plan, plan_stamp=stamp)
    paint = Paint(theme=theme, ascii_only=ascii_only, colourless=no_color)
    feed.start()
    try:
        app = ConsoleApp(Session(folder=folder, feed=feed, paint=paint, out=Path.cwd(), fps=fps))
        app.run()
    finally:
        feed.stop()
    if app.crash is not None:
        raise app.crash
    return app.return_code or 0

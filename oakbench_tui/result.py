"""A scorecard's result as a program: it opens one screen on one file that was read whole, until a person leaves it."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Any

from textual.app import App

from oakbench_tui.app import theme_of
from oakbench_tui.screens.scorecard import ScorecardScreen
from oakbench_tui.view.palette import PALETTES
from oakbench_tui.view.scorecard import card_of
from oakbench_tui.widgets.paint import Paint

if TYPE_CHECKING:
    from collections.abc import Mapping


class ResultApp(App[None]):
    """`crash` is the error that ended it, if one did."""

    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    TITLE = "oakbench"

    def __init__(self, document: Mapping[str, Any], paint: Paint) -> None:
        super().__init__(ansi_color=paint.colourless)
        self.crash: BaseException | None = None
        self.scorecard_screen = ScorecardScreen(card_of(document), paint)
        for palette in PALETTES.values():
            self.register_theme(theme_of(palette))
        self.theme = f"oakbench-{paint.palette.name}"

    def on_mount(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, self._end, number)
        self.push_screen(self.scorecard_screen)

    def _end(self, number: signal.Signals) -> None:
        self.exit(return_code=128 + number)

    def _handle_exception(self, error: Exception) -> None:
        """A defect: the terminal is restored first; whoever called `run_result` writes it down."""
        super()._handle_exception(error)
        self._exit_renderables.clear()
        self.crash = error


def run_result(document: Mapping[str, Any], *, theme: str, ascii_only: bool, no_color: bool) -> int:
    """Open the console on a checked result; the exit code.

    Raises:
        Exception: a defect, after the terminal was restored.
    """
    app = ResultApp(document, Paint(theme=theme, ascii_only=ascii_only, colourless=no_color))
    app.run()
    if app.crash is not None:
        raise app.crash
    return app.return_code or 0

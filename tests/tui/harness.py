"""The console driven without a terminal: fixed size, frozen clock, no animation; its screen as text."""

from __future__ import annotations

import asyncio
import io
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console

from oakbench_core.durable.documents import load_plan
from oakbench_tui.app import ConsoleApp
from oakbench_tui.feed.reader import Feed
from oakbench_tui.screens.session import Session
from oakbench_tui.widgets.paint import Paint

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from pathlib import Path

    from textual.app import App
    from textual.pilot import Pilot

SIZES = ((40, 10), (80, 24), (100, 30), (160, 48))
_PATIENCE_S = 20


def run(scenario: Coroutine[Any, Any, None]) -> None:
    """One test's story, in a loop of its own."""
    asyncio.run(scenario)


@asynccontextmanager
async def console(
    folder: Path, size: tuple[int, int], *, now: float, out: Path | None = None, **paint: Any
) -> AsyncIterator[tuple[ConsoleApp, Pilot[None]]]:
    """The console on a folder, its journal read to the end."""
    feed = Feed(folder, load_plan(folder), clock=lambda: now)
    session = Session(folder=folder, feed=feed, paint=Paint(**paint), out=out or folder, clock=lambda: now, fps=10)
    app = ConsoleApp(session)
    feed.start()
    try:
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.console_screen.shown.version > 0)
            await settled(pilot)
            yield app, pilot
    finally:
        feed.stop()


async def until(pilot: Pilot[None], holds: Callable[[], object]) -> None:
    """Wait for a condition, not for a time."""
    async with asyncio.timeout(_PATIENCE_S):
        while not holds():
            await pilot.pause(0.01)
    await settled(pilot)


async def settled(pilot: Pilot[None]) -> None:
    """Until layout and paint have come to rest."""
    for _ in range(3):
        await pilot.pause()


def screen_text(app: App[None]) -> str:
    """What a person sees, blanks at line ends cut."""
    return "".join(f"{line}\n" for line in _rows(app))


def _rows(app: App[None]) -> list[str]:
    width, height = app.size
    held = Console(
        width=width, height=height, record=True, force_terminal=True, file=io.StringIO(), legacy_windows=False
    )
    held.print(app.screen._compositor.render_update(full=True))  # noqa: SLF001 - Textual has no other way to a screen
    return [line.rstrip() for line in held.export_text().split("\n")][:height]

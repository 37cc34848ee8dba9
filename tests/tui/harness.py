"""The console driven without a terminal: fixed size, frozen clock, no animation; its screen as text."""

from __future__ import annotations

import asyncio
import io
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from textual.events import Key
from textual.keys import _character_to_key, key_to_character

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
_LOOKS_AT_REST = 2  # what a look has set in motion is seen by the next


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
            await until(pilot, lambda: _has_opened(app, size))
            yield app, pilot
    finally:
        feed.stop()


def _has_opened(app: ConsoleApp, size: tuple[int, int]) -> bool:
    """Whether the first screen is laid out, and what it shows was read to the journal's end."""
    screen = app.console_screen
    read = screen.shown.version > 0 and screen.shown.reading.rate_mb_s is None
    return read and screen.is_mounted and screen.size == size and bool(screen.head.lines)


async def until(pilot: Pilot[None], holds: Callable[[], object]) -> None:
    """Wait for a condition, not for a time."""
    async with asyncio.timeout(_PATIENCE_S):
        while not holds():
            await pilot.pause(0.01)
    await settled(pilot)


async def settled(pilot: Pilot[None]) -> None:
    """Until no message waits anywhere, and layout and paint have come to rest."""
    async with asyncio.timeout(_PATIENCE_S):
        at_rest = 0
        while at_rest < _LOOKS_AT_REST and pilot.app.is_running and not pilot.app._exit:  # noqa: SLF001 - on its way out
            await pilot._wait_for_screen()  # noqa: SLF001 - every widget has taken what it was sent
            pilot.app.screen._on_timer_update()  # noqa: SLF001 - layout and paint now, not at the next tick
            at_rest = at_rest + 1 if _is_at_rest(pilot.app) else 0


def _is_at_rest(app: App[None]) -> bool:
    screen = app.screen
    pumps = (app, *screen.walk_children(with_self=True))
    waits = any(pump.message_queue_size or pump._next_callbacks for pump in pumps)  # noqa: SLF001 - as above
    flags = (screen._callbacks, screen._dirty_widgets, screen._layout_required, screen._repaint_required)  # noqa: SLF001
    return not waits and not any(flags)


def send(app: App[None], *keys: str) -> None:
    """Press keys as the driver does when they arrive at once: none is waited for. A character stands for its key."""
    for key in keys:
        name = _character_to_key(key) if len(key) == 1 else key
        app.post_message(Key(name, key if len(key) == 1 else key_to_character(name)))


async def pressed(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each after what the one before did is seen."""
    for key in keys:
        send(pilot.app, key)
        await settled(pilot)


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

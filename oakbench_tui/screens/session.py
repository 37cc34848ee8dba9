"""What all screens of one console share."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oakbench_tui.feed.reader import Feed
    from oakbench_tui.widgets.paint import Paint


@dataclass(frozen=True, slots=True)
class Session:
    """`folder` is the campaign folder as the person named it; `clock` gives seconds since 1970; exports go to `out`."""

    folder: Path
    feed: Feed
    paint: Paint
    out: Path
    fps: int = 5
    clock: Callable[[], float] = time.time

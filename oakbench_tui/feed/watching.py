"""Noticing that a folder changed.

The folder is watched, not the file: a watch on a file goes deaf when the file is replaced. It is a help and not a
promise (folders on a network send no events): whoever waits looks for himself as well, every `LOOK_EVERY_S`.
"""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LOOK_EVERY_S: Final = 0.25
_DEBOUNCE_MS: Final = 50
_STEP_MS: Final = 10
_STOP_WITHIN_MS: Final = 500


class FolderWatch:
    """Calls `changed`, in a thread of its own, after something happened in `folder`."""

    def __init__(self, folder: Path, changed: Callable[[], None]) -> None:
        self._folder = folder
        self._changed = changed
        self._stop = Event()
        self._thread = Thread(target=self._watch, name="oakbench-watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        from watchfiles import watch

        while not self._stop.is_set():
            try:
                for _ in watch(
                    self._folder,
                    watch_filter=None,
                    debounce=_DEBOUNCE_MS,
                    step=_STEP_MS,
                    stop_event=self._stop,
                    rust_timeout=_STOP_WITHIN_MS,
                    recursive=False,
                    raise_interrupt=False,
                ):
                    self._changed()
            except OSError:
                # The folder is not there, or may not be watched. Looking goes on; it may come back.
                self._stop.wait(1.0)

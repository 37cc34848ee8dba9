"""Lines that stay at the bottom of a terminal while others come above them."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

_EVERY_S: Final = 1.0
_SMALLEST: Final = (20, 6)
_MOST_LINES: Final = 10


class Footer:
    """Redrawn every second from `lines(width, most)`, and after each line that is put above it; a context manager.

    It writes to stdout, which must be a terminal. That it cannot be drawn any more ends nothing.
    """

    def __init__(self, lines: Callable[[int, int], list[str]]) -> None:
        self._lines = lines
        self._drawn = 0
        self._lock = threading.RLock()  # a line may be put above it from the thread of the signals too
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._redraw_for_ever, name="footer", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()
        with self._lock:
            self._erase()

    def above(self, put: Callable[[str], None], text: str) -> None:
        """Have something put where the footer stands, and draw the footer below it."""
        with self._lock:
            self._erase()
            try:
                put(text)
            finally:
                if not self._over.is_set():
                    self._draw()

    def _redraw_for_ever(self) -> None:
        while not self._over.wait(_EVERY_S):
            with self._lock:
                self._erase()
                self._draw()

    def _draw(self) -> None:
        try:
            size = os.get_terminal_size(sys.stdout.fileno())
        except OSError:
            return
        if size < _SMALLEST:
            return
        lines = self._lines(size.columns - 1, min(size.lines // 2, _MOST_LINES))
        if self._write("".join(f"{line}\n" for line in lines)):
            self._drawn = len(lines)

    def _erase(self) -> None:
        if self._drawn:
            self._write(f"\r\x1b[{self._drawn}A\x1b[J")  # to the first column: the terminal may have echoed a ^C
        self._drawn = 0

    @staticmethod
    def _write(text: str) -> bool:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError:
            return False
        return True

"""How keys reach a screen: each is taken to its end before the next, so that the next meets what it has opened.

By the way of the focus they would reach whatever had it when they arrived, and over a slow line they arrive many at
once: the letters after `/` would then be commands.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from textual import events


@runtime_checkable
class TakesKeys(Protocol):
    """A screen that is handed every key while it is the one that is seen."""

    @property
    def is_mounted(self) -> bool: ...

    def take_key(self, event: events.Key) -> None: ...

    def take_paste(self, event: events.Paste) -> None: ...


def hand_over(event: events.Key | events.Paste, screen: object) -> None:
    """Let the screen take the key; one that is not there yet, or no longer, takes none."""
    if not isinstance(screen, TakesKeys) or not screen.is_mounted:
        return
    if isinstance(event, events.Key):
        screen.take_key(event)
    else:
        screen.take_paste(event)

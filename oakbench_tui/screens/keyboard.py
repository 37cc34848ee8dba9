"""What a screen has to do with the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from textual import events


@runtime_checkable
class TakesKeys(Protocol):
    """A screen that is handed every key while it is the one that is seen."""

    @property
    def is_mounted(self) -> bool: ...

    def take_key(self, event: events.Key) -> None: ...

    def take_paste(self, event: events.Paste) -> None: ...

"""A stream of JSON objects, one a line, as real programs write it: with lines of others in between, and torn ones.

An event is a line that is one JSON object with a text `type`. A line that was to be one and is torn or mixed with
another, or is too long to be looked at, is *lost*: what it said is not known. Every other line is *foreign*.
Memory holds one line at a time, whatever the stream holds.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_LINE: Final = 16 << 20
_BLANK: Final = b" \t\r\n"
_LOOKS_LIKE_AN_EVENT: Final = re.compile(rb'"type"\s*:\s*"')


class StreamLines:
    """`foreign` and `lost` count lines; blank ones are neither."""

    def __init__(self, longest_line: int = LONGEST_LINE) -> None:
        self.foreign = 0
        self.lost = 0
        self._longest = longest_line
        self._held: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[dict[str, Any] | None]:
        """The events that end in this chunk, None for a lost line; iterate to the end before the next is fed."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._hold(piece)
            yield from self._taken()
        self._hold(rest)

    def finish(self) -> Iterator[dict[str, Any] | None]:
        """The last line, if it has no line feed."""
        yield from self._taken()

    def _hold(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._longest:
            self._held.clear()
        elif piece:
            self._held.append(piece)

    def _taken(self) -> Iterator[dict[str, Any] | None]:
        line, size = b"".join(self._held).strip(_BLANK), self._size
        self._held.clear()
        self._size = 0
        if size > self._longest:
            self.lost += 1
            yield None
        elif line:
            yield from self._read(line)

    def _read(self, line: bytes) -> Iterator[dict[str, Any] | None]:
        value = None
        if line.startswith(b"{"):
            with suppress(ValueError, RecursionError):  # an integer of thousands of digits is a ValueError too
                value = json.loads(line.decode(errors="replace"))
        if isinstance(value, dict) and isinstance(value.get("type"), str):
            yield value
        elif value is None and _LOOKS_LIKE_AN_EVENT.search(line):
            self.lost += 1
            yield None
        else:
            self.foreign += 1

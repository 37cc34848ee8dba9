"""Secrets in a stream of bytes: each is replaced by its name, wherever the stream was cut into chunks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SHORTEST_SECRET: Final = 8


class Replacer:
    """Replaces secrets of `SHORTEST_SECRET` characters and more; of several at one place, the longest.

    Args:
        secrets: the secret's bytes → what stands in its place.
    """

    def __init__(self, secrets: Mapping[bytes, bytes]) -> None:
        self._names = {
            secret: name for secret, name in secrets.items() if len(secret.decode(errors="replace")) >= SHORTEST_SECRET
        }
        longest_first = sorted(self._names, key=len, reverse=True)
        self._pattern = re.compile(b"|".join(map(re.escape, longest_first))) if longest_first else None
        self._reach = len(longest_first[0]) if longest_first else 0
        self._held = b""

    def feed(self, chunk: bytes) -> bytes:
        """What is certain of the stream up to here: the bytes that may be the start of a secret are held back."""
        if self._pattern is None:
            return chunk
        return self._through(self._held + chunk, whole=False)

    def finish(self) -> bytes:
        """The rest of the stream, which has ended."""
        return self._through(self._held, whole=True)

    def whole(self, content: bytes) -> bytes:
        """The same of bytes that are all there."""
        return content if self._pattern is None else self._pattern.sub(self._named, content)

    def text(self, text: str) -> str:
        """The same of a text; surrogate escapes stay what they are."""
        if self._pattern is None:
            return text
        return self.whole(text.encode(errors="surrogateescape")).decode(errors="surrogateescape")

    def _named(self, match: re.Match[bytes]) -> bytes:
        return self._names[match[0]]

    def _through(self, data: bytes, *, whole: bool) -> bytes:
        # A match that begins before this place cannot be part of a longer one that ends beyond the data.
        certain = len(data) if whole else max(0, len(data) - self._reach + 1)
        parts, at = [], 0
        for match in () if self._pattern is None else self._pattern.finditer(data):
            if match.start() >= certain:
                break
            parts += [data[at : match.start()], self._named(match)]
            at = match.end()
        certain = max(certain, at)
        self._held = data[certain:]
        return b"".join((*parts, data[at:certain]))

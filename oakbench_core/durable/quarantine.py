"""`journal.quarantine/`: tails that a recovery kept before it cut them off, each under a name that vouches for it.

A file is called `<offset>-<n>-<first 16 hex of its SHA-256>.bin`: where the tail began, and the how-manieth tail of
that offset it is, from 1 on.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.durable.framing import RECORD_LIMIT
from oakbench_core.durable.opening import open_to_read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_NAME: Final = re.compile(r"(0|[1-9][0-9]*)-([1-9][0-9]*)-([0-9a-f]{16})\.bin", re.ASCII)
_BLOCK: Final = 1 << 20


class KeptTail(NamedTuple):
    """A quarantine file, by its name."""

    offset: int
    number: int
    mark: str  # the first 16 hex digits of its SHA-256

    @property
    def name(self) -> str:
        return f"{self.offset}-{self.number}-{self.mark}.bin"


@dataclass(frozen=True, slots=True)
class TailFacts:
    """What a tail is: its first bytes (one more than a record may have, if there are so many), its size, its hash."""

    start: bytes
    rest_is_nul: bool
    size: int
    sha256: str

    @property
    def mark(self) -> str:
        return self.sha256[:16]


def quarantine_path(journal: Path) -> Path:
    """`journal.quarantine` beside `journal.jsonl`."""
    return journal.with_suffix(".quarantine")


def kept_as(journal: Path, tails: Iterable[KeptTail]) -> list[str]:
    """Their paths relative to the campaign folder, as `recovered` names them."""
    folder = quarantine_path(journal).name
    return [f"{folder}/{tail.name}" for tail in tails]


def kept_tails(journal: Path) -> tuple[KeptTail, ...]:
    """Every quarantine file beside a journal, by offset and number.

    Raises:
        OSError: the folder is there and cannot be read.
    """
    try:
        with os.scandir(quarantine_path(journal)) as entries:
            names = [entry.name for entry in entries]
    except (FileNotFoundError, NotADirectoryError):
        return ()
    found = (match for name in names if (match := _NAME.fullmatch(name)))
    return tuple(sorted(KeptTail(int(match[1]), int(match[2]), match[3]) for match in found))


def blocks(descriptor: int, start: int) -> Iterator[bytes]:
    """What stands in a file from `start` on, a block at a time."""
    while block := os.pread(descriptor, _BLOCK, start):
        yield block
        start += len(block)


def tail_facts(descriptor: int, start: int) -> TailFacts:
    """What stands in a file from `start` on."""
    whole, first, size, rest_is_nul = sha256(), b"", 0, True
    for block in blocks(descriptor, start):
        whole.update(block)
        more = block[: max(RECORD_LIMIT + 1 - len(first), 0)]
        first += more
        rest_is_nul = rest_is_nul and not block[len(more) :].strip(b"\0")
        size += len(block)
    return TailFacts(first, rest_is_nul, size, whole.hexdigest())


def kept_facts(journal: Path, tail: KeptTail) -> TailFacts:
    """What a quarantine file holds; errors as `open_to_read`."""
    descriptor = open_to_read(quarantine_path(journal) / tail.name)
    try:
        return tail_facts(descriptor, 0)
    finally:
        os.close(descriptor)

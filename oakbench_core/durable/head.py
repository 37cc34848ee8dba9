"""`journal.head`: how far the journal had come at its last acknowledged record.

Its 84 bytes are overwritten in place after each durable record and before that record is acknowledged. It is not synced
itself, so it may lag behind the journal; it never leads, but where acknowledged records are missing.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

HEAD_SIZE: Final = 84  # bytes
_FORM: Final = re.compile(rb"([0-9]{16}) ([0-9]{16}) ([0-9a-f]{32}) ([0-9a-f]{16})\n")
_TO_READ: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


class Head(NamedTuple):
    """The last acknowledged record: its seq, the file's size in bytes after it, its hash."""

    seq: int
    size: int
    hash: str


def head_path(journal: Path) -> Path:
    """`journal.head` beside `journal.jsonl`."""
    return journal.with_suffix(".head")


def encode_head(head: Head) -> bytes:
    body = b"%016d %016d %b" % (head.seq, head.size, head.hash.encode())
    return b"%b %b\n" % (body, _checksum(body))


def decode_head(content: bytes) -> Head | None:
    """The head that these bytes are; None where they are no sound one."""
    match = _FORM.fullmatch(content)
    if match is None or match[4] != _checksum(content[: match.end(3)]) or not int(match[2]):
        return None
    return Head(int(match[1]), int(match[2]), match[3].decode())


def _checksum(body: bytes) -> bytes:
    return sha256(body).hexdigest()[:16].encode()


def read_head(journal: Path) -> Head | None:
    """The head beside a journal; None where there is no sound one, or it cannot be read: it is a help, no promise."""
    with suppress(OSError):
        descriptor = os.open(head_path(journal), _TO_READ)
        try:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return decode_head(os.pread(descriptor, HEAD_SIZE + 1, 0))
        finally:
            os.close(descriptor)
    return None

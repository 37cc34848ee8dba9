"""Whether the bytes that a reader has folded are still the bytes on file.

The chain says so without anything being remembered but its last hash: whoever changes a byte before it breaks a link.
"""

from __future__ import annotations

import os
from typing import Final

from oakbench_core.durable.framing import RECORD_LIMIT, first_link, link

_BLOCK: Final = RECORD_LIMIT
_HASH_SUFFIX: Final = len(',"hash":""}') + 32


def still_stands(descriptor: int, size: int, plan_sha256: str, last_hash: str | None) -> bool:
    """Whether the first `size` bytes (a last LF may be left out) are the records that end with `last_hash`.

    Raises:
        OSError: they cannot be read.
    """
    previous, offset = first_link(plan_sha256), 0
    while offset < size:
        block = os.pread(descriptor, min(_BLOCK, size - offset), offset)
        whole = len(block) if offset + len(block) == size else block.rfind(b"\n") + 1
        if not whole:
            return False
        for line in block[:whole].removesuffix(b"\n").split(b"\n"):
            previous = link(previous, line[:-_HASH_SUFFIX])
            if line[-_HASH_SUFFIX:] != b',"hash":"%b"}' % previous.encode():
                return False
        offset += whole
    return last_hash is None or previous == last_hash

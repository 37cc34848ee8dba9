"""The `changes` artifact: a unified diff of the workspace in git's form, which `git apply` takes where it is whole.

Contents that are no text, or too large, are named and not shown. The work is bounded whatever an agent wrote: where a
comparison would take long, the lines between the common start and the common end are shown as replaced.
"""

from __future__ import annotations

import difflib
import os
from typing import TYPE_CHECKING, Final

from oakbench_core.running.changes import content_now

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oakbench_core.running.changes import Before, Change, Entry
    from oakbench_core.running.supervise.replacing import Replacer

_MODES: Final = {"file": "100644", "executable": "100755", "link": "120000"}
_MOST_COMPARED: Final = 1_000_000  # pairs of lines
_CONTEXT: Final = 3
_NO_NEWLINE: Final = "\\ No newline at end of file\n"


def difference(workspace: Path, before: Before, changes: tuple[Change, ...], replacer: Replacer) -> Iterator[bytes]:
    """The diff, a piece for each path; secrets are replaced in contents and names."""
    for change in changes:
        old, new = _contents(workspace, before, change)
        old, new = (None if side is None else replacer.whole(side) for side in (old, new))
        yield replacer.whole("".join(_piece(change, old, new)).encode("latin-1"))


def _contents(workspace: Path, before: Before, change: Change) -> tuple[bytes | None, bytes | None]:
    old, new = change.before, change.after
    return (
        _content(old, None if old is None else before.content(change.path)),
        _content(new, None if new is None else content_now(workspace, change.path)),
    )


def _content(entry: Entry | None, content: bytes | None) -> bytes | None:
    """What is compared; None where it is not known."""
    if entry is None:
        return b""
    return os.fsencode(entry.content) if entry.kind == "link" else content


def _piece(change: Change, old: bytes | None, new: bytes | None) -> Iterator[str]:
    a, b = _name("a", change.path), _name("b", change.path)
    yield f"diff --git {a} {b}\n"
    yield from _modes(change)
    if old == new and old is not None:
        return
    a = "/dev/null" if change.before is None else a
    b = "/dev/null" if change.after is None else b
    if old is None or new is None or b"\0" in old or b"\0" in new:
        yield f"Binary files {a} and {b} differ\n"
        return
    yield f"--- {a}\n+++ {b}\n"
    yield from _hunks(_lines(old), _lines(new))


def _modes(change: Change) -> Iterator[str]:
    old = None if change.before is None else change.before.kind
    new = None if change.after is None else change.after.kind
    if old == new:
        return
    for kind in (old, new):
        if kind is not None and kind not in _MODES:
            yield f"{'old' if kind is old else 'new'} entry is {kind}\n"
            return
    if old is None:
        yield f"new file mode {_MODES[new or 'file']}\n"
    elif new is None:
        yield f"deleted file mode {_MODES[old]}\n"
    else:
        yield f"old mode {_MODES[old]}\nnew mode {_MODES[new]}\n"


def _name(side: str, path: str) -> str:
    """The path as git writes it: in quotes with escapes where it holds what would break the line."""
    raw = os.fsencode(f"{side}/{path}")
    if all(byte >= 0x20 and byte not in b'"\\\x7f' for byte in raw):
        return raw.decode("latin-1")
    escaped = (chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\{byte:03o}" for byte in raw)
    return f'"{"".join(escaped)}"'


def _lines(content: bytes) -> list[str]:
    """Lines with their LF; CR and other line ends are part of a line. A byte is a character."""
    lines = [f"{line}\n" for line in content.decode("latin-1").split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    for group in _groups(old, new):
        first, last = group[0], group[-1]
        yield f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@\n"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (_line(" ", line) for line in old[i1:i2])
                continue
            yield from (_line("-", line) for line in old[i1:i2])
            yield from (_line("+", line) for line in new[j1:j2])


def _span(start: int, stop: int) -> str:
    size = stop - start
    return f"{start + 1 if size else start},{size}"


def _line(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n{_NO_NEWLINE}"


def _groups(old: list[str], new: list[str]) -> list[list[tuple[str, int, int, int, int]]]:
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    i, j = len(old) - tail, len(new) - tail
    if (i - head) * (j - head) <= _MOST_COMPARED:
        return list(map(list, difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT)))
    before, after = min(head, _CONTEXT), min(tail, _CONTEXT)
    parts = [
        ("equal", head - before, head, head - before, head),
        ("replace", head, i, head, j),
        ("equal", i, i + after, j, j + after),
    ]
    return [[part for part in parts if part[2] > part[1] or part[4] > part[3]]]


def _common(old: list[str], new: list[str]) -> int:
    size = min(len(old), len(new))
    return next((at for at in range(size) if old[at] != new[at]), size)

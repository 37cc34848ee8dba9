"""What a trial changed in its workspace: the state before the agent against the state after it, by content.

Folders of version control are left out, and folders as such: what counts is files (content, executable bit) and
symbolic links. What is no file, folder or link, or cannot be read, is an entry of its own kind and is never opened.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from oakbench_core.running.regular_files import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VERSION_CONTROL: Final = frozenset({".git", ".hg", ".jj", ".svn", ".bzr", ".pijul", ".sl", "_darcs", "CVS"})
LARGEST_SHOWN: Final = 1 << 18
"""Bytes of a file whose earlier content is kept, so that its difference can be shown."""

_MOST_KEPT: Final = 1 << 28
_CHUNK: Final = 1 << 20

Kind = Literal["file", "executable", "link", "special", "unreadable"]


class Entry(NamedTuple):
    """One entry: `content` is a SHA-256, a link's target, or empty; `mark` tells an untouched file without reading."""

    kind: Kind
    content: str
    mark: tuple[int, ...]


class Change(NamedTuple):
    """One path that differs; `before` or `after` is None where it was or is not there."""

    path: str
    before: Entry | None
    after: Entry | None


class Before:
    """The state before the agent; contents of small files are kept in one new file at `store`."""

    def __init__(self, workspace: Path, store: Path) -> None:
        self._store = store
        self._kept: dict[str, tuple[int, int]] = {}
        size = 0
        with store.open("xb") as kept:
            self.entries: dict[str, Entry] = {}
            for path, entry, content in _scan(workspace, {}, keep=True):
                self.entries[path] = entry
                if content is not None and size + len(content) <= _MOST_KEPT:
                    kept.write(content)
                    self._kept[path] = size, len(content)
                    size += len(content)

    def content(self, path: str) -> bytes | None:
        """What stood in the file; None where it was too large to be kept."""
        if path not in self._kept:
            return None
        offset, size = self._kept[path]
        with self._store.open("rb") as kept:
            kept.seek(offset)
            return kept.read(size)

    def changes(self, workspace: Path) -> tuple[Change, ...]:
        """Every path that differs now, sorted."""
        now = {path: entry for path, entry, _ in _scan(workspace, self.entries, keep=False)}
        found = (Change(path, self.entries.get(path), now.get(path)) for path in sorted(self.entries.keys() | now))
        return tuple(change for change in found if _differs(change))


def content_now(workspace: Path, path: str) -> bytes | None:
    """What stands in a regular file of at most `LARGEST_SHOWN` bytes; None where it is larger or cannot be read."""
    try:
        with open_regular(workspace / path) as file:
            content = file.read(LARGEST_SHOWN + 1)
    except OSError:
        return None
    return content if len(content) <= LARGEST_SHOWN else None


def _differs(change: Change) -> bool:
    before, after = change.before, change.after
    return before is None or after is None or before[:2] != after[:2]


def _scan(workspace: Path, known: Mapping[str, Entry], *, keep: bool) -> Iterator[tuple[str, Entry, bytes | None]]:
    """Path, entry and (if `keep`) content of small files; a file that is as `known` is not read again."""
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            listed = list(os.scandir(workspace / folder))
        except OSError:  # no permission, or a path longer than the system takes
            yield folder, Entry("unreadable", "", ()), None
            continue
        for item in listed:
            if item.name in VERSION_CONTROL:
                continue
            path = f"{folder}/{item.name}" if folder else item.name
            if item.is_dir(follow_symlinks=False):
                folders.append(path)
            else:
                yield path, *_entry(item, known.get(path), keep=keep)


def _entry(item: os.DirEntry[str], known: Entry | None, *, keep: bool) -> tuple[Entry, bytes | None]:
    try:
        status = item.stat(follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            return Entry("link", os.readlink(item.path), ()), None  # noqa: PTH115 - a path that is text already
        if not stat.S_ISREG(status.st_mode):
            return Entry("special", "", ()), None
        kind: Kind = "executable" if status.st_mode & stat.S_IXUSR else "file"
        mark = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if known is not None and known.mark == mark:
            return Entry(kind, known.content, mark), None
        digest, content = _read(item.path, keep=keep)
    except OSError:
        return Entry("unreadable", "", ()), None
    return Entry(kind, digest, mark), content


def _read(path: str, *, keep: bool) -> tuple[str, bytes | None]:
    with open_regular(path) as file:
        first = file.read(LARGEST_SHOWN + 1)
        digest = hashlib.sha256(first)
        if len(first) <= LARGEST_SHOWN:
            return digest.hexdigest(), first if keep else None
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest(), None

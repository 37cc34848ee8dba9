"""Which folders below a workspaces root belong to a trial that is running, and which to nobody any more.

Each trial has a folder that its runner holds a lock on until all of the trial is removed; in it stand the names of its
other folders. The system lets the lock go with the runner, however it dies. A copy of the campaign may be running below
the same root, so that neither a name nor an age proves anything.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_NAMES: Final = "names"
_OURS: Final = re.compile(r"\.[0-9a-f]{8}")
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def hidden_name() -> str:
    """A new name for a folder of a trial beside its workspace; short, for sockets in it have little room."""
    return f".{secrets.token_hex(4)}"


class Claim:
    """A new folder below a root, locked by this process; `folder` is its path."""

    def __init__(self, folder: Path, descriptor: int | None) -> None:
        self.folder = folder
        self._descriptor = descriptor

    @classmethod
    def below(cls, root: Path) -> Self:
        """Make one. On a file system without such locks it is made all the same, and nobody can clear it away.

        Raises:
            OSError: it cannot be made.
        """
        while True:
            folder = root / hidden_name()
            folder.mkdir(mode=0o700)
            try:
                descriptor = os.open(folder, _FOLDER)
            except FileNotFoundError:  # somebody who clears the root away was quicker
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(descriptor), folder.lstat()):
                    return cls(folder, descriptor)
            except (BlockingIOError, FileNotFoundError):
                pass
            except OSError:
                os.close(descriptor)
                return cls(folder, None)
            os.close(descriptor)

    def name(self, *names: str) -> None:
        """Note the names of the trial's other folders, before they are made."""
        (self.folder / _NAMES).write_text("\n".join(names), encoding="utf-8", errors="surrogateescape")

    def close(self) -> None:
        """Let the lock go; once or more often."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class Unclaimed:
    """What stands below a root and belongs to nobody any more; a context manager, so that nobody else clears it away.

    `names` are of workspaces (a trial's ID, perhaps with `+N` after it) and of their trials' other folders. What else
    stands there is not ours, and not among them.
    """

    def __init__(self, root: Path, trial_ids: Iterable[str]) -> None:
        self.names: list[str] = []
        self._descriptors: list[int] = []
        # Listed first: what is there by now was named before it was made.
        found = sorted(path.name for path in root.iterdir())
        known = set(trial_ids) if any(not _OURS.fullmatch(name) for name in found) else set()
        ours = [name for name in found if _OURS.fullmatch(name) or name.partition("+")[0] in known]
        claimed: set[str] = set()
        for name in filter(_OURS.fullmatch, ours):
            if not self._take(root / name):
                claimed |= {name, *_noted(root / name)}
        self.names = [name for name in ours if name not in claimed]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._descriptors:
            os.close(descriptor)

    def _take(self, folder: Path) -> bool:
        """Whether nobody holds it; nobody else can hold it then."""
        try:
            descriptor = os.open(folder, _FOLDER)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return False
        self._descriptors.append(descriptor)
        return True


def _noted(folder: Path) -> list[str]:
    with suppress(OSError):
        return (folder / _NAMES).read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    return []

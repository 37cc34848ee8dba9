"""Trees that an agent has left, removed whatever is in them: no path grows long, and nothing is followed.

Each folder that is found is first renamed to stand directly below the tree's top, so that a tree of any depth is only
ever two levels deep here; names of any length and folders without permissions are removed too.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def remove_tree(top: Path) -> None:
    """Remove `top` and all below it; a tree that is not there is removed already.

    Raises:
        OSError: the system refuses, as for another user's files; what could be removed is.
    """
    try:
        mode = top.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        _Removal(top).remove()
    else:
        top.unlink()


class _Removal:
    def __init__(self, top: Path) -> None:
        self._top = top
        self._number = 0
        self._refused: OSError | None = None

    def remove(self) -> None:
        self._top.chmod(0o700)
        descriptor = os.open(self._top, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            waiting = self._emptied(descriptor, descriptor)
            while waiting:
                name = waiting.pop()
                waiting += self._folder(name, descriptor)
        finally:
            os.close(descriptor)
        if self._refused is not None:
            raise self._refused
        self._top.rmdir()

    def _folder(self, name: str, top: int) -> list[str]:
        """Remove one folder that stands below the top; the new names of the folders that were in it."""
        try:
            os.chmod(name, 0o700, dir_fd=top)
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
            try:
                found = self._emptied(inner, top)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=top)
        except OSError as error:
            self._refused = self._refused or error
            return []
        return found

    def _emptied(self, folder: int, top: int) -> list[str]:
        found = []
        with os.scandir(folder) as entries:
            listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        for name, is_folder in listed:
            try:
                if is_folder:
                    found.append(self._lifted(name, folder, top))
                else:
                    os.unlink(name, dir_fd=folder)
            except OSError as error:
                self._refused = self._refused or error
        return found

    def _lifted(self, name: str, folder: int, top: int) -> str:
        """Move a folder to the top, under a name that is free."""
        os.chmod(name, 0o700, dir_fd=folder)  # the entry `..` in it is rewritten
        while True:
            self._number += 1
            free = f".removed-{self._number}"
            try:
                os.stat(free, dir_fd=top, follow_symlinks=False)
            except FileNotFoundError:
                os.rename(name, free, src_dir_fd=folder, dst_dir_fd=top)
                return free

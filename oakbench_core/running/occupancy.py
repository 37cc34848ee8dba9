"""Whose folders stand below the workspaces root: those of a run that is alive, or what a killed one has left.

A run's mark is a file `.run-TOKEN` that it holds a lock on while it lives; the token begins the names of its trials'
private folders. A mark that nobody holds is a dead run's, and what belongs to it is removed. A copy of the campaign may
be running under the same root: it is left alone.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from oakbench_core.durable.lock import take_lock
from oakbench_core.durable.opening import failures_named
from oakbench_core.running.regular_files import open_regular
from oakbench_core.running.removing import remove_tree
from oakbench_core.running.workspace import TOKEN_LENGTH, WORKSPACE_NOTE

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK: Final = ".run-"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~+-]*")
_FLAGS: Final = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def occupied(root: Path) -> Iterator[str]:
    """The token of a run that lives in the root for as long as this.

    Raises:
        PlatformError: nothing can be written there.
    """
    with failures_named(root, "use the folder for workspaces"):
        token, descriptor = _new_mark(root)
    try:
        with suppress(OSError):  # without such locks on this file system nobody will take the run for a dead one's
            take_lock(descriptor)
        yield token
    finally:
        with suppress(OSError):
            (root / f"{_MARK}{token}").unlink(missing_ok=True)
        os.close(descriptor)
        remove_abandoned(root)  # what was still dying when this run began


def remove_abandoned(root: Path) -> int:
    """Remove what runs that are dead have left: how many workspaces that were.

    What the system will not remove stays, for the next to try.
    """
    removed = 0
    for mark in root.glob(f"{_MARK}*"):
        with suppress(OSError):
            descriptor = os.open(mark, _FLAGS)
            try:
                if take_lock(descriptor):
                    removed += _remove_of(root, mark.name.removeprefix(_MARK))
                    mark.unlink()
            finally:
                os.close(descriptor)
    return removed


def _new_mark(root: Path) -> tuple[str, int]:
    while True:
        token = secrets.token_hex(TOKEN_LENGTH // 2)
        with suppress(FileExistsError):
            return token, os.open(root / f"{_MARK}{token}", _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)


def _remove_of(root: Path, token: str) -> int:
    """How many workspaces were removed. Raises OSError where something of it stays."""
    removed = 0
    if not re.fullmatch(rf"[0-9a-f]{{{TOKEN_LENGTH}}}", token):
        return removed
    for folder in root.glob(f".{token}*"):
        with suppress(FileNotFoundError, NotADirectoryError), open_regular(folder / WORKSPACE_NOTE) as note:
            name = note.read(300).decode(errors="replace")
            if _NAME.fullmatch(name):
                removed += (root / name).exists()
                remove_tree(root / name)
        remove_tree(folder)
    return removed

"""A place for what is tried and not kept: outside of every repository, and gone afterwards with all that is in it."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from oakbench_core.errors import PlatformError, Problem
from oakbench_core.running.removing import remove_tree
from oakbench_core.running.workspace import marker_above

if TYPE_CHECKING:
    from collections.abc import Iterator

_ELSEWHERE: Final = Path("/var/tmp")  # noqa: S108 - a new folder of this user's own is made in it


@contextmanager
def throw_away_folder() -> Iterator[Path]:
    """A new folder, for this user only.

    Raises:
        PlatformError: every temporary folder lies in a repository, none can be made, or it cannot be removed.
    """
    places = (Path(tempfile.gettempdir()), _ELSEWHERE)
    free = next((place for place in places if marker_above(place) is None), None)
    if free is None:
        rule = f"a throw-away workspace must stand outside every repository, and {marker_above(places[0])} is above it"
        raise PlatformError(
            "there is no place for throw-away workspaces",
            [Problem(file=str(places[0]), rule=rule)],
            next_step="set TMPDIR to a folder outside of every repository",
        )
    try:
        folder = Path(tempfile.mkdtemp(prefix="oakbench-check-", dir=free))
    except OSError as error:
        rule = f"a throw-away folder cannot be made: {error.strerror}"
        raise PlatformError(rule, [Problem(file=str(free), rule=rule)], next_step="set TMPDIR to another") from error
    try:
        yield folder
    finally:
        try:
            remove_tree(folder)
        except OSError as error:
            rule = f"what was tried cannot be removed: {error.strerror}: {error.filename}"
            raise PlatformError(rule, [Problem(file=str(folder), rule=rule)], next_step="remove it by hand") from error

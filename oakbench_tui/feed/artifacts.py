"""The artifacts of a trial as files: how large each is, and its end, or its beginning where that says more.

Rows name them; of a trial that is running they are found by its ID. Nothing outside the campaign folder is opened, no
link is followed, no FIFO is waited for, and of a file of any size only a few pages are read.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from oakbench_core.running.artifacts import STDERR, STDOUT, artifact_folder
from oakbench_core.running.regular_files import open_regular
from oakbench_tui.view.inspector.artifact import Artifact
from oakbench_tui.view.inspector.record import part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oakbench_core.campaign.plan import Plan
    from oakbench_tui.view.inspector.record import Records

_SHOWN: Final = ("oracle", "changes", "stderr", "stdout", "transcript")
_FROM_THE_START: Final = frozenset({"oracle", "changes"})
_MOST: Final = 64 << 10


class Leftovers:
    """How many trials of a plan have artifacts; looked at again only when that folder changes."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self._artifacts = artifact_folder(folder, "x").parent
        self._trial_ids = plan.index
        self._seen: tuple[int | None, int] = (None, 0)

    def count(self) -> int:
        try:
            changed_ns = self._artifacts.stat().st_mtime_ns
            if changed_ns != self._seen[0]:
                found = sum(place.name in self._trial_ids for place in self._artifacts.iterdir())
                self._seen = (changed_ns, found)
        except OSError:
            return 0
        return self._seen[1]


def artifacts_of(folder: Path, records: Records, trial_id: str) -> tuple[Artifact, ...]:
    """What is to be seen of the trial's artifacts, in the order in which they explain it."""
    return tuple(_read(folder, name, path) for name, path in _paths(records, trial_id).items())


def _paths(records: Records, trial_id: str) -> Mapping[str, str]:
    if records.row is not None:
        held = part(records.row, "artifacts")
        return {name: str(held[name]) for name in _SHOWN if held.get(name) is not None}
    if records.start is None:
        return {}
    running = artifact_folder(Path(), trial_id)
    return {"stderr": str(running / STDERR), "stdout": str(running / STDOUT)}


def _read(folder: Path, name: str, path: str) -> Artifact:
    place = folder / path
    try:
        if not place.parent.resolve().is_relative_to(folder.resolve()):
            return Artifact(name, path, failure="it leads out of the campaign folder")
        with open_regular(place) as file:
            size = os.fstat(file.fileno()).st_size
            start = 0 if name in _FROM_THE_START else max(size - _MOST, 0)
            text = os.pread(file.fileno(), _MOST, start).decode(errors="backslashreplace")
    except FileNotFoundError:
        return Artifact(name, path, failure="not there")
    except OSError as error:
        return Artifact(name, path, failure=error.strerror or str(error))
    return Artifact(name, path, size=size, text=text, whole=size <= _MOST)

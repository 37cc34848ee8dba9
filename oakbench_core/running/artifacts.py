"""The artifacts of a trial, in `artifacts/<trial ID>/` of the campaign folder; rows name them by relative paths."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

STDOUT: Final = "stdout.txt"
STDERR: Final = "stderr.txt"
CHANGES: Final = "changes.diff"
ORACLE: Final = "oracle.txt"
LARGEST_CHANGES: Final = 4 << 20


def artifact_folder(campaign: Path, trial_id: str) -> Path:
    return campaign / "artifacts" / trial_id


class TrialArtifacts:
    """The folder of one trial, which is new. Files are new too, and for this user only."""

    def __init__(self, campaign: Path, trial_id: str) -> None:
        """Raises OSError, FileExistsError where the trial has a folder already."""
        self._campaign = campaign
        self._folder = artifact_folder(campaign, trial_id)
        self._folder.parent.mkdir(mode=0o700, exist_ok=True)
        self._folder.mkdir(mode=0o700)

    def path(self, name: str) -> Path:
        return self._folder / name

    def relative(self, name: str) -> str:
        """As a row names it."""
        return str(self.path(name).relative_to(self._campaign))

    def write(self, name: str, pieces: Iterable[bytes], *, cap_bytes: int | None = None) -> str:
        """A new file of these pieces, cut after `cap_bytes`, which is said in it; its relative path."""
        room = cap_bytes
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(self.path(name), flags, 0o600), "wb") as file:  # noqa: PTH123 - of a descriptor
            for piece in pieces:
                if room is not None and len(piece) > room:
                    file.write(piece[:room] + f"\n[cut after {cap_bytes:,} bytes]\n".encode())
                    break
                file.write(piece)
                room = None if room is None else room - len(piece)
        return self.relative(name)

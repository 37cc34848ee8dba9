"""Where trials run: below a root outside every repository, each in a folder that is new and then gone.

A workspace is `<root>/<trial>`. What belongs to the trial but not to its work (HOME, TMPDIR, prompt, inputs, later the
oracle's files) is in a folder with a short name of its own, since sockets in TMPDIR have room for 107 bytes of path.
What the agent is not told of (the state before it) is in another, which also says whose all of it is (`claims`).
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.errors import PlatformError, Problem
from oakbench_core.running.claims import Claim, hidden_name
from oakbench_core.running.removing import remove_tree

if TYPE_CHECKING:
    from collections.abc import Mapping

MARKERS: Final = (".git", ".jj", ".hg", "CLAUDE.md", "AGENTS.md", "GEMINI.md")
"""What makes a folder part of a project, so that version control or an agent in it would look up there."""

_PERSISTENT_TEMPORARY: Final = Path("/var/tmp")  # noqa: S108 - a folder of this user's own is made and tested in it


class Places(NamedTuple):
    """The folders of one trial, all below `root`, which is a real path."""

    root: Path
    workspace: Path
    private: Path
    claim: Claim

    @property
    def hidden(self) -> Path:
        return self.claim.folder

    @property
    def home(self) -> Path:
        return self.private / "home"

    @property
    def temporary(self) -> Path:
        return self.private / "tmp"

    @property
    def inputs(self) -> Path:
        return self.private / "inputs"

    @property
    def oracle(self) -> Path:
        return self.private / "oracle"

    @property
    def prompt_file(self) -> Path:
        return self.private / "prompt.txt"

    @property
    def usage_file(self) -> Path:
        return self.private / "usage.json"

    def remove(self) -> OSError | None:
        """Remove all of it; the first refusal of the system."""
        refused = None
        for folder in (self.workspace, self.private, self.hidden):
            try:
                remove_tree(folder)
            except OSError as error:
                refused = refused or error
        self.claim.close()
        return refused


def workspaces_root(plan_sha256: str, environment: Mapping[str, str], chosen: Path | None = None) -> Path:
    """The real path of the folder for the workspaces of one plan, made (0700) if need be.

    Args:
        plan_sha256: the plan's hash; its first twelve digits name the folder.
        environment: the runner's; XDG_STATE_HOME and HOME are looked at.
        chosen: the folder that the user wants, in place of `${XDG_STATE_HOME:-~/.local/state}/oakbench`.

    Raises:
        PlatformError: it lies in a repository, belongs to someone else, or cannot be made.
    """
    folder = chosen if chosen is not None else _state_home(environment) / "oakbench"
    marker = marker_above(folder)
    if marker is not None and chosen is None:
        folder = _PERSISTENT_TEMPORARY / f"oakbench-{os.geteuid()}"
        marker = marker_above(folder)
    if marker is not None:
        rule = f"workspaces must stand outside every repository, and {marker} is above them"
        raise PlatformError(
            "this folder is refused for workspaces",
            [Problem(file=str(folder), rule=rule)],
            next_step="give another folder with --workspaces",
        )
    return _own_folder(_own_folder(folder, private=chosen is None) / plan_sha256[:12])


def marker_above(folder: Path) -> Path | None:
    """The first marker in the folder or one above it, by its real path; the folder need not be there."""
    real = Path(os.path.realpath(folder))
    places = (above / marker for above in (real, *real.parents) for marker in MARKERS)
    return next((place for place in places if os.path.lexists(place)), None)


def new_places(root: Path, trial_id: str) -> Places:
    """New folders of a trial; the workspace itself is not made yet."""
    claim = Claim.below(root)
    private, workspace, number = root / hidden_name(), root / trial_id, 1
    while os.path.lexists(workspace):  # what a killed runner, or one of a copy of this campaign, has there
        number += 1
        workspace = root / f"{trial_id}+{number}"
    claim.name(workspace.name, private.name)
    for folder in (private, private / "home", private / "tmp"):
        folder.mkdir(mode=0o700)
    return Places(root, workspace, private, claim)


def keep_workspace(workspace: Path, target: Path) -> None:
    """Move a workspace to where its user looks for it. Raises OSError (shutil.Error is one) where it cannot be."""
    target.parent.mkdir(mode=0o700, exist_ok=True)
    if os.path.lexists(target):
        raise FileExistsError(17, "something stands there already", str(target))
    try:
        workspace.rename(target)
    except OSError:  # another file system
        shutil.copytree(workspace, target, symlinks=True, ignore=_special_files)
        remove_tree(workspace)


def _state_home(environment: Mapping[str, str]) -> Path:
    state = environment.get("XDG_STATE_HOME", "")
    if state.startswith("/"):  # its specification: a relative path is to be ignored
        return Path(state)
    return Path(environment.get("HOME") or Path.home()) / ".local" / "state"


def _own_folder(folder: Path, *, private: bool = True) -> Path:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        real = Path(os.path.realpath(folder))
        status = real.stat()
    except OSError as error:
        rule = f"the folder for workspaces cannot be made: {error.strerror}"
        raise PlatformError(rule, [Problem(file=str(folder), rule=rule)]) from error
    if private and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
        rule = "a folder for workspaces must belong to this user, and only the user may write in it"
        raise PlatformError(rule, [Problem(file=str(folder), rule=rule)])
    return real


def _special_files(folder: str, names: list[str]) -> set[str]:
    kinds = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)
    return {name for name in names if stat.S_IFMT((Path(folder) / name).lstat().st_mode) not in kinds}

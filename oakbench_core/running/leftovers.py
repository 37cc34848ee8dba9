"""What runners that were killed left in the workspaces of a plan: processes, and the folders of the trial that ran.

Processes stay where a runner and its fork server died at once. They are known by the root of the workspaces in their
environment, or by the folder that they stand in. What a fork server that is alive answers for is none of them: a copy
of the campaign may be running under the same root. Folders stay whenever a runner is killed; whose they are is told by
`claims`.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.running.claims import Unclaimed
from oakbench_core.running.removing import remove_tree
from oakbench_core.running.supervisor import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LIMIT_S: Final = 5.0
_PAUSE_S: Final = 0.01


class Cleared(NamedTuple):
    """How many processes were ended and how many workspaces removed; the first refusal of the system, if there was."""

    processes: int
    workspaces: int
    refused: OSError | None

    def __bool__(self) -> bool:
        return bool(self.processes or self.workspaces or self.refused)


def clear_leftovers(root: Path, trial_ids: Iterable[str]) -> Cleared:
    """End and remove what is left below the workspaces root (a real path), and nothing of a runner that is alive."""
    processes, workspaces, refused = end_leftovers(root), 0, None
    with Unclaimed(root, trial_ids) as unclaimed:
        for name in unclaimed.names:
            try:
                _remove(root / name)
                workspaces += not name.startswith(".")
            except OSError as error:
                refused = refused or error
    return Cleared(processes, workspaces, refused)


def _remove(folder: Path) -> None:
    """As `remove_tree`; a supervisor whose runner has just died may need a moment to end what still writes there."""
    limit = time.monotonic() + _LIMIT_S
    while True:
        try:
            remove_tree(folder)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY or time.monotonic() > limit:
                raise
            time.sleep(_PAUSE_S)
        else:
            return


def end_leftovers(root: Path) -> int:
    """Kill what is left below the workspaces root (a real path); how many processes that were."""
    killed: set[int] = set()
    limit = time.monotonic() + _LIMIT_S
    while (found := list(leftovers(root))) and time.monotonic() < limit:
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        killed.update(found)
        time.sleep(_PAUSE_S)
    return len(killed)


def leftovers(root: Path) -> Iterator[int]:
    """The processes that are left there."""
    marker = f"GIT_CEILING_DIRECTORIES={root}".encode(errors="surrogateescape")
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        with suppress(OSError, ValueError):
            if _is_there(process, root, marker) and not _is_supervised(process):
                yield int(process.name)


def _is_there(process: Path, root: Path, marker: bytes) -> bool:
    if _state(process)[0] in {b"Z", b"X"}:
        return False
    if marker in (process / "environ").read_bytes().split(b"\0"):
        return True
    return (process / "cwd").readlink().is_relative_to(root / "")


def _is_supervised(process: Path) -> bool:
    """Whether a fork server or a supervisor that is at work is among the process's ancestors."""
    program = PROGRAM.encode()
    while process.name not in {"0", "1"}:
        state, parent = _state(process)
        if state != b"T" and program in (process / "cmdline").read_bytes().split(b"\0"):
            return True
        process = process.with_name(parent.decode())
    return False


def _state(process: Path) -> tuple[bytes, bytes]:
    """State and parent of a process."""
    stat = (process / "stat").read_bytes()
    state, parent = stat[stat.rindex(b")") + 2 :].split(b" ", 2)[:2]
    return state, parent

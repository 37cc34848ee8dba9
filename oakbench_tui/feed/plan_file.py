"""plan.json under an open console: whether it is still the plan that was opened.

Everything on the screen is a reading of the journal by that plan. Without it, or beside another one, nothing of it may
be said: a figure would belong to a campaign that the folder no longer holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_core.campaign.plan import plan_hash
from oakbench_core.canonical import parse_strict
from oakbench_core.durable.documents import PLAN_NAME
from oakbench_core.durable.opening import read_whole
from oakbench_core.durable.stamp import FileStamp
from oakbench_core.errors import OakbenchError
from oakbench_tui.view.snapshot import Failure

if TYPE_CHECKING:
    from pathlib import Path

_BACK = "put it back, from version control or a copy: this screen then comes back by itself"
_OPEN_ANEW = "leave with q and open the folder again, to see the other plan"


def plan_stamp(folder: Path) -> FileStamp | None:
    """What tells a touched plan.json from an untouched one; None where there is none to be seen."""
    try:
        return FileStamp.of((folder / PLAN_NAME).stat())
    except OSError:
        return None


class PlanFile:
    """`stamp`: of the file as it was before the plan was loaded; None: it is looked at once, to be sure."""

    def __init__(self, folder: Path, plan_sha256: str, stamp: FileStamp | None = None) -> None:
        self._folder = folder
        self._plan_sha256 = plan_sha256
        self._stamp = stamp
        self._failure: Failure | None = None

    def failure(self) -> Failure | None:
        """Why nothing may be shown; None while the plan stands there as it was opened. Read again only if touched."""
        stamp = plan_stamp(self._folder)
        if stamp is None or stamp != self._stamp:
            self._failure = self._look()
            self._stamp = stamp
        return self._failure

    def _look(self) -> Failure | None:
        path = self._folder / PLAN_NAME
        if not self._folder.is_dir():
            return Failure(str(self._folder), "the campaign folder is not there", _BACK)
        try:
            content = read_whole(path)
        except OakbenchError as error:
            return Failure(str(path), error.rule, _BACK)
        found = _frozen_hash(content)
        if found == self._plan_sha256:
            return None
        opened = self._plan_sha256[:12]
        if found is None:
            rule = f"it was changed, and is no longer the plan {opened} that was opened"
            return Failure(str(path), rule, _BACK, contradicts=True)
        rule = f"another plan stands there: {opened} was opened, this is {found[:12]}"
        return Failure(str(path), rule, _OPEN_ANEW, contradicts=True)


def _frozen_hash(content: bytes) -> str | None:
    """The hash that the content states, and has; None where it is no frozen plan."""
    value, problems = parse_strict(content)
    if problems or not isinstance(value, dict):
        return None
    found = plan_hash(value)
    return found if value.get("plan_sha256") == found else None

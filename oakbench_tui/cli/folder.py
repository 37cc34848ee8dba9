"""The argument that most commands share: a campaign folder."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Final

import typer

from oakbench_core.durable.opening import failures_named
from oakbench_core.errors import Problem, UsageError

_DEMO: Final = "oakbench-tui demo makes a small campaign to look at"

# Not `readable`: typer would call it wrong usage where the system refuses.
Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="The campaign folder, which holds plan.json.", readable=False)
]


def campaign_folder(path: Path) -> Path:
    """The path itself, if a plan stands in it.

    Raises:
        UsageError: nothing there, no folder, or a folder without plan.json.
        PlatformError: the system refuses to look there.
    """
    with failures_named(path, "look into it"):
        if path.is_dir():
            if (path / "plan.json").exists():
                return path
            if (path / "campaign.toml").exists():
                raise _refused(path, "a definition that was not frozen yet: there is no plan.json in it", _freeze(path))
            raise _refused(path, "no plan.json in it, so it is no campaign folder", _DEMO)
        if path.suffix == ".toml" and path.is_file():
            raise _refused(path, "a definition, not the folder that freezing makes of it", _freeze(path))
        if path.is_file():
            raise _refused(path, f"a file; give the folder it stands in: {path.parent}", _DEMO)
    raise _refused(path, "there is no such folder", _DEMO)


def _freeze(definition: Path) -> str:
    return f"oakbench-tui freeze {shlex.quote(str(definition))} makes a campaign folder of it, and says how to run that"


def _refused(path: Path, rule: str, next_step: str) -> UsageError:
    return UsageError("expected a campaign folder", [Problem(file=str(path), rule=rule)], next_step=next_step)

"""The argument that most commands share: a campaign folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from oakbench_core.errors import Problem, UsageError

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The campaign folder, which holds plan.json.")]


def campaign_folder(path: Path) -> Path:
    """The path itself, if a plan stands in it.

    Raises:
        UsageError: nothing there, no folder, or a folder without plan.json.
    """
    shown = str(path)
    if path.is_dir():
        if (path / "plan.json").exists():
            return path
        rule = "no plan.json in it, so it is no campaign folder"
    elif path.is_file():
        rule = f"a file; give the folder it stands in: {path.parent}"
    else:
        rule = "there is no such folder"
    raise UsageError(
        "expected a campaign folder",
        [Problem(file=shown, rule=rule)],
        next_step="oakbench-tui demo makes a small campaign to look at",
    )

"""The argument of the commands that read a definition: a campaign.toml, or the folder that it stands in."""

from __future__ import annotations

import os
from pathlib import Path

from oakbench_core.errors import Problem, UsageError


def expect_definition(path: Path) -> None:
    """Refuse a path at which nothing stands, and say how to come by a definition.

    Raises:
        UsageError: there is no such file, or no campaign.toml in the folder.
    """
    file = path / "campaign.toml" if os.path.isdir(path) else path  # noqa: PTH112 - it refuses no path, as Path does
    try:
        os.lstat(file)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError):  # what the system refuses is said by whoever opens the file
        return
    else:
        return
    rule = "there is no such file"
    raise UsageError(
        "expected a definition",
        [Problem(file=str(file), rule=rule)],
        next_step="oakbench-tui init DIR writes a first one, with a small task, to be changed",
    )

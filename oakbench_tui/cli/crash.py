"""A defect of ours: the traceback goes to a file, one sentence goes to the screen, the exit code is 70."""

from __future__ import annotations

import os
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path

from oakbench_core.display import display_safe


def write_crash_file(error: BaseException) -> Path:
    """The path of a new file with the traceback, without values of variables.

    Raises:
        OSError: it can be written nowhere.
    """
    from importlib.metadata import version

    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "oakbench"
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    text = f"oakbench {version('oakbench')}\n" + "".join(traceback.format_exception(error))
    try:
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(prefix=f"crash-{stamp}-", suffix=".txt", dir=state)
    except OSError:
        descriptor, name = tempfile.mkstemp(prefix=f"oakbench-crash-{stamp}-", suffix=".txt")
    with os.fdopen(descriptor, "w") as file:
        file.write(display_safe(text, keep_newlines=True))
    return Path(name)

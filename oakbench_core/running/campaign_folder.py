"""A new campaign folder: it appears under its name whole or not at all, and never over something that is there."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.canonical import readable_text
from oakbench_core.durable.documents import PLAN_NAME, write_new
from oakbench_core.durable.opening import failures_named
from oakbench_core.errors import PlatformError, Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Anchored: a fixture may hold files of these names.
_IGNORED: Final = b"/journal*\n/artifacts/\n/workspaces/\n"
_EPOCH: Final = "SOURCE_DATE_EPOCH"
_ELSEWHERE: Final = "freeze into another folder with -o DIR"


@contextmanager
def new_campaign_folder(target: Path) -> Iterator[Path]:
    """A folder to put a campaign's files in; it gets its name when the block ends, and is gone if that raises.

    Raises:
        UsageError: something stands at `target` already.
        PlatformError: the system refuses to read or to write.
    """
    with failures_named(target, "write a campaign folder"):
        _expect_folder_above(target)
        expect_free(target)
        # Beside the target, so that it can be given its name in one step.
        beside = next(place for place in target.absolute().parents if place.is_dir())
        with tempfile.TemporaryDirectory(prefix=".oakbench-freezing-", dir=beside) as staging:
            staged = Path(staging) / "campaign"
            staged.mkdir(mode=0o700)
            (staged / ".gitignore").write_bytes(_IGNORED)
            yield staged
            _put(staged, target)


def expect_free(target: Path) -> None:
    """Raises UsageError where something stands at `target`; an empty folder may be there."""
    if target.is_symlink() or (target.exists() and not (target.is_dir() and not any(target.iterdir()))):
        raise _exists(target)


def _expect_folder_above(target: Path) -> None:
    """Raises PlatformError where the folder cannot stand at `target`, since something above it is no folder."""
    above = next(place for place in target.absolute().parents if os.path.lexists(place))
    if not above.is_dir():
        rule = f"cannot write a campaign folder: {above} is no folder"
        raise PlatformError(f"{target}: {rule}", [Problem(file=str(target), rule=rule)], next_step=_ELSEWHERE)


def put_plan(folder: Path, document: Mapping[str, Any]) -> None:
    """Write the plan into the new folder, whose maker names what the system refuses."""
    write_new(folder / PLAN_NAME, readable_text(document).encode())


def time_of_freezing() -> str:
    """The UTC time that a plan carries: what SOURCE_DATE_EPOCH says, or the clock.

    Raises:
        UsageError: SOURCE_DATE_EPOCH says no time.
    """
    said = os.environ.get(_EPOCH)
    try:
        moment = datetime.now(UTC) if said is None else datetime.fromtimestamp(int(said), UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"expected whole seconds since 1970 in {_EPOCH}, found {said!r}") from None
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _exists(target: Path) -> UsageError:
    rule = "it exists already, and nothing is written over it"
    return UsageError(
        f"{target}: {rule}",
        [Problem(file=str(target), rule=rule)],
        next_step=f"{_ELSEWHERE}; a new plan is a new campaign",
    )


def _put(staged: Path, target: Path) -> None:
    """Give the finished folder its name. In an empty folder that is there, the plan comes last."""
    expect_free(target)
    if target.exists():
        for child in sorted(staged.iterdir(), key=lambda child: child.name == PLAN_NAME):
            child.rename(target / child.name)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        staged.rename(target)
    except OSError as error:
        if error.errno in {errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR}:
            raise _exists(target) from None
        raise

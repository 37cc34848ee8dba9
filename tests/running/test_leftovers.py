"""Folders of trials whose runner was killed: removed, and never those of a runner that is alive."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oakbench_core.running.claims import Claim, Unclaimed
from oakbench_core.running.leftovers import clear_leftovers
from oakbench_core.running.workspace import new_places

if TYPE_CHECKING:
    from oakbench_core.running.workspace import Places

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the runner needs Linux")

ROOT = Path(__file__).resolve().parents[2]
TRIALS = ("w.t.git", "w.t.hg")


def at_work(root: Path, trial_id: str = TRIALS[0]) -> Places:
    """A trial in the middle of its work."""
    places = new_places(root, trial_id)
    (places.workspace / "deep" / "er").mkdir(parents=True)
    (places.hidden / "before").mkdir()
    (places.home / ".config").write_text("x")
    return places


def names(root: Path) -> set[str]:
    return {path.name for path in root.iterdir()}


def own(places: Places) -> set[str]:
    return {places.workspace.name, places.private.name, places.hidden.name}


def test_nothing_of_a_trial_that_runs_is_removed(tmp_path: Path) -> None:
    places = at_work(tmp_path)

    assert not clear_leftovers(tmp_path, TRIALS)
    assert names(tmp_path) == own(places)
    assert places.remove() is None
    assert names(tmp_path) == set()


def test_of_dead_and_living_runners_only_the_dead_ones_folders_are_removed(tmp_path: Path) -> None:
    """The lock goes with its process; here it is let go in its place."""
    dead, alive, dead_too = at_work(tmp_path), at_work(tmp_path), at_work(tmp_path, TRIALS[1])
    dead.claim.close()
    dead_too.claim.close()
    cleared = clear_leftovers(tmp_path, TRIALS)

    assert alive.workspace.name == f"{TRIALS[0]}+2"
    assert (cleared.workspaces, cleared.refused) == (2, None)
    assert names(tmp_path) == own(alive)
    assert not clear_leftovers(tmp_path, TRIALS)


@pytest.mark.parametrize("removed", ["workspace", "private", "hidden"])
def test_what_a_broken_off_removal_left_is_removed(removed: str, tmp_path: Path) -> None:
    places = at_work(tmp_path)
    for name in ("workspace", "private", "hidden"):
        path: Path = getattr(places, name)
        path.rename(tmp_path.parent / f"{tmp_path.name}-{name}")
        if name == removed:
            break
    places.claim.close()

    clear_leftovers(tmp_path, TRIALS)

    assert names(tmp_path) == set()


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    kept = {"notes.txt", "w.t.svn", ".config", ".0123456", "lost+found"}
    for name in kept:
        (tmp_path / name).mkdir()

    assert not clear_leftovers(tmp_path, TRIALS)
    assert names(tmp_path) == kept


def test_the_lock_goes_with_the_process_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import os, sys, signal; from pathlib import Path\n"
        "from oakbench_core.running.workspace import new_places\n"
        f"new_places(Path(sys.argv[1]), {TRIALS[0]!r}).workspace.mkdir()\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, check=False)
    assert len(names(tmp_path)) == 3

    assert clear_leftovers(tmp_path, TRIALS).workspaces == 1
    assert names(tmp_path) == set()


def test_two_that_clear_at_once_take_nothing_twice(tmp_path: Path) -> None:
    at_work(tmp_path).claim.close()
    with Unclaimed(tmp_path, TRIALS) as first, Unclaimed(tmp_path, TRIALS) as second:
        assert len(first.names) == 3
        assert second.names == []


def test_without_locks_nothing_is_cleared_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a network file system: whose a folder is cannot be told there."""

    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    places = at_work(tmp_path)
    places.claim.close()

    assert not clear_leftovers(tmp_path, TRIALS)
    assert names(tmp_path) == own(places)


def test_a_claim_that_is_cleared_away_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one moment in which a new folder looks dead."""
    lock = fcntl.flock
    locked: list[int] = []

    def late(descriptor: int, how: int) -> None:
        if not locked:
            locked.append(descriptor)
            [folder] = tmp_path.iterdir()
            folder.rmdir()
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    claim = Claim.below(tmp_path)

    assert [claim.folder] == list(tmp_path.iterdir())
    with Unclaimed(tmp_path, TRIALS) as unclaimed:
        assert unclaimed.names == []

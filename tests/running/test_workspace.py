"""Where workspaces may stand, and that what stands there is nobody else's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from oakbench_core.errors import PlatformError
from oakbench_core.running import workspace as places
from oakbench_core.running.environment import search_path
from oakbench_core.running.workspace import MARKERS, keep_workspace, new_places, workspaces_root

if TYPE_CHECKING:
    from pathlib import Path

PLAN = "0123456789abcdef" * 4


def test_the_default_is_the_users_state_folder_named_by_the_plan(tmp_path: Path) -> None:
    state, home = tmp_path / "state", tmp_path / "home"

    assert workspaces_root(PLAN, {"XDG_STATE_HOME": str(state)}) == state / "oakbench" / "0123456789ab"
    at_home = home / ".local" / "state" / "oakbench" / "0123456789ab"
    assert workspaces_root(PLAN, {"HOME": str(home)}) == at_home
    assert workspaces_root(PLAN, {"HOME": str(home), "XDG_STATE_HOME": "relative"}) == at_home
    assert at_home.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("marker", MARKERS)
def test_a_folder_that_was_asked_for_inside_a_project_is_refused(tmp_path: Path, marker: str) -> None:
    (tmp_path / "project" / "deep").mkdir(parents=True)
    (tmp_path / "project" / marker).touch()
    (tmp_path / "link").symlink_to(tmp_path / "project" / "deep")

    for chosen in (tmp_path / "project", tmp_path / "project" / "deep" / "not yet", tmp_path / "link"):
        with pytest.raises(PlatformError, match="outside every repository") as refused:
            workspaces_root(PLAN, {}, chosen)
        assert refused.value.exit_code == 42
    assert workspaces_root(PLAN, {}, tmp_path / "beside") == tmp_path / "beside" / "0123456789ab"


def test_a_default_inside_a_project_gives_way_to_a_folder_of_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".git").mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(places, "_PERSISTENT_TEMPORARY", tmp_path / "tmp")

    root = workspaces_root(PLAN, {"HOME": str(tmp_path / "home")})

    own = tmp_path / "tmp" / f"oakbench-{os.geteuid()}"
    assert root == own / "0123456789ab"
    assert own.stat().st_mode & 0o777 == 0o700
    own.chmod(0o777)
    with pytest.raises(PlatformError, match="only the user may write"):
        workspaces_root(PLAN, {"HOME": str(tmp_path / "home")})


def test_a_workspace_never_is_a_folder_that_stands_there_already(tmp_path: Path) -> None:
    (tmp_path / "w.t.git").mkdir()
    (tmp_path / "w.t.git" / "someone's").touch()

    new = new_places(tmp_path, "w.t.git")

    assert new.workspace == tmp_path / "w.t.git+2"
    assert new.home.stat().st_mode & 0o777 == 0o700
    assert new.remove() is None
    assert [path.name for path in tmp_path.iterdir()] == ["w.t.git"]


def test_a_kept_workspace_moves_to_another_file_system_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "w"
    source.mkdir()
    (source / "file").write_text("x")
    (source / "link").symlink_to("nowhere")
    os.mkfifo(source / "pipe")

    def refuse(self: Path, target: Path) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(type(source), "rename", refuse)
    keep_workspace(source, tmp_path / "kept" / "w")

    assert sorted(path.name for path in (tmp_path / "kept" / "w").iterdir()) == ["file", "link"]
    assert not source.exists()
    with pytest.raises(FileExistsError):
        keep_workspace(tmp_path, tmp_path / "kept" / "w")


def test_relative_parts_of_the_search_path_would_be_the_workspace_and_are_left_out() -> None:
    assert search_path({"PATH": "/a:.::b:/c"}) == "/a:/c"
    assert search_path({}) == "/bin:/usr/bin"

"""Folders below the workspaces root: what dead runs have left is removed, what a living one has is not touched."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from oakbench_core.errors import PlatformError
from oakbench_core.running.occupancy import occupied, remove_abandoned
from oakbench_core.running.workspace import new_places

if TYPE_CHECKING:
    from pathlib import Path


def left_by(root: Path, trial_id: str, token: str) -> None:
    places = new_places(root, trial_id, token)
    places.workspace.mkdir()
    (places.workspace / "file").touch()


def test_what_a_dead_run_left_is_removed_and_a_living_one_keeps_its_own(tmp_path: Path) -> None:
    with occupied(tmp_path) as living:
        left_by(tmp_path, "w.t.a", living)
        left_by(tmp_path, "w.t.b", "dead")
        (tmp_path / ".run-dead").touch()
        (tmp_path / "somebody elses").mkdir()
        before = {path.name for path in tmp_path.iterdir()}
        remove_abandoned(tmp_path)

        gone = before - {path.name for path in tmp_path.iterdir()}
        assert {"w.t.b", ".run-dead"} <= gone
        assert all(name.startswith((".dead", "w.t.b", ".run-dead")) for name in gone)
        assert (tmp_path / "w.t.a" / "file").exists()
        with occupied(tmp_path) as other:
            assert other != living
            assert (tmp_path / "w.t.a" / "file").exists()
    assert not [*tmp_path.glob(".run-*")]


def test_a_run_leaves_no_mark(tmp_path: Path) -> None:
    with occupied(tmp_path):
        assert len([*tmp_path.glob(".run-*")]) == 1
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("note", ["../elsewhere", "", ".", "..", "/etc", "a/b", ".run-beef"])
def test_a_note_that_an_agent_rewrote_leads_nowhere(tmp_path: Path, note: str) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    left_by(root, "w.t.b", "dead")
    for hidden in root.glob(".dead*"):
        (hidden / "workspace").write_text(note)
    (root / ".run-dead").touch()
    (root / ".run-beef").mkdir()
    remove_abandoned(root)

    assert elsewhere.exists()
    assert (root / ".run-beef").exists()
    assert not [*root.glob(".dead*")]


def test_a_mark_that_is_a_link_or_of_another_form_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / ".run-abcd").symlink_to(tmp_path / "file")
    (tmp_path / ".run-").touch()
    left_by(tmp_path, "w.t.a", "abcd")
    remove_abandoned(tmp_path)

    assert (tmp_path / "file").exists()
    assert (tmp_path / "w.t.a").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_a_root_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PlatformError, match="use the folder for workspaces"), occupied(tmp_path):
        pass

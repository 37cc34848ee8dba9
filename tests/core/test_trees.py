"""Trees: the hash says content, executable bits, links and empty folders, and nothing of the machine."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oakbench_core.errors import DocumentError, UsageError
from oakbench_core.running.trees import copy_tree, links_leaving, tree_files, tree_sha256

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "a" / "b").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "a" / "b" / "file").write_text("content")
    (root / "a-b").write_text("")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("a/b/file")
    (root / os.fsdecode(b"latin-\xe9")).write_text("a name that is no UTF-8")
    return root


def test_the_hash_is_what_its_description_says(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "x").write_bytes(b"1")
    (tmp_path / "d" / "x").chmod(0o700)
    (tmp_path / "d-").write_bytes(b"2")
    (tmp_path / "l").symlink_to("d")

    def sha256(content: bytes) -> bytes:
        return hashlib.sha256(content).hexdigest().encode()

    described = (
        b"oakbench.tree.v1\n"
        b"d - d\0" + b"f " + sha256(b"2") + b" d-\0" + b"x " + sha256(b"1") + b" d/x\0" + b"l " + sha256(b"d") + b" l\0"
    )

    assert tree_sha256(tmp_path) == hashlib.sha256(described).hexdigest()


def test_a_copy_has_the_same_hash_and_can_be_written(tree: Path, tmp_path: Path) -> None:
    (tree / "a" / "b" / "file").chmod(0o444)
    (tree / "a" / "b").chmod(0o555)
    old = os.umask(0o077)
    try:
        copy_tree(tree, tmp_path / "copy")
    finally:
        os.umask(old)
        (tree / "a" / "b").chmod(0o755)

    assert tree_sha256(tmp_path / "copy") == tree_sha256(tree)
    assert (tmp_path / "copy" / "a" / "b").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "copy" / "a" / "b" / "file").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "copy" / "link").readlink() == (tree / "link").readlink()
    assert [entry[:2] for entry in tree_files(tmp_path / "copy")] == [entry[:2] for entry in tree_files(tree)]


def test_a_copy_replaces_nothing(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()

    with pytest.raises(FileExistsError):
        copy_tree(tree, tmp_path / "there")


def point_elsewhere(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").symlink_to("a/b")


def make_a_file_of_the_link(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").write_text("content")


CHANGES: dict[str, Callable[[Path], Any]] = {
    "content": lambda root: (root / "a" / "b" / "file").write_text("Content"),
    "executable bit": lambda root: (root / "run.sh").chmod(0o644),
    "name": lambda root: (root / "a-b").rename(root / "a-c"),
    "place": lambda root: (root / "a-b").rename(root / "a" / "a-b"),
    "empty file": lambda root: (root / "new").touch(),
    "empty folder": lambda root: (root / "empty").rmdir(),
    "link": point_elsewhere,
    "link for its file": make_a_file_of_the_link,
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_a_tree_changes_its_hash(change: str, tree: Path) -> None:
    before = tree_sha256(tree)
    CHANGES[change](tree)

    assert tree_sha256(tree) != before


def test_times_and_other_modes_are_no_part_of_a_tree(tree: Path) -> None:
    before = tree_sha256(tree)
    os.utime(tree / "a-b", (1, 1))
    (tree / "a-b").chmod(0o600)
    (tree / "empty").chmod(0o700)

    assert tree_sha256(tree) == before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    files=st.dictionaries(st.from_regex(r"[a-c]{1,2}(/[a-c]{1,2}){0,2}", fullmatch=True), st.binary(max_size=8)),
    order=st.randoms(),
)
def test_the_order_of_making_is_no_part_of_a_tree(
    files: dict[str, bytes], order: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # A path that is a folder of another cannot be a file as well.
    files = {path: data for path, data in files.items() if not any(other.startswith(f"{path}/") for other in files)}
    hashes = set()
    for _ in range(2):
        root = tmp_path_factory.mktemp("tree")
        paths = list(files)
        order.shuffle(paths)
        for path in paths:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(files[path])
        hashes.add(tree_sha256(root))

    assert len(hashes) == 1


def test_what_is_no_file_is_refused_all_at_once(tree: Path) -> None:
    os.mkfifo(tree / "fifo")
    os.mkfifo(tree / "a" / "fifo")

    with pytest.raises(DocumentError) as caught:
        tree_sha256(tree)

    assert {problem.file for problem in caught.value.problems} == {str(tree / "fifo"), str(tree / "a" / "fifo")}


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        tree_sha256(tmp_path / "none")


def test_links_that_leave_their_tree_are_found(tree: Path) -> None:
    (tree / "up").symlink_to("../x")
    (tree / "a" / "inside").symlink_to("../a-b")
    (tree / "absolute").symlink_to(tree / "a-b")
    (tree / "here").symlink_to(".")
    (tree / "by-way-of").symlink_to("here/../x")
    (tree / "circle").symlink_to("circle")

    assert links_leaving(tree) == ["absolute", "by-way-of", "up"]

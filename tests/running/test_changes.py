"""What an agent changed: by content, as a diff that git takes, in bounded time and space."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.running.changes import LARGEST_SHOWN, Before
from oakbench_core.running.difference import difference
from oakbench_core.running.globs import matches
from oakbench_core.running.supervise.replacing import Replacer
from oakbench_core.running.trees import copy_tree, tree_sha256

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oakbench_core.running.changes import Change

NOTHING_SECRET = Replacer({})


def changed(place: Path, first: dict[str, bytes], work: Callable[[Path], object]) -> tuple[tuple[Change, ...], bytes]:
    """The changes and the diff of some work in a workspace, whose first state is kept in `before`."""
    workspace = place / "w"
    workspace.mkdir()
    for name, content in first.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_bytes(content)
    copy_tree(workspace, place / "before")
    before = Before(workspace, place / "store")
    work(workspace)
    changes = before.changes(workspace)
    return changes, b"".join(difference(workspace, before, changes, NOTHING_SECRET))


LINES = st.lists(st.sampled_from(["a\n", "b\n", "b\r\n", "\n", "c\x0c\x85\n", "\xe4\n"]), max_size=12)
TEXTS = st.builds(lambda lines, end: "".join(lines) + end, LINES, st.sampled_from(["", "end"]))


@given(TEXTS, TEXTS)
def test_git_makes_the_later_text_of_the_earlier_one(
    tmp_path_factory: pytest.TempPathFactory, old: str, new: str
) -> None:
    place = tmp_path_factory.mktemp("diff")

    _, diff = changed(place, {"f": old.encode()}, lambda workspace: (workspace / "f").write_bytes(new.encode()))

    subprocess.run(["git", "apply", "--allow-empty", "-"], cwd=place / "before", input=diff, check=True)
    assert (place / "before" / "f").read_bytes() == new.encode()


def test_git_makes_the_later_tree_of_the_earlier_one(tmp_path: Path) -> None:
    def work(workspace: Path) -> None:
        (workspace / "new folder").mkdir()
        (workspace / "new folder" / 'a "quoted"\tname\n').write_text("x\n")
        (workspace / "gone").unlink()
        (workspace / "script").chmod(0o755)
        (workspace / "link").symlink_to("some/where")
        (workspace / "emptied").write_bytes(b"")
        (workspace / "empty").touch()

    changes, diff = changed(tmp_path, {"gone": b"1\n2\n", "script": b"#!\n", "emptied": b"x", "same": b"s"}, work)

    assert [change.path for change in changes] == [
        "emptied", "empty", "gone", "link", 'new folder/a "quoted"\tname\n', "script",
    ]  # fmt: skip
    subprocess.run(["git", "apply", "-"], cwd=tmp_path / "before", input=diff, check=True)
    assert tree_sha256(tmp_path / "before") == tree_sha256(tmp_path / "w")


def test_what_is_no_text_or_too_large_or_no_file_is_named_and_not_shown(tmp_path: Path) -> None:
    def work(workspace: Path) -> None:
        (workspace / "binary").write_bytes(b"\0\1\2")
        (workspace / "large").write_bytes(b"x" * (LARGEST_SHOWN + 1))
        os.mkfifo(workspace / "pipe")
        (workspace / "shut").mkdir()

    changes, diff = changed(tmp_path, {"binary": b"\0"}, work)

    assert [(change.path, change.after and change.after.kind) for change in changes] == [
        ("binary", "file"), ("large", "file"), ("pipe", "special"),
    ]  # fmt: skip
    assert diff.decode().splitlines() == [
        "diff --git a/binary b/binary",
        "Binary files a/binary and b/binary differ",
        "diff --git a/large b/large",
        "new file mode 100644",
        "Binary files /dev/null and b/large differ",
        "diff --git a/pipe b/pipe",
        "new entry is special",
        "Binary files /dev/null and b/pipe differ",
    ]


def test_folders_of_version_control_and_times_are_no_changes(tmp_path: Path) -> None:
    def work(workspace: Path) -> None:
        (workspace / ".git").mkdir()
        (workspace / ".git" / "HEAD").write_text("x")
        (workspace / "sub" / ".hg").mkdir(parents=True)
        (workspace / "sub" / ".hg" / "x").write_text("x")
        os.utime(workspace / "same", (1, 1))

    assert changed(tmp_path, {"same": b"s"}, work) == ((), b"")


def test_a_content_that_was_put_back_with_its_time_is_no_change_and_another_one_is(tmp_path: Path) -> None:
    def work(workspace: Path) -> None:
        for name, content in (("back", b"1"), ("other", b"2")):
            status = (workspace / name).stat()
            (workspace / name).write_bytes(content)
            os.utime(workspace / name, ns=(status.st_atime_ns, status.st_mtime_ns))

    changes, _ = changed(tmp_path, {"back": b"1", "other": b"1"}, work)

    assert [change.path for change in changes] == ["other"]


def test_a_text_that_is_made_to_be_slow_to_compare_is_not(tmp_path: Path) -> None:
    old = b"".join(b"%d\n" % (number * 7919 % 30_011) for number in range(30_000))
    new = b"".join(b"%d\n" % (number * 104_729 % 30_011) for number in range(30_000))
    begun = time.monotonic()

    _, diff = changed(tmp_path, {"f": old}, lambda workspace: (workspace / "f").write_bytes(new))

    assert time.monotonic() - begun < 10
    subprocess.run(["git", "apply", "-"], cwd=tmp_path / "before", input=diff, check=True)
    assert (tmp_path / "before" / "f").read_bytes() == new


def test_a_path_longer_than_the_system_takes_is_a_change_that_cannot_be_read(tmp_path: Path) -> None:
    def work(workspace: Path) -> None:
        script = "import os\nfor i in range(60):\n os.mkdir('d' * 100); os.chdir('d' * 100)\nopen('x', 'w')\n"
        subprocess.run(["python3", "-c", script], cwd=workspace, check=True)

    changes, _ = changed(tmp_path, {}, work)

    assert [change.after.kind for change in changes if change.after] == ["unreadable"]


@pytest.mark.parametrize(
    ("path", "glob", "expected"),
    [
        ("a.py", "*.py", True), ("src/a.py", "*.py", False), ("src/a.py", "src/*", True), ("src/a/b", "src/*", False),
        ("src/a/b", "src/**", True), ("src", "src/**", False), ("a/b/c.py", "**/c.py", True), ("c.py", "**/c.py", True),
        ("a/x/y/b", "a/**/b", True), ("a/b", "a/**/b", True), ("ab", "a?", True), ("a/", "a?", False),
        ("a1", "a[0-9]", True), ("ax", "a[!0-9]", True), ("a/", "a[!0-9]", False), ("a]", "a[]]", True),
        ("a[", "a[", True), ("b", "[z-a]", False), ("b", "[z-ab]", True),
        ("-", "[a-]", True), ("b", "[^a]", True), ("a\nb", "*", True), ("A", "a", False), ("a+b", "a+b", True),
    ],
)  # fmt: skip
def test_a_glob_is_of_whole_paths_part_by_part(path: str, glob: str, *, expected: bool) -> None:
    assert matches(path, glob) is expected


@given(st.text(alphabet="ab/*?[]!-^\\&~|.", min_size=1, max_size=12), st.text(alphabet="ab/[]-", max_size=8))
def test_no_glob_is_an_error(glob: str, path: str) -> None:
    assert matches(path, glob) in {True, False}

"""Programs: found as a shell finds them, hashed once, asked for a version without being trusted to end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from oakbench_core.running import executables
from oakbench_core.running.executables import Watched, find_executable, sha256_of, version_of

ENVIRONMENT = {"PATH": os.environ["PATH"]}


def program(path: Path, text: str = "#!/bin/sh\necho 1.0\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def state_of(pid: str) -> str | None:
    """The letter of a process's state in /proc, or None where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def test_the_first_folder_that_has_the_program_gives_it(tmp_path: Path) -> None:
    second = program(tmp_path / "2" / "tool")
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "tool").write_text("not executable")
    (tmp_path / "0" / "tool").mkdir(parents=True)
    search = os.pathsep.join(str(tmp_path / name) for name in ("none", "0", "1", "2"))

    assert find_executable("tool", search) == second
    assert find_executable("tool", str(tmp_path / "1")) is None
    assert find_executable("", search) is None
    assert find_executable(str(second), "") == second


def test_where_one_stands_gives_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin" / "tool")
    monkeypatch.chdir(tmp_path / "bin")

    assert find_executable("tool", os.pathsep.join(["", ".", "../bin"])) is None


def test_a_link_keeps_its_name(tmp_path: Path) -> None:
    program(tmp_path / "many")
    (tmp_path / "one").symlink_to("many")

    assert find_executable("one", str(tmp_path)) == tmp_path / "one"


def test_a_file_is_read_again_only_where_it_may_have_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = program(tmp_path / "tool")
    reads: list[Path] = []

    def counted(path: Path) -> str:
        reads.append(path)
        return sha256_of(path)

    monkeypatch.setattr(executables, "sha256_of", counted)
    watched = Watched()
    first = watched.file_sha256(tool)
    assert watched.file_sha256(tool) == first
    assert len(reads) == 1

    # Same size, same mtime: the change shows by ctime alone, or by the inode.
    status = tool.stat()
    replacement = program(tmp_path / "new", "#!/bin/sh\necho 2.0\n")
    os.utime(replacement, ns=(status.st_atime_ns, status.st_mtime_ns))
    replacement.rename(tool)
    assert watched.file_sha256(tool) != first
    assert len(reads) == 2


def test_a_tree_is_read_again_where_anything_in_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "tree" / "a" / "tool")
    watched = Watched()
    first = watched.tree_sha256(tmp_path / "tree")
    with monkeypatch.context() as patch:
        patch.setattr(executables, "tree_sha256", lambda _: pytest.fail("read again"))
        assert watched.tree_sha256(tmp_path / "tree") == first
    (tmp_path / "tree" / "b").touch()

    assert watched.tree_sha256(tmp_path / "tree") != first


def test_what_is_gone_has_no_hash(tmp_path: Path) -> None:
    tool = program(tmp_path / "tool")
    watched = Watched()
    watched.file_sha256(tool)
    tool.unlink()

    with pytest.raises(FileNotFoundError):
        watched.file_sha256(tool)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo tool 1.2; echo more", "tool 1.2"),
        ("echo; echo '  spaced  '", "spaced"),
        ("echo on-stderr >&2", "on-stderr"),
        ("echo out; echo err >&2", "out"),
        ("printf '\\377'", "\ufffd"),
        ("yes | head -c 100000 | tr -d '\\n'", "y" * 200),
        ("true", None),
        ("echo 1.2; exit 3", None),
        ("kill -9 $$", None),
        ("cat", None),
    ],
)
def test_a_version_is_the_first_line_that_a_program_prints(script: str, expected: str | None) -> None:
    assert version_of(["sh", "-c", script], ENVIRONMENT) == expected


def test_a_program_that_hangs_has_no_version_and_is_ended(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    script = f"sleep 1000 & echo $! > {pid_file}; echo 1.0; wait"

    assert version_of(["sh", "-c", script], ENVIRONMENT, timeout_s=0.5) is None
    # Killed at once, yet it may take a moment to die, and stays a zombie until whoever adopted it looks.
    while state_of(pid_file.read_text().strip()) not in {None, "Z"}:
        pass


def test_a_program_gets_the_environment_that_is_given_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_USER", "x")

    assert version_of(["sh", "-c", "echo ${SECRET_OF_THE_USER-none}"], ENVIRONMENT) == "none"


@pytest.mark.parametrize("argv", [["no-such-program-at-all"], ["a\0b"], [str(Path(__file__))]])
def test_what_cannot_be_started_has_no_version(argv: list[str]) -> None:
    assert version_of(argv, ENVIRONMENT) is None

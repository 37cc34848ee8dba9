"""Programs and inputs: where a program stands, what it is, and whether it is still what it was.

A file is known by its device, inode, size, mtime and ctime; it is hashed anew only where one of these differs, so that
looking before each trial costs a system call and no reading.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from oakbench_core.durable.stamp import FileStamp
from oakbench_core.running.trees import tree_files, tree_sha256

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VERSION_TIMEOUT_S: Final = 10.0
_VERSION_BYTES: Final = 4096
_VERSION_LENGTH: Final = 200


def find_executable(name: str, path: str) -> Path | None:
    """The absolute path of the program `name` on the search path `path` (as in PATH), or None.

    A name with a slash is that file. Relative and empty parts of `path` are passed over: what they mean depends on
    where one stands. Links are not resolved, since some programs ask by which name they were called.
    """
    if "/" in name:
        file = Path(name).absolute()
        return file if _is_executable(file) else None
    if not name:
        return None
    folders = (Path(part) for part in path.split(os.pathsep) if part.startswith("/"))
    return next((folder / name for folder in folders if _is_executable(folder / name)), None)


def _is_executable(file: Path) -> bool:
    try:
        return file.is_file() and os.access(file, os.X_OK)
    except OSError:  # a name that is too long, a folder on the PATH that may not be looked into: no program of ours
        return False


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's content, a link followed.

    Raises:
        OSError: it is not there or may not be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Watched:
    """Hashes of files and trees that are asked for again and again."""

    def __init__(self) -> None:
        self._files: dict[Path, tuple[FileStamp, str]] = {}
        self._trees: dict[Path, tuple[frozenset[tuple[str, FileStamp]], str]] = {}

    def file_sha256(self, path: Path) -> str:
        """As `sha256_of`, but read only where the file may have changed since it was asked for last."""
        mark = FileStamp.of(path.stat())  # before the reading: what changes meanwhile is seen at the next look
        known = self._files.get(path)
        if known is None or known[0] != mark:
            known = self._files[path] = mark, sha256_of(path)
        return known[1]

    def tree_sha256(self, folder: Path) -> str:
        """As `trees.tree_sha256`, but read only where an entry of the tree may have changed."""
        marks = frozenset((entry.path, FileStamp.of(entry.status)) for entry in tree_files(folder))
        known = self._trees.get(folder)
        if known is None or known[0] != marks:
            known = self._trees[folder] = marks, tree_sha256(folder)
        return known[1]


def version_of(
    argv: Sequence[str], environment: Mapping[str, str], *, timeout_s: float = VERSION_TIMEOUT_S
) -> str | None:
    """The first line that a program prints, cut to 200 characters; None if it fails, hangs or prints nothing.

    stdout is taken before stderr. The program gets `environment` and no other, an empty stdin, and a session of its
    own that is ended with it.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                list(argv), env=dict(environment), stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd="/",
                start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError):
            return None
        try:
            code = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end_session(process)
        if code != 0:
            return None
        lines = []
        for stream in (out, err):
            stream.seek(0)
            lines += stream.read(_VERSION_BYTES).decode(errors="replace").splitlines()
    return next((line.strip()[:_VERSION_LENGTH] for line in lines if line.strip()), None)


def _end_session(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

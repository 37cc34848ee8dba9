"""The tree of a commit of a git repository, byte for byte: no filter, no attribute and no line ending is applied."""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from oakbench_core.errors import DocumentError

if TYPE_CHECKING:
    from pathlib import Path

_LINK: Final = b"120000"
_EXECUTABLE: Final = b"100755"
_SUBMODULE: Final = b"160000"


class _Blob(NamedTuple):
    mode: bytes
    name: bytes
    path: bytes


def write_commit_tree(repo: Path, commit: str, target: Path) -> None:
    """Write the tree of `commit` into the new folder `target`.

    Raises:
        DocumentError: git is missing, there is no such repository or commit, or the tree holds what no folder can.
        OSError: the system refuses to write it.
    """
    name = _asked(repo, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}").strip().decode()
    blobs = _listed(_asked(repo, "ls-tree", "-r", "-z", "--full-tree", name))
    target.mkdir(mode=0o755)
    with tempfile.TemporaryFile() as wanted:
        wanted.write(b"".join(blob.name + b"\n" for blob in blobs))
        wanted.seek(0)
        # One blob at a time: a repository may hold more than memory does.
        with subprocess.Popen(
            _command(repo, "cat-file", "--batch"), stdin=wanted, stdout=subprocess.PIPE, env=_environment()
        ) as process:
            if process.stdout is not None:
                for blob in blobs:
                    _write(_place(target, blob), blob.mode, _next_content(process.stdout, blob))


def _next_content(stream: IO[bytes], blob: _Blob) -> bytes:
    header = stream.readline().split()
    size = int(header[2]) if len(header) == 3 else -1
    content = stream.read(size + 1)[:-1] if size >= 0 else b""
    if len(content) != size:
        raise DocumentError(f"git does not give the content of {os.fsdecode(blob.path)!r}")
    return content


def _place(target: Path, blob: _Blob) -> Path:
    """Where the blob belongs; git itself refuses to check out what is refused here."""
    path = target / os.fsdecode(blob.path)
    parts = blob.path.lower().split(b"/")
    if {b"", b".", b"..", b".git"} & set(parts) or not path.parent.resolve().is_relative_to(target.resolve()):
        raise DocumentError(f"the tree holds the path {os.fsdecode(blob.path)!r}, which no workspace may have")
    return path


def _listed(listing: bytes) -> list[_Blob]:
    blobs = []
    for line in listing.split(b"\0")[:-1]:
        facts, _, path = line.partition(b"\t")
        mode, _, name = facts.split(b" ")
        if mode == _SUBMODULE:
            raise DocumentError(f"the tree holds the submodule {os.fsdecode(path)!r}, whose files git does not give")
        blobs.append(_Blob(mode, name, path))
    return blobs


def _write(path: Path, mode: bytes, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode == _LINK:
        path.symlink_to(os.fsdecode(content))
    else:
        path.write_bytes(content)
        path.chmod(0o755 if mode == _EXECUTABLE else 0o644)


def _command(repo: Path, *arguments: str) -> list[str]:
    return ["git", "-C", str(repo), *arguments]


def _environment() -> dict[str, str]:
    # GIT_DIR and its like would turn every command to another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return environment | {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C"}


def _asked(repo: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(_command(repo, *arguments), env=_environment(), capture_output=True, check=False)
    except OSError as error:
        raise DocumentError(f"git could not be started: {error}") from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise DocumentError(f"{repo}: {said[0] if said else 'there is no such commit in this repository'}")
    return done.stdout

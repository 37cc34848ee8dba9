"""File trees as values: what they hold, their hash, an exact copy.

A tree is its directories, regular files (content and executable bit) and symbolic links (their target, which is never
followed). Owners, times and other mode bits are no part of it; anything else in it is refused.

The hash is the SHA-256 of `oakbench.tree.v1` LF, then for each entry in the order of its path's bytes:
kind (`d`, `f`, `x` an executable file, `l`) SP content SP path NUL, where content is the SHA-256 of a file's bytes or
of a link's target, and `-` for a directory. Paths are relative, joined by `/`; the root itself is no entry.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from oakbench_core.errors import DocumentError, Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["d", "f", "x", "l"]

DOMAIN: Final = b"oakbench.tree.v1\n"
_FOLDER_MODE: Final = 0o755
_MODES: Final = {"f": 0o644, "x": 0o755}


class TreeEntry(NamedTuple):
    """One entry below a tree's root: `path` is relative, `kind` is `d`, `f`, `x` (an executable file) or `l`."""

    path: str
    kind: Kind
    status: os.stat_result


def tree_files(folder: Path) -> list[TreeEntry]:
    """Every entry below `folder`, in the order of their paths' bytes; links are not followed.

    Raises:
        UsageError: there is no such folder.
        DocumentError: something in it is no file, folder or symbolic link; every one is named.
        OSError: the system refuses to list it.
    """
    if not folder.is_dir():
        raise UsageError("expected a folder", [Problem(file=str(folder), rule="there is no such folder")])
    refused: list[Problem] = []
    entries = list(_walk(str(folder), "", refused))
    if refused:
        raise DocumentError("a tree holds files, folders and symbolic links only", refused)
    return sorted(entries, key=lambda entry: os.fsencode(entry.path))


def tree_sha256(folder: Path) -> str:
    """The hash of the tree, as the module says; errors as `tree_files`."""
    return _sha256(folder, tree_files(folder))


def copy_tree(source: Path, target: Path) -> None:
    """Copy a tree into the new folder `target`, whose parent exists; the copy has the same hash.

    Files become 0644 or 0755 and belong to the user, so that a read-only original gives a writable copy.

    Raises:
        FileExistsError: something stands at `target`.
        UsageError, DocumentError, OSError: as `tree_files`.
    """
    entries = tree_files(source)
    target.mkdir(mode=_FOLDER_MODE)
    target.chmod(_FOLDER_MODE)  # whatever the umask is: the copy is the same for everyone
    for path, kind, _ in entries:
        copy = target / path
        if kind == "d":
            copy.mkdir()
            copy.chmod(_FOLDER_MODE)
        elif kind == "l":
            copy.symlink_to((source / path).readlink())
        else:
            shutil.copyfile(source / path, copy, follow_symlinks=False)
            copy.chmod(_MODES[kind])


def links_leaving(folder: Path) -> list[str]:
    """The paths of the symbolic links that point out of the tree: their meaning would not move with a copy."""
    return [path for path, kind, _ in tree_files(folder) if kind == "l" and _leaves(folder, path)]


def _leaves(folder: Path, path: str) -> bool:
    if str((folder / path).readlink()).startswith("/"):
        return True
    # realpath takes a circle of links as it stands, where Path.resolve raises.
    return not Path(os.path.realpath(folder / path)).is_relative_to(os.path.realpath(folder))


def _walk(root: str, inside: str, refused: list[Problem]) -> Iterator[TreeEntry]:
    with os.scandir(f"{root}/{inside}") as found:  # gives the kind with the name
        for entry in found:
            path = f"{inside}/{entry.name}" if inside else entry.name
            status = entry.stat(follow_symlinks=False)
            kind = _kind(status.st_mode)
            if kind is None:
                refused.append(Problem(file=entry.path, rule="a FIFO, socket or device"))
                continue
            yield TreeEntry(path, kind, status)
            if kind == "d":
                yield from _walk(root, path, refused)


def _kind(mode: int) -> Kind | None:
    if stat.S_ISDIR(mode):
        return "d"
    if stat.S_ISLNK(mode):
        return "l"
    if stat.S_ISREG(mode):
        return "x" if mode & stat.S_IXUSR else "f"
    return None


def _sha256(folder: Path, entries: list[TreeEntry]) -> str:
    whole = hashlib.sha256(DOMAIN)
    for path, kind, _ in entries:
        content = _content(folder / path, kind)
        whole.update(f"{kind} {content} ".encode() + os.fsencode(path) + b"\0")
    return whole.hexdigest()


def _content(path: Path, kind: Kind) -> str:
    if kind == "d":
        return "-"
    if kind == "l":
        return hashlib.sha256(os.fsencode(path.readlink())).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

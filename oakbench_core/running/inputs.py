"""Fixtures, oracle files and workflow inputs: found beside the definition, copied into `inputs/<hash>/`."""

from __future__ import annotations

import errno
import shutil
import stat
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.definition_reach import table_of, tasks_reached, texts_of
from oakbench_core.durable.opening import system_refusal
from oakbench_core.errors import OakbenchError, Problem
from oakbench_core.running.commit_tree import write_commit_tree
from oakbench_core.running.trees import copy_tree, links_leaving, tree_sha256

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

INPUTS_NAME: Final = "inputs"
_OF_THE_COPY: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


class Gathered(NamedTuple):
    """`trees`: JSON path of the key that names a tree → its hash. `problems`: of those that could not be had."""

    trees: dict[str, str]
    problems: list[Problem]


class _Wanted(NamedTuple):
    """A tree that some key of the definition names; `write` makes a copy of it at a new path."""

    path: str
    source: tuple[object, ...]
    write: Callable[[Path], None]


def gather(definition: Mapping[str, Any], folder: Path, target: Path) -> Gathered:
    """Copy every tree that the definition names (paths relative to `folder`) into `target`/<hash>/.

    Works on a mapping that may be wrong in any of its parts. Equal trees are kept once.

    Raises:
        PlatformError: the system refuses to give one, which is no mistake in the definition.
        OSError: it refuses to take the copy.
    """
    target.mkdir()
    gathered = Gathered({}, [])
    known: dict[tuple[object, ...], str] = {}
    for wanted in _wanted(definition, folder):
        try:
            if wanted.source not in known:
                known[wanted.source] = _kept(wanted, target)
            gathered.trees[wanted.path] = known[wanted.source]
        except OakbenchError as error:
            gathered.problems.extend(
                Problem(path=wanted.path, rule=": ".join(filter(None, (problem.file, problem.rule))))
                for problem in error.problems
            )
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                gathered.problems.append(Problem(path=wanted.path, rule=f"the name is too long: {error.filename}"))
            elif error.errno in _OF_THE_COPY:
                raise
            else:
                raise system_refusal(error, error.filename or folder, f"copy it ({wanted.path})") from error
    return gathered


def _kept(wanted: _Wanted, target: Path) -> str:
    copy = target / ".copy"
    try:
        wanted.write(copy)
        leaving = links_leaving(copy)
        if leaving:
            rule = "a symbolic link that leaves its tree, so that a copy would not be complete"
            raise OakbenchError(rule, [Problem(file=path, rule=rule) for path in leaving])
        sha256 = tree_sha256(copy)
        if not (target / sha256).exists():
            copy.rename(target / sha256)
        return sha256
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def _wanted(definition: Mapping[str, Any], folder: Path) -> Iterator[_Wanted]:
    workflows = table_of(definition, "workflows")
    for name in workflows:
        inputs = texts_of(table_of(workflows, name).get("inputs"))
        if inputs and all(map(_stays_inside, inputs)):
            yield _Wanted(f"$.workflows.{name}.inputs", ("inputs", *inputs), partial(_write_inputs, folder, inputs))
    for reach in tasks_reached(definition):
        yield from _fixture(f"{reach.path}.fixture", folder, reach.table.get("fixture"))
        files = table_of(reach.table, "oracle").get("files")
        if isinstance(files, str) and files and "\0" not in files:
            source = folder / files
            yield _Wanted(f"{reach.path}.oracle.files", ("tree", source), partial(_copy_as_tree, source))


def _stays_inside(name: str) -> bool:
    return not name.startswith("/") and ".." not in name.split("/") and "\0" not in name


def _fixture(path: str, folder: Path, fixture: object) -> Iterator[_Wanted]:
    if isinstance(fixture, str) and fixture and "\0" not in fixture:
        source = folder / fixture
        yield _Wanted(path, ("tree", source), partial(_copy_as_tree, source))
    elif isinstance(fixture, Mapping) and set(fixture) == {"repo", "commit"}:
        repo, commit = fixture["repo"], fixture["commit"]
        if isinstance(repo, str) and isinstance(commit, str) and "\0" not in repo + commit:
            yield _Wanted(path, ("commit", folder / repo, commit), partial(write_commit_tree, folder / repo, commit))


def _write_inputs(folder: Path, names: tuple[str, ...], target: Path) -> None:
    """Each input keeps the path that the definition gives it, so that two of them cannot take one place unnoticed."""
    target.mkdir(mode=0o755)
    problems: list[Problem] = []
    for name in names:
        place = target / name
        place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        try:
            _copy(folder / name, place)
        except OakbenchError as error:
            problems += error.problems
    if problems:
        raise OakbenchError("some inputs cannot be had", problems)


def _copy(source: Path, target: Path) -> None:
    """Copy a file or a folder to the new path `target`.

    Raises:
        OakbenchError: there is nothing to copy, it would hold its own copy, or something stands at `target`.
    """
    if not source.exists():
        raise _refused(source, "there is no such file or folder")
    if target.resolve().is_relative_to(source.resolve()):
        raise _refused(source, "the campaign folder would stand in it, and be a part of itself")
    if target.exists():
        raise _refused(source, "stands in another of the inputs already")
    if source.is_file():
        shutil.copyfile(source, target)
        target.chmod(0o755 if source.stat().st_mode & stat.S_IXUSR else 0o644)
    else:
        copy_tree(source, target)


def _refused(source: Path, rule: str) -> OakbenchError:
    return OakbenchError(rule, [Problem(file=str(source), rule=rule)])


def _copy_as_tree(source: Path, target: Path) -> None:
    """As `_copy`, but a file comes into a folder of its own."""
    if source.is_file():
        target.mkdir(mode=0o755)
        target /= source.name
    _copy(source, target)

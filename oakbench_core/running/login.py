"""Login files: copied from the user's HOME into a trial's own, for the agent alone, and taken away when it has ended.

Whatever text they hold is secret. They are read when the trial starts, so that a login that was renewed meanwhile is
the one that is used; what the agent renews in its copy is lost with it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.errors import OakbenchError, Problem
from oakbench_core.running.regular_files import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oakbench_core.campaign.plan_document import Agent

SHORTEST_SECRET: Final = 16
"""Characters: shorter texts of a login file (`Bearer`, a plan's name) are no secrets, and would be found anywhere."""

LARGEST_FILE: Final = 1 << 20
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class LoginFile(NamedTuple):
    """A file below HOME, by the parts of its path there."""

    parts: tuple[str, ...]
    content: bytes

    @property
    def label(self) -> str:
        """What stands in the place of its secrets."""
        return f"[login:{self.parts[-1]}]"


def read_login(environment: Mapping[str, str], path: str) -> LoginFile:
    """The login file at a path that begins with `~/`.

    Raises:
        OakbenchError: it cannot be had.
    """
    home, parts = environment.get("HOME"), tuple(path.removeprefix("~/").split("/"))
    if not home:
        raise OakbenchError(f"{path} cannot be found: HOME is not set here")
    try:
        with Path(home, *parts).open("rb") as file:  # a link of the user's own may be followed
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise OakbenchError(f"the login file {path} cannot be read: {error.strerror}") from None
    if len(content) > LARGEST_FILE:
        raise OakbenchError(f"{path} is larger than a login file may be: {LARGEST_FILE:,} bytes")
    return LoginFile(parts, content)


def read_logins(environment: Mapping[str, str], agent: Agent) -> tuple[LoginFile, ...]:
    """The agent's login files as they are now.

    Raises:
        OakbenchError: with a problem for each that cannot be had.
    """
    found: list[LoginFile] = []
    problems: list[Problem] = []
    for path in agent.login:
        try:
            found.append(read_login(environment, path))
        except OakbenchError as error:
            problems += error.problems
    if problems:
        raise OakbenchError("login files cannot be had", problems)
    return tuple(found)


def login_secrets(logins: Sequence[LoginFile]) -> Iterator[tuple[str, str]]:
    """Each secret of the files with what stands in its place."""
    for login in logins:
        text = login.content.decode(errors="surrogateescape")
        try:
            words = _texts(json.loads(text))
        except (ValueError, RecursionError):
            words = iter(text.split())
        for word in words:
            if len(word) >= SHORTEST_SECRET:
                yield word, login.label


def lay_down_logins(logins: Sequence[LoginFile], home: Path) -> None:
    """Write the files into a HOME of a trial, for this user only. What setup has put in their place gives way.

    Raises:
        OSError: something else stands in the way.
    """
    for login in logins:
        folder = home.joinpath(*login.parts[:-1])
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / login.parts[-1]
        path.unlink(missing_ok=True)
        with open(os.open(path, _NEW_FILE, 0o600), "wb") as file:  # noqa: PTH123 - of a descriptor
            file.write(login.content)


def take_logins_away(logins: Sequence[LoginFile], home: Path) -> tuple[LoginFile, ...]:
    """Remove the files from the HOME, and give what they held in the end: an agent may have renewed them.

    No link is followed, for the agent may have made one that leads to the user's own files.
    """
    return tuple(held for login in logins if (held := _taken(login, home)) is not None)


def _taken(login: LoginFile, home: Path) -> LoginFile | None:
    folders = []
    try:
        folders.append(os.open(home, _FOLDER))
        for part in login.parts[:-1]:
            folders.append(os.open(part, _FOLDER, dir_fd=folders[-1]))
        content = None
        with suppress(OSError), open_regular(login.parts[-1], folders[-1]) as file:
            content = file.read(LARGEST_FILE)
        os.unlink(login.parts[-1], dir_fd=folders[-1])
    except OSError:  # the agent took it away itself, or put something else there: all of HOME is removed in the end
        return None
    finally:
        for folder in folders:
            os.close(folder)
    return None if content is None else login._replace(content=content)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)

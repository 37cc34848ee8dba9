"""The kinds of value of a definition that may be written in more than one way; each is refused with one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, PlainValidator, WithJsonSchema

_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_ARGV: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "minItems": 1}


class FileReference(NamedTuple):
    """A prompt that stands in a file of its own; `file` is relative to the definition."""

    file: str


class CommitTree(NamedTuple):
    """A fixture that is the tree of a commit, taken at freezing; `repo` is relative to the definition."""

    repo: str
    commit: str


def is_command(value: object) -> bool:
    """Whether it is an argv list with a program, or text for `sh -euc`."""
    words = [value] if isinstance(value, str) else value
    return (
        isinstance(words, list | tuple)
        and all(isinstance(word, str) and "\0" not in word for word in words)
        and bool(words and words[0].strip())
    )


def _command(value: object) -> str | tuple[str, ...]:
    if is_command(value) and isinstance(value, str | list | tuple):
        return value if isinstance(value, str) else tuple(value)
    message = "expected a command: a list of texts, or one text for `sh -euc`"
    raise ValueError(message)


def _argv(value: object) -> tuple[str, ...]:
    if is_command(value) and isinstance(value, list | tuple):
        return tuple(value)
    message = "expected a program and its arguments, a list of texts"
    raise ValueError(message)


def _texts(value: object, *keys: str) -> tuple[str, ...] | None:
    """The non-empty texts under exactly these keys, or None."""
    if not isinstance(value, Mapping) or set(value) != set(keys):
        return None
    texts = tuple(value[key] for key in keys)
    return texts if all(isinstance(text, str) and text and "\0" not in text for text in texts) else None


def _prompt(value: object) -> str | FileReference:
    if isinstance(value, str) and value.strip() and "\0" not in value:
        return value
    if reference := _texts(value, "file"):
        return FileReference(*reference)
    message = "expected a prompt: its text, or { file = … }"
    raise ValueError(message)


def _fixture(value: object) -> str | CommitTree:
    if isinstance(value, str) and value and "\0" not in value:
        return value
    commit = _texts(value, "repo", "commit")
    if commit and not commit[1].startswith("-"):
        return CommitTree(*commit)
    message = "expected a fixture: a folder, or { repo = …, commit = … }"
    raise ValueError(message)


def _parameter(value: object) -> object:
    if isinstance(value, bool | int | float):
        message = "expected text: a plan holds no number that it does not count with, so put it in quotes"
        raise ValueError(message)  # noqa: TRY004 - pydantic takes a ValueError for a problem, and a TypeError for a defect
    return value


def _program(value: object) -> object:
    if isinstance(value, str) and "/" in value and not value.startswith("/"):
        message = "expected the name of a program on the PATH, or an absolute path"
        raise ValueError(message)
    return value


def is_login_path(text: str) -> bool:
    """Whether it is a path below the user's HOME: only such a one has a place in another HOME."""
    parts = text.removeprefix("~/").split("/")
    return text.startswith("~/") and "\0" not in text and not {"", ".", ".."} & set(parts)


def _login_path(value: object) -> object:
    if isinstance(value, str) and not is_login_path(value):
        message = "expected a file below HOME, such as ~/.codex/auth.json"
        raise ValueError(message)
    return value


Command = Annotated[str | tuple[str, ...], PlainValidator(_command), WithJsonSchema({"anyOf": [_TEXT, _ARGV]})]
"""An argv list, or a text run by `sh -euc`."""

Argv = Annotated[tuple[str, ...], PlainValidator(_argv), WithJsonSchema(_ARGV)]

Prompt = Annotated[
    str | FileReference,
    PlainValidator(_prompt),
    WithJsonSchema(
        {
            "anyOf": [
                _TEXT,
                {"type": "object", "properties": {"file": _TEXT}, "required": ["file"], "additionalProperties": False},
            ]
        }
    ),
]

Fixture = Annotated[
    str | CommitTree,
    PlainValidator(_fixture),
    WithJsonSchema(
        {
            "anyOf": [
                _TEXT,
                {
                    "type": "object",
                    "properties": {"repo": _TEXT, "commit": _TEXT},
                    "required": ["repo", "commit"],
                    "additionalProperties": False,
                },
            ]
        }
    ),
]

Parameter = Annotated[str, BeforeValidator(_parameter)]
Program = Annotated[str, BeforeValidator(_program)]
LoginPath = Annotated[str, BeforeValidator(_login_path)]

"""Secrets that somebody wrote into a definition or a plan, where everybody could read them: found by their values.

A problem never shows what it found, and a place never leads through a key that is a secret itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SHORTEST: Final = 8
"""Characters: what is shorter is replaced nowhere, so it is not looked for here either."""


def secrets_in(value: Any, secrets: Iterable[tuple[str, str]]) -> list[Problem]:
    """A problem for each text of plain data that holds a secret.

    Args:
        value: the data.
        secrets: each with what it is called.
    """
    wanted = {secret: name for secret, name in secrets if len(secret) >= SHORTEST}
    return list(dict.fromkeys(_held(value, "$", wanted))) if wanted else []


def _held(value: Any, path: str, wanted: Mapping[str, str]) -> Iterator[Problem]:
    if isinstance(value, str):
        for secret, name in wanted.items():
            if secret in value:
                rule = f"holds the value of {name}, which is secret: let the agent have it by `env` or `login` alone"
                yield Problem(path=path, rule=rule)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _held(key, path, wanted)
            is_secret = isinstance(key, str) and any(secret in key for secret in wanted)
            yield from _held(inner, path if is_secret else f"{path}.{key}", wanted)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _held(inner, f"{path}[{number}]", wanted)

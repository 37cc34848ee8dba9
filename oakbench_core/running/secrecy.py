"""What is secret of a trial: the variables that the agent gets by `env`, and what its login files hold."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from oakbench_core.running.login import LoginFile, login_secrets
from oakbench_core.running.supervise.replacing import Replacer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from oakbench_core.campaign.plan_document import Agent


_CHUNK: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Secrets:
    """`variables`: the agent's secret variables by name. `logins`: its login files, and what they were renewed to."""

    variables: Mapping[str, str]
    logins: tuple[LoginFile, ...] = ()

    def with_logins(self, logins: tuple[LoginFile, ...]) -> Secrets:
        return replace(self, logins=(*self.logins, *logins))

    def replacements(self) -> list[list[str]]:
        """Pairs of a secret and what stands in its place."""
        pairs = {value: f"[{name}]" for name, value in self.variables.items()}
        for value, label in login_secrets(self.logins):
            pairs.setdefault(value, label)
        return [[value, label] for value, label in pairs.items()]

    def beyond(self, others: Secrets) -> bool:
        """Whether one of these is none of the others."""
        known = {value for value, _ in others.replacements()}
        return any(value not in known for value, _ in self.replacements())

    def replacer(self) -> Replacer:
        """For what the runner itself writes."""
        return Replacer({os.fsencode(value): os.fsencode(label) for value, label in self.replacements()})


def replace_in_file(path: Path, replacer: Replacer) -> None:
    """Take secrets out of a file that was written before they were known; it is never there half done.

    Raises:
        OSError: the system refuses.
    """
    beside = path.with_name(f".{path.name}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with path.open("rb") as source, open(os.open(beside, flags, 0o600), "wb") as target:  # noqa: PTH123 - of a descriptor
        while chunk := source.read(_CHUNK):
            target.write(replacer.feed(chunk))
        target.write(replacer.finish())
    beside.replace(path)


def secret_variables(environment: Mapping[str, str], agent: Agent) -> dict[str, str]:
    """The agent's secret variables that are set, by name."""
    return {name: environment[name] for name in agent.env if name in environment}

"""What is secret of a trial: the variables that the agent gets by `env`, and what its login files hold."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oakbench_core.running.login import LoginFile, login_secrets
from oakbench_core.running.supervise.replacing import Replacer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oakbench_core.campaign.plan_document import Agent


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

    def replacer(self) -> Replacer:
        """For what the runner itself writes."""
        return Replacer({os.fsencode(value): os.fsencode(label) for value, label in self.replacements()})


def secret_variables(environment: Mapping[str, str], agent: Agent) -> dict[str, str]:
    """The agent's secret variables that are set, by name."""
    return {name: environment[name] for name in agent.env if name in environment}

"""The environment of a trial: a list of what is allowed, and nothing else of the runner's.

Setup, agent and checks share it; only the agent also gets the variables that its plan names by `env`. Their values are
secret: they stand in no file that is written here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.vocabulary import Adapter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oakbench_core.campaign.plan_document import Agent
    from oakbench_core.running.workspace import Places


_OF_ADAPTERS: Final[Mapping[Adapter, Mapping[str, str]]] = {
    Adapter.CLAUDE_CODE: {"DISABLE_AUTOUPDATER": "1"},  # the version that was frozen stays the one that runs
}


def search_path(environment: Mapping[str, str]) -> str:
    """The runner's PATH without its relative parts, which would mean the workspace."""
    parts = environment.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(part for part in parts if part.startswith("/"))


def trial_environment(environment: Mapping[str, str], agent: Agent, places: Places) -> dict[str, str]:
    """What setup and checks get of the runner's `environment`, what the adapter sets, the agent's public `set_env`."""
    home = environment.get("HOME") if agent.home == "inherit" else None
    return {
        "PATH": search_path(environment),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TMPDIR": str(places.temporary),
        "HOME": home or str(places.home),
        "GIT_CEILING_DIRECTORIES": str(places.root),
        "GIT_CONFIG_NOSYSTEM": "1",
        **_OF_ADAPTERS.get(agent.adapter, {}),
        **agent.set_env,
    }


def unset_names(environment: Mapping[str, str], agent: Agent) -> tuple[str, ...]:
    """The variables that the agent is to have and the runner has not."""
    return tuple(name for name in agent.env if name not in environment)

"""What other versions of the definition know and this one does not do: refused by name, never passed over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.definition_reach import agents_of, table_of
from oakbench_core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HUMANS: Final = 'expected "agents": a human study is no campaign, it has its own protocol (ADR-0010)'
_GEMINI: Final = 'the adapter "gemini" is not supported: say adapter = "command" and give the program by argv'


def named_refusals(definition: Mapping[str, Any]) -> Iterator[Problem]:
    """A problem for each key or value that is known and not supported."""
    if table_of(definition, "campaign").get("participants") == "humans":
        yield Problem(path="$.campaign.participants", rule=_HUMANS)
    for path, agent in agents_of(definition):
        if agent.get("adapter") == "gemini":
            yield Problem(path=f"{path}.adapter", rule=_GEMINI)

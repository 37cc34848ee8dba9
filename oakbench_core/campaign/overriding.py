"""What a subject changes of its agent: each key that the subject gives replaces the agent's key as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oakbench_core.campaign.plan_document import Agent, AgentOverride


def effective_agent(agent: Agent, override: AgentOverride | None) -> Agent:
    """The agent as a trial of that subject starts it.

    Where the subject brings another program, the version and hash that were frozen for the agent's own say nothing of
    it: they are null.
    """
    if override is None:
        return agent
    changes = {name: getattr(override, name) for name in type(override).model_fields}
    changes = {name: value for name, value in changes.items() if value is not None}
    if {"adapter", "argv"} & changes.keys():
        changes |= {"version": None, "binary_sha256": None}
    return agent.model_copy(update=changes)

"""A subject's own agent: what it gives replaces, what it does not give stays."""

from __future__ import annotations

import pytest

from oakbench_core.campaign.overriding import effective_agent
from oakbench_core.campaign.plan_document import Agent, AgentOverride

AGENT = Agent.model_validate(
    {
        "adapter": "command",
        "model": "m",
        "argv": ["a"],
        "set_env": {"A": "1", "B": "2"},
        "mock": True,
        "version": "1.0",
        "binary_sha256": "0" * 64,
    }
)


def test_an_agent_without_an_override_is_itself() -> None:
    assert effective_agent(AGENT, None) is AGENT
    assert effective_agent(AGENT, AgentOverride()) == AGENT


def test_each_key_that_is_given_replaces_the_agents_as_a_whole() -> None:
    agent = effective_agent(AGENT, AgentOverride.model_validate({"model": "n", "set_env": {"A": "3"}, "env": []}))

    assert agent == AGENT.model_copy(update={"model": "n", "set_env": {"A": "3"}})


@pytest.mark.parametrize("override", [{"argv": ["b"]}, {"adapter": "command"}])
def test_another_program_has_neither_the_version_nor_the_hash_that_were_frozen(override: dict[str, object]) -> None:
    agent = effective_agent(AGENT, AgentOverride.model_validate(override))

    assert agent.version is agent.binary_sha256 is None
    assert agent.mock

"""Whether what an agent is told to print is what its adapter reads: found at freezing, not after a night of nulls.

Works on a mapping that may be wrong in any of its parts; what is wrong in form is not told here again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.definition_reach import agents_of, table_of, tasks_reached, texts_of
from oakbench_core.campaign.mock_script import mock_script
from oakbench_core.campaign.vocabulary import Adapter
from oakbench_core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class _Stream(NamedTuple):
    """The program that a stream is known by, a word of its argv that it prints no stream without, and what to write."""

    program: str
    word: str
    advice: str


_STREAMS: Final = {
    Adapter.CLAUDE_CODE.value: _Stream("claude", "stream-json", "`--output-format`, `stream-json` and `--verbose`"),
    Adapter.CODEX.value: _Stream("codex", "--json", "`--json`"),
}


def adapter_problems(definition: Mapping[str, Any]) -> list[Problem]:
    """Every argv that gives its adapter nothing to read, each once."""
    return list(dict.fromkeys(_problems(definition)))


def _problems(definition: Mapping[str, Any]) -> Iterator[Problem]:
    for path, agent in agents_of(definition):
        if agent.get("adapter") == Adapter.MOCK.value and agent.get("mock") is False:
            yield Problem(path=f"{path}.mock", rule="expected true, or nothing: a scripted agent is a mock")
    for path, argv, adapter in _started(definition):
        if adapter == Adapter.MOCK.value:
            script_problems = mock_script(argv)[1]
            yield from (Problem(path=f"{path}[{number}]", rule=rule) for number, rule in script_problems)
        stream = _STREAMS.get(adapter) if isinstance(adapter, str) else None
        if stream is None or not argv:
            continue
        if argv[0].rpartition("/")[2] == stream.program and not any(stream.word in word for word in argv):
            rule = f"the adapter {adapter!r} reads what {stream.program} prints with {stream.advice}: add it"
            yield Problem(path=path, rule=rule)
        if any("{usage_file}" in word for word in argv):
            rule = f"the adapter {adapter!r} reads no usage file: leave `{{usage_file}}` out"
            yield Problem(path=path, rule=rule)


def _started(definition: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...], Any]]:
    """Each argv as some trial starts it: its path, itself, and the adapter that goes with it there."""
    agents, subjects = table_of(definition, "agents"), table_of(definition, "subjects")
    for reach in tasks_reached(definition):
        for subject_name in reach.subjects:
            override = table_of(table_of(subjects, subject_name), "agent")
            for agent_name in reach.agents:
                agent = table_of(agents, agent_name)
                owner = f"$.subjects.{subject_name}.agent" if "argv" in override else f"$.agents.{agent_name}"
                argv = override.get("argv", agent.get("argv"))
                yield f"{owner}.argv", texts_of(argv), override.get("adapter", agent.get("adapter"))

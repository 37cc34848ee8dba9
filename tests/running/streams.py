"""Lines of agents' streams for tests, as the programs write them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from oakbench_core.campaign.vocabulary import Adapter
from oakbench_core.running.agents.streams import READERS, stream_findings

if TYPE_CHECKING:
    from oakbench_core.running.agents.stream_reading import StreamFindings

NOW_S = 1_790_000_000.0  # 2026-09-21T14:13:20Z
MODEL = "claude-sonnet-4-5-20250929"
Event = dict[str, Any]


def lines(*events: Event | str) -> bytes:
    """Events as JSON lines; texts are lines of somebody else."""
    return b"".join((one if isinstance(one, str) else json.dumps(one)).encode() + b"\n" for one in events)


def claude(*events: Event | str) -> StreamFindings:
    return stream_findings(READERS[Adapter.CLAUDE_CODE](), [lines(*events)], NOW_S)


def codex(*events: Event | str) -> StreamFindings:
    return stream_findings(READERS[Adapter.CODEX](), [lines(*events)], NOW_S)


def init(session: str = "s", **more: Any) -> Event:
    return {
        "type": "system", "subtype": "init", "session_id": session, "model": MODEL, "claude_code_version": "2.0.75",
    } | more  # fmt: skip


def message(number: str, *tools: str, session: str = "s", parent: str | None = None, **more: Any) -> Event:
    content = [{"type": "tool_use", "id": tool, "name": "Bash", "input": {}} for tool in tools]
    usage = {"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 7, "output_tokens": 5}
    said = {"id": number, "model": MODEL, "role": "assistant", "content": content, "usage": usage}
    return {
        "type": "assistant", "session_id": session, "parent_tool_use_id": parent, "message": said | more,
    }  # fmt: skip


def used(input_tokens: int, output_tokens: int, cached: int = 0, written: int = 0) -> Event:
    return {
        "inputTokens": input_tokens,
        "outputTokens": output_tokens,
        "cacheReadInputTokens": cached,
        "cacheCreationInputTokens": written,
        "costUSD": 0.1,
    }


def result(models: Event | None = None, *, session: str = "s", cost: Any = 0.25, turns: Any = 2, **more: Any) -> Event:
    return {
        "type": "result", "subtype": "success", "is_error": False, "session_id": session, "num_turns": turns,
        "total_cost_usd": cost, "result": "done", "usage": {"input_tokens": 1, "output_tokens": 1},
        "modelUsage": {MODEL: used(10, 20, 300, 40)} if models is None else models,
    } | more  # fmt: skip


def failed(text: str, **more: Any) -> Event:
    """A result as Claude Code writes it where the provider did not answer: an error that calls itself a success."""
    nothing = {"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    return result({}, cost=0, turns=1, usage=nothing) | {"is_error": True, "result": text} | more


def thread(number: str = "t") -> Event:
    return {"type": "thread.started", "thread_id": number}


def turn(input_tokens: int, cached: int, output_tokens: int, **more: int) -> list[Event]:
    usage = {"input_tokens": input_tokens, "cached_input_tokens": cached, "output_tokens": output_tokens}
    return [{"type": "turn.started"}, {"type": "turn.completed", "usage": usage | more}]


def turn_failed(text: str) -> list[Event]:
    return [{"type": "turn.started"}, {"type": "turn.failed", "error": {"message": text}}]


def item(kind: str, number: str, event: str = "item.completed") -> Event:
    return {"type": event, "item": {"id": number, "type": kind}}

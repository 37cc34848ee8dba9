"""The adapter `codex`: the stream of `codex exec --json`.

The usage of a `turn.completed` is cumulative over its session: the last one counts. Cached tokens stand inside of
`input_tokens`, reasoning inside of `output_tokens`. The stream names no cost and no model, and does not say what a turn
used that failed or did not end: then there is no total.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.running.agents.provider_errors import provider_failure
from oakbench_core.running.agents.stream_reading import (
    MOST_IDS,
    CumulativeTotals,
    StreamFindings,
    UnknownKinds,
    count_of,
    part_of,
    stated,
    text_of,
)
from oakbench_core.running.agents.usage import Usage

if TYPE_CHECKING:
    from oakbench_core.running.agents.provider_errors import ProviderFailure

_TOOLS: Final = frozenset({"command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call"})
_NO_TOOLS: Final = frozenset({"agent_message", "reasoning", "todo_list", "error"})
_ITEMS: Final = frozenset({"item.started", "item.updated", "item.completed"})
_COUNTS: Final = {
    "input_tokens": "input_tokens",
    "cached_input_tokens": "cached_input_tokens",
    "output_tokens": "output_tokens",
    "reasoning_tokens": "reasoning_output_tokens",
}
_ACCOUNTING: Final = {"provider": "openai", "input_includes_cached": True, "output_includes_reasoning": True}


class CodexStream:
    """A `StreamReader`."""

    def __init__(self) -> None:
        self._totals = CumulativeTotals()
        self._thread, self._threads = "", 0
        self._turns = 0
        self._is_open = False
        self._is_all_read = True
        self._uncovered: set[str] = set()  # threads with a turn that is in no totals
        self._tools: set[tuple[int, str]] = set()
        self._unnamed_tools = False
        self._failed: str | None = None  # what the last turn failed with
        self._error: str | None = None
        self._unknown = UnknownKinds()

    def take(self, event: Mapping[str, Any]) -> None:
        match event["type"]:
            case "thread.started":
                self._thread, self._threads = text_of(event.get("thread_id")) or "", self._threads + 1
            case "turn.started":
                self._is_open = True
                self._uncover()
                self._failed = self._error = None
            case "turn.completed":
                self._completed(part_of(event, "usage"))
            case "turn.failed":
                self._turns, self._is_open = self._turns + 1, False
                self._uncover()
                self._failed = _message(event.get("error")) or "the turn failed"
            case "error":
                self._error = _message(event)
            case kind if kind in _ITEMS:
                self._item(part_of(event, "item"))
            case kind:
                self._unknown.add(kind)

    def lose(self) -> None:
        self._is_all_read = False
        self._uncover()

    def findings(self, now_s: float) -> StreamFindings:
        seen = stated(self._totals.sums())
        resources = {} if self._uncovered else seen
        if not self._is_open and self._turns and self._is_all_read:
            resources["turns"] = self._turns
            if len(self._tools) < MOST_IDS and not self._unnamed_tools:
                resources["tool_calls"] = len(self._tools)
        notes: dict[str, Any] = {}
        if unknown := self._unknown.noted():
            notes["unknown_types"] = unknown
        if self._uncovered and seen:
            notes["seen"] = seen
        return StreamFindings(Usage(resources, dict(_ACCOUNTING)), self._failure(now_s), notes)

    def _completed(self, usage: Mapping[str, Any]) -> None:
        self._turns, self._is_open = self._turns + 1, False
        self._failed = self._error = None
        if usage:
            self._uncovered.discard(self._thread)
            self._totals.take(self._thread, {name: count_of(usage.get(key)) for name, key in _COUNTS.items()})

    def _uncover(self) -> None:
        if len(self._uncovered) < MOST_IDS:
            self._uncovered.add(self._thread)

    def _item(self, item: Mapping[str, Any]) -> None:
        kind, number = text_of(item.get("type")), text_of(item.get("id"))
        if kind in _TOOLS:
            if number is None:
                self._unnamed_tools = True
            elif len(self._tools) < MOST_IDS:
                self._tools.add((self._threads, number))
        elif kind not in _NO_TOOLS:
            self._unknown.add(f"item {kind}")

    def _failure(self, now_s: float) -> ProviderFailure | None:
        """Of the last turn, or where none ended, of the last error: a turn that completed had no final one."""
        final = self._failed or self._error
        return None if final is None else provider_failure([final], now_s)


def _message(value: object) -> str | None:
    message = value.get("message") if isinstance(value, Mapping) else value
    return message if isinstance(message, str) and message else None

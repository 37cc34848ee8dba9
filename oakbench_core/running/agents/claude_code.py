"""The adapter `claude-code`: the stream of `claude -p --output-format stream-json --verbose`.

A `result` line is cumulative over its session. Its `usage` is of the main model only, `modelUsage` of every model, so
that only the latter is a total; the cost is the client's estimate. Cache tokens stand outside of `input_tokens`.
One message may come in several lines, and its usage counts once. A session whose last word is no result has no totals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.vocabulary import CostSource
from oakbench_core.running.agents.provider_errors import provider_failure
from oakbench_core.running.agents.stream_reading import (
    MOST_IDS,
    CumulativeTotals,
    StreamFindings,
    Totals,
    UnknownKinds,
    amount_of,
    count_of,
    part_of,
    stated,
    summed,
    text_of,
)
from oakbench_core.running.agents.usage import LONGEST_TEXT, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.running.agents.provider_errors import ProviderFailure

_WITHOUT_USAGE: Final = frozenset(
    {
        "user", "stream_event", "tool_progress", "tool_use_summary", "auth_status", "keep_alive", "prompt_suggestion",
        "control_request", "control_response", "control_cancel_request",
    }
)  # fmt: skip
_OF_MESSAGE: Final = {
    "input_tokens": "input_tokens",
    "cached_input_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
    "output_tokens": "output_tokens",
}
_OF_MODEL: Final = {
    "input_tokens": ("inputTokens", "input_tokens"),
    "cached_input_tokens": ("cacheReadInputTokens", "cache_read_input_tokens"),
    "cache_write_tokens": ("cacheCreationInputTokens", "cache_creation_input_tokens"),
    "output_tokens": ("outputTokens", "output_tokens"),
}
_SYNTHETIC: Final = "<synthetic>"  # what the program calls the author of messages that no model wrote
_ACCOUNTING: Final = {
    "provider": "anthropic",
    "input_includes_cached": False,
    "output_includes_reasoning": True,
}


class ClaudeCodeStream:
    """A `StreamReader`."""

    def __init__(self) -> None:
        self._totals = CumulativeTotals()
        self._results = 0
        self._unsettled: set[str] = set()  # sessions with something said after their last result, or without one
        self._is_final = False  # nothing was said after the last result of all
        self._is_all_read = True
        self._messages: dict[str, Totals] = {}
        self._tools: set[str] = set()
        self._models: dict[str, None] = {}
        self._asked_model: str | None = None
        self._version: str | None = None
        self._final: Mapping[str, Any] = {}
        self._message_error: str | None = None  # of the last message, if it carries one
        self._resets_at: float | None = None
        self._unknown = UnknownKinds()

    def take(self, event: Mapping[str, Any]) -> None:
        match event["type"]:
            case "system":
                if event.get("subtype") == "init":
                    self._begin(event)
            case "assistant":
                self._message(event)
            case "result":
                self._result(event)
            case "rate_limit_event":
                info = part_of(event, "rate_limit_info")
                if info.get("status") == "rejected":
                    self._resets_at = amount_of(info.get("resetsAt"))
            case kind if kind not in _WITHOUT_USAGE:
                self._unknown.add(kind)

    def lose(self) -> None:
        self._is_all_read = self._is_final = False

    def findings(self, now_s: float) -> StreamFindings:
        whole = self._is_final and not self._unsettled
        totals = self._totals.sums() if whole else {}
        if whole and self._is_all_read and len(self._tools) < MOST_IDS:
            totals["tool_calls"] = len(self._tools)
        resources = stated(totals)
        accounting: dict[str, Any] = dict(_ACCOUNTING)
        if resources.get("cost_usd") is not None:
            accounting["cost_source"] = CostSource.CLIENT_ESTIMATE.value
        notes: dict[str, Any] = {} if self._results == 1 else {"results": self._results}
        if unknown := self._unknown.noted():
            notes["unknown_types"] = unknown
        if not whole and self._messages:
            notes["seen"] = {"messages": len(self._messages)} | stated(summed(list(self._messages.values())))
        models = "+".join(sorted(self._models))[:LONGEST_TEXT] or self._asked_model
        return StreamFindings(Usage(resources, accounting, self._version, models), self._failure(now_s), notes)

    def _begin(self, event: Mapping[str, Any]) -> None:
        self._asked_model = text_of(event.get("model")) or self._asked_model
        self._version = text_of(event.get("claude_code_version")) or self._version
        self._unsettle(event)

    def _unsettle(self, event: Mapping[str, Any]) -> None:
        self._is_final = False
        if len(self._unsettled) < MOST_IDS:
            self._unsettled.add(_session(event))

    def _message(self, event: Mapping[str, Any]) -> None:
        self._unsettle(event)
        self._message_error = text_of(event.get("error"))
        message = part_of(event, "message")
        model = text_of(message.get("model"))
        if model == _SYNTHETIC:
            return
        if model is not None and event.get("parent_tool_use_id") is None and len(self._models) < MOST_IDS:
            self._models[model] = None
        for tool in _tool_ids(message):
            if len(self._tools) < MOST_IDS:
                self._tools.add(tool)
        number, usage = text_of(message.get("id")), part_of(message, "usage")
        if number is not None and (number in self._messages or len(self._messages) < MOST_IDS):
            self._messages[number] = {name: count_of(usage.get(key)) for name, key in _OF_MESSAGE.items()}

    def _result(self, event: Mapping[str, Any]) -> None:
        self._results += 1
        self._is_final = True
        self._final = {
            key: event.get(key) for key in ("subtype", "is_error", "result", "errors", "api_error_status")
        } | {"message_error": self._message_error}
        self._message_error = None
        session = _session(event)
        self._unsettled.discard(session)
        totals = _of_models(event)
        totals["turns"] = count_of(event.get("num_turns"))
        totals["cost_usd"] = amount_of(event.get("total_cost_usd"))
        self._totals.take(session, totals)

    def _failure(self, now_s: float) -> ProviderFailure | None:
        """Of the final result: an error may also call itself a success."""
        final = self._final if self._is_final else {"is_error": False}
        is_error = final.get("is_error")
        if is_error is not True and (is_error is False or not str(final.get("subtype")).startswith("error")):
            return None
        errors = final.get("errors")
        texts = [final.get("result"), *(errors if isinstance(errors, list) else ()), final.get("message_error")]
        said = [text for text in texts if isinstance(text, str)]
        status = count_of(final.get("api_error_status"))
        return provider_failure(said, now_s, status=status, resets_at=self._resets_at)


def _session(event: Mapping[str, Any]) -> str:
    return text_of(event.get("session_id")) or ""


def _tool_ids(message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, Mapping) and block.get("type") in {"tool_use", "server_tool_use"}:
            number = text_of(block.get("id"))
            if number is not None:
                yield number


def _of_models(result: Mapping[str, Any]) -> Totals:
    """The tokens of all models; what one of them does not say is not known of all."""
    models = [model for model in part_of(result, "modelUsage").values() if isinstance(model, Mapping)]
    parts = [
        {name: next((count_of(model[key]) for key in keys if key in model), None) for name, keys in _OF_MODEL.items()}
        for model in models
    ]
    if parts or result.get("modelUsage") != {}:
        return dict.fromkeys(_OF_MODEL) | summed(parts)
    # No model was used at all: then the main model's zeros, where they stand there, are everyone's.
    usage = part_of(result, "usage")
    return {name: 0 if count_of(usage.get(key)) == 0 else None for name, key in _OF_MESSAGE.items()}

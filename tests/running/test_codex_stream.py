"""The adapter `codex` on real and broken streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oakbench_core.campaign.vocabulary import Adapter, ErrorType
from oakbench_core.running.agents.streams import read_stream
from tests.running.streams import NOW_S, codex, item, thread, turn, turn_failed

SHARED = Path("/work/shared/data/streams")
ACCOUNTING = {"provider": "openai", "input_includes_cached": True, "output_includes_reasoning": True}


@pytest.mark.parametrize(
    ("name", "resources"),
    [
        ("codex-real-1", {"input_tokens": 2946, "cached_input_tokens": 0, "output_tokens": 7, "tool_calls": 0}),
        ("codex-real-2", {"input_tokens": 6040, "cached_input_tokens": 4992, "output_tokens": 129, "tool_calls": 1}),
        ("codex-real-3", {"input_tokens": 6008, "cached_input_tokens": 4096, "output_tokens": 51, "tool_calls": 1}),
    ],
)
def test_real_captures_say_what_was_used_and_neither_cost_nor_model(name: str, resources: dict[str, Any]) -> None:
    if not SHARED.exists():
        pytest.skip("the shared streams are not here")
    found = read_stream(Adapter.CODEX, SHARED / f"{name}.jsonl", NOW_S, is_cut=False)

    assert found.usage.resources == resources | {"turns": 1}
    assert found.usage.accounting == ACCOUNTING
    assert (found.usage.resolved_model, found.failure, found.notes) == (None, None, {})


def test_a_stream_of_every_kind_of_item_ends_with_a_turn_whose_usage_is_not_known() -> None:
    if not SHARED.exists():
        pytest.skip("the shared streams are not here")
    found = read_stream(Adapter.CODEX, SHARED / "codex-all-items.jsonl", NOW_S, is_cut=False)

    assert found.usage.resources == {"turns": 2, "tool_calls": 7}
    assert found.notes == {"seen": {"input_tokens": 1840, "cached_input_tokens": 256, "output_tokens": 732}}
    assert found.failure is None  # a missing `npm` is no provider's


def test_usage_is_cumulative_over_a_session_and_a_decrease_begins_a_new_one() -> None:
    found = codex(thread(), *turn(100, 10, 5), *turn(250, 40, 9))
    assert found.usage.resources["input_tokens"] == 250
    assert found.usage.resources["turns"] == 2

    found = codex(thread(), *turn(100, 10, 5), *turn(250, 40, 9), *turn(30, 0, 2))
    assert found.usage.resources["input_tokens"] == 280
    assert found.usage.resources["output_tokens"] == 11

    found = codex(thread("a"), *turn(100, 10, 5), thread("b"), *turn(250, 40, 9))
    assert found.usage.resources["input_tokens"] == 350
    assert found.usage.resources["cached_input_tokens"] == 50


def test_a_failed_turn_is_covered_by_the_next_one_that_completes_and_by_no_other() -> None:
    found = codex(thread(), *turn(100, 10, 5), *turn_failed("no"), *turn(250, 40, 9))
    assert found.usage.resources["input_tokens"] == 250
    assert found.usage.resources["turns"] == 3

    found = codex(thread("a"), *turn_failed("no"), thread("b"), *turn(250, 40, 9))
    assert "input_tokens" not in found.usage.resources
    assert found.notes["seen"]["input_tokens"] == 250


def test_a_turn_without_usage_or_without_an_end_leaves_no_total_and_no_zero() -> None:
    assert codex(thread(), *turn_failed("no")).usage.resources == {"turns": 1, "tool_calls": 0}
    assert codex(thread(), *turn(1, 0, 1), {"type": "turn.started"}).usage.resources == {}
    found = codex(thread(), {"type": "turn.started"}, {"type": "turn.completed"})
    assert found.usage.resources == {"turns": 1, "tool_calls": 0}
    assert codex().usage.resources == {}


def test_reasoning_is_counted_where_it_is_said() -> None:
    found = codex(thread(), *turn(100, 10, 50, reasoning_output_tokens=30))

    assert found.usage.resources["reasoning_tokens"] == 30


def test_a_tool_that_started_and_ended_was_called_once_in_each_session() -> None:
    found = codex(
        thread("a"), *turn(1, 0, 1), item("command_execution", "i1", "item.started"), item("command_execution", "i1"),
        item("reasoning", "i2"), item("web_search", "i3"), *turn(2, 0, 2), thread("b"), item("mcp_tool_call", "i1"),
        *turn(1, 0, 1),
    )  # fmt: skip

    assert found.usage.resources["tool_calls"] == 3


def test_what_is_new_is_counted_by_name_and_changes_nothing() -> None:
    found = codex(thread(), {"type": "plan.revised"}, item("hologram", "i1"), "shell noise", *turn(1, 0, 1))

    assert found.usage.resources["input_tokens"] == 1
    assert found.notes == {"unknown_types": {"plan.revised": 1, "item hologram": 1}, "foreign_lines": 1}


def test_a_torn_event_leaves_what_came_after_the_last_usage_unknown() -> None:
    torn = '{"type":"turn.comp'
    assert codex(thread(), torn + 'leted", ', *turn(9, 0, 1)).usage.resources == {
        "input_tokens": 9, "cached_input_tokens": 0, "output_tokens": 1,
    }  # fmt: skip
    assert codex(thread(), *turn(9, 0, 1), torn + 'x", ').usage.resources == {}


AUTH, LIMIT, AWAY = ErrorType.PROVIDER_AUTH, ErrorType.PROVIDER_LIMIT, ErrorType.PROVIDER_UNAVAILABLE


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("exceeded retry limit, last status: 401 Unauthorized, request id: 9a57", AUTH),
        ("unexpected status 401 Unauthorized: Incorrect API key provided", AUTH),
        ("unexpected status 403 Forbidden: no", AUTH),
        ("Your access token could not be refreshed. Please log out and sign in again.", AUTH),
        ("exceeded retry limit, last status: 429 Too Many Requests", LIMIT),
        ("You've hit your usage limit. Try again in 3 hours 5 minutes.", LIMIT),
        ("Quota exceeded. Check your plan and billing details.", LIMIT),
        ("unexpected status 503 Service Unavailable", AWAY),
        ("stream disconnected before completion: error sending request", AWAY),
        ("We're currently experiencing high demand, which may cause temporary errors.", AWAY),
        ("Disk quota exceeded", None),
        ("the tests reached 500 of 600", None),
        ("unexpected status 400 Bad Request: unknown model", None),
    ],
)
def test_a_failed_turn_says_whether_it_is_the_providers(text: str, kind: ErrorType | None) -> None:
    error = {"type": "error", "message": text}
    for events in (turn_failed(text), [{"type": "turn.started"}, error], [error]):
        failure = codex(thread(), *events).failure
        assert (failure and failure.kind) == kind


def test_a_turn_that_completes_after_an_error_ended_well() -> None:
    retry = {"type": "error", "message": "exceeded retry limit, last status: 429 Too Many Requests"}

    assert codex(thread(), {"type": "turn.started"}, retry, *turn(1, 0, 1)[1:]).failure is None
    assert codex(thread(), *turn_failed("unexpected status 401"), *turn(1, 0, 1)).failure is None


def test_the_failure_of_the_turn_weighs_more_than_an_error_beside_it() -> None:
    found = codex(thread(), *turn_failed("the patch does not apply"), {"type": "error", "message": "status: 429"})

    assert found.failure is None


@pytest.mark.parametrize(
    ("text", "after_s"),
    [
        ("You've hit your usage limit. Try again in 3 hours 5 minutes.", 3 * 3600 + 300),
        ("You've hit your usage limit or try again in 2 days 1 hour and 1 minute.", 2 * 86400 + 3660),
        ("You've hit your usage limit. Try again in 45s", 45),
        ("You've hit your usage limit. Try again at 3:04 PM.", 50 * 60 + 40),
        ("You've hit your usage limit. Try again at Sep 23rd, 2026 3:04 PM.", None),
        ("You've hit your usage limit. Try again in 99 days.", None),
        ("You've hit your usage limit. Try again later.", None),
    ],
)
def test_the_end_of_a_limit_is_known_where_it_is_said(text: str, after_s: float | None) -> None:
    failure = codex(thread(), *turn_failed(text)).failure

    assert failure is not None
    assert failure.resets_at == (None if after_s is None else NOW_S + after_s)

"""The adapter `claude-code` on whole and broken streams: what is said counts once, what is not said is unmeasured."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.vocabulary import Adapter, ErrorType
from oakbench_core.running.agents.streams import READERS, read_stream, stream_findings
from tests.running.streams import (
    MODEL,
    NOW_S,
    claude,
    failed,
    init,
    lines,
    message,
    result,
    used,
)

SHARED = Path("/work/shared/data/streams/claude-two-sessions.jsonl")
TOKENS = {"input_tokens": 10, "output_tokens": 20, "cached_input_tokens": 300, "cache_write_tokens": 40}


def test_a_whole_stream_gives_the_totals_of_its_result_with_their_accounting() -> None:
    found = claude(init(), message("m1", "t1", "t2"), {"type": "user"}, message("m2"), result())

    assert found.usage.resources == TOKENS | {"turns": 2, "tool_calls": 2, "cost_usd": 0.25}
    assert found.usage.accounting == {
        "provider": "anthropic",
        "input_includes_cached": False,
        "output_includes_reasoning": True,
        "cost_source": "client_estimate",
    }
    assert (found.usage.agent_version, found.usage.resolved_model) == ("2.0.75", MODEL)
    assert (found.failure, found.notes) == (None, {})


def test_two_sessions_in_one_stream_are_added_and_no_zero_is_made_of_what_they_leave_out() -> None:
    if not SHARED.exists():
        pytest.skip("the shared streams are not here")
    found = read_stream(Adapter.CLAUDE_CODE, SHARED, NOW_S, is_cut=False)

    assert found.usage.resources == {
        "input_tokens": 170, "output_tokens": 88, "turns": 3, "tool_calls": 2, "cost_usd": 0.013345,
    }  # fmt: skip
    assert found.usage.resolved_model == MODEL
    assert found.failure is None  # the last session ended in an error, but none of the provider's
    assert found.notes == {"results": 2}


def test_every_model_counts_not_only_the_main_one() -> None:
    found = claude(init(), result({MODEL: used(10, 20, 300, 40), "claude-haiku-4-5": used(1, 2, 3, 4)}))

    assert found.usage.resources["input_tokens"] == 11
    assert found.usage.resources["output_tokens"] == 22
    assert found.usage.resources["cached_input_tokens"] == 303


def test_what_one_model_does_not_say_is_not_known_of_all() -> None:
    found = claude(init(), result({MODEL: used(10, 20), "other": {"inputTokens": 1, "outputTokens": "many"}}))

    assert found.usage.resources.keys() == {"input_tokens", "turns", "tool_calls", "cost_usd"}


def test_the_main_models_usage_alone_is_no_total() -> None:
    whole = result()
    del whole["modelUsage"]
    found = claude(init(), whole)

    assert found.usage.resources == {"turns": 2, "tool_calls": 0, "cost_usd": 0.25}


def test_without_a_result_nothing_is_a_total_and_repeated_messages_are_seen_once() -> None:
    found = claude(init(), message("m1", "t1"), message("m1", "t2"), message("m2"))

    assert found.usage.resources == {}
    assert "cost_source" not in found.usage.accounting
    assert found.notes["seen"] == {
        "messages": 2, "input_tokens": 6, "cached_input_tokens": 40, "cache_write_tokens": 14, "output_tokens": 10,
    }  # fmt: skip


def test_the_last_result_of_a_session_is_cumulative_and_one_that_counts_less_is_a_new_program() -> None:
    grown = {MODEL: used(15, 30, 400, 50)}
    found = claude(init(), result(), message("m3", "t9"), result(grown, cost=0.5, turns=3))
    assert found.usage.resources["input_tokens"] == 15
    assert found.usage.resources["cost_usd"] == 0.5

    again = claude(init(), result(grown, cost=0.5, turns=3), init(), result())
    assert again.usage.resources["input_tokens"] == 25
    assert again.usage.resources["cost_usd"] == 0.75
    assert again.notes == {"results": 2}


def test_a_session_that_goes_on_after_its_result_or_never_had_one_leaves_no_total() -> None:
    assert claude(init(), result(), message("m9")).usage.resources == {}
    assert claude(init("a"), result(session="a"), init("b")).usage.resources == {}
    assert claude(init("a"), init("b"), result(session="b")).usage.resources == {}


def test_lines_of_others_are_passed_over_and_counted() -> None:
    noise = ["+ npm test", '{"status": "ok"}', "", "[1, 2]", "null", '{"type": 7}']
    found = claude(noise[0], init(), *noise[1:], message("m1", "t1"), result(), "bye")

    assert found.usage.resources["tool_calls"] == 1
    assert found.usage.resources["input_tokens"] == 10
    assert found.notes == {"foreign_lines": 6}


def test_a_torn_event_is_lost_and_what_it_may_have_said_is_not_known() -> None:
    torn = '{"type": "assistant", "message": {"id": "m1", "cont'
    found = claude(init(), torn, result())
    assert found.usage.resources == TOKENS | {"turns": 2, "cost_usd": 0.25}  # the result is cumulative
    assert found.notes == {"lost_lines": 1}

    assert claude(init(), result(), torn).usage.resources == {}
    assert claude(init(), "echo " + torn + "\x00").usage.resources == {}


def test_a_line_too_long_to_look_at_is_lost_and_held_nowhere() -> None:
    reader = READERS[Adapter.CLAUDE_CODE]()
    long = b'{"type": "user", "text": "' + b"x" * (17 << 20) + b'"}\n'
    found = stream_findings(reader, [lines(init()), long, lines(result())], NOW_S)

    assert found.notes == {"lost_lines": 1}
    assert "tool_calls" not in found.usage.resources
    assert found.usage.resources["input_tokens"] == 10


def test_unknown_types_are_counted_by_name_and_change_nothing() -> None:
    new = [{"type": "hologram"}, {"type": "hologram"}, {"type": "x" * 300}, {"type": "system", "subtype": "new"}]
    found = claude(init(), *new, result())

    assert found.usage.resources["input_tokens"] == 10
    assert found.notes == {"unknown_types": {"hologram": 2, "x" * 200: 1}}


def test_numbers_that_no_row_can_hold_are_unmeasured() -> None:
    odd = {"inputTokens": -1, "outputTokens": True, "cacheReadInputTokens": 2**60, "cacheCreationInputTokens": 1.0}
    found = claude(init(), result({MODEL: odd}, cost=-0.1, turns=None))
    assert found.usage.resources == {"cache_write_tokens": 1, "tool_calls": 0}

    huge = lines(init()) + lines(result()).replace(b"0.25", b"1" * 400)
    assert "cost_usd" not in stream_findings(READERS[Adapter.CLAUDE_CODE](), [huge], NOW_S).usage.resources


def test_no_models_used_is_a_measured_zero_only_where_the_stream_says_zero() -> None:
    found = claude(init(), failed("API Error: 529 overloaded"))
    assert found.usage.resources["input_tokens"] == 0
    assert found.usage.resources["cost_usd"] == 0

    assert "input_tokens" not in claude(init(), failed("no", usage={})).usage.resources


def test_tools_of_helpers_count_and_their_models_do_not_name_the_trials() -> None:
    helper = message("m2", "t2", parent="t1", model="claude-haiku-4-5")
    found = claude(init(), message("m1", "t1"), helper, message("m3", model="<synthetic>"), result())

    assert found.usage.resources["tool_calls"] == 2
    assert found.usage.resolved_model == MODEL


def test_a_model_that_changes_on_the_way_is_named_with_the_other() -> None:
    found = claude(init(), message("m1", model="b-2"), message("m2", model="a-1"), result())

    assert found.usage.resolved_model == "a-1+b-2"
    assert claude(init()).usage.resolved_model == MODEL


AUTH, LIMIT, AWAY = ErrorType.PROVIDER_AUTH, ErrorType.PROVIDER_LIMIT, ErrorType.PROVIDER_UNAVAILABLE


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Invalid API key · Please run /login", AUTH),
        ("Not logged in · Please run /login", AUTH),
        ("OAuth token revoked · Please run /login", AUTH),
        ('Failed to authenticate. API Error: 401 {"type":"error","error":{"type":"authentication_error"}}', AUTH),
        ("Claude AI usage limit reached|1790003600", LIMIT),
        ("5-hour limit reached ∙ resets 3pm", LIMIT),
        ("You've hit your limit · resets 8pm (Europe/Berlin)", LIMIT),
        ("Credit balance is too low", LIMIT),
        ('API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}', LIMIT),
        ('API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', AWAY),
        ("API Error: 500 Internal server error", AWAY),
        ("API Error: Connection error.", None),
        ("Connection error.", AWAY),
        ("Request timed out.", AWAY),
        ("API Error: 400 prompt is too long", None),
        ("Prompt is too long", None),
        ("I could not find the file", None),
    ],
)
def test_a_final_error_says_whether_it_is_the_providers(text: str, kind: ErrorType | None) -> None:
    found = claude(init(), failed(text)).failure

    assert (found and found.kind) == kind
    assert found is None or found.message == text


def test_a_successful_result_is_no_failure_whatever_the_agent_wrote() -> None:
    found = claude(init(), message("m1"), result(result="I fixed the rate limit: API Error: 429 is handled now"))

    assert found.failure is None


def test_other_errors_are_the_oracles_to_judge() -> None:
    for subtype in ("error_max_turns", "error_during_execution"):
        found = claude(init(), result(is_error=True, subtype=subtype, result="", errors=["Permission denied: /etc"]))
        assert found.failure is None


def test_fields_beside_the_text_say_it_too() -> None:
    found = claude(init(), message("m1") | {"error": "billing_error"}, failed("no"))
    assert found.failure is not None
    assert found.failure.kind is LIMIT

    found = claude(init(), failed("no", api_error_status=503))
    assert found.failure is not None
    assert found.failure.kind is AWAY

    without = failed("Not logged in · Please run /login", subtype="error_during_execution")
    del without["is_error"]
    assert claude(init(), without).failure is not None


def test_an_error_that_is_not_the_last_word_is_no_ending() -> None:
    limit = failed("Claude AI usage limit reached|1790003600")

    assert claude(init(), limit, message("m1"), result()).failure is None
    assert claude(init(), limit, message("m1")).failure is None


@pytest.mark.parametrize(
    ("text", "after_s"),
    [
        ("Claude AI usage limit reached|1790003600", 3600),
        ("You've hit your limit · resets 3pm (UTC)", 46 * 60 + 40),
        ("You've hit your limit · resets 2pm", 86400 - 13 * 60 - 20),
        ("You've hit your limit · resets 3:30pm (UTC)", 76 * 60 + 40),
        ("You've hit your limit · resets 12am", 9 * 3600 + 46 * 60 + 40),
        ("You've hit your limit · resets 3pm (Europe/Berlin)", None),  # no time of ours
        ("You've hit your limit · resets Apr 23 at 4pm (UTC)", None),
        ("You've hit your limit · resets 99pm", None),
        ("Claude AI usage limit reached|1690003600", None),  # is over
        ("Claude AI usage limit reached|9999999999", None),
        ("Credit balance is too low", None),
    ],
)
def test_the_end_of_a_limit_is_known_where_it_is_said(text: str, after_s: float | None) -> None:
    failure = claude(init(), failed(text)).failure
    assert failure is not None
    assert failure.resets_at == (None if after_s is None else NOW_S + after_s)


def test_a_rejection_on_the_way_says_when_the_limit_ends() -> None:
    def limited(status: str) -> dict[str, object]:
        return {"type": "rate_limit_event", "rate_limit_info": {"status": status, "resetsAt": NOW_S + 60}}

    failure = claude(init(), limited("rejected"), failed("You've hit your limit")).failure
    assert failure is not None
    assert failure.resets_at == NOW_S + 60
    failure = claude(init(), limited("allowed"), failed("You've hit your limit")).failure
    assert failure is not None
    assert failure.resets_at is None


STREAM = lines(init(), "noise", message("m1", "t1"), message("m1", "t2"), '{"type": "torn', message("é"), result())


@given(st.lists(st.integers(0, len(STREAM))))
def test_a_stream_says_the_same_wherever_it_is_cut_into_chunks(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[a:b] for a, b in pairwise(places)]

    whole = stream_findings(READERS[Adapter.CLAUDE_CODE](), [STREAM], NOW_S)
    assert stream_findings(READERS[Adapter.CLAUDE_CODE](), chunks, NOW_S) == whole


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
KEYS = ["session_id", "subtype", "message", "modelUsage", "usage", "num_turns", "result", "errors", "is_error", "item"]
KINDS = [
    "system",
    "assistant",
    "result",
    "rate_limit_event",
    "turn.completed",
    "turn.failed",
    "item.completed",
    "error",
]
EVENTS = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=4).flatmap(
    lambda event: st.sampled_from(KINDS).map(lambda kind: {**event, "type": kind})
)


@given(st.sampled_from(sorted(READERS)), st.lists(EVENTS, max_size=5))
def test_whatever_stands_in_a_stream_is_read_and_no_count_is_invented(
    adapter: Adapter, events: list[dict[str, object]]
) -> None:
    found = stream_findings(READERS[adapter](), [lines(*events)], NOW_S)

    for name, value in found.usage.resources.items():
        assert value >= 0
        assert name == "cost_usd" or type(value) is int


@given(st.binary(max_size=200))
def test_bytes_that_are_no_stream_say_nothing(content: bytes) -> None:
    for reader in READERS.values():
        found = stream_findings(reader(), [content], NOW_S)
        assert (found.usage.resources, found.failure) == ({}, None)


def test_a_stream_that_was_cut_has_no_totals_and_no_ending_but_names_its_program(tmp_path: Path) -> None:
    path = tmp_path / "stream"
    path.write_bytes(lines(init(), message("m1"), failed("Not logged in · Please run /login")))
    found = read_stream(Adapter.CLAUDE_CODE, path, NOW_S, is_cut=True)

    assert (found.usage.resources, found.usage.accounting, found.failure) == ({}, {}, None)
    assert (found.usage.agent_version, found.usage.resolved_model) == ("2.0.75", MODEL)
    assert found.notes["cut"] is True

"""Trials whose agent prints a stream: what their rows say, and how a provider's failure ends them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.campaign.vocabulary import Terminal
from tests.running.streams import MODEL, Event, failed, init, item, lines, message, result, thread, turn, turn_failed
from tests.running.trials import HIDDEN, shell

if TYPE_CHECKING:
    from oakbench_core.running.attempt import Attempted
    from tests.running.trials import Trials


def printing(
    trials: Trials, *events: Event | str, adapter: str = "claude-code", after: str = "", **more: Any
) -> Attempted:
    """An attempt whose agent prints the events and then runs `after`; the check leaves a mark."""
    inputs = trials.frozen_tree({"stream": lines(*events).decode()})
    script = shell(f"cat $0/stream; {after}")
    more["agent"] = {"adapter": adapter} | more.get("agent", {})
    check = {"name": "ok", "kind": "command", "run": ["touch", str(trials.place / "judged")]}
    return trials.attempt([*script, "{inputs}"], inputs=inputs, checks=[check], **more)


def test_a_stream_fills_the_row_and_is_its_transcript(trials: Trials) -> None:
    attempted = printing(
        trials, init(), message("m1", "t1"), "noise", result(), agent={"version": "2.0.75 (Claude Code)"}
    )
    row = attempted.row

    assert (attempted.terminal, row["verified_success"]) == (Terminal.COMPLETED, True)
    used = {name: value for name, value in row["resources"].items() if value is not None}
    assert used.pop("duration_s") > 0
    assert used.pop("transcript_bytes") == len(lines(init(), message("m1", "t1"), "noise", result()))
    assert used == {
        "input_tokens": 10, "cached_input_tokens": 300, "cache_write_tokens": 40, "output_tokens": 20, "turns": 2,
        "tool_calls": 1, "cost_usd": 0.25,
    }  # fmt: skip
    assert row["accounting"]["provider"] == "anthropic"
    assert row["accounting"]["cost_source"] == "client_estimate"
    assert row["population"]["resolved_model"] == MODEL
    # What the plan froze stands for what is a part of it, or every block would be excluded.
    assert row["population"]["agent_version"] == "2.0.75 (Claude Code)"
    assert row["artifacts"]["transcript"] == row["artifacts"]["stdout"]
    assert row["extra"]["stream"] == {"foreign_lines": 1}
    assert trials.artifact(attempted, "transcript").encode() == lines(init(), message("m1", "t1"), "noise", result())


def test_a_version_that_is_not_the_frozen_one_is_what_the_row_says(trials: Trials) -> None:
    attempted = printing(trials, init(), result(), agent={"version": "2.0.7 (Claude Code)"})

    assert attempted.row["population"]["agent_version"] == "2.0.75"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Invalid API key · Please run /login", "provider_auth"),
        ("You've hit your limit", "provider_limit"),
        ("API Error: 529 Overloaded", "provider_unavailable"),
    ],
)
def test_a_provider_that_fails_ends_the_trial_unjudged_and_its_usage_is_kept(
    trials: Trials, text: str, kind: str
) -> None:
    attempted = printing(
        trials, init(), message("m1", "t1"), result({MODEL: {"inputTokens": 9}}, is_error=True, result=text)
    )

    assert attempted.terminal is Terminal.INFRASTRUCTURE_FAILURE
    assert attempted.row["error"] == {"type": kind, "message": text}
    assert attempted.row["resources"]["input_tokens"] == 9
    assert attempted.row["resources"]["duration_s"] > 0
    assert attempted.row["oracle"]["checks"] == []
    assert not (trials.place / "judged").exists()


def test_the_end_of_a_limit_stands_in_the_row(trials: Trials) -> None:
    attempted = printing(trials, *turn_failed("You've hit your usage limit. Try again in 2 hours."), adapter="codex")

    assert attempted.row["error"]["type"] == "provider_limit"
    at = attempted.row["extra"]["provider_resets_at"]
    assert at.endswith("Z")
    assert len(at) == len("2026-12-01T00:00:00Z")


def test_a_codex_stream_fills_the_row(trials: Trials) -> None:
    attempted = printing(trials, thread(), item("file_change", "i1"), *turn(50, 20, 7), adapter="codex")

    used = attempted.row["resources"]
    assert (used["input_tokens"], used["cached_input_tokens"], used["output_tokens"]) == (50, 20, 7)
    assert (used["tool_calls"], used["turns"], used["cost_usd"], used["cache_write_tokens"]) == (1, 1, None, None)
    assert attempted.row["accounting"]["cost_source"] is None
    assert attempted.row["accounting"]["input_includes_cached"] is True


def test_an_agent_that_fails_by_itself_is_judged_by_the_oracle(trials: Trials) -> None:
    attempted = printing(trials, init(), result(is_error=True, subtype="error_max_turns"), after="exit 1")

    assert (attempted.terminal, attempted.row["exit_code"]) == (Terminal.COMPLETED, 1)
    assert (trials.place / "judged").exists()


def test_a_timeout_and_a_kill_weigh_more_than_what_the_stream_says(trials: Trials) -> None:
    timed_out = printing(trials, init(), failed("You've hit your limit"), after="sleep 60", timeout_s=1)
    assert timed_out.terminal is Terminal.TIMED_OUT
    another = trials.another()
    killed = printing(another, init(), failed("You've hit your limit"), after="kill -9 $$")
    assert killed.row["error"]["type"] == "agent_killed"


def test_a_stream_without_its_end_leaves_everything_unmeasured(trials: Trials) -> None:
    attempted = printing(trials, init(), message("m1", "t1"), after="sleep 60", timeout_s=1)

    used = {name for name, value in attempted.row["resources"].items() if value is not None}
    assert used == {"duration_s", "transcript_bytes"}
    assert attempted.row["extra"]["stream"]["seen"]["messages"] == 1


def test_a_stream_that_was_cut_says_nothing_in_all(trials: Trials) -> None:
    attempted = printing(
        trials, init(), *[message(f"m{number}") for number in range(99)], result(), output_cap_bytes=9000
    )

    assert attempted.terminal is Terminal.COMPLETED
    assert attempted.row["resources"]["input_tokens"] is None
    assert attempted.row["extra"]["stream"]["cut"] is True


def test_an_agent_that_was_not_started_has_no_transcript(trials: Trials) -> None:
    attempted = trials.attempt(["no-such-agent"], agent={"adapter": "codex"})

    assert attempted.row["error"]["type"] == "agent_not_started"
    assert attempted.row["artifacts"]["transcript"] is None
    assert attempted.row["resources"]["transcript_bytes"] is None


def test_secrets_of_a_stream_are_in_no_row_and_no_transcript(trials: Trials) -> None:
    text = f"API Error: 401 the key {HIDDEN} is wrong"
    kind = {"type": f"new {HIDDEN}"}
    attempted = printing(trials, init(model=HIDDEN), kind, failed(text), agent={"env": ["TOKEN"]})

    assert HIDDEN not in str(attempted.row) + trials.artifact(attempted, "transcript")
    assert attempted.row["error"]["message"] == "API Error: 401 the key [TOKEN] is wrong"
    assert attempted.row["population"]["resolved_model"] == "[TOKEN]"


def test_the_version_that_was_frozen_is_not_updated_on_the_way(trials: Trials) -> None:
    attempted = trials.attempt(shell("echo $DISABLE_AUTOUPDATER"), agent={"adapter": "claude-code"})
    assert trials.artifact(attempted, "stdout") == "1\n"
    another = trials.another()
    attempted = another.attempt(shell("echo $DISABLE_AUTOUPDATER"), agent={"adapter": "codex"})
    assert another.artifact(attempted, "stdout") == "\n"


PRICES = {"input": "1", "cached_input": "0.1", "cache_write": "2", "output": "10", "as_of": "2026-12-01"}


def test_a_cost_by_the_plans_prices_stands_for_what_the_agent_says_it_cost(trials: Trials) -> None:
    row = printing(trials, init(), result(), agent={"prices": PRICES}).row

    assert row["resources"]["cost_usd"] == 0.00032  # 10 + 30 + 80 + 200 millionths
    assert row["accounting"]["cost_source"] == "price_table"
    assert row["accounting"]["price_table"].startswith("USD per million tokens as of 2026-12-01: input 1, ")
    assert row["extra"]["cost_by_agent"] == {"cost_usd": 0.25, "cost_source": "client_estimate"}


def test_prices_give_no_cost_where_a_count_is_missing_and_no_other_source_steps_in(trials: Trials) -> None:
    row = printing(trials, init(), result({MODEL: {"inputTokens": 1, "outputTokens": 1}}), agent={"prices": PRICES}).row

    assert row["resources"]["cost_usd"] is None
    assert (row["accounting"]["cost_source"], row["accounting"]["price_table"]) == (None, None)
    assert row["extra"]["not_priced"] == "input"


def test_weights_of_tokens_are_taken_of_a_stream(trials: Trials) -> None:
    weights = {"input_tokens": "1", "cached_input_tokens": "0.1", "output_tokens": "5"}
    row = printing(trials, thread(), *turn(50, 20, 7), adapter="codex", agent={"token_weights": weights}).row

    assert row["resources"]["cost_weighted_tokens"] == 30 + 2 + 35

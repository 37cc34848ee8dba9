"""The Markdown of a report: what it says, what it never says, and that it obeys no name."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.report import report_campaign
from oakbench_core.campaign.report_codes import BlockReason
from oakbench_core.canonical import sha256_hex
from oakbench_core.rendering import words
from oakbench_core.rendering.escaping import sentence
from oakbench_core.rendering.markdown import render_markdown
from oakbench_core.rendering.numbers import amount, amount_difference, percent, signed
from oakbench_core.rendering.page import cut
from tests.campaigns import (
    Json,
    closed,
    finished,
    opened,
    plan,
    plan_document,
    recovered,
    run,
    sealed,
    skipped_after_start,
    skipped_before_start,
    started,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RETRY = {"campaign_id": "c0", "plan_sha256": "1" * 64, "kind": "retry", "finished_trials": 3}


def eventful() -> Json:
    """A campaign in which nearly everything that can happen did."""
    p = plan(tasks=["fix", "rename"], subjects=["git", "hg", "jj"], repetitions=2, budget_s=70, mock=True)
    accounting = {"cost_source": "provider", "token_weights": {"input_tokens": 0.5}}
    measured = {"duration_s": 1.25, "input_tokens": 1200, "cost_usd": 0.0125, "cost_weighted_tokens": 600.0, "turns": 4}
    good: Json = {
        "resources": measured,
        "accounting": accounting,
        "population": {"os": "linux", "subject_version": "1"},
    }
    events = [
        opened(p, unsafe=True),
        *run(p, 0, **good),
        *run(p, 1, **good, verified=False),
        *run(p, 2, **good),
        *run(p, 3, **good),
        *run(p, 4, "timed_out", **good),
        *run(p, 5, "infrastructure_failure"),
        *run(p, 6, **{**good, "accounting": {"cost_source": "price_table"}, "resources": {"cost_usd": 0.5}}),
        recovered(p, 7),
        *run(p, 8, **good, timeout_s=99),
        skipped_before_start(p, 9, "operator"),
        started(p, 10),
        skipped_after_start(p, 10),
        closed(p),
    ]
    return report_campaign(p, carried(events))


def carried(events: list[Json], times: tuple[str, ...] = ()) -> list[Json]:
    """The events as a journal carries them, at these times of one day or a second after another."""
    day = "2026-12-01T"
    return [
        {
            "seq": number,
            "v": 1,
            "writer": "a" * 32,
            "at": f"{day}{times[number] if times else f'08:00:{number:02}'}Z",
            "hash": f"{number:032x}",
        }
        | event
        for number, event in enumerate(events)
    ]


def of_real_campaign(data_dir: Path) -> Json:
    folder = data_dir / "haiku-opus-371"
    events = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    return report_campaign(json.loads((folder / "plan.json").read_text()), events)


def test_an_eventful_campaign_reads_as_its_golden_file(golden: Callable[[str, str], None]) -> None:
    summary = eventful()

    golden("report_eventful.md", render_markdown(summary))
    golden("report_eventful.json", json.dumps(summary, indent=1, ensure_ascii=False) + "\n")


def test_a_real_campaign_reads_as_its_golden_file(data_dir: Path, golden: Callable[[str, str], None]) -> None:
    golden("report_haiku_opus_371.md", render_markdown(of_real_campaign(data_dir)))


@pytest.mark.clause("A10-09")
def test_the_summary_alone_is_read_and_a_report_read_back_reads_the_same() -> None:
    summary = eventful()
    read_back = json.loads(json.dumps(summary))

    assert render_markdown(read_back) == render_markdown(summary)
    assert read_back == summary


@pytest.mark.clause("A10-09")
def test_every_number_of_a_success_comes_from_the_summary() -> None:
    summary = eventful()
    summary["groups"][0]["success"] |= {"verified": 123_456, "started": 234_567, "fraction": 0.4321}

    markdown = render_markdown(summary)

    assert "234,567 were started, of which **123,456 of 234,567 (43.2 %)** were verified" in markdown
    assert "| 123,456 of 234,567 | 43.2 % |" in markdown


@pytest.mark.clause("A10-23")
def test_an_open_fraction_is_said_to_be_not_final() -> None:
    p = plan(tasks=["t"], subjects=["git"], repetitions=2)
    partial = render_markdown(report_campaign(p, run(p, 0)))
    whole = render_markdown(report_campaign(p, [*run(p, 0), *run(p, 1)]))

    assert (
        "Of 2 planned trials of 1 fixed task 1 was started, of which **1 of 1 (100 %)** was verified; not known: "
        "1 never started. Not final: unstarted trials may still be admitted"
    ) in partial
    assert "**2 of 2 (100 %)** were verified; each has its verdict. Final." in whole
    assert "| 1 of 1 | 100 % | not given | 2 | not final |" in partial
    assert "| 2 of 2 | 100 % | 34.2 % to 100 % | 2 | final |" in whole
    assert "Wilson's 95 % interval: not given: unstarted trials may still be admitted" in partial
    for markdown in (partial, whole):
        assert "It is final if nothing of the group is unstarted, interrupted or skipped and no reason" in markdown


@pytest.mark.clause("A10-30")
def test_unmeasured_is_said_in_words_and_never_as_zero_or_nothing() -> None:
    p = plan(tasks=["t"], subjects=["git"], repetitions=1)
    markdown = render_markdown(report_campaign(p, run(p, 0, resources={"turns": 0})))

    assert "| turns | 1 of 1 | 0 turns | 0 turns | 0 turns | 0 turns (n = 1) | 0 turns (n = 1) |" in markdown
    assert "input tokens, cached input tokens" in markdown
    assert "unmeasured, no started trial has a value" in markdown
    assert not re.search(r"\|[ \t]*\|", markdown)
    assert not re.search(r"\b(None|null|nan)\b", markdown)


@pytest.mark.clause("A10-31", "A10-33")
def test_means_are_named_conditional_and_weighted_tokens_a_proxy_that_is_no_money() -> None:
    markdown = render_markdown(eventful())
    weighted = [line for line in markdown.splitlines() if line.startswith("| cost-weighted tokens")]

    assert "Means and medians are conditional on success" in markdown
    assert weighted
    for line in weighted:
        assert "(a proxy, not USD)" in line
        assert "weighted tokens" in line
        assert " USD |" not in line


@pytest.mark.clause("A10-40", "A10-47", "A10-48")
def test_what_kind_of_evidence_it_is_stands_in_every_rendering() -> None:
    markdown = render_markdown(eventful())

    assert "Mock agents: this run proves instrumentation only." in markdown
    assert "no hard end-to-end deadline, and no cap on cost" in markdown
    assert all(re.search(r"\b(no|neither|is a) ?(\S+ ){0,12}(hard )?end-to-end deadline", line, re.IGNORECASE)
               for line in markdown.splitlines() if "deadline" in line)  # fmt: skip
    assert "Nothing here caps what a campaign costs in USD" in markdown
    assert "Mock agents" not in render_markdown(report_campaign(plan(), []))


@pytest.mark.clause("A10-35", "A10-36", "A10-38")
def test_pairs_are_named_descriptive_with_every_lost_block_and_its_reason() -> None:
    markdown = render_markdown(eventful())

    assert "a descriptive difference of **" in markdown
    assert "Descriptive difference in verified success" in markdown
    assert "not adjusted for their number" in markdown
    assert "repeats of a fixed task are not independently sampled task families" in markdown
    for reason in ("interrupted", "skipped", "infrastructure_failure", "timeout_mismatch", "unstarted"):
        assert words.BLOCK_REASON[BlockReason(reason)] in markdown


def test_nothing_is_ranked_starred_or_tested() -> None:
    markdown = render_markdown(eventful()).replace("**", "")

    assert not re.search(r"\*|\bp[ -]?value|\bsignifican|\brank|\bbest\b|\bwinner\b", markdown, re.IGNORECASE)


def test_every_code_has_a_sentence_of_its_own() -> None:
    for table in (
        words.INTERVAL_WITHHELD,
        words.RESOURCE_WITHHELD,
        words.PAIRED_WITHHELD,
        words.BLOCK_REASON,
        words.STOP,
        words.RECOVERY,
    ):
        assert len(set(table.values())) == len(table)


HOSTILE = "\x1b[2J\u202ex`<img src=x>` | [a](http://b) **b** _i_ ~~s~~ $x$ @you\n# h"


def test_hostile_text_is_shown_and_not_obeyed() -> None:
    p = plan(tasks=["t"], subjects=["git"], repetitions=2)
    events = [*run(p, 0, population={"os": HOSTILE}), *run(p, 1)]
    markdown = render_markdown(report_campaign(p, events))
    [line] = [line for line in markdown.splitlines() if "Conditions differ in os" in line]

    assert line == (
        "- Conditions differ in os: unmeasured, \\\\x1b\\[2J\\\\u202ex\\`\\<img src=x\\>\\` \\| \\[a\\](http\\://b) "
        "\\*\\*b\\*\\* \\_i\\_ \\~\\~s\\~\\~ \\$x\\$ \\@you\\\\x0a\\# h."
    )


def test_a_very_long_value_is_shortened_and_says_so() -> None:
    assert cut("x" * 100_000) == "x" * 120 + "… (100,000 characters)"


@given(st.text())
def test_no_text_breaks_its_line_or_reaches_a_terminal(text: str) -> None:
    shown = sentence(text)

    assert all(character.isprintable() or unicodedata.category(character) == "Zs" for character in shown)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)(\\\\)*[`*\[\]<>|]", shown.replace("\\\\", ""))


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.5, "50.0 %"),
        (0.9999, "99.99 %"),
        (0.00001, "0.001 %"),
        (1 - 1e-9, "99.9999999 %"),
        (0.99949, "99.9 %"),
        (5e-324, "under 0.1 %"),
        (1 - 2**-53, "99.99999999999999 %"),
    ],
)
def test_percentages_read_as_expected(fraction: float, text: str) -> None:
    assert percent(fraction) == text


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_a_fraction_never_reads_0_or_100_unless_it_is(fraction: float) -> None:
    assert percent(fraction) not in {"0 %", "100 %"}
    assert not re.match(r"(100|0)(\.0*)? %", percent(fraction))


@given(st.floats(-1, 1).filter(lambda value: value not in {-1, 0, 1}))
def test_a_difference_never_reads_0_or_1_unless_it_is(difference: float) -> None:
    assert not re.fullmatch(r"[+−](0|1)\.0*", signed(difference))
    assert signed(difference)[0] == ("−" if difference < 0 else "+")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "s", "unmeasured"),
        (0, "tokens", "0 tokens"),
        (0.0, "usd", "0 USD"),
        (1234567, "tokens", "1,234,567 tokens"),
        (16651.745788, "s", "16,651.746 s"),
        (0.00004, "usd", "0.00004 USD"),
        (1e-30, "usd", "1.000e-30 USD"),
        (79.0, "tokens", "79 tokens"),
        (1e300, "s", "1.000e+300 s"),
    ],
)
def test_amounts_read_with_their_unit(value: Any, unit: str, text: str) -> None:
    assert amount(value, unit) == text


def test_a_budget_overspent_reads_below_zero() -> None:
    p = plan(tasks=["t"], subjects=["git"], repetitions=2, budget_s=1)
    markdown = render_markdown(report_campaign(p, run(p, 0, resources={"duration_s": 2.5})))

    assert "1 s = 2.500 s observed + 0 s reserved + −1.500 s remaining" in markdown.replace("2.5 s", "2.500 s")
    assert "not admitted" in markdown


def test_a_follow_up_names_its_parent_and_has_no_interval() -> None:
    provenance = {"tool": "t", "definition_sha256": None, "source": "definition", "parent": RETRY}
    p = plan(tasks=["t"], subjects=["git"], repetitions=1, provenance=provenance)
    markdown = render_markdown(report_campaign(p, [started(p, 0), finished(p, 0)]))

    assert f"A retry of the campaign c0, plan {'1' * 64}. Nothing is pooled over the two." in markdown
    assert "not given: these trials were picked for a retry by their earlier results" in markdown


def test_conditions_that_differ_and_what_was_compared_on_purpose_are_said() -> None:
    p = plan(tasks=["t"], repetitions=3, compares=["resolved_model"])
    left: Json = {"population": {"resolved_model": "m1", "os": "linux"}}
    right: Json = {"population": {"resolved_model": "m2", "os": "linux"}}
    other: Json = {"population": {"resolved_model": "m2", "os": "darwin"}}
    events = [*run(p, 0, **left), *run(p, 1, **right), *run(p, 2, **left), *run(p, 3, **other)]
    markdown = render_markdown(report_campaign(p, [*events, *run(p, 5, "timed_out", population={"os": "linux"})]))

    assert "- Compared on purpose: resolved_model." in markdown
    assert "- Treatment, differs by intent: resolved_model: m1, m2." in markdown
    assert "- Conditions differ in os: darwin, linux." in markdown
    assert "- Timed-out rows without a resolved model or agent version that other rows have: 1." in markdown
    assert "- Unstarted trials passed over by later ones: 1." in markdown
    assert words.BLOCK_REASON[BlockReason.IDENTITY_MISMATCH] in markdown


def test_one_subject_has_nothing_to_compare() -> None:
    markdown = render_markdown(report_campaign(plan(subjects=["git"]), []))

    assert "there is nothing to compare" in markdown
    assert "## Each pair" not in markdown
    assert "**none was started**, so there is no fraction; not known: 4 never started." in markdown


def test_the_sentence_of_a_pair_can_be_quoted_alone() -> None:
    p = plan(tasks=["t", "u"], repetitions=2, budget_s=1000)
    events = [*run(p, 0), *run(p, 1, verified=False), *run(p, 2), started(p, 3), *run(p, 4), *run(p, 5, timeout_s=9)]
    markdown = render_markdown(report_campaign(p, events))

    assert (
        "In 1 of 4 planned blocks, over 1 fixed task, git alone was verified in 1 and hg alone in 0: a descriptive "
        "difference of **+1.000**; not known or not comparable: 1 because a side is unstarted, 1 because a side was "
        "interrupted, 1 because a recorded timeout is not the frozen one. Not final: one block alone says nothing"
    ) in markdown
    nothing = render_markdown(report_campaign(plan(repetitions=1), []))
    assert "In **none of 2 planned blocks** can git and hg be compared; not known or not comparable: 2" in nothing


def recorded() -> Json:
    p = plan(
        tasks=["fix"],
        subjects=["git"],
        repetitions=2,
        timeout_s=45,
        population={"runner_class": "a kind of machine", "load_state": "idle"},
    )
    events = [
        opened(p),
        *run(p, 0, population={"os": "linux", "arch": "x86_64", "resolved_model": "m-9", "agent_version": "1.2"}),
        closed(p, "halted", 13),
    ]
    return report_campaign(p, carried(events, ("08:00:00", "08:00:01", "08:09:00", "08:09:00.5")))


@pytest.mark.parametrize(
    "said",
    [
        "frozen from a definition on 2026-11-30T00:00:00Z by test. SHA-256 ",
        "2 trials in 2 blocks, 2 repetitions, order by seed 7.",
        "Timeout of a trial's agent: 45 s.",
        "Machine: a kind of machine; system recorded: linux on x86_64.",
        "Environment isolation: unmeasured; caches: unmeasured; load: idle.",
        "Models that answered, as recorded: m-9; versions of the agents: 1.2.",
        "from 2026-12-01T08:00:00Z to 2026-12-01T08:09:00.5Z, the longest pause between two 539 s",
        f"Last record: number 3, hash {3:032x}; writers: 1.",
        "Runs: 1 opened, with 1 at most in flight; 1 ended in order.",
        "  - too many infrastructure failures in a row (code 13), 2026-12-01T08:09:00.5Z",
        "The last end on file: too many infrastructure failures in a row.",
        f"| w | 1 | fix | tests, scope (version 1) | plain: {sha256_hex('do it')[:12]} |",
        "| a | command | true | none named | unmeasured | fresh; no variables of its own |",
        "| git | git | 1 | unmeasured | nothing |",
    ],
)
def test_the_report_says_what_was_run_when_where_by_whom_and_why_it_ended(said: str) -> None:
    assert said in render_markdown(recorded())


def test_the_words_say_whether_a_writer_was_alive_only_where_that_is_known() -> None:
    p = plan()
    summary = report_campaign(p, [started(p, 0)])

    assert "A runner was writing this journal when it was read" in render_markdown(summary, writer_alive=True)
    assert "A runner was writing" not in render_markdown(summary)


def test_a_prefix_is_said_at_the_top() -> None:
    p = plan()
    events = [{"seq": number} | event for number, event in enumerate([opened(p), *run(p, 0), *run(p, 1)])]

    assert "**This is a prefix: the journal up to record 2 and no further.**" in render_markdown(
        report_campaign(p, events, as_of=2)
    )


def test_a_group_without_a_verdict_does_not_say_that_its_conditions_agree() -> None:
    p = plan(subjects=["git"], repetitions=1)
    markdown = render_markdown(report_campaign(p, [started(p, 0)]))

    assert "all that was recorded agrees" not in markdown
    assert "no trial has a verdict, so nothing was recorded that could agree or differ" in markdown


def test_many_tasks_are_counted_and_not_listed() -> None:
    p = plan(tasks=[f"t{number:02}" for number in range(25)], subjects=["git"], repetitions=1)
    markdown = render_markdown(report_campaign(p, []))

    assert "Workflow w, version 1: 25 tasks, each listed in the report's JSON; instruction levels: plain." in markdown
    assert "  - 25 tasks: tests, scope (version 1)" in markdown
    assert "t07" not in markdown


def test_several_timeouts_and_what_a_subject_changes_are_said() -> None:
    document = plan_document(repetitions=1)
    for trial in document["schedule"][:2]:
        trial["timeout_s"] = 30
    document["subjects"]["hg"]["agent"] = {"model": "m|x", "argv": ["run", "a b"]}
    document["subjects"]["git"]["agent"] = {"token_weights": {"output_tokens": "2"}}
    markdown = render_markdown(report_campaign(sealed(document), []))

    assert "Timeout of a trial's agent: 10 s to 30 s, by task." in markdown
    assert "| hg | hg | 1 | unmeasured | command run 'a b', model m\\|x |" in markdown
    assert "| git | git | 1 | unmeasured | its variables, prices or weights |" in markdown


@pytest.mark.parametrize(("value", "text"), [(3, "+3 turns"), (-0.5, "−0.500 turns"), (0, "0 turns")])
def test_differences_of_amounts_have_their_sign(value: float, text: str) -> None:
    assert amount_difference(value, "turns") == text


def test_what_both_sides_used_is_compared_only_where_they_count_alike() -> None:
    p = plan(tasks=["t"], repetitions=1)
    counting: Json = {"accounting": {"input_includes_cached": True}}
    events = [
        *run(p, 0, resources={"duration_s": 2.5, "input_tokens": 10}, **counting),
        *run(p, 1, resources={"duration_s": 4.0, "input_tokens": 7}),
    ]
    markdown = render_markdown(report_campaign(p, events))

    assert "| duration | 1 | 2.500 s | 4 s | −1.500 s |" in markdown
    assert "- input tokens: some row does not say how they were counted, so the sides are not compared." in markdown

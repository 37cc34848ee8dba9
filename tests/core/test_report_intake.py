"""Events from anywhere: one error that lists everything, or a report; and reports of a prefix."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from types import MappingProxyType
from typing import Any

import pytest

from oakbench_core.campaign.events import evidence_type
from oakbench_core.campaign.plan import Plan
from oakbench_core.campaign.report import report_campaign, report_ledger
from oakbench_core.errors import DocumentError, IdentityError, JournalError, OakbenchError, UsageError
from oakbench_core.shapes import checked
from tests.campaigns import closed, finished, folded, opened, plan, plan_document, run, started


@pytest.mark.clause("A10-07", "A10-15")
def test_one_error_names_every_event_that_is_wrong() -> None:
    p = plan()
    events = [
        *run(p, 0),
        finished(p, 1),
        {**started(p, 2), "trial_id": "no.such.trial"},
        {**started(p, 3), "surprise": 1},
        {"event": "stopped"},
        finished(p, 0),
        MappingProxyType(started(p, 0)),
    ]

    with pytest.raises(JournalError) as caught:
        report_campaign(p, events)

    assert [problem.path for problem in caught.value.problems] == [
        "$[2]",
        "$[3]",
        "$[4].surprise",
        "$[5]",
        "$[6]",
        "$[7]",
    ]
    assert all(problem.rule for problem in caught.value.problems)


@pytest.mark.parametrize("nonsense", [3, None, "started", [], {}])
def test_what_is_no_event_at_all_is_named_too(nonsense: Any) -> None:
    with pytest.raises(JournalError, match=r"\$\[0\]"):
        report_campaign(plan(), [nonsense])


@pytest.mark.clause("A10-07")
def test_an_event_of_another_plan_is_a_foreign_identity() -> None:
    p = plan()

    with pytest.raises(IdentityError) as caught:
        report_campaign(p, [{**started(p, 0), "plan_sha256": "f" * 64}, finished(p, 1)])

    assert len(caught.value.problems) == 2


def test_a_refused_plan_gives_no_report() -> None:
    with pytest.raises(DocumentError):
        report_campaign({**plan_document(), "schedule": []}, [])
    with pytest.raises(IdentityError):
        report_campaign({**plan_document(), "seed": 8}, [])


@pytest.mark.clause("A10-08")
def test_mappings_and_checked_models_and_a_folded_ledger_give_the_same_report_and_stay_as_they_were() -> None:
    document = plan_document()
    p = plan()
    events = [opened(p), *run(p, 0), *run(p, 1, verified=False), started(p, 2), closed(p)]
    models = [checked(evidence_type(), event)[0] for event in events]
    before = copy.deepcopy((document, events))
    expected = report_campaign(document, events)

    assert report_campaign(p, [model for model in models if model is not None]) == expected
    assert report_ledger(folded(p, *events)) == expected
    assert report_campaign(document, iter(events)) == expected
    assert (document, events) == before


def test_a_prefix_is_the_report_of_the_events_up_to_there() -> None:
    p = plan()
    events = [{"seq": number} | event for number, event in enumerate([opened(p), *run(p, 0), *run(p, 1), *run(p, 2)])]
    prefix, cut = report_campaign(p, events, as_of=3), report_campaign(p, events[:4])

    assert prefix["counts"] == cut["counts"]
    assert (prefix["campaign"]["as_of"], cut["campaign"]["as_of"]) == (3, None)
    assert prefix["campaign"]["journal_events"] == 3
    assert all("prefix_report" in group["success"]["omitted"] for group in prefix["groups"])
    assert all("prefix_report" in pair["omitted"] for pair in prefix["pairs"])


def test_a_prefix_of_events_without_numbers_is_refused() -> None:
    p = plan()

    with pytest.raises(JournalError, match=r"\$\[0\]\.seq"):
        report_campaign(p, run(p, 0), as_of=1)
    with pytest.raises(UsageError):
        report_campaign(p, [], as_of=-1)


def test_the_account_is_exact_and_is_of_seconds() -> None:
    p = plan(tasks=["t"], subjects=["git"], repetitions=4, budget_s=33)
    events = [
        *run(p, 0, resources={"duration_s": 0.1}),
        *run(p, 1, resources={"duration_s": 0.2}),
        *run(p, 2, resources={}),
    ]

    assert report_campaign(p, events)["admission"] == {
        "budget_s": 33,
        "observed_s": 0.3,
        "reserved_s": 10,
        "unmeasured_charges": 1,
        "remaining_s": 22.7,
        "next_timeout_s": 10,
        "next_admissible": True,
    }


@pytest.mark.clause("A10-46")
def test_a_lost_attempt_is_reserved_and_is_no_observed_timing() -> None:
    p = plan(tasks=["t"], subjects=["git"], repetitions=2, budget_s=10)
    summary = report_campaign(p, [started(p, 0)])

    assert (summary["admission"]["observed_s"], summary["admission"]["reserved_s"]) == (0.0, 10)
    assert (summary["admission"]["remaining_s"], summary["admission"]["next_admissible"]) == (0.0, False)
    assert summary["groups"][0]["resources"]["duration_s"]["partial_sum"] is None


@pytest.mark.parametrize(("count", "word"), [(0, "not_started"), (3, "partial"), (8, "complete")])
def test_completeness_is_of_the_whole_schedule(count: int, word: str) -> None:
    p = plan()
    events = [event for place in range(count) for event in run(p, place)]

    assert report_campaign(p, events)["completeness"] == word


REPORT_IN_ANOTHER_PROCESS = """
import json, sys
from oakbench_core.campaign.report import report_campaign
plan, events = json.load(sys.stdin)
print(json.dumps(report_campaign(plan, events)), end="")
"""


@pytest.mark.parametrize("seed", ["0", "4711"])
def test_another_process_with_another_hash_seed_gives_the_same_bytes(seed: str) -> None:
    document = plan_document(tasks=["t", "u", "v"], subjects=["git", "hg", "jj"])
    p = plan(tasks=["t", "u", "v"], subjects=["git", "hg", "jj"])
    events = []
    for place in range(18):
        population = {"os": "linux" if place % 5 else "darwin", "agent_version": f"{place % 3}"}
        accounting = {"cost_source": "provider" if place % 2 else "price_table"}
        events += run(p, place, verified=place % 4 > 0, population=population, accounting=accounting,
                      resources={"cost_usd": place / 7, "duration_s": place / 3})  # fmt: skip
    there = subprocess.run(
        [sys.executable, "-c", REPORT_IN_ANOTHER_PROCESS],
        input=json.dumps([document, events]),
        env={"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )

    assert there.stdout == json.dumps(report_campaign(Plan(p.document, p.index), events))


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"population": {"os": "\ud800"}}, "$[1].row.population.os"),
        ({"resources": {"duration_s": 2**53 + 1}}, "$[1].row.resources.duration_s"),
        ({"extra": {"a": float("nan")}}, "$[1].row.extra.a"),
        ({"extra": {"a": {1}}}, "$[1].row.extra.a"),
    ],
)
def test_events_that_are_no_json_data_are_refused_with_their_place(changes: dict[str, Any], path: str) -> None:
    campaign = plan()

    with pytest.raises(OakbenchError) as caught:
        report_campaign(campaign, [started(campaign, 0), finished(campaign, 0, **changes)])

    assert path in [problem.path for problem in caught.value.problems]


@pytest.mark.parametrize("as_of", [True, 1.0, "3", -1])
def test_a_prefix_is_asked_for_by_a_sequence_number_and_nothing_else(as_of: Any) -> None:
    with pytest.raises(OakbenchError):
        report_campaign(plan(), [], as_of=as_of)

"""A notice is there exactly if what it says holds: each one's case, and the same campaign without it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.campaign.report import report_campaign
from oakbench_core.canonical import sha256_hex
from tests.campaigns import Json, opened, plan, plan_document, recovered, run, sealed, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from oakbench_core.campaign.plan import Plan

ALWAYS = {"diagnostic_only", "not_a_deadline", "no_cost_cap"}


def whole(p: Plan, **changes: Any) -> list[Json]:
    """Every trial run to its end, on a recorded model."""
    population: Json = {"population": {"resolved_model": "m"}}
    return [event for place in range(len(p.schedule)) for event in run(p, place, **population | changes)]


def notices(p: Plan, events: list[Json], **arguments: Any) -> dict[str, Json]:
    return {notice["code"]: notice for notice in report_campaign(p, events, **arguments)["notices"]}


def provenance(**changes: Any) -> Json:
    return {"tool": "t", "definition_sha256": None, "source": "definition", "parent": None} | changes


def parent(kind: str) -> Json:
    return {"campaign_id": "c0", "plan_sha256": "1" * 64, "kind": kind, "finished_trials": 3}


def with_check(check: Json | None) -> Plan:
    document = plan_document(repetitions=1)
    for task in document["workflows"]["w"]["tasks"].values():
        task["oracle"]["checks"] = [] if check is None else [check]
    return plan_from_document(sealed(document))


def uneven() -> Plan:
    document = plan_document(repetitions=1)
    return plan_from_document(sealed({**document, "schedule": document["schedule"][:-1]}))


def plain(**arguments: Any) -> Plan:
    return plan(**{"repetitions": 1} | arguments)


LONELY = {"tasks": ["t"], "subjects": ["git"]}
CASES: dict[str, tuple[Callable[[], Plan], Callable[[Plan], list[Json]]]] = {
    "mock_agents": (lambda: plain(mock=True), whole),
    "imported_plan": (lambda: plain(provenance=provenance(source="import")), whole),
    "retry_campaign": (lambda: plain(provenance=provenance(parent=parent("retry"))), whole),
    "extended_campaign": (lambda: plain(provenance=provenance(parent=parent("extension"))), whole),
    "partial_schedule": (plain, lambda p: run(p, 0)),
    "stopped_by_budget": (lambda: plain(budget_s=11), lambda p: run(p, 0)),
    "out_of_order_history": (plain, lambda p: run(p, 1)),
    "conditional_on_success": (plain, whole),
    "proxy_tokens": (plain, lambda p: run(p, 0, resources={"cost_weighted_tokens": 5.0})),
    "mixed_sources": (
        lambda: plain(**LONELY | {"repetitions": 2}),
        lambda p: [
            *run(p, 0, resources={"cost_usd": 1.0}, accounting={"cost_source": "provider"}),
            *run(p, 1, resources={"cost_usd": 1.0}, accounting={"cost_source": "price_table"}),
        ],
    ),
    "accounting_unknown": (plain, lambda p: run(p, 0, resources={"cost_usd": 1.0})),
    "descriptive_pairs": (plain, whole),
    "complete_case_estimate": (plain, lambda p: [*run(p, 0), *run(p, 1)]),
    "multiplicity": (plain, whole),
    "repeated_tasks": (lambda: plain(repetitions=2), whole),
    "small_sample": (plain, whole),
    "degenerate": (plain, whole),
    "infrastructure_failures": (plain, lambda p: run(p, 0, "infrastructure_failure")),
    "timeouts_differ": (plain, lambda p: run(p, 0, timeout_s=99)),
    "unbalanced_groups": (uneven, whole),
    "oracle_unrecorded": (lambda: with_check(None), whole),
    "oracle_depends_on_subject": (
        lambda: with_check({"name": "s", "kind": "command", "run": "{subject.status}", "stdout": ""}),
        whole,
    ),
    "uncertain_accepted": (plain, lambda p: [recovered(p, None, "uncertain_accepted", "ambiguous")]),
    "unsafe_filesystem": (plain, lambda p: [opened(p, unsafe=True)]),
    "unreported_model": (plain, lambda p: run(p, 0)),
}


@pytest.mark.clause("A10-36", "A10-38", "A10-40", "A10-47", "A10-48")
@pytest.mark.parametrize("code", CASES)
def test_a_notice_is_there_where_it_holds(code: str) -> None:
    make, happen = CASES[code]
    p = make()

    assert {code, *ALWAYS} <= set(notices(p, happen(p)))


@pytest.mark.parametrize(
    "check",
    [
        {"name": "c", "kind": "command", "run": ["true", "{subject.binary}"]},
        {"name": "c", "kind": "command", "run": ["true"], "stdout_regex": "{subject.NAME}"},
        {"name": "c", "kind": "file", "path": "x", "contains": "{subject.name}"},
        {"name": "c", "kind": "changes", "must_change": [".{subject.folder}/**"]},
    ],
)
def test_an_oracle_that_is_made_of_the_subject_is_named_wherever_it_says_so(check: Json) -> None:
    p = with_check(check)

    assert notices(p, [])["oracle_depends_on_subject"]["tasks"] == 2


def test_an_oracle_without_the_subject_is_not_named() -> None:
    for check in (
        {"name": "c", "kind": "command", "run": "true {workspace}"},
        {"name": "c", "kind": "file", "path": "x"},
        {"name": "c", "kind": "changes", "may_change": ["src/**"]},
    ):
        assert not {"oracle_depends_on_subject", "oracle_unrecorded"} & set(notices(with_check(check), []))


def test_a_command_of_which_nothing_is_recorded_is_an_unrecorded_oracle() -> None:
    p = with_check({"name": "validator", "kind": "command", "run": []})

    assert notices(p, [])["oracle_unrecorded"]["tasks"] == 2


def test_a_plain_campaign_has_no_other_notices_than_those_that_hold() -> None:
    """One subject, 40 tasks, all run once on a recorded model: nothing is paired, repeated, lost or unknown."""
    p = plan(tasks=[f"t{number}" for number in range(40)], subjects=["git"], repetitions=1)

    assert set(notices(p, whole(p))) == ALWAYS | {"conditional_on_success"}
    assert set(notices(p, whole(p, verified=False))) == ALWAYS


def test_a_large_disagreeing_pair_has_only_the_notices_of_pairs() -> None:
    p = plan(tasks=[f"t{number}" for number in range(40)], repetitions=1)
    population: Json = {"population": {"resolved_model": "m"}, "resources": {"duration_s": 1.0}}
    ends = [run(p, place, verified=place % 4 != 0, **population) for place in range(80)]

    assert set(notices(p, [event for end in ends for event in end])) == ALWAYS | {
        "conditional_on_success",
        "descriptive_pairs",
        "multiplicity",
    }


def test_a_prefix_says_so_and_up_to_where() -> None:
    p = plain()
    events = [{"seq": number} | event for number, event in enumerate([opened(p), *whole(p)])]
    found = notices(p, events, as_of=2)

    assert found["prefix_report"]["as_of"] == 2
    assert "prefix_report" not in notices(p, events)


def test_small_samples_are_named_with_what_makes_them_small() -> None:
    p = plain(repetitions=2)
    [entry] = notices(p, whole(p))["small_sample"]["pairs"]

    assert (entry["complete"], entry["disagreements"], entry["tasks"]) == (4, 0, 2)
    assert (entry["key"]["a"], entry["key"]["b"]) == ("git", "hg")


@pytest.mark.parametrize(
    ("tasks", "repetitions", "disagreements", "small"),
    [(30, 1, 10, False), (29, 1, 10, True), (30, 1, 9, True), (29, 2, 10, True), (30, 2, 10, False), (15, 2, 10, True)],
)
def test_a_sample_is_small_under_thirty_blocks_ten_disagreements_or_thirty_tasks(
    tasks: int, repetitions: int, disagreements: int, small: bool
) -> None:
    p = plan(tasks=[f"t{number}" for number in range(tasks)], repetitions=repetitions)
    failed = {2 * block + block % 2 for block in range(disagreements)}  # by either side in turn
    events = [event for place in range(len(p.schedule)) for event in run(p, place, verified=place not in failed)]

    assert ("small_sample" in notices(p, events)) is small


def test_the_tasks_of_a_pair_are_those_of_its_complete_blocks() -> None:
    p = plain(repetitions=1)
    [entry] = notices(p, [*run(p, 0), *run(p, 1), started(p, 2)])["small_sample"]["pairs"]

    assert (entry["complete"], entry["tasks"]) == (1, 1)


def test_notices_stand_in_the_order_of_the_specification() -> None:
    p = plan_from_document(
        sealed(plan_document(repetitions=2, mock=True, provenance=provenance(source="import", parent=parent("retry"))))
    )
    events = [opened(p, unsafe=True), *run(p, 0, timeout_s=99), *run(p, 3, "infrastructure_failure")]

    assert list(notices(p, events)) == [
        "diagnostic_only",
        "mock_agents",
        "imported_plan",
        "retry_campaign",
        "partial_schedule",
        "out_of_order_history",
        "not_a_deadline",
        "no_cost_cap",
        "conditional_on_success",
        "descriptive_pairs",
        "multiplicity",
        "repeated_tasks",
        "infrastructure_failures",
        "timeouts_differ",
        "unsafe_filesystem",
        "unreported_model",
    ]


def test_the_text_of_a_notice_holds_no_name_of_a_stranger() -> None:
    p = plan(tasks=["Tsk"], subjects=["Sbj", "Sbk"], repetitions=2, workflows=["Wfl"])

    for notice in notices(p, whole(p)).values():
        assert not any(name in notice["text"] for name in ("Tsk", "Sbj", "Wfl"))


def test_a_trial_that_names_the_one_it_retries_makes_a_retry_whatever_the_plan_says_of_itself() -> None:
    document = plan_document(repetitions=1)
    document["schedule"][0]["retry_of"] = "w.fix.plain.a.r009.git"
    summary = report_campaign(sealed(document), [])
    found = {notice["code"]: notice for notice in summary["notices"]}

    assert (found["retry_campaign"]["finished_trials"], found["retry_campaign"]["retried"]) == (None, 1)
    assert all("retry_selection" in group["success"]["omitted"] for group in summary["groups"])
    assert all("retry_selection" in pair["omitted"] for pair in summary["pairs"])


def test_what_was_planned_and_recorded_stands_in_the_first_notice_without_any_value_of_a_variable() -> None:
    document = plan_document(subjects=["git"], repetitions=2, population={"cache_state": "cold"})
    document["agents"]["a"] |= {"env": ["API_X"], "set_env": {"COLOUR": "very-public-value"}, "model": "m-1"}
    document["agents"]["unused"] = {"adapter": "command"}
    p = plan_from_document(sealed(document))
    counted: Json = {"accounting": {"provider": "p", "input_includes_cached": True}, "population": {"os": "linux"}}
    first, *_ = report_campaign(p, [*run(p, 0, **counted), *run(p, 1), started(p, 2)])["notices"]
    setting = first["describes"]

    assert first["code"] == "diagnostic_only"
    assert [agent["agent"] for agent in setting["agents"]] == ["a"]
    assert (setting["agents"][0]["env"], setting["agents"][0]["set_env"]) == (["API_X"], ["COLOUR"])
    assert "very-public-value" not in json.dumps(first)
    assert (setting["timeouts_s"], setting["repetitions"], setting["blocks"]) == ([10], 2, 4)
    assert setting["conditions"]["cache_state"] == "cold"
    assert setting["recorded"]["os"] == [None, "linux"]
    assert setting["accounting"]["input_includes_cached"] == [None, True]
    [workflow] = setting["workflows"]
    assert [task["task"] for task in workflow["tasks"]] == ["fix", "rename"]
    assert workflow["tasks"][0]["prompts"] == {"plain": sha256_hex("do it")}
    assert [check["name"] for check in workflow["tasks"][0]["oracle"]["checks"]] == ["tests", "scope"]

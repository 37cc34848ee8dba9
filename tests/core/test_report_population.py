"""Which rows are one population: what must agree, what may be missing, and what the plan froze."""

from __future__ import annotations

import pytest

from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.campaign.report import report_campaign
from oakbench_core.campaign.row_columns import POPULATION_FIELDS
from tests.campaigns import Json, plan_document, run, sealed


def population(
    *recorded: Json | None, terminals: str = "completed", tasks: int = 1, frozen: Json | None = None
) -> Json:
    """The population of one group whose trials recorded these, in schedule order, under a plan that froze this."""
    document = plan_document(
        tasks=[f"t{number}" for number in range(tasks)], subjects=["git"], repetitions=len(recorded) // tasks
    )
    frozen = frozen or {}
    for task in document["workflows"]["w"]["tasks"].values():
        task["fixture_sha256"] = frozen.get("fixture")
    document["subjects"]["git"] = {"binary": "git", **frozen.get("subject", {})}
    document["agents"]["a"] |= frozen.get("agent", {})
    p = plan_from_document(sealed(document))
    ends = [*terminals.split(), *["completed"] * len(recorded)]
    events = [event for place, values in enumerate(recorded) for event in run(p, place, ends[place], population=values)]
    [group] = report_campaign(p, events)["groups"]
    return dict(group["population"])


def value(field: str, which: int) -> object:
    return which if field == "oracle_version" else str(which)


@pytest.mark.clause("A10-12")
@pytest.mark.parametrize("field", POPULATION_FIELDS)
def test_two_values_of_one_field_are_two_populations(field: str) -> None:
    found = population({field: value(field, 2)}, {field: value(field, 1)})

    assert not found["agrees"]
    assert found["differing"] == [{"field": field, "values": [value(field, 1), value(field, 2)]}]


@pytest.mark.parametrize("field", POPULATION_FIELDS)
def test_a_known_value_against_a_missing_one_disagrees(field: str) -> None:
    found = population({field: value(field, 1)}, None)

    assert found["differing"] == [{"field": field, "values": [None, value(field, 1)]}]


@pytest.mark.parametrize("field", ["resolved_model", "agent_version"])
def test_a_timed_out_row_may_leave_out_what_a_killed_agent_could_not_say(field: str) -> None:
    found = population({field: "1"}, None, {field: "1"}, terminals="completed timed_out")

    assert (found["agrees"], found["unreported"]) == (True, 1)
    assert field not in found["unmeasured"]


def test_a_timed_out_row_without_what_no_row_has_is_not_unreported() -> None:
    found = population(None, None, terminals="timed_out completed")

    assert (found["agrees"], found["unreported"]) == (True, 0)
    assert found["unmeasured"] == sorted(POPULATION_FIELDS)


def test_a_timed_out_row_that_says_otherwise_disagrees() -> None:
    found = population({"resolved_model": "m1"}, {"resolved_model": "m2"}, terminals="completed timed_out")

    assert found["differing"] == [{"field": "resolved_model", "values": ["m1", "m2"]}]


def test_a_timed_out_row_is_exempt_in_no_other_field() -> None:
    found = population({"os": "linux"}, None, terminals="completed timed_out")

    assert found["differing"] == [{"field": "os", "values": [None, "linux"]}]


@pytest.mark.parametrize("field", POPULATION_FIELDS)
def test_fixture_oracle_and_prompt_alone_may_differ_between_tasks(field: str) -> None:
    one, two = {field: value(field, 1)}, {field: value(field, 2)}
    by_task, within_a_task = population(one, two, one, two, tasks=2), population(one, one, two, one, tasks=2)

    assert by_task["agrees"] is (field in {"fixture_version", "oracle_version", "prompt_sha256"})
    assert [difference["field"] for difference in within_a_task["differing"]] == [field]


@pytest.mark.parametrize(
    ("frozen", "field"),
    [
        ({"subject": {"version": "a"}}, "subject_version"),
        ({"subject": {"binary_sha256": "a" * 64}}, "subject_binary_sha256"),
        ({"agent": {"version": "a"}}, "agent_version"),
        ({"fixture": "a" * 64}, "fixture_version"),
    ],
)
def test_a_recorded_value_that_is_not_the_frozen_one_disagrees(frozen: Json, field: str) -> None:
    known = "a" * 64 if field in {"subject_binary_sha256", "fixture_version"} else "a"
    found = population({field: "b"}, {field: "b"}, frozen=frozen)

    assert found["differing"] == [{"field": field, "values": [known, "b"]}]
    assert population({field: known}, {field: known}, frozen=frozen)["agrees"]
    assert population(None, None, frozen=frozen)["agrees"]


def test_the_version_of_an_agent_that_a_subject_replaces_binds_nobody() -> None:
    own = {"agent": {"version": "5"}, "subject": {"agent": {"argv": ["other"]}}}
    shared = {"agent": {"version": "5"}, "subject": {"agent": {"model": "m2"}}}

    assert population({"agent_version": "6"}, frozen=own)["agrees"]
    assert not population({"agent_version": "6"}, frozen=shared)["agrees"]


def test_rows_without_a_verdict_are_not_tested() -> None:
    found = population({"os": "linux"}, {"os": "darwin"}, terminals="completed infrastructure_failure")

    assert found["agrees"]

"""A plan is frozen and hashed; what it may not hold is refused, all at once, each with its place."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.plan import plan_from_document, plan_hash
from oakbench_core.errors import DocumentError, ExitCode, IdentityError
from tests.campaigns import plan_document, sealed

if TYPE_CHECKING:
    from collections.abc import Iterator


def problems_of(document: Any) -> dict[str | None, str]:
    with pytest.raises(DocumentError) as caught:
        plan_from_document(document)
    assert caught.value.exit_code is ExitCode.REFUSED
    return {problem.path: problem.rule for problem in caught.value.problems}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The example plan with the value at a dotted path replaced (or removed, where `value` is ...)."""
    document = copy.deepcopy(plan_document())
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place: Any = document
    for part in way:
        place = place[part]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return sealed(document)


def test_the_vectors_plan_is_read_and_its_hash_is_right(vectors: dict[str, Any]) -> None:
    plan = plan_from_document(vectors["plan"])

    assert plan.plan_sha256 == plan_hash(vectors["plan"])
    assert list(plan.index) == [trial.trial_id for trial in plan.schedule]


@pytest.mark.clause("A10-02", "A10-10")
def test_every_trial_has_an_id_a_block_and_its_conditions() -> None:
    plan = plan_from_document(plan_document())

    for key in ("trial_id", "block_id", "workflow", "instruction_level", "agent", "subject"):
        assert all(getattr(trial, key) for trial in plan.schedule)
        assert f"$.schedule[0].{key}" in problems_of(changed(f"schedule.0.{key}", ...))


def _leaves(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from _leaves(inner, f"{path}.{number}")
    else:
        yield path


@pytest.mark.clause("A10-01")
def test_changing_any_value_of_a_plan_changes_its_hash_and_is_noticed() -> None:
    document = plan_document()
    for path in _leaves(document):
        edited = copy.deepcopy(document)
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        place: Any = edited
        for part in way:
            place = place[part]
        place[last] = "f" * 64 if path == "plan_sha256" else f"{place[last]}x"
        with pytest.raises((DocumentError, IdentityError)):
            plan_from_document(edited)
        if path != "plan_sha256":
            assert plan_hash(edited) != plan_hash(document)


@pytest.mark.clause("A10-01")
def test_an_edited_plan_is_told_from_a_broken_one() -> None:
    edited = plan_document() | {"seed": 8}

    with pytest.raises(IdentityError) as caught:
        plan_from_document(edited)

    assert caught.value.exit_code is ExitCode.IDENTITY
    assert caught.value.path == "$.plan_sha256"


@given(st.randoms())
def test_the_order_of_keys_is_no_meaning(random: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            items = list(value.items())
            random.shuffle(items)
            return {key: shuffled(inner) for key, inner in items}
        return [shuffled(inner) for inner in value] if isinstance(value, list) else value

    assert plan_from_document(shuffled(plan_document())).plan_sha256 == plan_document()["plan_sha256"]


@pytest.mark.clause("A10-49")
def test_a_human_study_is_refused_as_a_campaign() -> None:
    assert "own protocol" in problems_of(changed("participants", "humans"))["$.participants"]


@pytest.mark.parametrize(
    ("path", "value", "place", "words"),
    [
        ("schema", "oakbench.plan/2", "$.schema", "oakbench.plan/1"),
        ("seed", True, "$.seed", "integer"),
        ("seed", 1.0, "$.seed", "integer"),
        ("seed", 2**53, "$.seed", "9007199254740991"),
        ("colour", "blue", "$.colour", "unknown"),
        ("created_at", "2026-02-30T00:00:00Z", "$.created_at", "UTC time"),
        ("created_at", "2026-02-03T00:00:60Z", "$.created_at", "UTC time"),
        ("created_at", "2026-02-03T00:00:00+00:00", "$.created_at", "UTC time"),
        ("campaign_id", "../x", "$.campaign_id", "form"),
        ("campaign_id", "x\n", "$.campaign_id", "form"),
        ("schedule", [], "$.schedule", "at least 1"),
        ("schedule.0.trial_id", "../../x", "$.schedule[0].trial_id", "form"),
        ("schedule.0.trial_id", "x" * 201, "$.schedule[0].trial_id", ""),
        ("schedule.0.trial_id", "x~1", "$.schedule[0].trial_id", "form"),
        ("schedule.0.timeout_s", 0, "$.schedule[0].timeout_s", "greater"),
        ("schedule.0.timeout_s", "10", "$.schedule[0].timeout_s", "integer"),
        ("schedule.0.workflow", "nope", "$.schedule[0].workflow", "no workflow"),
        ("schedule.0.task", "nope", "$.schedule[0].task", "no task"),
        ("schedule.0.instruction_level", "nope", "$.schedule[0].instruction_level", "no prompt"),
        ("schedule.0.agent", "nope", "$.schedule[0].agent", "no agent"),
        ("schedule.0.subject", "nope", "$.schedule[0].subject", "no subject"),
        ("schedule.1.trial_id", "W.FIX.plain.a.r001.git", "$.schedule[1]", "case ignored"),
        ("schedule.1.subject", "git", "$.schedule[1]", "subject"),
        ("schedule.1.timeout_s", 11, "$.schedule[1]", "agree"),
        ("schedule.1.block_id", "W.fix.plain.a.r001", "$.schedule[1].block_id", "case only"),
        ("agents.a.set_env", {"API_KEY": "x"}, "$.agents.a.set_env", "secret"),
        ("agents.a.adapter", "shell", "$.agents.a.adapter", "command"),
        ("workflows.w.tasks.fix.oracle.checks.0.kind", "magic", "$.workflows.w.tasks.fix.oracle.checks[0]", "magic"),
        ("workflows.w.tasks.fix.oracle.checks.0.name", "scope", "$.workflows.w.tasks.fix.oracle.checks", "two checks"),
        (
            "workflows.w.tasks.fix.oracle.checks.1.may_change",
            ...,
            "$.workflows.w.tasks.fix.oracle.checks[1]",
            "may_change",
        ),
        ("compares", ["cost"], "$.compares[0]", "agent_version"),
    ],
)
def test_what_a_plan_may_not_hold_is_refused_with_its_place(path: str, value: Any, place: str, words: str) -> None:
    found = problems_of(changed(path, value))

    assert place in found
    assert words in found[place]


def test_a_subject_that_overrides_the_agent_carries_no_model_in_the_schedule() -> None:
    document = changed("subjects.git.agent", {"model": "opus"})
    document["schedule"][0]["model"] = "sonnet"

    assert "$.schedule[0].model" in problems_of(document)


def test_all_problems_of_a_plan_are_reported_together() -> None:
    document = plan_document() | {"seed": "x", "participants": "humans", "colour": 1}

    assert set(problems_of(document)) == {"$.seed", "$.participants", "$.colour"}


@pytest.mark.parametrize("value", [None, [], "x", 3, {}])
def test_what_is_no_plan_at_all_is_refused_too(value: object) -> None:
    assert problems_of(value)


def test_a_later_attempt_has_a_name_of_its_own() -> None:
    document = plan_document()
    for entry in document["schedule"]:
        entry["retry_of"] = entry["trial_id"]
        entry["trial_id"] += "~2"

    plan = plan_from_document(sealed(document))

    assert plan.schedule[0].trial_id.endswith("~2")

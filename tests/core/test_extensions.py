"""What `freeze --parent` schedules: exactly what the parent lacks, and only of what means the same in both."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakbench_core.campaign.definition_reading import read_definition
from oakbench_core.campaign.derived_plans import trees_of
from oakbench_core.campaign.expansion import Found, Program, expanded
from oakbench_core.campaign.extensions import changed_meanings, drifts, extended, reused_identities
from oakbench_core.campaign.plan import plan_from_document
from tests.core.definitions import changed, definition

if TYPE_CHECKING:
    from oakbench_core.campaign.plan import Plan

Json = dict[str, Any]
TREES = {"$.workflows.w.tasks.t.oracle.files": "1" * 64}


def document_of(value: Json, *, version: str = "1", trees: dict[str, str] = TREES) -> Json:
    model, problems = read_definition(value)
    assert model is not None, problems
    found = Found(
        campaign_id="c", created_at="2026-12-01T00:00:00Z", tool="test", definition_sha256="0" * 64,
        runner_class="here", trees=trees, programs={"$.agents.a": Program(version, "2" * 64)},
    )  # fmt: skip
    return expanded(model, value, found)


def plan_of(document: Json) -> Plan:
    return plan_from_document(copy.deepcopy(document))


def conditions(plan: Plan) -> set[tuple[object, ...]]:
    return {(t.workflow, t.task, t.instruction_level, t.agent, t.subject, t.repetition) for t in plan.schedule}


PARENT = plan_of(document_of(definition()))
subjects = st.lists(st.sampled_from(["one", "two"]), min_size=1, unique=True)
levels = st.lists(st.sampled_from(["plain", "helped"]), min_size=1, unique=True)


@settings(max_examples=40)
@given(st.integers(1, 4), st.integers(1, 4), subjects, subjects, levels)
def test_parent_and_extension_together_are_the_definition_and_share_no_trial(
    earlier: int, later: int, had: list[str], wanted: list[str], level: list[str]
) -> None:
    parent = plan_of(document_of(changed(("campaign.repetitions", earlier), ("campaign.subjects", had))))
    document = document_of(
        changed(
            ("campaign.repetitions", later),
            ("campaign.subjects", wanted),
            ("workflows.w.tasks.t.instruction_levels", level),
        )
    )
    whole = plan_of(document)
    made = extended(document, whole, parent, 3)
    new = set() if made is None else conditions(plan_of(made))

    assert new == conditions(whole) - conditions(parent)
    if made is not None:
        plan = plan_of(made)
        assert plan.document.provenance.parent is not None
        assert plan.document.provenance.parent.model_dump() == {
            "campaign_id": "c", "plan_sha256": parent.plan_sha256, "kind": "extension", "finished_trials": 3,
        }  # fmt: skip
        assert not {t.trial_id for t in plan.schedule} & {t.trial_id for t in parent.schedule}
        assert list(reused_identities(made, parent)) == []
        assert set(plan.document.subjects) == {trial.subject for trial in plan.schedule}
        kept = {trial.trial_id for trial in plan.schedule}
        assert [t.trial_id for t in plan.schedule] == [t.trial_id for t in whole.schedule if t.trial_id in kept]


def test_a_new_task_brings_only_the_trees_that_it_needs() -> None:
    earlier = definition()
    del earlier["workflows"]["w"]["tasks"]["u"]
    parent = plan_of(document_of(earlier))
    document = document_of(definition())
    made = extended(document, plan_of(document), parent, 0)

    assert made is not None
    assert list(made["workflows"]["w"]["tasks"]) == ["u"]
    assert trees_of(plan_of(made)) == frozenset()


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("workflows.w.version", 2, "$.workflows.w.version"),
        ("workflows.w.tasks.t.prompts.plain", "Do it well.", "$.workflows.w.tasks.t.prompts.plain"),
        ("workflows.w.tasks.t.setup", [["true"]], "$.workflows.w.tasks.t.setup"),
        ("workflows.w.tasks.u.timeout_s", 31, "$.workflows.w.tasks.u.timeout_s"),
        ("workflows.w.tasks.t.oracle.version", 2, "$.workflows.w.tasks.t.oracle.version"),
        ("agents.a.argv", ["sh", "-c", "{prompt}"], "$.agents.a.argv"),
        ("subjects.one.parameters.help", "Use it.", "$.subjects.one.parameters.help"),
        ("subjects.two.agent", {"model": "n"}, "$.subjects.two.agent"),
    ],
)
def test_what_both_name_must_mean_the_same(path: str, value: object, place: str) -> None:
    plan = plan_of(document_of(changed((path, value))))

    assert place in [problem.path for problem in changed_meanings(plan, PARENT)]


def test_another_tree_is_named_by_the_key_of_the_definition() -> None:
    path = "$.workflows.w.tasks.t.oracle.files"
    plan = plan_of(document_of(definition(), trees={path: "3" * 64}))

    assert [problem.path for problem in changed_meanings(plan, PARENT)] == [path]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("campaign.seed", 8),
        ("campaign.repetitions", 9),
        ("campaign.admission_budget_s", 9),
        ("workflows.w.tasks.t.prompts.more", "Do more."),
        ("workflows.w.tasks.t.solution", "false"),
        ("subjects.one.parameters.other", "x"),
        ("subjects.one.unsupported", {"w.u": "cannot"}),
        ("subjects.three", {"parameters": {"help": "Use three.", "state": "true"}}),
    ],
)
def test_what_is_added_or_is_no_part_of_a_trial_changes_no_meaning(path: str, value: object) -> None:
    plan = plan_of(document_of(changed((path, value))))

    assert list(changed_meanings(plan, PARENT)) == []


def test_a_program_that_was_updated_is_told_and_not_refused() -> None:
    plan = plan_of(document_of(changed(("campaign.repetitions", 3)), version="2"))

    assert list(changed_meanings(plan, PARENT)) == []
    assert [tuple(drift) for drift in drifts(plan, PARENT)] == [("agents.a.version", "1", "2")]

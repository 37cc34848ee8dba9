"""A plan is frozen and hashed; what it may not hold is refused, all at once, each with its place."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.plan import Plan, plan_from_document, plan_from_text, plan_hash
from oakbench_core.canonical import parse_strict
from oakbench_core.errors import DocumentError, ExitCode, IdentityError
from tests.campaigns import plan_document, sealed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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


def by_the_models(text: bytes) -> Plan | None:
    """The plan as strict JSON and the models read it; None if they refuse it."""
    value, problems = parse_strict(text)
    if problems:
        return None
    try:
        return plan_from_document(value)
    except (DocumentError, IdentityError):
        return None


@pytest.mark.parametrize("layout", [{"indent": 1}, {}, {"separators": (",", ":")}, {"sort_keys": True}])
def test_a_sound_plan_is_read_fast_in_any_layout_and_is_the_models_plan(layout: dict[str, Any]) -> None:
    document = plan_document()
    document["workflows"]["w"]["tasks"]["fix"]["prompts"]["plain"] = 'naïve: "\n\t\\/" \x7f \U0001f600 \u2028'
    document["schedule"][0]["retry_of"] = "x" * 64 + ".y~2"
    text = json.dumps(sealed(document), ensure_ascii=False, **layout).encode()

    found = plan_from_text(text)

    assert found is not None
    assert found == by_the_models(text)
    assert found.document.model_fields_set == plan_from_document(sealed(document)).document.model_fields_set


def test_the_recorded_plan_is_read_fast(data_dir: Path) -> None:
    text = (data_dir / "haiku-opus-371" / "plan.json").read_bytes()

    assert plan_from_text(text) == by_the_models(text) is not None


def test_a_key_that_stands_twice_is_noticed_even_where_another_is_absent_or_an_escape_makes_up_for_it() -> None:
    document = plan_document()
    absent = copy.deepcopy(document)
    del absent["schedule"][0]["retry_of"]
    colon = copy.deepcopy(document)
    colon["workflows"]["w"]["tasks"]["fix"]["prompts"]["plain"] = "a:b"
    colon = sealed(colon)

    for text, old, new in (
        (json.dumps(document), '"task": "fix",', '"task": "rename", "task": "fix",'),
        (json.dumps(document), '"seed": 7,', '"seed": 8, "seed": 7,'),
        (json.dumps(document), '"schedule": [', '"schedule": [], "schedule": ['),
        (
            json.dumps({**absent, "plan_sha256": document["plan_sha256"]}),
            '"task": "fix",',
            '"task": "x", "task": "fix",',
        ),
        (json.dumps(colon).replace("a:b", r"a\u003ab", 1), '"seed": 7,', '"seed": 8, "seed": 7,'),
    ):
        assert old in text
        twice = text.replace(old, new, 1).encode()

        assert by_the_models(twice) is None
        assert plan_from_text(twice) is None


IDS = (
    "w.fix.plain.a.r001.git",
    "W",
    "x~1",
    "x~2",
    "a.b",
    ".",
    "a" * 65,
    ".".join(["a" * 49] * 4),
    ".".join(["a" * 50] * 4),
)
ODD_TEXTS = ("", "x", "x\n", "é", "\x00", "a:b", "git", "hg", "humans", "0" * 64, "2026-02-30T00:00:00Z")
ODD_VALUES: tuple[Any, ...] = (
    *IDS,
    *ODD_TEXTS,
    ...,
    None,
    True,
    0,
    1,
    1.0,
    2**53 - 1,
    2**53,
    10**30,
    [],
    {},
    [1],
    {"x": "y"},
)


def _places(document: dict[str, Any]) -> list[str]:
    """Dotted paths of everything outside the schedule's first entry, which is the one that meets its model."""
    found = {"schedule", "workflows", "agents", "subjects", "schedule.1", *_leaves(document)} - {"plan_sha256"}
    return sorted(path for path in found if not path.startswith("schedule.0"))


def _with(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    edited = copy.deepcopy(document)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place: Any = edited
    for part in way:
        place = place[part]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return edited


@pytest.mark.parametrize("path", _places(plan_document(subjects=["git"], tasks=["fix"])))
def test_what_is_read_fast_is_what_the_models_accept_whatever_stands_there(path: str) -> None:
    document = plan_document(subjects=["git"], tasks=["fix"])
    # Such a plan may be sound, and is left to the models.
    of_a_trial = path.startswith("schedule.1.")
    for value in ODD_VALUES:
        edited = _with(document, path, value)
        text = json.dumps(sealed(edited), ensure_ascii=False).encode()
        left_to_the_models = b"\\u" in text or (value is ... and of_a_trial)

        found, expected = plan_from_text(text), by_the_models(text)

        assert found == (None if left_to_the_models else expected), value
        if edited != document:
            assert plan_from_text(json.dumps(edited, ensure_ascii=False).encode()) is None, "another's hash"


def test_a_key_that_no_trial_has_is_left_to_the_models() -> None:
    document = plan_document()
    document["schedule"][1]["colour"] = "blue"
    text = json.dumps(sealed(document)).encode()

    assert (plan_from_text(text), by_the_models(text)) == (None, None)


@given(st.data())
def test_no_byte_can_be_changed_so_that_it_is_accepted_by_the_fast_way_alone(data: st.DataObject) -> None:
    text = json.dumps(plan_document(repetitions=1, tasks=["fix"]), ensure_ascii=False).encode()
    start = data.draw(st.integers(0, len(text) - 1))
    end = min(start + data.draw(st.integers(0, 2)), len(text))
    new = data.draw(
        st.binary(max_size=2)
        | st.sampled_from([b" ", b"\n", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\/", b",", b"-", b"\t"])
    )

    changed_text = text[:start] + new + text[end:]

    assert plan_from_text(changed_text) == by_the_models(changed_text)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["b1", "B1", "b2"]),
            st.sampled_from(["fix", "rename"]),
            st.sampled_from([1, 2]),
            st.sampled_from(["git", "hg"]),
            st.sampled_from(["x", "X", "y", "z"]),
            st.sampled_from([10, 10, 20]),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_a_schedule_is_refused_exactly_if_something_in_it_is_twice_or_mixed(entries: list[tuple[Any, ...]]) -> None:
    """Told by the rules as they are said, one pair of trials after the other."""
    document = plan_document()
    template = document["schedule"][0]
    names = ("block_id", "task", "repetition", "subject", "trial_id", "timeout_s")
    document["schedule"] = [template | dict(zip(names, entry, strict=True)) for entry in entries]
    broken = any(
        trial_a.lower() == trial_b.lower()
        or (task_a, run_a, subject_a) == (task_b, run_b, subject_b)
        or (block_a, subject_a) == (block_b, subject_b)
        or (block_a.lower() == block_b.lower() and (block_a, task_a, run_a, s_a) != (block_b, task_b, run_b, s_b))
        for number, (block_a, task_a, run_a, subject_a, trial_a, s_a) in enumerate(entries)
        for block_b, task_b, run_b, subject_b, trial_b, s_b in entries[:number]
    )

    text = json.dumps(sealed(document)).encode()

    assert (by_the_models(text) is None) is broken
    assert plan_from_text(text) == by_the_models(text)

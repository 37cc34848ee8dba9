"""What two populations must share, and what the rows of one must share to be pooled."""

from __future__ import annotations

from typing import Any

import pytest

from oakbench_core import COMPARISON_FIELDS, build_book
from oakbench_core.baseline.populations import applicable_fields
from oakbench_core.errors import DocumentError
from tests.core.baseline.staging import book, codes, git_rows, noise_rows, oak_rows, result, row, target

KEYED = {"lane", "scenario", "operation", "track"}  # another value of these is another population, not a mismatch
OTHER: dict[str, Any] = dict.fromkeys(COMPARISON_FIELDS, "other") | {"oracle_version": 2}
SENTINELS = ["unknown", "n/a", "none", "default", "auto", "", " Unknown ", "N/A", "AUTO"]


@pytest.mark.clause("A09-10")
def test_one_list_names_the_fields_of_comparison() -> None:
    assert (
        *("lane", "track", "semantics_version", "scenario", "scenario_version", "operation", "fixture_version"),
        *("oracle_version", "environment_isolation", "runner_class", "cache_state", "load_state"),
        *("transport", "server", "shaping"),
        *("token_calibration", "agent", "agent_version", "model", "instruction_level"),
    ) == COMPARISON_FIELDS
    assert build_book([row()])["cells"][0]["comparison_identity"]["fields"].keys() == set(COMPARISON_FIELDS)
    assert len(applicable_fields("core")) == 12
    assert applicable_fields("remote-ssh")[12:] == COMPARISON_FIELDS[12:15]
    assert applicable_fields("agent-ux")[12:] == COMPARISON_FIELDS[15:]


@pytest.mark.clause("A09-14", "A09-38")
@pytest.mark.parametrize("mode", ["claim", "diagnostic"])
@pytest.mark.parametrize("field", [field for field in COMPARISON_FIELDS if field not in KEYED])
@pytest.mark.parametrize("change", ["another", "missing", "surplus"])
def test_any_common_condition_that_differs_or_is_known_on_one_side_only_is_invalid(
    field: str, change: str, mode: str
) -> None:
    known = OTHER[field]
    baseline = {"another": {}, "missing": {field: known}, "surplus": {field: None}}[change]
    candidate = {"another": {field: known}, "missing": {field: None}, "surplus": {field: known}}[change]
    if change == "another":
        baseline = {field: "first" if field != "oracle_version" else 1}
    saved = book(git_rows(**baseline), [])

    found = result(saved, oak_rows(**candidate), mode=mode)

    assert found["verdict"] == "INVALID"
    assert found["ratio"] is None
    assert codes(found["reasons"])[0] == "identity_mismatch"
    assert field in found["reasons"][0]["text"]


def test_a_version_in_digits_is_another_than_the_number() -> None:
    found = result(book(git_rows(oracle_version="1"), []), oak_rows(oracle_version=1))

    assert found["verdict"] == "INVALID"


@pytest.mark.clause("A09-42")
def test_a_ratio_across_runner_classes_is_invalid_and_a_same_run_analysis_is_named() -> None:
    found = result(candidates=oak_rows(runner_class="linux-arm64-8c"))

    assert found["verdict"] == "INVALID"
    assert "runner_class linux-arm64-8c against linux-x86_64-2c" in found["reasons"][0]["text"]
    assert "same-run analysis" in found["reasons"][0]["text"]


@pytest.mark.clause("A09-12")
def test_binary_version_and_prompt_label_may_differ_between_comparators() -> None:
    candidates = oak_rows(subject_version="9.9", subject_binary_sha256="c" * 64, prompt_label="oak says")
    found = result(book(git_rows(prompt_label="git says")), candidates)

    assert (found["verdict"], found["claim_eligible"]) == ("GREEN", True)


def test_the_same_subject_at_another_version_can_be_candidate_and_baseline() -> None:
    newer = oak_rows(subject="git", subject_version="2.50.0")

    assert result(candidates=newer, asked=target(candidate="git"))["verdict"] == "GREEN"


@pytest.mark.clause("A09-28")
@pytest.mark.parametrize("sentinel", SENTINELS)
@pytest.mark.parametrize("field", ["cache_state", "load_state", "model"])
def test_a_word_for_not_known_is_a_missing_value(sentinel: str, field: str) -> None:
    lane: dict[str, Any] = {
        "lane": "agent-ux",
        "token_calibration": "t",
        "agent": "a",
        "agent_version": "1",
        "model": "m",
    }
    lane |= {"instruction_level": "guided"}
    saved = book(git_rows(**{**lane, field: sentinel}), [])
    asked = target(lane="agent-ux")

    assert saved["cells"][0]["comparison_identity"]["fields"][field] is None
    one_sided = result(saved, oak_rows(**{**lane, field: "known"}), asked)
    assert one_sided["verdict"] == "INVALID"
    both_sided = result(saved, oak_rows(**{**lane, field: None}), asked)
    assert "identity_incomplete" in codes(both_sided["reasons"])
    assert both_sided["claim_eligible"] is False


def test_elsewhere_such_a_word_is_what_a_condition_is_called() -> None:
    fields = build_book([row(environment_isolation="none")])["cells"][0]["comparison_identity"]["fields"]

    assert fields["environment_isolation"] == "none"


@pytest.mark.clause("A09-22")
@pytest.mark.parametrize(
    ("lane", "field"),
    [
        *(("core", field) for field in applicable_fields("core") if field not in {"lane", "scenario", "operation"}),
        *(("remote-ssh", field) for field in COMPARISON_FIELDS[12:15]),
        *(("agent-ux", field) for field in COMPARISON_FIELDS[15:]),
    ],
)
def test_a_claim_needs_every_applicable_condition_known(lane: str, field: str) -> None:
    known: dict[str, Any] = {name: OTHER[name] for name in applicable_fields(lane)[12:]} | {"lane": lane}
    asked = target(lane=lane) | ({"track": None} if field == "track" else {})

    complete = result(book(git_rows(**known), noise_rows(**known)), oak_rows(**known), target(lane=lane))
    assert (complete["verdict"], complete["claim_eligible"]) == ("GREEN", True)
    gap = known | {field: None}
    found = result(book(git_rows(**gap), noise_rows(**gap)), oak_rows(**gap), asked)
    assert (found["verdict"], found["statistical_verdict"], found["claim_eligible"]) == ("AMBER", "GREEN", False)
    assert codes(found["reasons"]) == ["identity_incomplete"]
    assert field in found["reasons"][0]["text"]


def test_a_field_that_does_not_apply_may_be_missing_on_both_sides() -> None:
    assert result()["claim_eligible"] is True


@pytest.mark.clause("A09-13", "A09-16")
@pytest.mark.parametrize("field", ["subject_binary_sha256", "subject_version", "cache_state", "runner_class"])
def test_rows_of_one_key_under_two_conditions_are_never_pooled(field: str) -> None:
    mixed = [*git_rows(), row(run=31, **{field: "c" * 64})]

    with pytest.raises(DocumentError, match="not pooled") as refusal:
        build_book(mixed)
    assert field in refusal.value.rule

    candidates = [*oak_rows(), *(dict(one, run=31, **{field: "d" * 64}) for one in oak_rows(1))]
    for mode in ("claim", "diagnostic"):
        found = result(candidates=candidates, mode=mode)
        assert (found["verdict"], found["ratio"], found["candidate"]["value"]) == ("INVALID", None, None)
        assert "mixed_population" in codes(found["reasons"])


def test_a_known_binary_against_a_missing_one_is_a_mixed_population() -> None:
    with pytest.raises(DocumentError, match="not pooled"):
        build_book([row(run=1), row(run=2, subject_binary_sha256=None)])


def test_a_skipped_row_knows_no_binary_and_makes_no_second_one() -> None:
    skipped = row(run=2, outcome="skipped", metrics={}, subject_version=None, subject_binary_sha256=None)
    cell = build_book([row(run=1), skipped])["cells"][0]

    assert (cell["n"], cell["skipped_n"]) == (1, 1)
    assert cell["subject_identity"] == {"version": "2.39.5", "binary_sha256": "a" * 64}
    with pytest.raises(DocumentError, match="not pooled"):
        build_book([row(run=1), skipped | {"subject_version": "1.0"}])


def test_all_mixed_populations_are_told_at_once() -> None:
    mixed = [row(run=n, operation=f"op{n % 2}", cache_state=f"state{n // 2}") for n in range(4)]

    with pytest.raises(DocumentError) as refusal:
        build_book(mixed)

    assert len(refusal.value.problems) == 2


def test_a_population_that_never_agrees_is_refused_without_being_remembered() -> None:
    with pytest.raises(DocumentError) as refusal:
        build_book(row(run=n, fixture_version=f"f{n:04}") for n in range(1000))

    assert refusal.value.rule.count("f0") <= 8

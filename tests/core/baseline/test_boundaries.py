"""Every eligibility condition at its boundary, in both modes: verdict, reasons, and what a command would end with."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from oakbench_core import scorecard
from oakbench_core.baseline.scorecard import gate
from oakbench_core.errors import DocumentError, UsageError
from oakbench_tui.cli.schema import SchemaName, json_schema
from tests.core.baseline.staging import (
    book,
    codes,
    git_rows,
    oak_rows,
    target,
    with_cell,
)

if TYPE_CHECKING:
    from collections.abc import Callable

GREEN, AMBER, RED, INVALID, UNMEASURED = "GREEN", "AMBER", "RED", "INVALID", "UNMEASURED"
Asked = tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any], dict[str, Any]]


def asked(
    saved: dict[str, Any] | None = None,
    candidates: list[dict[str, Any]] | None = None,
    wanted: dict[str, Any] | None = None,
    **options: Any,
) -> Asked:
    return saved or book(), oak_rows() if candidates is None else candidates, wanted or target(), options


def floor(value: float) -> dict[str, Any]:
    return with_cell(book(), noise_floor={"value": value})


def level(value: float | None) -> dict[str, Any]:
    return with_cell(book(), interval={"confidence": value})


def p99(baseline: int, candidate: int) -> Asked:
    return asked(book(git_rows(baseline)), oak_rows(candidate), target(statistic="p99"))


# what is asked; verdict and reasons in claim mode; verdict in diagnostic mode
TABLE: dict[str, tuple[Callable[[], Asked], str, list[str], str]] = {
    "all is there": (asked, GREEN, [], GREEN),
    "29 candidate trials": (lambda: asked(candidates=oak_rows(29)), AMBER, ["too_few_trials"], GREEN),
    "30 candidate trials": (lambda: asked(candidates=oak_rows(30)), GREEN, [], GREEN),
    "29 baseline trials": (lambda: asked(book(git_rows(29))), AMBER, ["too_few_trials"], GREEN),
    "30 baseline trials": (lambda: asked(book(git_rows(30))), GREEN, [], GREEN),
    "99 candidate trials of a p99": (lambda: p99(400, 99), AMBER, ["no_interval", "too_few_trials"], AMBER),
    "100 candidate trials of a p99": (lambda: p99(400, 100), AMBER, ["no_interval"], AMBER),
    "99 baseline trials of a p99": (lambda: p99(99, 400), AMBER, ["no_interval", "too_few_trials"], AMBER),
    "100 baseline trials of a p99": (lambda: p99(100, 400), AMBER, ["no_interval"], AMBER),
    "367 trials of a p99": (lambda: p99(367, 367), AMBER, ["no_interval"], AMBER),
    "368 trials of a p99": (lambda: p99(368, 368), GREEN, [], GREEN),
    "candidate at 0.9499": (lambda: asked(confidence=0.9499), AMBER, ["confidence_too_low"], GREEN),
    "candidate at 0.95": (lambda: asked(confidence=0.95), GREEN, [], GREEN),
    "candidate at 0.999": (lambda: asked(confidence=0.999), GREEN, [], GREEN),
    "baseline at 0.9499": (lambda: asked(level(0.9499)), AMBER, ["confidence_too_low"], GREEN),
    "baseline at 0.95": (lambda: asked(level(0.95)), GREEN, [], GREEN),
    "baseline at 1.0": (lambda: asked(level(1.0)), AMBER, ["no_interval", "baseline_interval_invalid"], AMBER),
    "baseline at no level": (lambda: asked(level(None)), AMBER, ["confidence_too_low"], GREEN),
    "floor null": (lambda: asked(with_cell(book(), noise_floor=None)), AMBER, ["noise_floor_absent"], GREEN),
    "floor NaN": (lambda: asked(floor(math.nan)), AMBER, ["noise_floor_invalid"], GREEN),
    "floor infinite": (lambda: asked(floor(math.inf)), AMBER, ["noise_floor_invalid"], GREEN),
    "floor -0.1": (lambda: asked(floor(-0.1)), AMBER, ["noise_floor_invalid"], GREEN),
    "floor 0.0": (lambda: asked(floor(0.0)), GREEN, [], GREEN),
    "floor under the target's distance": (lambda: asked(floor(0.22)), GREEN, [], GREEN),
    "floor at the target's distance": (lambda: asked(floor(-math.log(0.8))), AMBER, ["below_noise_floor"], AMBER),
    "worse than the target": (lambda: asked(candidates=oak_rows(median=95.0)), RED, [], RED),
    "around the target": (lambda: asked(candidates=oak_rows(median=80.0)), AMBER, ["straddles_target"], AMBER),
    "no candidate": (lambda: asked(candidates=[]), UNMEASURED, ["candidate_missing"], UNMEASURED),
    "no baseline": (lambda: asked(wanted=target(baseline="hg")), UNMEASURED, ["baseline_missing"], UNMEASURED),
    "another cache": (lambda: asked(candidates=oak_rows(cache_state="cold")), INVALID, ["identity_mismatch"], INVALID),
}


@pytest.mark.clause("A09-09", "A09-20", "A09-21", "A09-23", "A09-26", "A09-31", "A09-36", "A09-37", "A09-39")
@pytest.mark.parametrize("name", TABLE)
def test_a_condition_at_its_boundary_in_both_modes(name: str) -> None:
    make, verdict, reasons, diagnostic = TABLE[name]
    saved, candidates, wanted, options = make()

    claim = scorecard(saved, candidates, [wanted], "claim", **options)
    (of_claim,) = claim["results"]
    assert (of_claim["verdict"], codes(of_claim["reasons"])) == (verdict, reasons)
    capped = bool(set(reasons) - {"straddles_target", "below_noise_floor"})
    assert of_claim["claim_eligible"] is claim["claim_eligible"] is (not capped)
    assert gate(claim) == (0 if verdict == GREEN else 1)

    diagnosis = scorecard(saved, candidates, [wanted], "diagnostic", **options)
    (of_diagnosis,) = diagnosis["results"]
    assert (of_diagnosis["verdict"], of_diagnosis["mode"]) == (diagnostic, "diagnostic")
    assert of_diagnosis["claim_eligible"] is diagnosis["claim_eligible"] is False
    assert gate(diagnosis) == (1 if diagnostic in {INVALID, UNMEASURED} else 0)
    assert gate(diagnosis, fail_on_red=True) == (1 if diagnostic in {INVALID, UNMEASURED, RED} else 0)

    check = jsonschema.Draft202012Validator(json_schema(SchemaName.SCORECARD))
    for card in (claim, diagnosis):
        check.validate(json.loads(json.dumps(card, allow_nan=False)))


def test_one_green_among_others_passes_no_claim_and_one_invalid_among_others_fails_a_diagnosis() -> None:
    wanted = [target(), target(baseline="hg")]

    assert gate(scorecard(book(), oak_rows(), wanted, "claim")) == 1
    assert gate(scorecard(book(), oak_rows(), wanted, "diagnostic")) == 1
    assert gate(scorecard(book(), oak_rows(), wanted[:1], "claim")) == 0


@pytest.mark.clause("A09-19")
def test_python_asks_for_a_diagnosis_unless_it_says_otherwise() -> None:
    assert scorecard(book(), oak_rows(), [target()])["mode"] == "diagnostic"


@pytest.mark.clause("A09-40", "A09-41")
def test_a_claim_says_that_it_replaces_no_gate_and_that_the_floor_is_a_record() -> None:
    (found,) = scorecard(book(), oak_rows(), [target()], "claim")["results"]

    said = {entry["code"]: entry["text"] for entry in found["notices"]}
    assert "replaces no publication gate" in said["no_publication_gate"]
    assert "no authenticated calibration" in said["noise_floor_is_a_record"]
    (absent,) = scorecard(book(noise=[]), oak_rows(), [target()], "claim")["results"]
    assert not {"no_publication_gate", "noise_floor_is_a_record"} & set(codes(absent["notices"]))


@pytest.mark.clause("A09-33", "A09-35")
@pytest.mark.parametrize("draws", [None, 1, 10_000])
def test_confidence_and_draws_are_recorded_as_given_and_few_draws_cap_nothing(draws: int | None) -> None:
    (found,) = scorecard(book(), oak_rows(), [target()], "claim", 0.97, draws)["results"]

    assert (found["confidence"], found["draws"]) == (0.97, draws)
    assert found["candidate"]["interval"]["confidence"] == 0.97
    assert (found["verdict"], found["claim_eligible"]) == ("GREEN", True)


def test_the_ratio_s_level_is_the_smaller_of_the_two() -> None:
    (found,) = scorecard(book(), oak_rows(), [target()], "claim", 0.99)["results"]
    assert found["ratio"]["confidence"] == 0.95
    (unknown,) = scorecard(level(None), oak_rows(), [target()], "claim")["results"]
    assert unknown["ratio"]["confidence"] is None


@pytest.mark.parametrize("ratio", [0.6, 0.8, 1.0, 1.3])
@pytest.mark.parametrize("direction", ["lower", "higher"])
def test_both_directions_read_the_same_ratio(ratio: float, direction: str) -> None:
    wanted = target(direction=direction, target_ratio=0.95)
    (found,) = scorecard(floor(0.0), oak_rows(median=100 * ratio), [wanted])["results"]

    assert found["ratio"]["value"] == pytest.approx(ratio)
    better = ratio < 0.95 if direction == "lower" else ratio > 0.95
    assert found["verdict"] == (GREEN if better else RED)


def test_the_result_lists_where_the_candidate_s_rows_come_from() -> None:
    candidates = [
        *oak_rows(15, bench_id="s2", at="2026-11-29T23:00:00Z"),
        *oak_rows(15, bench_id="s1"),
        *oak_rows(1, bench_id="s3", outcome="failed", at="2025-01-01T00:00:00Z"),
    ]
    (found,) = scorecard(book(), candidates, [target()])["results"]

    assert found["candidate"]["bench_ids"] == ["s1", "s2"]
    assert found["candidate"]["sessions"] == 2
    assert found["candidate"]["dates"] == ["2026-11-29", "2026-11-30"]
    assert "single_session" not in codes(found["notices"])


@pytest.mark.parametrize(
    ("changes", "path", "rule"),
    [
        ({"direction": None}, "$.targets[0].direction", "'lower' or 'higher'"),
        ({"target_ratio": 0}, "$.targets[0].target_ratio", "above 0"),
        ({"target_ratio": math.inf}, "$.targets[0].target_ratio", "finite number"),
        ({"target_ratio": True}, "$.targets[0].target_ratio", "above 0"),
        ({"statistic": "mean"}, "$.targets[0].statistic", "'median' or 'p99'"),
        ({"guards": ["speed"]}, "$.targets[0].guards[0]", "'recall'"),
        ({"guards": [{"name": "recall", "at_least": 2}]}, "$.targets[0].guards[0].at_least", "from 0 to 1"),
        ({"guards": [{"name": "patch_apply_ok", "at_least": 0.5}]}, "$.targets[0].guards[0]", "applies or it does not"),
        ({"guards": ["recall", {"name": "recall"}]}, "$.targets[0]", "each guard once"),
        ({"surplus": 1}, "$.targets[0].surplus", "unknown"),
    ],
)
def test_a_target_is_checked_before_a_row_is_read(changes: dict[str, Any], path: str, rule: str) -> None:
    class Unread:
        def __iter__(self) -> Any:
            pytest.fail("a row was read")

    with pytest.raises(DocumentError) as refusal:
        scorecard(book(), Unread(), [target(**changes)])

    assert any(problem.path == path and rule in problem.rule for problem in refusal.value.problems), str(refusal.value)


def test_a_target_has_no_default_direction() -> None:
    wanted = target()
    del wanted["direction"]

    with pytest.raises(DocumentError, match="direction: this key is required"):
        scorecard(book(), [], [wanted])


def test_no_targets_and_the_same_question_twice_are_refused() -> None:
    with pytest.raises(DocumentError, match="one target or more"):
        scorecard(book(), [], [])
    with pytest.raises(DocumentError, match="same cell"):
        scorecard(book(), [], [target(), target(target_ratio=0.5)])


def test_another_mode_is_refused() -> None:
    with pytest.raises(UsageError, match="claim or diagnostic"):
        scorecard(book(), [], [target()], "publish")

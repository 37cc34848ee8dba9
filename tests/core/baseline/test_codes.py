"""Every code that books.md names is reached, does to the verdict what its list says, and says why in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core import build_book, scorecard
from oakbench_core.baseline.vocabulary import CAPS, INVALIDATES, LEAVES_OPEN, NOTICES, UNMEASURES, Code
from tests.core.baseline.staging import (
    ORACLES,
    book,
    codes,
    git_rows,
    noise_rows,
    oak_rows,
    result,
    row,
    rows,
    spread,
    target,
    with_cell,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

OUTPUT, PATCH = ORACLES["output"], ORACLES["patch"]


def oak(values: Sequence[float | None], **changes: Any) -> list[dict[str, Any]]:
    return rows(values, **{"subject": "oak", "subject_binary_sha256": "b" * 64, "subject_version": "0.9", **changes})


def one_oracle(**changes: Any) -> list[dict[str, Any]]:
    """The candidate's rows, the last of them with another oracle's finding."""
    *most, last = oak_rows()
    return [*most, last | {"oracles": {"output": OUTPUT | changes, "patch": PATCH}}]


def one_patch(**changes: Any) -> list[dict[str, Any]]:
    *most, last = oak_rows()
    return [*most, last | {"oracles": {"output": OUTPUT, "patch": PATCH | changes}}]


def p99_comparison(n: int) -> dict[str, Any]:
    saved = book(git_rows(n), noise_rows(n=3))
    return result(saved, oak_rows(n), target(statistic="p99"))


def unnamed(**changes: Any) -> dict[str, Any]:
    return book(git_rows(**changes))


# code → the result that reaches it, in claim mode unless it says otherwise
REACHED: dict[Code, list[Any]] = {
    Code.DUPLICATE_TRIALS: [
        lambda mode: result(candidates=[*oak_rows(), *oak_rows(1)], mode=mode),
        lambda mode: result(candidates=[*oak_rows(), *oak_rows(1, outcome="failed")], mode=mode),
        lambda mode: result(candidates=[*oak_rows(), *oak_rows(1, metrics={})], mode=mode),
    ],
    Code.MIXED_POPULATION: [
        lambda mode: result(candidates=[*oak_rows(), *oak_rows(1, bench_id="s", cache_state="cold")], mode=mode)
    ],
    Code.IDENTITY_MISMATCH: [lambda mode: result(candidates=oak_rows(load_state="busy"), mode=mode)],
    Code.BASELINE_MISSING: [
        lambda mode: result(asked=target(baseline="hg"), mode=mode),
        lambda mode: result(asked=target(metric="user_ms"), mode=mode),
        lambda mode: result(asked=target(track=None), mode=mode),
    ],
    Code.CANDIDATE_MISSING: [
        lambda mode: result(asked=target(candidate="jj"), mode=mode),
        lambda mode: result(candidates=[], mode=mode),
    ],
    Code.CANDIDATE_UNMEASURED: [
        lambda mode: result(candidates=oak_rows(outcome="failed"), mode=mode),
        lambda mode: result(candidates=oak([None] * 30), mode=mode),
        lambda mode: result(candidates=oak_rows(metrics={"user_ms": 1.5}), mode=mode),
    ],
    Code.BASELINE_UNMEASURED: [lambda mode: result(unnamed(outcome="failed"), mode=mode)],
    Code.NONPOSITIVE_VALUE: [
        lambda mode: result(candidates=oak([0.0] * 30), mode=mode),
        lambda mode: result(candidates=oak([-1.5] * 30), mode=mode),
        lambda mode: result(book(rows([0.0] * 30)), mode=mode),
        lambda mode: result(candidates=oak([0.0] * 14 + spread(60.0, 16)), mode=mode),
    ],
    Code.STRADDLES_TARGET: [lambda mode: result(candidates=oak_rows(median=80.0), mode=mode)],
    Code.BELOW_NOISE_FLOOR: [lambda mode: result(book(noise=noise_rows(step=0.3)), mode=mode)],
    Code.NO_INTERVAL: [
        lambda mode: result(candidates=oak_rows(5), mode=mode),
        lambda mode: result(book(git_rows(5)), mode=mode),
    ],
    Code.GUARD_FAILED: [
        lambda mode: result(candidates=one_oracle(recall=0.99), mode=mode),
        lambda mode: result(candidates=one_oracle(precision=0.0), mode=mode),
        lambda mode: result(candidates=one_patch(apply_ok=False), mode=mode),
    ],
    Code.IDENTITY_INCOMPLETE: [
        lambda mode: result(
            book(git_rows(fixture_version=None), noise_rows(fixture_version=None)),
            oak_rows(fixture_version=None),
            mode=mode,
        )
    ],
    Code.TOO_FEW_TRIALS: [
        lambda mode: result(candidates=oak_rows(29), mode=mode),
        lambda mode: result(book(git_rows(29)), mode=mode),
    ],
    Code.TRIAL_IDS_MISSING: [
        lambda mode: result(candidates=oak_rows(bench_id=None), mode=mode),
        lambda mode: result(book(git_rows(bench_id=None)), mode=mode),
    ],
    Code.BASELINE_DUPLICATES: [
        lambda mode: result(book([*git_rows(), *git_rows(1)]), mode=mode),
    ],
    Code.HIDDEN_OUTCOMES: [
        lambda mode: result(candidates=[*oak_rows(), oak_rows(31)[-1] | {"outcome": "failed"}], mode=mode),
        lambda mode: result(candidates=[*oak_rows(), oak_rows(31)[-1] | {"outcome": "skipped"}], mode=mode),
        lambda mode: result(candidates=[*oak_rows(), oak_rows(31)[-1] | {"outcome": "unknown"}], mode=mode),
        lambda mode: result(candidates=[*oak_rows(), oak_rows(31)[-1] | {"metrics": {}}], mode=mode),
        lambda mode: result(book([*git_rows(), row(run=31, outcome="failed")]), mode=mode),
        lambda mode: result(book([*git_rows(), row(run=31, outcome="skipped")]), mode=mode),
        lambda mode: result(book([*git_rows(), row(run=31, outcome="unknown")]), mode=mode),
        lambda mode: result(book([*git_rows(), row(run=31, metrics={})]), mode=mode),
    ],
    Code.NOISE_FLOOR_ABSENT: [lambda mode: result(book(noise=[]), mode=mode)],
    Code.NOISE_FLOOR_INVALID: [
        lambda mode: result(with_cell(book(), noise_floor={"value": -0.1}), mode=mode),
        lambda mode: result(with_cell(book(), noise_floor={"value": math.nan}), mode=mode),
        lambda mode: result(with_cell(book(), noise_floor={"value": math.inf}), mode=mode),
    ],
    Code.BASELINE_INTERVAL_INVALID: [
        lambda mode: result(with_cell(book(), interval={"confidence": 1.0}), mode=mode),
        lambda mode: result(with_cell(book(), interval={"confidence": math.nan}), mode=mode),
        lambda mode: result(with_cell(book(), interval={"high": math.inf}), mode=mode),
        lambda mode: result(with_cell(book(), interval={"method": "bca_bootstrap"}), mode=mode),
        lambda mode: result(with_cell(book(), interval={"achieved_confidence": 0.5}), mode=mode),
    ],
    Code.CONFIDENCE_TOO_LOW: [
        lambda mode: result(mode=mode, confidence=0.9),
        lambda mode: result(book(confidence=0.9), mode=mode),
        lambda mode: result(with_cell(book(), interval={"confidence": None}), mode=mode),
    ],
    Code.GUARD_UNMEASURED: [
        lambda mode: result(candidates=one_oracle(recall=None), mode=mode),
        lambda mode: result(candidates=one_oracle(version=None), mode=mode),
        lambda mode: result(candidates=one_oracle(version=2), mode=mode),
        lambda mode: result(candidates=one_patch(apply_ok=None), mode=mode),
        lambda mode: result(candidates=one_patch(version=None), mode=mode),
        lambda mode: result(candidates=one_patch(version=2), mode=mode),
        lambda mode: result(candidates=oak_rows(oracles=None), mode=mode),
    ],
    Code.REPEATED_CONTENT: [
        lambda mode: result(candidates=[*oak_rows(), *oak_rows(bench_id="session-8", at=None)[:1]], mode=mode),
        lambda mode: result(book([*git_rows(), *git_rows(bench_id="session-2")[:1]]), mode=mode),
    ],
    Code.RUN_GAPS: [
        lambda mode: result(candidates=oak_rows(31)[:29] + oak_rows(31)[30:], mode=mode),
        lambda mode: result(candidates=oak_rows(32)[2:], mode=mode),
        lambda mode: result(book(git_rows(32)[2:]), mode=mode),
    ],
    Code.DIAGNOSTIC_ONLY: [lambda _: result(mode="diagnostic")],
    Code.NO_PUBLICATION_GATE: [lambda mode: result(mode=mode)],
    Code.NOISE_FLOOR_IS_A_RECORD: [lambda mode: result(mode=mode)],
    Code.GREEN_IS_WORSE_THAN_BASELINE: [
        lambda mode: result(asked=target(target_ratio=1.1), mode=mode),
        lambda mode: result(asked=target(target_ratio=0.9, direction="higher"), mode=mode),
    ],
    Code.GUARD_ABSENT: [lambda mode: result(asked=target(guards=[]), mode=mode)],
    Code.SINGLE_SESSION: [lambda mode: result(mode=mode)],
    Code.FEW_NOISE_PAIRS: [lambda mode: result(book(noise=noise_rows(9)), mode=mode)],
}
CASES = [(code, number) for code, makers in REACHED.items() for number in range(len(makers))]
SAID_IN_DIAGNOSTIC = {Code.NOISE_FLOOR_ABSENT, Code.NOISE_FLOOR_INVALID, Code.GUARD_UNMEASURED}


def test_every_code_is_reached_and_is_in_one_list() -> None:
    assert set(REACHED) == set(Code)
    lists = [*INVALIDATES, *UNMEASURES, *LEAVES_OPEN, *CAPS, *NOTICES]
    assert set(lists) == set(Code)
    assert [code for code in Code if lists.count(code) > 1] == [Code.NO_INTERVAL]


@pytest.mark.clause("A09-08", "A09-24", "A09-25", "A09-27", "A09-29", "A09-30", "A09-32", "A09-36", "A09-37", "A09-38")
@pytest.mark.parametrize(("code", "number"), CASES, ids=[f"{code}-{number}" for code, number in CASES])
def test_in_claim_mode_a_code_does_what_its_list_says(code: Code, number: int) -> None:
    found = REACHED[code][number]("claim")
    said = codes([*found["reasons"], *found["notices"]])

    assert code.value in said
    assert all(entry["text"] for entry in [*found["reasons"], *found["notices"]])
    if code in INVALIDATES:
        assert (found["verdict"], found["statistical_verdict"], found["ratio"]) == ("INVALID", None, None)
    elif code in UNMEASURES:
        assert (found["verdict"], found["statistical_verdict"], found["ratio"]) == ("UNMEASURED", None, None)
    elif code in LEAVES_OPEN:
        assert found["verdict"] == "AMBER"
    if code in CAPS:
        assert found["verdict"] == "AMBER"
        assert found["claim_eligible"] is False
    if code in {*INVALIDATES, *UNMEASURES}:
        assert found["claim_eligible"] is False


@pytest.mark.clause("A09-21", "A09-38")
@pytest.mark.parametrize(("code", "number"), CASES, ids=[f"{code}-{number}" for code, number in CASES])
def test_in_diagnostic_mode_only_the_claim_s_caps_are_gone(code: Code, number: int) -> None:
    claim, found = REACHED[code][number]("claim"), REACHED[code][number]("diagnostic")

    assert found["claim_eligible"] is False
    assert "diagnostic_only" in codes(found["notices"])
    assert found["statistical_verdict"] == claim["statistical_verdict"]
    assert found["ratio"] == claim["ratio"]
    if claim["statistical_verdict"] is None:
        assert found["verdict"] == claim["verdict"]
    elif "guard_failed" not in codes(found["reasons"]):
        assert found["verdict"] == found["statistical_verdict"]
    only_caps = set(CAPS) - {Code.NO_INTERVAL}
    assert not only_caps & set(codes(found["reasons"]))
    said = {entry for entry in codes(claim["reasons"]) if entry in SAID_IN_DIAGNOSTIC}
    assert said <= set(codes(found["notices"]))


def test_what_caps_leaves_the_statistical_verdict_readable() -> None:
    for saved in (book(noise=[]), book(git_rows(29))):
        found = result(saved)
        assert (found["verdict"], found["statistical_verdict"]) == ("AMBER", "GREEN")
        assert found["ratio"]["high"] < 0.8


def test_invalid_stands_over_unmeasured_over_the_numbers_over_caps() -> None:
    few_failed = oak_rows(3, outcome="failed")
    busy = oak_rows(3, outcome="failed", load_state="busy")

    assert result(candidates=busy)["verdict"] == "INVALID"
    assert codes(result(candidates=busy)["reasons"])[:2] == ["identity_mismatch", "candidate_unmeasured"]
    assert result(candidates=few_failed)["verdict"] == "UNMEASURED"
    assert codes(result(candidates=few_failed)["reasons"])[0] == "candidate_unmeasured"


def test_every_cap_that_applies_is_told_at_once() -> None:
    found = result(book(git_rows(10), []), oak_rows(10, bench_id=None))

    assert codes(found["reasons"]) == ["too_few_trials", "trial_ids_missing", "noise_floor_absent"]


class TestRepeatedContent:
    def twice(self, **metrics: Any) -> list[dict[str, Any]]:
        changes = {"subject": "oak", "metrics": metrics}
        return [row(bench_id="s1", run=1, **changes), row(bench_id="s2", run=1, at=None, **changes)]

    @pytest.mark.parametrize(
        ("metrics", "repeated"),
        [
            ({"wall_ms": 12.3456}, True),
            ({"wall_ms": 12.345}, False),
            ({"wall_ms": 0.000123456}, True),
            ({"wall_ms": 1.5, "user_ms": 2.5}, True),
            ({"wall_ms": 1.5, "user_ms": 2}, False),
            ({"wall_ms": 1.5, "user_ms": 2.0}, False),
            ({"wall_ms": 123456, "user_ms": 2.5}, False),
            ({"wall_ms": 123456.0}, False),
        ],
    )
    def test_only_a_value_that_chance_does_not_repeat_tells(self, metrics: dict[str, Any], repeated: bool) -> None:
        found = result(candidates=self.twice(**metrics))

        assert ("repeated_content" in codes(found["reasons"])) is repeated

    @pytest.mark.parametrize("change", [{"exit_code": 3}, {"extra": {"n": 1}}, {"prompt_label": "x"}])
    def test_rows_that_differ_in_anything_else_are_no_repetition(self, change: dict[str, Any]) -> None:
        first, second = self.twice(wall_ms=12.3456)

        assert "repeated_content" not in codes(result(candidates=[first, second | change])["reasons"])


class TestRunGaps:
    @pytest.mark.parametrize(
        ("runs", "gaps"),
        [([0, 1, 2], False), ([1, 2, 3], False), ([3, 1, 2], False), ([2, 3], True), ([0, 2], True), ([-1, 0], True)],
    )
    def test_runs_of_a_session_are_consecutive_from_0_or_1(self, runs: list[int], gaps: bool) -> None:
        candidates = [row(subject="oak", bench_id="s", run=run) for run in runs]

        assert ("run_gaps" in codes(result(candidates=candidates)["reasons"])) is gaps

    def test_a_failed_run_is_no_gap_and_each_session_counts_its_own(self) -> None:
        candidates = [
            row(subject="oak", bench_id="s", run=1),
            row(subject="oak", bench_id="s", run=2, outcome="failed"),
        ]
        candidates += [row(subject="oak", bench_id="t", run=0)]

        assert "run_gaps" not in codes(result(candidates=candidates)["reasons"])


class TestGuards:
    def test_the_smallest_value_counts_against_what_is_asked(self) -> None:
        asked = target(guards=[{"name": "recall", "at_least": 0.9}])

        assert result(candidates=one_oracle(recall=0.9), asked=asked)["verdict"] == "GREEN"
        assert result(candidates=one_oracle(recall=0.8999), asked=asked)["verdict"] == "AMBER"

    def test_a_bare_name_asks_for_all(self) -> None:
        assert result(candidates=one_oracle(recall=0.999999), asked=target(guards=["recall"]))["verdict"] == "AMBER"

    def test_a_guard_that_failed_leaves_the_numbers_verdict_readable_and_is_no_cap(self) -> None:
        found = result(candidates=one_patch(apply_ok=False))

        assert (found["verdict"], found["statistical_verdict"], found["claim_eligible"]) == ("AMBER", "GREEN", True)

    def test_only_ok_rows_are_judged(self) -> None:
        *most, last = one_oracle(recall=0.0)
        candidates = [*most, last | {"outcome": "failed"}]

        assert "guard_failed" not in codes(result(candidates=candidates)["reasons"])

    def test_a_guard_that_is_not_asked_for_is_not_judged(self) -> None:
        assert result(candidates=oak_rows(oracles=None), asked=target(guards=[]))["verdict"] == "GREEN"


@pytest.mark.clause("A09-45")
def test_an_unknown_outcome_is_never_counted_as_failed() -> None:
    candidates = [*oak_rows(), oak_rows(31)[-1] | {"outcome": "unknown"}, oak_rows(32)[-1] | {"outcome": "failed"}]
    found = result(candidates=candidates)

    assert (found["candidate"]["failure_n"], found["candidate"]["unknown_n"]) == (1, 1)
    hidden = next(entry["text"] for entry in found["reasons"] if entry["code"] == "hidden_outcomes")
    assert "1 failed + 1 of unknown outcome" in hidden


def test_unjudged_names_the_book_s_cells_without_a_target() -> None:
    saved = build_book(rows([1.5], metrics={"wall_ms": 1.5, "user_ms": 2.5}))
    card = scorecard(saved, oak_rows(), [target()])

    assert [(key["metric"], key["statistic"]) for key in card["unjudged"]] == [
        ("user_ms", "median"),
        ("user_ms", "p99"),
        ("wall_ms", "p99"),
    ]

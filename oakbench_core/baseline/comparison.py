"""One target held against one candidate and one cell: its verdict, and everything that led to it.

Rule: INVALID > UNMEASURED > the statistical verdict > eligibility caps. What makes a comparison invalid is looked for
in both modes alike, and so is what cannot be measured; only the caps are the claim's alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from oakbench_core.baseline.eligibility import (
    LEAST_VALUES_P99,
    baseline_caps,
    baseline_confidence_caps,
    candidate_confidence_caps,
    floor_of,
    noise_caps,
    side_caps,
)
from oakbench_core.baseline.guards import guard_reasons
from oakbench_core.baseline.judging import judged, ratio_of
from oakbench_core.baseline.populations import differences
from oakbench_core.baseline.reasons import Reason, in_order, standing
from oakbench_core.baseline.sentences import mismatch_words, mixed_words, rows_words
from oakbench_core.baseline.sides import interval_fault
from oakbench_core.baseline.vocabulary import Code, Direction, Mode, Statistic, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.baseline.book_document import CellNoise
    from oakbench_core.baseline.judging import Ratio
    from oakbench_core.baseline.sides import Candidate, Side
    from oakbench_core.baseline.targets import Target

_FEW_PAIRS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a target asks and what there is to answer it; a side is None where it is not there."""

    target: Target
    candidate: Candidate | None
    baseline: Side | None
    noise: CellNoise | None
    mode: Mode
    confidence: float


class Outcome(NamedTuple):
    """`statistical` is what the numbers alone say; None where nothing could be compared."""

    verdict: Verdict
    statistical: Verdict | None
    claim_eligible: bool
    reasons: list[Reason]
    notices: list[Reason]
    ratio: Ratio | None


class _Statistical(NamedTuple):
    ratio: Ratio
    verdict: Verdict
    reasons: list[Reason]


def outcome_of(comparison: Comparison) -> Outcome:
    """The verdict of one comparison."""
    claim = comparison.mode is Mode.CLAIM
    invalid, unmeasured = list(_invalid(comparison)), list(_unmeasured(comparison))
    failed, unknown = _guards(comparison)
    caps = [*_caps(comparison), *unknown]
    numbers = None if invalid or unmeasured else _statistical(comparison)
    left_open = [] if numbers is None else numbers.reasons
    caps += [reason for reason in left_open if reason.code is Code.NO_INTERVAL]
    if numbers is None:
        verdict = Verdict.INVALID if invalid else Verdict.UNMEASURED
    else:
        verdict = Verdict.AMBER if failed or (claim and caps) else numbers.verdict
    eligible = claim and numbers is not None and not caps
    return Outcome(
        verdict=verdict,
        statistical=None if numbers is None else numbers.verdict,
        claim_eligible=eligible,
        reasons=in_order([*invalid, *unmeasured, *left_open, *failed, *(caps if claim else ())]),
        notices=in_order([*_notices(comparison, eligible=eligible), *(() if claim else _said(caps))]),
        ratio=None if numbers is None else numbers.ratio,
    )


def _guards(comparison: Comparison) -> tuple[list[Reason], list[Reason]]:
    """Guards that failed, and guards that are not measured."""
    if comparison.candidate is None:
        return [], []
    reasons = list(guard_reasons(comparison.candidate.columns, comparison.target.guards))
    failed = [reason for reason in reasons if reason.code is Code.GUARD_FAILED]
    return failed, [reason for reason in reasons if reason.code is Code.GUARD_UNMEASURED]


def _invalid(comparison: Comparison) -> Iterator[Reason]:
    candidate, baseline = comparison.candidate, comparison.baseline
    if candidate is None:
        return
    if candidate.duplicates:
        text = f"{candidate.duplicates:,} of the candidate's rows have the trial of another: the same bench_id and run"
        yield Reason(Code.DUPLICATE_TRIALS, text)
    if candidate.differing:
        yield Reason(Code.MIXED_POPULATION, f"the candidate's rows: {mixed_words(candidate.differing)}")
    if baseline is None or candidate.identity is None:
        return
    if baseline.identity is None:
        text = (
            "the book is of version 1, whose cells recorded no identity, and the candidate's is known: measure the "
            "baseline anew"
        )
        yield Reason(Code.IDENTITY_MISMATCH, text)
    elif differing := differences(candidate.identity, baseline.identity):
        yield Reason(Code.IDENTITY_MISMATCH, mismatch_words(differing))


def _unmeasured(comparison: Comparison) -> Iterator[Reason]:
    candidate, baseline, target = comparison.candidate, comparison.baseline, comparison.target
    if baseline is None:
        yield Reason(Code.BASELINE_MISSING, f"no cell of the book is of {target.baseline}")
    elif baseline.value is None:
        text = "the cell has no value"
        if baseline.counts is not None:
            text = f"the cell has no value: {rows_words(baseline.counts)}"
        yield Reason(Code.BASELINE_UNMEASURED, text)
    if candidate is None:
        yield Reason(Code.CANDIDATE_MISSING, f"no row is of {target.candidate}")
    elif candidate.counts is not None and candidate.counts.n == 0:
        yield Reason(Code.CANDIDATE_UNMEASURED, rows_words(candidate.counts))
    for name, side in (("candidate", candidate), ("baseline", baseline)):
        if side is not None and (number := side.nonpositive) is not None:
            text = f"{name}: {number:g}, and a ratio is of positive figures and intervals only"
            yield Reason(Code.NONPOSITIVE_VALUE, text)


def _statistical(comparison: Comparison) -> _Statistical | None:
    """What the numbers alone say, and why they leave it open if they do; None where a side has no value."""
    candidate, baseline, target = comparison.candidate, comparison.baseline, comparison.target
    if candidate is None or baseline is None or candidate.value is None or baseline.value is None:
        return None
    saved = None if interval_fault(baseline.interval) else baseline.interval
    ratio = ratio_of(candidate.value, candidate.interval, baseline.value, saved)
    floor = floor_of(comparison.noise)
    verdict, codes = judged(ratio.interval, target.direction, target.target_ratio, floor)
    return _Statistical(ratio, verdict, [Reason(code, _open_words(code, comparison, ratio, floor)) for code in codes])


def _open_words(code: Code, comparison: Comparison, ratio: Ratio, floor: float) -> str:
    target = comparison.target
    match code:
        case Code.NO_INTERVAL:
            return _lacking_words(comparison)
        case Code.BELOW_NOISE_FLOOR:
            return f"the target {target.target_ratio:g} is nearer to 1 than the noise floor {floor:.3g} (log scale)"
        case _:
            shown = ratio.as_document()
            noise = f", with the noise floor {floor:.3g} (log scale) around it," if floor else ""
            ends = f"{_short(shown['low'])} … {_short(shown['high'])}"
            return f"the interval {ends}{noise} holds the target {target.target_ratio:g}"


def _lacking_words(comparison: Comparison) -> str:
    sides = (("candidate", comparison.candidate), ("baseline", comparison.baseline))
    lacking = [name for name, side in sides if side is not None and not side.has_interval]
    if not lacking:
        return "the baseline's interval is not valid"
    least = (
        f"a p99 needs {LEAST_VALUES_P99} values" if comparison.target.statistic is Statistic.P99 else "a median needs 6"
    )
    return f"no interval of the {' and the '.join(lacking)}; {least} at 95 %"


def _short(number: float | None) -> str:
    return "beyond any float" if number is None else f"{number:.4g}"


def _caps(comparison: Comparison) -> Iterator[Reason]:
    candidate, baseline, target = comparison.candidate, comparison.baseline, comparison.target
    for name, side in (("candidate", candidate), ("baseline", baseline)):
        if side is not None:
            yield from side_caps(name, side, target.lane, target.statistic)
    if baseline is not None:
        yield from baseline_caps(baseline)
        yield from noise_caps(comparison.noise)
        yield from baseline_confidence_caps(baseline)
    yield from candidate_confidence_caps(comparison.confidence)


def _said(caps: list[Reason]) -> Iterator[Reason]:
    """What a diagnostic result says although it caps nothing there."""
    told = {Code.NOISE_FLOOR_ABSENT, Code.NOISE_FLOOR_INVALID, Code.GUARD_UNMEASURED}
    return (reason for reason in caps if reason.code in told)


def _notices(comparison: Comparison, *, eligible: bool) -> Iterator[Reason]:
    target, noise, candidate = comparison.target, comparison.noise, comparison.candidate
    if comparison.mode is Mode.DIAGNOSTIC:
        yield standing(Code.DIAGNOSTIC_ONLY)
    if eligible:
        yield standing(Code.NO_PUBLICATION_GATE)
    if noise is not None and not list(noise_caps(noise)):
        yield standing(Code.NOISE_FLOOR_IS_A_RECORD)
        if noise.pairs < _FEW_PAIRS:
            yield standing(Code.FEW_NOISE_PAIRS)
    worse = target.target_ratio > 1 if target.direction is Direction.LOWER else target.target_ratio < 1
    if worse:
        yield standing(Code.GREEN_IS_WORSE_THAN_BASELINE)
    if not target.guards:
        yield standing(Code.GUARD_ABSENT)
    if candidate is not None and candidate.sessions == 1:
        yield standing(Code.SINGLE_SESSION)


def noise_document(noise: CellNoise | None) -> dict[str, Any] | None:
    """A cell's floor as a result shows it: a value that no JSON number can say is null, and a reason says it."""
    if noise is None:
        return None
    return {
        name: None if isinstance(value, float) and value - value != 0 else value
        for name, value in noise.model_dump().items()
    }

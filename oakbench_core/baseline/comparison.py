"""One target held against its two sides: what makes it INVALID, UNMEASURED, or caps a claim, each in words.

Rule: every reason that applies is named, in the order of `Reason`; a cap never changes the statistical verdict, which
stays readable beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.baseline.book import INTERVAL_METHOD
from oakbench_core.baseline.book_document import is_floor
from oakbench_core.baseline.building import interval_of, warnings_of
from oakbench_core.baseline.codes import Reason
from oakbench_core.baseline.noise import statistic_of
from oakbench_core.baseline.populations import COMPARISON_FIELDS, applicable_fields, disagreement, known
from oakbench_core.baseline.row import Outcome
from oakbench_core.baseline.targets import PatchGuard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.baseline.book_document import Cell, LegacyCell
    from oakbench_core.baseline.populations import Population
    from oakbench_core.baseline.targets import Guard, Target

LEAST_CONFIDENCE: Final = 0.95
LEAST_TRIALS: Final = {"median": 30, "p99": 100}

Said = tuple[Reason, str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """The candidate's rows of one target, summarised."""

    population: Population
    metric: str
    value: float | None
    interval: dict[str, Any]
    n: int

    @classmethod
    def of(cls, population: Population, target: Target, confidence: float) -> Candidate:
        values = sorted(population.values(target.metric))
        interval = interval_of(values, target.statistic, confidence)
        return cls(population, target.metric, statistic_of(values, target.statistic), interval, len(values))

    def as_document(self) -> dict[str, Any]:
        rows = self.population
        return {
            "value": self.value,
            "interval": self.interval,
            "n": self.n,
            "independent_n": rows.independent(self.metric),
            "attempted_n": rows.rows,
            "failure_n": rows.count(Outcome.FAILED),
            "skipped_n": rows.count(Outcome.SKIPPED),
            "unmeasured_n": rows.count(Outcome.OK) - self.n,
            "unknown_n": rows.count(Outcome.UNKNOWN),
            "sessions": len(rows.sessions),
            "bench_ids": sorted(rows.sessions),
            "dates": sorted(rows.dates),
        }


def invalidities(candidate: Candidate, cell: Cell | LegacyCell | None) -> Iterator[Said]:
    """Evidence that contradicts itself, or was not measured under the saved conditions (both modes)."""
    rows = candidate.population
    if rows.has_duplicate_trials:
        yield Reason.DUPLICATE_TRIALS, "two rows of the candidate name the same trial (bench_id and run)"
    if told := disagreement(rows):
        yield Reason.MIXED_POPULATION, f"the candidate is no one population: {told}"
    elif rows.identity is not None and cell is not None and (told := _mismatch(rows, cell)):
        yield Reason.IDENTITY_MISMATCH, told


def _mismatch(rows: Population, cell: Cell | LegacyCell) -> str | None:
    identity = getattr(cell, "comparison_identity", None)
    if identity is None:
        return "the saved cell is of version 1, which recorded no conditions: nothing can be compared with it"
    saved = {name: known(name, identity.fields[name]) for name in COMPARISON_FIELDS}
    differing = [
        f"{name} ({_shown(value)}, saved {_shown(saved[name])})"
        for name, value in zip(COMPARISON_FIELDS, rows.identity or (), strict=False)
        if value != saved[name]
    ]
    return f"the candidate was not measured under the saved conditions: {'; '.join(differing)}" if differing else None


def _shown(value: Any) -> str:
    return "missing" if value is None else repr(value)


def lacks(candidate: Candidate | None, saved: float | None, *, has_cell: bool) -> Iterator[Said]:
    """What was not measured on a side, or has no ratio."""
    if not has_cell:
        yield Reason.BASELINE_MISSING, "the book has no cell of this key"
    if candidate is None:
        yield Reason.CANDIDATE_MISSING, "there is no row of this candidate"
    elif candidate.value is None:
        yield Reason.CANDIDATE_UNMEASURED, "no successful row of the candidate has a value"
    if has_cell and saved is None:
        yield Reason.BASELINE_UNMEASURED, "the saved cell has no value"
    sides = (("candidate", None if candidate is None else candidate.value), ("baseline", saved))
    for side, value in sides:
        if value is not None and value <= 0:
            yield Reason.NONPOSITIVE_VALUE, f"the {side}'s value is {value}: a ratio needs positive values"


def guards_failed(candidate: Candidate, guards: tuple[Guard | PatchGuard, ...]) -> Iterator[Said]:
    rows = candidate.population
    for guard in guards:
        if isinstance(guard, PatchGuard):
            if failed := rows.patch_passes[False]:
                yield Reason.GUARD_FAILED, f"the patch of {failed:,} successful rows did not apply"
            continue
        lowest = rows.lowest_seen.get(guard.name)
        if lowest is not None and lowest < guard.at_least:
            yield (
                Reason.GUARD_FAILED,
                f"{guard.name} is {lowest} on a successful row, at least {guard.at_least} is asked",
            )


def guards_unmeasured(candidate: Candidate, guards: tuple[Guard | PatchGuard, ...]) -> Iterator[Said]:
    rows = candidate.population
    for guard in guards:
        is_patch = isinstance(guard, PatchGuard)
        versions = rows.patch_versions if is_patch else rows.output_versions
        missing = rows.patch_passes[None] if is_patch else rows.unseen.get(guard.name, 0)
        told = []
        if None in versions or not versions:
            told.append(f"the {'patch' if is_patch else 'output'} oracle's version is not recorded on every row")
        if len(versions - {None}) > 1:
            told.append("rows were judged by oracles of several versions")
        if missing:
            told.append(f"{missing:,} successful rows have no value")
        if told:
            yield Reason.GUARD_UNMEASURED, f"{guard.name}: {'; '.join(told)}"


def floor_problem(cell: Cell) -> Said | None:
    """Why the cell has no floor that could be used."""
    if cell.noise_floor is None:
        return Reason.NOISE_FLOOR_ABSENT, "the saved cell has no noise floor: it counts as 0"
    if not is_floor(cell.noise_floor.value):
        return Reason.NOISE_FLOOR_INVALID, f"the saved noise floor is {cell.noise_floor.value}: it counts as 0"
    return None


def caps(candidate: Candidate, cell: Cell, target: Target, confidence: float) -> Iterator[Said]:
    """Evidence that a claim needs and that is not there; guards and intervals are looked at elsewhere."""
    yield from _incomplete(candidate, cell, target)
    yield from _counted(candidate, cell, target)
    if floor := floor_problem(cell):
        yield floor
    if told := _interval_problem(cell):
        yield Reason.BASELINE_INTERVAL_INVALID, told
    for side, level in (("candidate", confidence), ("baseline", cell.interval.confidence)):
        if level is None:
            yield Reason.CONFIDENCE_TOO_LOW, f"the {side}'s confidence is not recorded: it is not taken for 95 %"
        elif not LEAST_CONFIDENCE <= level < 1:
            yield (
                Reason.CONFIDENCE_TOO_LOW,
                f"the {side}'s confidence is {level}, at least {LEAST_CONFIDENCE} is needed",
            )
    warned = (("candidate", warnings_of(candidate.population, target.metric)), ("baseline", cell.warnings))
    for side, warnings in warned:
        if "repeated_content" in warnings:
            yield Reason.REPEATED_CONTENT, f"two rows of the {side} are equal in all but their trial"
    for side, warnings in warned:
        if "run_gaps" in warnings:
            yield Reason.RUN_GAPS, f"the {side}'s trials are not numbered one after the other: some may be left out"


def _incomplete(candidate: Candidate, cell: Cell, target: Target) -> Iterator[Said]:
    identity = dict(zip(COMPARISON_FIELDS, candidate.population.identity or (), strict=False))
    saved = cell.comparison_identity.fields
    missing = [
        name
        for name in applicable_fields(target.lane)
        if identity.get(name) is None or known(name, saved.get(name)) is None
    ]
    if missing:
        yield Reason.IDENTITY_INCOMPLETE, f"not known on both sides: {', '.join(missing)}"


def _counted(candidate: Candidate, cell: Cell, target: Target) -> Iterator[Said]:
    least, told = LEAST_TRIALS[target.statistic], candidate.as_document()
    sides = (("candidate", told), ("baseline", cell.model_dump()))
    for side, counts in sides:
        distinct = counts["n"] if counts["independent_n"] is None else counts["independent_n"]
        if distinct < least:
            yield Reason.TOO_FEW_TRIALS, f"the {side} has {distinct:,} trials, at least {least} are needed"
    for side, counts in sides:
        if counts["independent_n"] is None:
            yield Reason.TRIAL_IDS_MISSING, f"a row of the {side} does not name its trial (bench_id and an integer run)"
    if cell.independent_n is not None and cell.independent_n != cell.n:
        yield Reason.BASELINE_DUPLICATES, f"the baseline's {cell.n:,} values are of {cell.independent_n:,} trials"
    for side, counts in sides:
        hidden = [
            f"{counts[f'{word}_n']:,} {word if word != 'failure' else 'failed'}"
            for word in ("failure", "skipped", "unmeasured", "unknown")
            if counts[f"{word}_n"]
        ]
        if hidden:
            yield Reason.HIDDEN_OUTCOMES, f"a figure of the {side} leaves out rows: {', '.join(hidden)}"


def _interval_problem(cell: Cell) -> str | None:
    """Why the saved interval is none that could be relied on; one that is not there is another reason."""
    interval = cell.interval
    if interval.low is None:
        return None
    if interval.method != INTERVAL_METHOD:
        return f"the saved interval's method is {interval.method!r}, expected {INTERVAL_METHOD!r}"
    achieved = interval.achieved_confidence
    if achieved is None or not math.isfinite(achieved):
        return "the confidence that the saved interval achieves is not recorded"
    if interval.confidence is not None and achieved < interval.confidence:
        return f"the saved interval achieves {achieved}, which is less than its confidence"
    return None

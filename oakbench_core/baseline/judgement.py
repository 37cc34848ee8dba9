"""The result of one target: verdict, reasons, the ratio with its interval, both sides with every denominator."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.baseline.book_document import Cell, LegacyCell, is_floor
from oakbench_core.baseline.codes import NOTICE_TEXT, Mode, Reason, ScorecardNotice, Verdict
from oakbench_core.baseline.comparison import (
    caps,
    floor_problem,
    guards_failed,
    guards_unmeasured,
    invalidities,
    lacks,
)
from oakbench_core.baseline.ratio import LogRatio, Measured, judged, log_ratio

if TYPE_CHECKING:
    from oakbench_core.baseline.comparison import Candidate, Said
    from oakbench_core.baseline.targets import Target

FEW_PAIRS: Final = 10


class Judgement:
    """One target's result."""

    def __init__(
        self,
        target: Target,
        candidate: Candidate | None,
        saved: Cell | LegacyCell | None,
        mode: Mode,
        confidence: float,
    ) -> None:
        self._target, self._candidate, self._saved = target, candidate, saved
        self._mode, self._confidence = mode, confidence
        self._cell = saved if isinstance(saved, Cell) else None
        self._value = saved.median if isinstance(saved, LegacyCell) else None if saved is None else saved.value
        self._floor_problem = None if self._cell is None else floor_problem(self._cell)

    @property
    def _floor(self) -> float:
        """What the floor counts as, on the log scale."""
        recorded = None if self._cell is None or self._cell.noise_floor is None else self._cell.noise_floor.value
        return recorded if recorded is not None and is_floor(recorded) else 0.0

    def document(self) -> dict[str, Any]:
        target, candidate = self._target, self._candidate
        invalid = [] if candidate is None else list(invalidities(candidate, self._saved))
        unmeasured = list(lacks(candidate, self._value, has_cell=self._saved is not None))
        ratio = None if unmeasured else self._ratio()
        statistical = None if ratio is None else judged(ratio, target.direction, target.target_ratio, self._floor)
        reasons, capped = [*invalid, *unmeasured], False
        verdict = Verdict.INVALID if invalid else Verdict.UNMEASURED
        if not reasons and statistical is not None and candidate is not None and self._cell is not None:
            verdict = statistical
            reasons = self._amber(ratio) if statistical is Verdict.AMBER else []
            if failed := list(guards_failed(candidate, target.guards)):
                verdict = Verdict.AMBER
                reasons += failed
            if self._mode is Mode.CLAIM:
                lacking = self._caps(candidate, self._cell, ratio)
                capped = bool(lacking)
                verdict = Verdict.AMBER if capped else verdict
                reasons += lacking
        is_judged = verdict not in {Verdict.INVALID, Verdict.UNMEASURED}
        eligible = self._mode is Mode.CLAIM and is_judged and not capped
        order = list(Reason)
        return {
            "cell": {
                "lane": target.lane,
                "scenario": target.scenario,
                "operation": target.operation,
                "track": target.track,
                "metric": target.metric,
                "statistic": target.statistic,
                "candidate": target.candidate,
                "baseline": target.baseline,
            },
            "verdict": verdict.value,
            "statistical_verdict": statistical.value if is_judged and statistical is not None else None,
            "claim_eligible": eligible,
            "reasons": [
                {"code": code.value, "text": text}
                for code, text in sorted(dict.fromkeys(reasons), key=lambda said: order.index(said[0]))
            ],
            "ratio": self._ratio_document(ratio if is_judged else None),
            "candidate": None if candidate is None else candidate.as_document(),
            "baseline": self._baseline_document(),
            "target_ratio": target.target_ratio,
            "direction": target.direction,
            "noise_floor": None
            if self._cell is None or self._cell.noise_floor is None
            else _plain_floor(self._cell.noise_floor.model_dump()),
            "confidence": self._confidence,
            "mode": self._mode.value,
            "notices": self._notices(eligible=eligible, is_judged=is_judged),
        }

    def _ratio(self) -> LogRatio | None:
        candidate, cell = self._candidate, self._cell
        if candidate is None or candidate.value is None or self._value is None:
            return None
        low, high = (None, None) if cell is None else (cell.interval.low, cell.interval.high)
        return log_ratio(
            Measured(candidate.value, candidate.interval["low"], candidate.interval["high"]),
            Measured(self._value, low, high),
        )

    def _amber(self, ratio: LogRatio | None) -> list[Said]:
        """Why the statistical verdict is AMBER."""
        if ratio is None or ratio.low is None:
            return [self._no_interval()]
        target, found = self._target.target_ratio, []
        found.append((Reason.STRADDLES_TARGET, f"the interval of the ratio, widened by the floor, holds {target}"))
        if self._floor >= abs(math.log(target)) and target != 1:
            told = f"the noise floor reaches from 1 to the target {target}: noise alone could look like it"
            found.append((Reason.BELOW_NOISE_FLOOR, told))
        return found

    def _no_interval(self) -> Said:
        candidate, cell = self._candidate, self._cell
        short = []
        if candidate is not None and not (candidate.interval["low"] or 0) > 0:
            short.append(f"candidate ({candidate.n:,} values)")
        if cell is not None and not (cell.interval.low or 0) > 0:
            short.append(f"baseline ({cell.n:,} values)")
        told = f"no interval of the {self._target.statistic} at this confidence: {', '.join(short)}"
        return Reason.NO_INTERVAL, told + ("; a p99 needs 368 at 95 %" if self._target.statistic == "p99" else "")

    def _caps(self, candidate: Candidate, cell: Cell, ratio: LogRatio | None) -> list[Said]:
        found = list(caps(candidate, cell, self._target, self._confidence))
        if ratio is None or ratio.low is None:
            found.append(self._no_interval())
        return [*found, *guards_unmeasured(candidate, self._target.guards)]

    def _ratio_document(self, ratio: LogRatio | None) -> dict[str, Any] | None:
        if ratio is None:
            return None
        levels = (self._confidence, None if self._cell is None else self._cell.interval.confidence)
        known = [level for level in levels if level is not None]
        has_interval = ratio.low is not None and ratio.high is not None
        return {
            "value": _exp(ratio.value),
            "low": _exp(ratio.low),
            "high": _exp(ratio.high),
            "confidence": min(known) if has_interval and len(known) == len(levels) else None,
        }

    def _baseline_document(self) -> dict[str, Any] | None:
        if isinstance(self._saved, LegacyCell):
            return {"value": self._value, "uncertainty": self._saved.uncertainty, "schema_version": 1}
        if self._cell is None:
            return None
        return self._cell.model_dump(mode="json", by_alias=True, exclude={"key", "noise_floor"})

    def _notices(self, *, eligible: bool, is_judged: bool) -> list[dict[str, str]]:
        target, candidate = self._target, self._candidate
        floor = None if self._cell is None else self._cell.noise_floor
        worse = target.target_ratio > 1 if target.direction == "lower" else target.target_ratio < 1
        applies = {
            ScorecardNotice.DIAGNOSTIC_ONLY: self._mode is Mode.DIAGNOSTIC,
            ScorecardNotice.NO_PUBLICATION_GATE: eligible,
            ScorecardNotice.NOISE_FLOOR_IS_A_RECORD: floor is not None and self._floor_problem is None,
            ScorecardNotice.GREEN_IS_WORSE_THAN_BASELINE: worse,
            ScorecardNotice.GUARD_ABSENT: not target.guards,
            ScorecardNotice.SINGLE_SESSION: candidate is not None and len(candidate.population.sessions) <= 1,
            ScorecardNotice.FEW_NOISE_PAIRS: floor is not None and floor.pairs < FEW_PAIRS,
        }
        said = [(notice.value, NOTICE_TEXT[notice]) for notice, does in applies.items() if does]
        if self._mode is Mode.DIAGNOSTIC and is_judged and candidate is not None:
            # What would cap a claim and changes how this verdict is to be read.
            lacking = [] if self._floor_problem is None else [self._floor_problem]
            said += [(code.value, text) for code, text in (*lacking, *guards_unmeasured(candidate, target.guards))]
        return [{"code": code, "text": text} for code, text in said]


def _exp(value: float | None) -> float | None:
    """Back from the log scale; None where the ratio is beyond a float."""
    try:
        return None if value is None else math.exp(value)
    except OverflowError:
        return None


def _plain_floor(floor: dict[str, Any]) -> dict[str, Any]:
    """A floor that is no number has no JSON: it is told in a reason, and null here."""
    return floor if math.isfinite(floor["value"]) else {**floor, "value": None}

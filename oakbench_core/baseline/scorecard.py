"""Candidate rows held against a book and targets: `oakbench.scorecard/1` as plain data (ADR-0009).

Rule: Python asks for a diagnosis unless it says otherwise, the command line for a claim. Whatever is wrong with what
was asked is refused before a row is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.baseline.arguments import expect_confidence, expect_draws
from oakbench_core.baseline.book import Book, checked_book
from oakbench_core.baseline.columns import table_of
from oakbench_core.baseline.comparison import Comparison, noise_document, outcome_of
from oakbench_core.baseline.intake import checked_rows
from oakbench_core.baseline.sides import baseline_side, candidate_side, facts_of
from oakbench_core.baseline.targets import checked_targets
from oakbench_core.baseline.vocabulary import SCORECARD_SCHEMA, Mode, Verdict
from oakbench_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oakbench_core.baseline.columns import Table
    from oakbench_core.baseline.intake import Rows
    from oakbench_core.baseline.populations import PopulationKey
    from oakbench_core.baseline.sides import Facts
    from oakbench_core.baseline.targets import Target


def scorecard(  # noqa: PLR0913, PLR0917 - the public signature of the specification
    book: Book | Mapping[str, Any],
    rows: Rows,
    targets: Iterable[Mapping[str, Any]],
    mode: str = "diagnostic",
    confidence: float = 0.95,
    draws: int | None = None,
) -> dict[str, Any]:
    """The results of all targets.

    Args:
        book: what `load_book` or `build_book` gives.
        rows: the candidates' rows: what `load_rows` gives, or mappings.
        targets: a list of mappings, one a target.
        mode: `claim` or `diagnostic`.
        confidence: of the candidates' intervals, above 0 and below 1.
        draws: recorded as given; no interval here draws.

    Raises:
        UsageError: a mode, confidence or number of draws that is none.
        DocumentError: the book, a target or a row is refused.
    """
    asked = _expect_mode(mode)
    level, recorded_draws = expect_confidence(confidence), expect_draws(draws)
    held = book if isinstance(book, Book) else checked_book(book)
    wanted = checked_targets(targets)
    table = table_of(checked_rows(rows))
    bench = _Bench(held, table, asked, level, recorded_draws)
    results = [bench.result(target) for target in wanted.targets]
    judged = {target.saved for target in wanted.targets}
    return {
        "schema": SCORECARD_SCHEMA,
        "mode": asked.value,
        "claim_eligible": all(result["claim_eligible"] for result in results),
        "targets_sha256": wanted.sha256,
        "book_sha256": held.sha256,
        "unjudged": [key.as_document() for key in held.cells if key not in judged],
        "results": results,
    }


def gate(result: Mapping[str, Any], *, fail_on_red: bool = False) -> ExitCode:
    """What a scorecard's result makes a command end with.

    Claim: 0 only if every verdict is GREEN. Diagnostic: 0 only if none is INVALID or UNMEASURED, nor RED if that is
    asked for.
    """
    verdicts = {entry["verdict"] for entry in result["results"]}
    if result["mode"] == Mode.CLAIM:
        passed = verdicts == {Verdict.GREEN}
    else:
        passed = not verdicts & {Verdict.INVALID, Verdict.UNMEASURED, *((Verdict.RED,) if fail_on_red else ())}
    return ExitCode.DONE if passed else ExitCode.GATE_NOT_MET


def _expect_mode(mode: str) -> Mode:
    if mode not in set(Mode):
        raise UsageError(f"mode: expected claim or diagnostic, found {mode!r}")
    return Mode(mode)


class _Bench:
    """What every target is held against. The facts of the last sample stay: targets of one metric stand together."""

    def __init__(self, book: Book, table: Table, mode: Mode, confidence: float, draws: int | None) -> None:
        self.book, self.table = book, table
        self.mode, self.confidence, self.draws = mode, confidence, draws
        self._last: tuple[PopulationKey, str, Facts] | None = None

    def comparison(self, target: Target) -> Comparison:
        cell, facts = self.book.cells.get(target.saved), self._facts(target)
        return Comparison(
            target=target,
            candidate=None if facts is None else candidate_side(facts, target.statistic, self.confidence),
            baseline=None if cell is None else baseline_side(cell),
            noise=None if cell is None else cell.noise,
            mode=self.mode,
            confidence=self.confidence,
        )

    def _facts(self, target: Target) -> Facts | None:
        key = target.population
        columns = self.table.populations.get(key)
        if columns is None:
            return None
        if self._last is None or self._last[:2] != (key, target.metric):
            self._last = key, target.metric, facts_of(self.table, columns, target.metric)
        return self._last[2]

    def result(self, target: Target) -> dict[str, Any]:
        """The target's entry in the results."""
        comparison = self.comparison(target)
        outcome = outcome_of(comparison)
        return {
            "cell": target.cell,
            "verdict": outcome.verdict.value,
            "statistical_verdict": None if outcome.statistical is None else outcome.statistical.value,
            "claim_eligible": outcome.claim_eligible,
            "reasons": [reason.as_document() for reason in outcome.reasons],
            "ratio": None if outcome.ratio is None else outcome.ratio.as_document(),
            "candidate": None if comparison.candidate is None else comparison.candidate.as_document(),
            "baseline": None if comparison.baseline is None else comparison.baseline.as_document(),
            "target_ratio": target.target_ratio,
            "direction": target.direction.value,
            "noise_floor": noise_document(comparison.noise),
            "confidence": self.confidence,
            "draws": self.draws,
            "mode": self.mode.value,
            "notices": [reason.as_document() for reason in outcome.notices],
        }

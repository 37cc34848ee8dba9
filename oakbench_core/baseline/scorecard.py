"""Candidate rows held against a book and targets: `oakbench.scorecard/1`.

Rule: INVALID before UNMEASURED before the statistical verdict before the caps of a claim. A diagnostic result is never
claim-eligible; a claim-eligible one replaces no publication gate (ADR-0009).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oakbench_core.baseline.book import Book, cell_key, read_book
from oakbench_core.baseline.building import expect_confidence
from oakbench_core.baseline.codes import Mode
from oakbench_core.baseline.comparison import Candidate
from oakbench_core.baseline.judgement import Judgement
from oakbench_core.baseline.populations import PopulationKey, populations_of
from oakbench_core.baseline.row import rows_of
from oakbench_core.baseline.targets import Targets, read_targets
from oakbench_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oakbench_core.baseline.book_document import Cell, LegacyCell
    from oakbench_core.baseline.row import MeasuredRow
    from oakbench_core.baseline.targets import Target

SCORECARD_SCHEMA: Final = "oakbench.scorecard/1"


def scorecard(  # noqa: PLR0913, PLR0917 - the six that the format names, in its order
    book: Book | Mapping[str, Any],
    rows: Iterable[MeasuredRow | Mapping[str, Any]],
    targets: Targets | list[Mapping[str, Any]] | Mapping[str, Any],
    mode: Mode | str = Mode.DIAGNOSTIC,
    confidence: float = 0.95,
    draws: int | None = None,
) -> dict[str, Any]:
    """Every target's verdict with its reasons, as plain JSON data.

    Args:
        book: a checked book, or the mapping that its file holds.
        rows: of the candidates; those of no target are counted nowhere.
        targets: checked, or as plain data.
        mode: `claim` asks for all evidence that a claim needs, `diagnostic` for none of it.
        confidence: of the candidate's intervals.
        draws: recorded as given; no interval here draws.

    Raises:
        UsageError: mode, confidence or draws are none, before anything is analysed.
        DocumentError: the book, the targets or a row are refused.
    """
    if mode not in set(Mode):
        raise UsageError(f"expected the mode claim or diagnostic, found {mode!r}")
    mode, confidence = Mode(mode), expect_confidence(confidence)
    if draws is not None and (isinstance(draws, bool) or not isinstance(draws, int) or draws < 1):
        raise UsageError(f"expected a positive whole number of draws, found {draws!r}")
    book = read_book(book)
    targets = targets if isinstance(targets, Targets) else read_targets(targets)
    populations = populations_of(row for row, _ in rows_of(rows, "rows"))
    cells: Mapping[tuple[str | None, ...], Cell | LegacyCell] = book.cells
    if book.legacy is not None:
        cells = {cell_key(cell.key): cell for cell in book.legacy.cells}
    results = []
    for target in targets.targets:
        rows_key = PopulationKey(target.lane, target.scenario, target.operation, target.track, target.candidate)
        population = populations.get(rows_key)
        candidate = None if population is None else Candidate.of(population, target, confidence)
        judgement = Judgement(target, candidate, cells.get(_saved_key(target)), mode, confidence)
        results.append(judgement.document() | {"draws": draws})
    judged_keys = {_saved_key(target) for target in targets.targets}
    return {
        "schema": SCORECARD_SCHEMA,
        "mode": mode.value,
        "claim_eligible": all(result["claim_eligible"] for result in results),
        "targets_sha256": targets.sha256,
        "book_sha256": book.sha256,
        "unjudged": [_key_document(key) for key in cells if key not in judged_keys],
        "results": results,
    }


def _saved_key(target: Target) -> tuple[str | None, ...]:
    where = (target.lane, target.scenario, target.operation, target.track)
    return (*where, target.baseline, target.metric, target.statistic)


def _key_document(key: tuple[str | None, ...]) -> dict[str, str | None]:
    names = ("lane", "scenario", "operation", "track", "subject", "metric", "statistic")
    return dict(zip(names, key, strict=True))

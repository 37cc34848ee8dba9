"""The one way of rows into an analysis: checked, from a file or from Python, every problem collected.

Rule: from the first refused row on nothing more is handed on, but all is looked at; at the end everything found is
raised at once. So an analysis that ends without an error has seen every row, and one that was fed a bad row never ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from oakbench_core.baseline.row import checked_mapping
from oakbench_core.baseline.row_document import CAMPAIGN_ROW
from oakbench_core.errors import DocumentError, Problem

if TYPE_CHECKING:
    from oakbench_core.baseline.row import CheckedRow

_MOST_KEPT: Final = 100  # problems that are listed; a file of a million bad lines is bad enough with its first


@runtime_checkable
class RowSource(Protocol):
    """Rows that are checked as they are read, such as those of a file."""

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Each row; DocumentError after the last one if some were refused."""


Rows = RowSource | Iterable[Mapping[str, Any]]
"""What analyses take: a source such as `load_rows` gives, or rows as plain mappings."""


@dataclass(slots=True)
class Refusals:
    """Problems of rows, in order, the first hundred kept and all counted."""

    kept: list[Problem] = field(default_factory=list)
    count: int = 0

    def add(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.count += 1
            if len(self.kept) < _MOST_KEPT:
                self.kept.append(problem)

    def raise_found(self) -> None:
        """Raises DocumentError if there was any."""
        if not self.count:
            return
        listed = list(self.kept)
        if self.count > len(listed):
            listed.append(Problem(rule=f"and {self.count - len(listed):,} more problems"))
        campaign = any(problem.rule == CAMPAIGN_ROW for problem in self.kept)
        raise DocumentError(
            "these rows are refused",
            listed,
            next_step="oakbench-tui report DIR reports a campaign's rows" if campaign else None,
        )


def checked_rows(rows: Rows) -> Iterator[CheckedRow]:
    """Each row, checked; the whole input is looked at before anything that is wrong with it is raised.

    Raises:
        DocumentError: a row is refused, with its place in the file or, for mappings, in the iterable (`$[3].lane`).
    """
    if isinstance(rows, RowSource):
        yield from rows.checked_rows()
        return
    if isinstance(rows, str | bytes | Mapping):
        raise DocumentError(f"expected rows, one mapping each, found {type(rows).__name__}")
    refusals = Refusals()
    for number, value in enumerate(rows):
        row, problems = checked_mapping(value)
        if row is None:
            refusals.add(replace(problem, path=f"$[{number}]{(problem.path or '$')[1:]}") for problem in problems)
        elif not refusals.count:
            yield row
    refusals.raise_found()

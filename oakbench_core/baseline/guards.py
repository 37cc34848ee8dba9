"""Guards: conditions on every `ok` row of the candidate, beside its figures.

Rule: the smallest value counts, since a tool that answers wrong once is not right on the average. A value without the
version of the oracle that found it is not measured, and neither is one that some row lacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_core.baseline.reasons import Reason
from oakbench_core.baseline.sentences import value_words
from oakbench_core.baseline.vocabulary import Code, GuardName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oakbench_core.baseline.columns import Columns
    from oakbench_core.baseline.targets import Guard


def guard_reasons(columns: Columns, guards: Iterable[Guard]) -> Iterator[Reason]:
    """Why a guard failed, or is not measured; nothing of one that holds."""
    for guard in guards:
        found = columns.guards[guard.name]
        if found.least is not None and found.least < guard.at_least:
            yield Reason(Code.GUARD_FAILED, _failed(guard, found.least))
        if not found.versions:
            yield Reason(Code.GUARD_UNMEASURED, f"{guard.name}: no ok row")
        elif None in found.versions:
            yield Reason(Code.GUARD_UNMEASURED, f"{guard.name}: a row without the version of its oracle")
        elif len(found.versions) > 1:
            versions = " and ".join(sorted(map(value_words, found.versions)))
            yield Reason(Code.GUARD_UNMEASURED, f"{guard.name}: oracles of versions {versions}")
        if found.nulls and found.versions:
            yield Reason(Code.GUARD_UNMEASURED, f"{guard.name}: {found.nulls:,} ok rows without a value")


def _failed(guard: Guard, least: float) -> str:
    if guard.name is GuardName.PATCH_APPLY_OK:
        return "a patch does not apply"
    return f"{guard.name} {least:g} on some row, at least {guard.at_least:g} is asked"

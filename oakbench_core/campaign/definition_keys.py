"""A key that a definition's table does not know, and the one that was probably meant."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign import definition as tables

if TYPE_CHECKING:
    from oakbench_core.shapes import Document

_TABLES: Final[tuple[tuple[re.Pattern[str], tuple[type[Document], ...]], ...]] = tuple(
    (re.compile(rf"\$\.{place}"), models)
    for place, models in (
        (r"campaign", (tables.CampaignTable,)),
        (r"run", (tables.RunTable,)),
        (r"agents\.[^.]+", (tables.AgentTable,)),
        (r"subjects\.[^.]+", (tables.SubjectTable,)),
        (r"subjects\.[^.]+\.agent", (tables.AgentOverrideTable,)),
        (r"workflows\.[^.]+", (tables.WorkflowTable, tables.OneTaskWorkflow)),
        (r"workflows\.[^.]+\.tasks\.[^.]+", (tables.TaskTable,)),
        (r"workflows\..+\.oracle", (tables.OracleTable,)),
        (
            r"workflows\..+\.oracle\.checks\[[0-9]+\]",
            (tables.CommandCheckTable, tables.FileCheckTable, tables.ChangesCheckTable),
        ),
    )
)
_TOP: Final = (tables.Definition,)


def probably_meant(path: str) -> str | None:
    """The key that the last part of a JSON path was probably meant to be, or None."""
    table, _, key = path.rpartition(".")
    models = _TOP if table == "$" else next((models for place, models in _TABLES if place.fullmatch(table)), ())
    known = sorted({name for model in models for name in model.model_fields})
    return next(iter(get_close_matches(key, known, n=1, cutoff=0.7)), None)

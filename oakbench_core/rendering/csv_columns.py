"""The columns of the tables of groups, pairs and resources: each column's name, and where its value stands in an entry.

Rule: nothing is computed here; a list of codes or fields is its names with blanks between, a mapping is its JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.report_codes import BlockReason
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS
from oakbench_core.canonical import canonical_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Path = tuple[str, ...]
Columns = tuple[tuple[str, Path], ...]


def _of(*path: str, names: Iterable[str], prefix: str = "", suffix: str = "") -> Columns:
    return tuple((f"{prefix}{name}{suffix}", (*path, name)) for name in names)


CONDITION: Final = _of("key", names=("workflow", "instruction_level", "agent", "model"))
COUNTS: Final = (
    "scheduled",
    "started",
    "resolved",
    "unstarted",
    "interrupted",
    "interrupted_uncertain",
    "skipped",
    "skipped_before_start",
    "skipped_after_start",
    "finished",
    "verified_success",
    "task_failure",
    "timed_out",
    "infrastructure_failure",
    "timeout_mismatch",
    "schedule_gaps",
)
_ENDS: Final = ("low", "high")

GROUPS: Final[Columns] = (
    *CONDITION,
    ("subject", ("key", "subject")),
    ("tasks", ("tasks",)),
    *_of("counts", names=COUNTS),
    *_of("success", names=("fraction", "final", "lower_bound", "upper_bound")),
    *_of("success", "schedule_bounds", names=_ENDS, prefix="schedule_"),
    *_of("success", "wilson", names=(*_ENDS, "confidence"), prefix="wilson_"),
    ("omitted", ("success", "omitted")),
    ("population_agrees", ("population", "agrees")),
    ("population_differing", ("population", "differing")),
    ("population_unmeasured", ("population", "unmeasured")),
    ("population_unreported", ("population", "unreported")),
)
PAIRS: Final[Columns] = (
    *CONDITION,
    *_of("key", names=("a", "b")),
    *_of("blocks", names=("scheduled", "complete", "incomplete", "excluded"), suffix="_blocks"),
    *_of("blocks", "reasons", names=BlockReason, suffix="_blocks"),
    *_of("lost_side", names=("a", "b", "both"), prefix="lost_side_"),
    *_of("table", names=("both", "only_a", "only_b", "neither")),
    *_of("timed_out", names=("a", "b"), prefix="timed_out_"),
    ("difference", ("difference",)),
    ("final", ("final",)),
    *_of("bounds", names=_ENDS, prefix="bound_"),
    *_of("interval", names=(*_ENDS, "confidence", "degenerate"), prefix="bootstrap_"),
    *_of("newcombe", names=(*_ENDS, "confidence"), prefix="newcombe_"),
    ("omitted", ("omitted",)),
    *_of("bootstrap", names=("method", "draws", "key"), prefix="bootstrap_"),
    *_of("tasks", names=("distinct", "a_ahead", "b_ahead", "equal", "disagreeing", "mean_difference"), prefix="tasks_"),
    ("identity_agrees", ("identity", "agrees")),
    ("identity_differing", ("identity", "differing")),
    ("identity_treatment", ("identity", "treatment")),
    ("identity_unmeasured", ("identity", "unmeasured")),
    *(
        column
        for name in RESOURCE_UNITS
        for column in _of(
            "resources", name, names=("blocks", "total_a", "total_b", "difference", "omitted"), prefix=f"{name}_"
        )
    ),
)
RESOURCES: Final[Columns] = (
    *CONDITION,
    ("subject", ("key", "subject")),
    *_of("counts", names=("scheduled", "unstarted", "interrupted", "skipped", "finished")),
    ("resource", ("resource",)),
    *_of("use", names=("unit", "started", "observed", "partial_sum", "complete_total")),
    *_of("use", "on_success", names=("n", "observed", "mean", "median"), suffix="_on_success"),
    ("total_per_verified_success", ("use", "total_per_verified_success")),
    ("sources", ("use", "sources")),
    ("omitted", ("use", "omitted")),
)


def value_at(entry: Mapping[str, Any], path: Path) -> Any:
    """The value of one column; what is withheld as a whole is null in each of its columns."""
    value: Any = entry
    for step in path:
        if value is None:
            return None
        # A reason that did not occur has no key: it was counted, and is 0.
        value = value.get(step, 0) if path[:2] == ("blocks", "reasons") else value[step]
    if isinstance(value, list):
        return " ".join(one if isinstance(one, str) else one["field"] for one in value)
    return canonical_text(value) if isinstance(value, dict) else value

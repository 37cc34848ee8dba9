"""A noise floor: how far two sessions that measure the same thing have been seen apart.

Rule: it comes from explicit A/A rows, and nothing is invented. A session is a `bench_id`; sessions are sorted by name
and paired 1-2, 3-4 and so on, so that pairs share none; an odd last one counts in `session_range` alone. The floor is
the largest |ln ratio| of the cell's own statistic over the K pairs: a further pair exceeds it with probability
1 / (K + 1). It is a recorded measurement, no authenticated calibration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.baseline.figures import value_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oakbench_core.baseline.vocabulary import Statistic

METHOD: Final = "aa_pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseFloor:
    """`value` and `session_range` are differences of natural logarithms; `pairs` is K."""

    value: float
    sessions: int
    pairs: int
    min_session_rows: int
    session_range: float

    def as_document(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "method": METHOD,
            "sessions": self.sessions,
            "pairs": self.pairs,
            "min_session_rows": self.min_session_rows,
            "session_range": self.session_range,
        }


def noise_floor(sessions: Mapping[str, Sequence[float]], statistic: Statistic) -> NoiseFloor | None:
    """The floor of one cell from the sorted values of each session, by its name.

    None: fewer than two sessions, a session without a value, or a statistic that is not positive.
    """
    if len(sessions) < 2:
        return None
    logs = []
    for name in sorted(sessions):
        value = value_of(sessions[name], statistic)
        if value is None or value <= 0:
            return None
        logs.append(math.log(value))
    pairs = list(zip(logs[::2], logs[1::2], strict=False))
    return NoiseFloor(
        value=max(abs(one - other) for one, other in pairs),
        sessions=len(logs),
        pairs=len(pairs),
        min_session_rows=min(map(len, sessions.values())),
        session_range=max(logs) - min(logs),
    )

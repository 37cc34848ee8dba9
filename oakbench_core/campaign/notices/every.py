"""What must be said beside the figures: each notice's code, its one plain sentence, and the numbers it speaks of.

Rule: a notice is there exactly if what it says holds of this report. Its text is ours and holds numbers at most; names,
which a stranger may have chosen, stand in the fields beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.notices.evidence import extent, irregularities, standing, trust
from oakbench_core.campaign.notices.figures import pairs, resources, samples

if TYPE_CHECKING:
    from oakbench_core.campaign.notices.findings import Document, Findings

_WRITERS: Final = (standing, extent, resources, pairs, samples, irregularities, trust)


def notices_of(findings: Findings) -> list[Document]:
    """Every notice that holds, in the order of report.md."""
    return [entry for write in _WRITERS for entry in write(findings)]

"""What a campaign that follows another one is worth by itself: nothing is ever pooled over the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oakbench_core.campaign.plan import Plan


def is_retry(plan: Plan) -> bool:
    """Whether the trials were picked by their earlier results: the plan says so of itself, or of any of its trials."""
    parent = plan.document.provenance.parent
    declared = parent is not None and parent.kind == "retry"
    return declared or any(trial.retry_of is not None for trial in plan.schedule)

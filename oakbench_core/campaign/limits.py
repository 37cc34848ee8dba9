"""What no report of a campaign can show, whatever its figures: the same text in every rendering."""

from __future__ import annotations

from typing import Final

LIMITS: Final = (
    "This report describes one execution of one plan. "
    "It cannot show campaigns or retries that were not handed over with it, nor pilots after which the tasks, the "
    "timeouts or the budgets were chosen. "
    "It cannot show whether someone with write access replaced plan and journal together: compare their two hashes "
    "with a copy that was published before the run. "
    "It cannot show whether an agent, an oracle or a price list is what its name says, what a provider changed behind "
    "the name of a model, or whether the answers were in a model's training data. "
    "Nothing is adjusted for the number of comparisons."
)

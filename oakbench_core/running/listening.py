"""What a run tells of itself while it goes on, and to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_core.campaign.vocabulary import StopReason, Terminal
    from oakbench_core.durable.recovery import Repair


class TrialEnd(NamedTuple):
    """A trial that has just ended: its row, and how many trials of the campaign have ended by now."""

    trial: ScheduledTrial
    terminal: Terminal
    row: Mapping[str, Any]
    ended: int


class RunEnd(NamedTuple):
    """Why a run ended in order, as the journal's `closed` says it, and what is on file by then."""

    reason: StopReason
    code: int
    detail: str | None
    ledger: Ledger


class Listener(Protocol):
    """Who is told how a run goes, in the runner's thread, each time when the record of it is durable."""

    def repaired(self, repair: Repair) -> None:
        """The end that an earlier runner left was brought into order."""

    def noticed(self, text: str) -> None:
        """Something that its user should know of, and that ends nothing."""

    def opened(self, ledger: Ledger) -> None:
        """The journal is this runner's; nothing has been started."""

    def started(self, trial: ScheduledTrial) -> None: ...

    def ended(self, end: TrialEnd) -> None: ...

    def interrupted(self, trial: ScheduledTrial) -> None:
        """A trial that was started was ended by the runner's user: it has no end on file."""

    def holding(self, seconds: float) -> None:
        """A provider's limit was met: nothing is started for so long."""

    def stopping(self, detail: str, in_flight: int) -> None:
        """Nothing more is started, and so many trials go to their end."""

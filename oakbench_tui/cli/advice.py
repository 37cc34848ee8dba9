"""What to do about the state of a journal, in one sentence, wherever a command says it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.vocabulary import RecoveryKind
from oakbench_core.durable.tail import JournalState

if TYPE_CHECKING:
    from oakbench_core.durable.reading import JournalReading
    from oakbench_tui.cli.campaign import Campaign

_NEXT: Final = {
    JournalState.NO_NEWLINE: "nothing need be done: `run` adds the line feed and goes on, and so does `recover`",
    JournalState.TORN: "`run` keeps the torn record aside and goes on; `recover` does it without running",
    JournalState.ZEROS: "`run` keeps the bytes aside and goes on; `recover` does it without running",
    JournalState.UNCERTAIN_TAIL: "the head proves that the bytes were never acknowledged: `recover` keeps them aside",
    JournalState.RECOVERY_PENDING: "`recover` finishes it, and so does `run`",
    JournalState.INVALID: "compare the file with a copy; it was edited, mixed or damaged after it was written",
    JournalState.BEHIND_HEAD: "put the journal back from a copy; nothing is written to it as it is",
}


def is_gone(journal: JournalReading) -> bool:
    """Whether the journal is not there although something beside it says that there was one."""
    return journal.state is not JournalState.ABSENT and not os.path.lexists(journal.path)


def next_step(campaign: Campaign) -> str | None:
    """What to do about the state, in a sentence; None: nothing."""
    journal = campaign.journal
    if journal.state is JournalState.RECOVERY_PENDING and is_gone(journal):
        return "put the journal back from a copy: without it there is nothing that `recover` or `run` could go on from"
    recovery = {} if journal.tail is None else (journal.tail.would_recover or {}).get("recovery", {})
    if recovery.get("kind") == RecoveryKind.UNCERTAIN_ACCEPTED:
        return (
            "nothing proves that the bytes were not acknowledged: compare with a copy; `recover "
            "--accept-uncertain-tail` keeps them aside and goes on without them"
        )
    return _NEXT.get(journal.state)

"""A campaign as the commands open it: its plan, one reading of its journal, and the codes that follow from both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oakbench_core.campaign.vocabulary import Standing, State
from oakbench_core.durable.documents import load_plan
from oakbench_core.durable.lock import Liveness
from oakbench_core.durable.reading import JournalReading, read_journal
from oakbench_core.durable.tail import JournalState
from oakbench_core.errors import ExitCode
from oakbench_tui.cli.folder import campaign_folder

if TYPE_CHECKING:
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan

_CODES = {
    JournalState.TORN: ExitCode.TORN,
    JournalState.ZEROS: ExitCode.TORN,
    JournalState.RECOVERY_PENDING: ExitCode.TORN,
    JournalState.UNCERTAIN_TAIL: ExitCode.UNCERTAIN,
}


@dataclass(frozen=True, slots=True)
class Campaign:
    """A plan and what is on file of it."""

    folder: Path
    plan: Plan
    journal: JournalReading

    @property
    def journal_code(self) -> ExitCode:
        """What the journal alone is worth: 0 if it is sound, absent, empty, being written, or lacks only its LF."""
        if self.journal.refusal is not None:
            return self.journal.refusal.exit_code
        return _CODES.get(self.journal.state, ExitCode.DONE)

    @property
    def progress_codes(self) -> tuple[ExitCode, ...]:
        """10 and 11 where they apply; they count only where they are asked for."""
        tallies = self.journal.ledger_after_recovery.tallies
        incomplete = any(tallies[standing] for standing in Standing if standing.state is not State.FINISHED)
        live = self.journal.liveness is Liveness.WRITING
        return ((ExitCode.INCOMPLETE,) if incomplete else ()) + ((ExitCode.WRITER_LIVE,) if live else ())


def open_campaign(directory: Path) -> Campaign:
    """The campaign in a folder, its journal read to the end.

    Raises:
        OakbenchError: no campaign folder, a refused plan, a journal that may not be read. A journal without results is
            not raised: it is a reading with a `refusal`.
    """
    folder = campaign_folder(directory)
    plan = load_plan(folder)
    return Campaign(folder, plan, read_journal(folder, plan))

"""The report, made in a thread of its own from a reading of its own, so that neither screen nor reader waits for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from oakbench_core.durable.journal import JOURNAL_NAME, JournalReader
from oakbench_core.durable.lock import Liveness
from oakbench_core.durable.tail import JournalState
from oakbench_core.errors import OakbenchError
from oakbench_tui.view.trouble import error_in_a_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan


@dataclass(frozen=True, slots=True)
class Made:
    """A report as of `seq`, or the reason why there is none, in one line and safe to show."""

    seq: int | None
    summary: Mapping[str, Any] | None
    markdown: str
    failure: str | None = None


class Reporter:
    """Keeps its place in the journal, so that the next report reads only what is new. For one thread at a time."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        from oakbench_core.intervals import bootstrap

        self._reader = JournalReader(folder / JOURNAL_NAME, plan)
        self._resample = lru_cache(maxsize=4096)(bootstrap)

    def make(self) -> Made:
        """The report of what is on file now."""
        from oakbench_core.campaign.report import report_ledger
        from oakbench_core.rendering.markdown import render_markdown

        try:
            while (poll := self._reader.poll()).more or poll.state is JournalState.REPLACED:
                pass
            if self._reader.refusal is not None:
                raise self._reader.refusal
            summary = report_ledger(self._reader.ledger_after_recovery, resample=self._resample)
        except OakbenchError as error:
            return Made(None, None, "", error_in_a_line(error))
        markdown = render_markdown(summary, writer_alive=self._reader.liveness is Liveness.WRITING)
        return Made(self._reader.fold.last_seq, summary, markdown)

    def close(self) -> None:
        self._reader.close()

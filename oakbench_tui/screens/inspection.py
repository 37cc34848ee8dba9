"""The inspector beside the list: which trial, which tab, and the records read for it once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_tui.feed.artifacts import artifacts_of
from oakbench_tui.feed.records import records_of
from oakbench_tui.view.inspector.record import Inspected, Records
from oakbench_tui.view.inspector.tabs import Tab, empty_head, inspector_head, inspector_page
from oakbench_tui.view.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_tui.screens.session import Session
    from oakbench_tui.view.layout import Pane
    from oakbench_tui.view.snapshot import Snapshot
    from oakbench_tui.widgets.lines import Lines
    from oakbench_tui.widgets.table import Table


class Inspection:
    """Shows one trial at a time. Its first tab opens on what failed; `tab` stays when another trial is shown."""

    def __init__(self, session: Session, head: Lines, page: Table) -> None:
        self._session = session
        self._head = head
        self._page = page
        self._records: tuple[object, Records] | None = None
        self._blocks: dict[str, list[int]] | None = None
        self._shown: object = None
        self.tab = Tab.SUMMARY

    def show(self, snapshot: Snapshot, place: int, pane: Pane) -> None:
        """Draw the trial at `place`; the page scrolls back to its top when another trial or tab is shown."""
        records = self.records(snapshot, place)
        inspected = Inspected(
            snapshot=snapshot,
            records=records,
            siblings=self._siblings(snapshot, place),
            group=snapshot.groups[self._session.feed.grouping.number_at[place]],
            now=self._session.clock(),
            artifacts=artifacts_of(self._session.folder, records, snapshot.trial(place).trial_id),
        )
        width = max(self._page.size.width - 1, 1)
        self._head.show(inspector_head(inspected, self.tab, pane, max(self._head.size.width, 1)))
        self._page.show(inspector_page(inspected, self.tab, width))
        if self._shown != (place, self.tab):
            self._shown = (place, self.tab)
            self._page.move_to(0)

    def show_nothing(self, pane: Pane) -> None:
        """Where no trial is listed there is none to be looked at."""
        self._shown = None
        self._head.show(empty_head(pane, max(self._head.size.width, 1)))
        self._page.show(Page())

    def concerns(self, snapshot: Snapshot, place: int, dirty: frozenset[int]) -> bool:
        """Whether what is shown of the trial at `place` changes with these trials: its block's, or its group's sums."""
        return self.tab is Tab.RESOURCES or not dirty.isdisjoint(self._siblings(snapshot, place))

    def records(self, snapshot: Snapshot, place: int) -> Records:
        """The trial's records, read from the file when they are first asked for and when there are more of them."""
        key = (id(snapshot.ledger), place, snapshot.standings[place])
        if self._records is None or self._records[0] != key:
            reader = self._session.feed.reader
            self._records = (key, records_of(reader, place, ended=snapshot.has_row(place)))
        return self._records[1]

    def _siblings(self, snapshot: Snapshot, place: int) -> Sequence[int]:
        if self._blocks is None:
            self._blocks = {}
            for number, trial in enumerate(snapshot.plan.schedule):
                self._blocks.setdefault(trial.block_id, []).append(number)
        return self._blocks[snapshot.trial(place).block_id]

"""Tells how a run goes: lines for people, a footer below them on a terminal, or JSON lines for programs.

That nobody can be told (a closed pipe, a full disk) ends no run.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.admission import admission
from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.display import display_safe
from oakbench_core.errors import OakbenchError
from oakbench_tui.cli.footer import Footer
from oakbench_tui.cli.output import PipeClosedError, put_line, say
from oakbench_tui.cli.progress import (
    asked_line,
    closing_lines,
    ending_line,
    holding_line,
    opening_lines,
)
from oakbench_tui.view.run_progress import Running, progress_lines, run_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date
    from pathlib import Path

    from oakbench_core.campaign.definition import RunTable
    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_core.durable.recovery import Repair
    from oakbench_core.running.runner import RunEnd, TrialEnd
    from oakbench_core.running.stopping import StopSwitch
    from oakbench_tui.view.run_progress import RunFigures

RUN_SCHEMA: Final = "oakbench.run/1"


class Teller:
    """A listener with a line for each ending; `put` shows one."""

    def __init__(self, plan: Plan, folder: Path, settings: RunTable, put: Callable[[str], None]) -> None:
        self._plan, self._folder, self._settings, self._put = plan, folder, settings, put
        self._running: dict[str, ScheduledTrial] = {}
        self._day: date | None = None

    def __enter__(self) -> None:
        """Tell of what goes on from now on."""

    def __exit__(self, *_: object) -> None:
        """Tell of nothing more."""

    def repaired(self, repair: Repair) -> None:
        from oakbench_tui.cli.recover import recovery_lines

        for line in ("the journal's end was repaired:", *recovery_lines(repair)):
            self._tell(say, line)

    def noticed(self, text: str) -> None:
        self._tell(say, text)

    def opened(self, ledger: Ledger) -> None:
        now = _now()
        for line in opening_lines(ledger, self._folder, now):
            self._tell(self._put, line)
        self._day = now.date()

    def started(self, trial: ScheduledTrial) -> None:
        self._running = self._running | {trial.trial_id: trial}  # another dict: the signals' thread may be reading

    def ended(self, end: TrialEnd) -> None:
        self._forget(end.trial)
        now = _now()
        if now.date() != self._day:
            self._tell(self._put, f"{now:%Y-%m-%d}")
        self._day = now.date()
        self._tell(self._put, ending_line(end, len(self._plan.schedule), now))

    def interrupted(self, trial: ScheduledTrial) -> None:
        self._forget(trial)
        self._tell(self._put, display_safe(f"{_now():%H:%M:%S}  interrupted  {trial.trial_id}"))

    def holding(self, seconds: float) -> None:
        self._tell(self._put, holding_line(seconds, _now()))

    def stopping(self, detail: str, in_flight: int) -> None:
        one = in_flight == 1
        trials = "1 running trial goes to its end" if one else f"{in_flight:,} running trials go to their end"
        self._tell(say, f"no further trial is started, for {detail}; {trials}")

    def asked(self, switch: StopSwitch) -> None:
        """Say what a request to stop does; called from the thread of the signals."""
        running, ends_now = list(self._running.values()), switch.end_now.is_set()
        self._tell(say, asked_line(self._plan, running, self._settings.grace_s, ends_now=ends_now))

    def closed(self, end: RunEnd) -> None:
        for line in closing_lines(end, self._folder):
            self._tell(self._put, line)

    def _forget(self, trial: ScheduledTrial) -> None:
        self._running = {name: one for name, one in self._running.items() if name != trial.trial_id}

    def _tell(self, put: Callable[[str], None], text: str) -> None:
        with suppress(PipeClosedError, OSError, OakbenchError):
            put(text)


def _now() -> datetime:
    return datetime.now().astimezone()


class TerminalTeller(Teller):
    """With a footer: counts, budget, what is running and since when, and what is left."""

    def __init__(self, plan: Plan, folder: Path, settings: RunTable, put: Callable[[str], None]) -> None:
        super().__init__(plan, folder, settings, put)
        self._footer = Footer(self._lines)
        self._ledger: Ledger | None = None
        self._figures: RunFigures | None = None
        self._since: Mapping[str, Running] = {}
        self._unstarted_timeout_s = 0

    def __enter__(self) -> None:
        self._footer.__enter__()

    def __exit__(self, *_: object) -> None:
        self._footer.__exit__(None, None, None)

    def opened(self, ledger: Ledger) -> None:
        self._ledger = ledger
        standings = zip(self._plan.schedule, ledger.standings, strict=True)
        self._unstarted_timeout_s = sum(trial.timeout_s for trial, at in standings if at == Standing.UNSTARTED)
        self._count()
        super().opened(ledger)

    def started(self, trial: ScheduledTrial) -> None:
        running = Running(trial.trial_id, trial.timeout_s, time.monotonic())
        self._since = {**self._since, trial.trial_id: running}
        self._unstarted_timeout_s -= trial.timeout_s
        super().started(trial)
        self._count()

    def ended(self, end: TrialEnd) -> None:
        if end.trial.trial_id not in self._since:  # skipped before its start
            self._unstarted_timeout_s -= end.trial.timeout_s
        super().ended(end)

    def _forget(self, trial: ScheduledTrial) -> None:
        super()._forget(trial)
        self._since = {name: one for name, one in self._since.items() if name != trial.trial_id}
        self._count()

    def _count(self) -> None:
        """Take the figures in the runner's thread: the footer's own has no business in the ledger."""
        if self._ledger is not None:
            self._figures = run_figures(
                self._ledger, len(self._running), self._unstarted_timeout_s, self._settings.max_parallel
            )

    def _lines(self, width: int, most: int) -> list[str]:
        if self._figures is None:
            return []
        return progress_lines(self._figures, [*self._since.values()], time.monotonic(), width, most)

    def _tell(self, put: Callable[[str], None], text: str) -> None:
        super()._tell(lambda text: self._footer.above(put, text), text)


class JsonTeller(Teller):
    """One JSON object a line, `oakbench.run/1`; what people are to know goes to stderr as ever."""

    def __init__(self, plan: Plan, folder: Path, settings: RunTable) -> None:
        super().__init__(plan, folder, settings, put_line)
        self._ledger: Ledger | None = None

    def opened(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._line("opened", campaign_id=self._plan.campaign_id, plan_sha256=self._plan.plan_sha256, **self._figures())

    def started(self, trial: ScheduledTrial) -> None:
        super().started(trial)
        self._line("started", trial_id=trial.trial_id, timeout_s=trial.timeout_s)

    def ended(self, end: TrialEnd) -> None:
        self._forget(end.trial)
        row = end.row
        self._line(
            "ended",
            trial_id=end.trial.trial_id,
            terminal=str(end.terminal),
            verified_success=row["verified_success"],
            duration_s=row["resources"]["duration_s"],
            error=row["error"],
            skip=row["skip"],
            **self._figures(),
        )

    def interrupted(self, trial: ScheduledTrial) -> None:
        self._forget(trial)
        self._line("interrupted", trial_id=trial.trial_id)

    def holding(self, seconds: float) -> None:
        self._line("holding", seconds=round(seconds, 3))

    def stopping(self, detail: str, in_flight: int) -> None:
        self._line("stopping", detail=detail, in_flight=in_flight)

    def closed(self, end: RunEnd) -> None:
        self._line("closed", reason=str(end.reason), code=int(end.code), detail=end.detail, **self._figures())

    def _figures(self) -> dict[str, Any]:
        if self._ledger is None:
            return {}
        tallies = self._ledger.tallies
        remaining_s = admission(self._ledger).remaining_s
        counts = {standing.name.lower(): tallies[standing] for standing in Standing}
        counts["interrupted"] -= len(self._running)
        return {
            "counts": counts | {"running": len(self._running)},
            "remaining_s": None if remaining_s is None else float(remaining_s),
        }

    def _line(self, event: str, **values: Any) -> None:
        said = {"schema": RUN_SCHEMA, "event": event, "at": datetime.now().astimezone().isoformat(), **values}
        self._tell(self._put, json.dumps(said, ensure_ascii=True))

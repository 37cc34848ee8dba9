"""What a run makes of trials that fail for no fault of theirs: it stops after too many in a row, or waits for a limit.

Failures are counted by agent; a skip neither counts nor resets, and earlier runs do not count: running again is how a
user says that the cause is gone. After a provider's limit a run with `hold_s` starts nothing until the limit's own end,
or else for that long; then one trial alone tries whether it is over. What was in flight when a limit struck meets the
same limit, and is no failure of its own in that count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.campaign.vocabulary import ErrorType, Terminal
from oakbench_core.forms import utc_seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oakbench_core.campaign.definition import RunTable
    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_core.running.clocks import Clocks


class FailureWatch:
    """`halted`: why nothing more is started, once there were too many failures. Starts and ends are told to it."""

    def __init__(self, settings: RunTable, clocks: Clocks) -> None:
        self.halted: str | None = None
        self._settings, self._clocks = settings, clocks
        self._in_row: dict[str, int] = {}
        self._starts = 0
        self._numbers: dict[str, int] = {}  # of the trials in flight, by the order of their starts
        self._held_from = 0  # trials that were started before this number met the limit that is being held for
        self._until: float | None = None  # by the clock that counts while the machine sleeps
        self._is_probing = False
        self._is_news = False

    def started(self, trial: ScheduledTrial) -> None:
        self._numbers[trial.trial_id] = self._starts
        self._starts += 1

    def ended(self, trial: ScheduledTrial, terminal: Terminal, row: Mapping[str, Any]) -> None:
        """A trial of this run has ended; one that was interrupted is told as `gone`."""
        number = self._numbers.pop(trial.trial_id, self._starts)
        error = row["error"] if terminal is Terminal.INFRASTRUCTURE_FAILURE else None
        is_limit = error is not None and error["type"] == ErrorType.PROVIDER_LIMIT and self._settings.hold_s > 0
        is_of_the_burst = is_limit and number < self._held_from
        if error is not None and not is_of_the_burst:
            self._count(trial.agent, error)
        elif error is None and terminal is not Terminal.SKIPPED:
            self._in_row[trial.agent] = 0
        if is_limit:
            self._hold(row)
        elif self._is_probing and number >= self._held_from and terminal is not Terminal.SKIPPED:
            self._is_probing, self._until = False, None

    def gone(self, trial: ScheduledTrial) -> None:
        self._numbers.pop(trial.trial_id, None)

    def hold_s(self) -> float | None:
        """Seconds until the next start may be thought of: 0 is now, None is when the trial that tries has ended."""
        if self._until is not None:
            left = self._until - self._clocks.boottime()
            if left > 0:
                return left
        is_trying = self._is_probing and any(number >= self._held_from for number in self._numbers.values())
        return None if is_trying else 0.0

    def is_hold_new(self) -> bool:
        """Whether the hold is another one than when this was asked last."""
        is_news, self._is_news = self._is_news, False
        return is_news

    def _count(self, agent: str, error: Mapping[str, Any]) -> None:
        failures = self._in_row[agent] = self._in_row.get(agent, 0) + 1
        limit = self._settings.halt_after
        if limit and failures >= limit:
            said = f"{failures} infrastructure failures of {agent} in a row, the last: {error['type']}"
            self.halted = self.halted or f"{said}: {error['message']}"

    def _hold(self, row: Mapping[str, Any]) -> None:
        now, resets_at = self._clocks.boottime(), row["extra"].get("provider_resets_at")
        wait_s = float(self._settings.hold_s) if resets_at is None else utc_seconds(resets_at) - self._clocks.wall()
        until = now + max(wait_s, 0.0)
        if self._until is None or until > self._until:
            self._until, self._is_news = until, True
        self._held_from, self._is_probing = self._starts, True

"""The commands of a trial: templates filled in, run under the supervisor, their output captured where it is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.campaign.placeholders import expand
from oakbench_core.campaign.vocabulary import ErrorType
from oakbench_core.running.supervise.channel import FAILED, Order, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from threading import Event

    from oakbench_core.campaign.plan_document import Command
    from oakbench_core.running.secrecy import Secrets
    from oakbench_core.running.supervisor import Supervisor
    from oakbench_core.running.workspace import Places

LARGEST_CAPTURE: Final = 1 << 20
"""Bytes that are kept of each stream of a setup command or a check."""


class AttemptInterruptedError(Exception):
    """The runner was told to end its trials: this one has no terminal event."""


class TrialFailureError(Exception):
    """The trial ends as an infrastructure failure of this type; the text is its message."""

    def __init__(self, kind: ErrorType, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Output(NamedTuple):
    """New files for the two streams of a command, each cut after `cap_bytes`."""

    stdout: Path
    stderr: Path
    cap_bytes: int


class Finished(NamedTuple):
    """A command that has ended, and the files of its output."""

    outcome: Outcome
    stdout: Path
    stderr: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCommands:
    """What the commands of one trial have in common; `output_cap_bytes` is of each stream of the agent."""

    supervisor: Supervisor
    places: Places
    environment: Mapping[str, str]
    values: Mapping[str, str]
    secrets: Secrets
    output_cap_bytes: int
    grace_s: float
    end_now: Event
    numbers: Iterator[int]

    def argv(self, command: Command) -> list[str]:
        """The command with its placeholders filled in; a text is a shell's."""
        if isinstance(command, str):
            return ["sh", "-euc", expand(command, self.values)]
        return [expand(part, self.values) for part in command]

    def run(self, argv: list[str], *, timeout_s: float, cwd: Path | None = None) -> Finished:
        """A command of ours: setup, a check, cleanup; in the workspace, if not said otherwise."""
        number = next(self.numbers)
        out, err = (self.places.hidden / f"{number}.{stream}" for stream in ("stdout", "stderr"))
        output = Output(out, err, LARGEST_CAPTURE)
        outcome = self.supervised(argv, self.environment, output, timeout_s=timeout_s, cwd=cwd)
        return Finished(outcome, out, err)

    def supervised(
        self,
        argv: list[str],
        environment: Mapping[str, str],
        output: Output,
        *,
        timeout_s: float,
        cwd: Path | None = None,
    ) -> Outcome:
        """Run to the end.

        Raises:
            AttemptInterruptedError: the runner was told to end its trials, before or meanwhile.
            TrialFailureError: the supervisor could not do its work, or something would not be ended.
            SupervisorLostError: as `Supervisor.run`.
        """
        self.expect_more()
        order = Order(
            argv=argv,
            cwd=str(cwd or self.places.workspace),
            env=dict(environment),
            stdout=str(output.stdout),
            stderr=str(output.stderr),
            timeout_s=timeout_s,
            grace_s=self.grace_s,
            cap_bytes=output.cap_bytes,
            replace=self.secrets.replacements(),
        )
        outcome = self.supervisor.run(order, self.end_now)
        self.expect_more()
        if outcome.cause == FAILED:
            raise TrialFailureError(ErrorType.RUNNER_ERROR, f"the supervisor failed: {outcome.problem}")
        if outcome.left:
            message = f"{outcome.left} processes of the trial could not be ended"
            raise TrialFailureError(ErrorType.RUNNER_ERROR, message)
        return outcome

    def expect_more(self) -> None:
        """Raises AttemptInterruptedError where the trials are to end."""
        if self.end_now.is_set():
            raise AttemptInterruptedError


def numbers() -> Iterator[int]:
    return count(1)

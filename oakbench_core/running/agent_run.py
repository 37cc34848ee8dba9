"""The agent of a trial: started with what is its own alone, run to its end, and asked what it used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oakbench_core.campaign.vocabulary import Adapter
from oakbench_core.running.agents.command import read_usage
from oakbench_core.running.agents.mock import mock_argv
from oakbench_core.running.agents.streams import READERS, read_stream
from oakbench_core.running.artifacts import STDERR, STDOUT
from oakbench_core.running.clocks import SuspensionWatch, utc_text
from oakbench_core.running.commands import Output
from oakbench_core.running.login import lay_down_logins, take_logins_away
from oakbench_core.running.secrecy import replace_in_file
from oakbench_core.running.supervise.channel import NOT_STARTED

if TYPE_CHECKING:
    from oakbench_core.campaign.plan_document import Agent, ScheduledTrial
    from oakbench_core.running.agents.provider_errors import ProviderFailure
    from oakbench_core.running.artifacts import TrialArtifacts
    from oakbench_core.running.clocks import Clocks
    from oakbench_core.running.commands import TrialCommands
    from oakbench_core.running.login import LoginFile
    from oakbench_core.running.rows import Seen
    from oakbench_core.running.supervise.channel import Outcome


@dataclass(slots=True, kw_only=True)
class AgentRun:
    """One run of an agent. What is seen of it is noted in `seen`; `renewed` are its logins as it left them."""

    trial: ScheduledTrial
    agent: Agent
    commands: TrialCommands
    artifacts: TrialArtifacts
    seen: Seen
    clocks: Clocks
    renewed: tuple[LoginFile, ...] = ()

    def to_its_end(self) -> tuple[Outcome, ProviderFailure | None]:
        """How it ended; and if its stream says so, how the provider failed it.

        Raises:
            AttemptInterruptedError, TrialFailureError, SupervisorLostError: as `TrialCommands.supervised`.
            OSError: the login cannot be laid down, or the stream not be read.
        """
        logins, home = self.commands.secrets.logins, self.commands.places.home
        lay_down_logins(logins, home)
        try:
            outcome = self._outcome()
        finally:
            self.renewed = take_logins_away(logins, home)
        self._take_out_renewed()
        return outcome, self._said(outcome)

    def _take_out_renewed(self) -> None:
        """The agent may have printed what it renewed, which was not known to be a secret then."""
        secrets = self.commands.secrets.with_logins(self.renewed)
        if secrets.beyond(self.commands.secrets):
            for name in (STDOUT, STDERR):
                replace_in_file(self.artifacts.path(name), secrets.replacer())

    def _outcome(self) -> Outcome:
        commands, artifacts, seen = self.commands, self.artifacts, self.seen
        argv = commands.argv(self.agent.argv)
        if self.agent.adapter is Adapter.MOCK:
            argv = mock_argv(argv, self.trial.trial_id)
        environment = {**commands.environment, **commands.secrets.variables}
        seen.artifacts |= {"stdout": artifacts.relative(STDOUT), "stderr": artifacts.relative(STDERR)}
        seen.duration_s = None
        watch = SuspensionWatch(self.clocks)
        output = Output(artifacts.path(STDOUT), artifacts.path(STDERR), commands.output_cap_bytes)
        outcome = commands.supervised(argv, environment, output, timeout_s=self.trial.timeout_s)
        seen.suspended_s = watch.suspended_s()
        seen.exit_code, seen.duration_s = outcome.exit_code, outcome.duration_s
        cut = {"stdout": outcome.stdout_cut, "stderr": outcome.stderr_cut}
        sizes = {"stdout": outcome.stdout_bytes, "stderr": outcome.stderr_bytes}
        if any(cut.values()):
            seen.extra["output_cut"] = {stream: sizes[stream] for stream, is_cut in cut.items() if is_cut}
        return outcome

    def _said(self, outcome: Outcome) -> ProviderFailure | None:
        seen, adapter = self.seen, self.agent.adapter
        if adapter not in READERS:
            public = self.commands.secrets.with_logins(self.renewed).replacer().text
            seen.usage = usage = read_usage(self.commands.places.usage_file, public)
            if usage.refused:
                seen.extra["usage_refused"] = list(usage.refused)
            return None
        if outcome.cause == NOT_STARTED:
            return None
        findings = read_stream(adapter, self.artifacts.path(STDOUT), self.clocks.wall(), is_cut=outcome.stdout_cut)
        resources = {**findings.usage.resources, "transcript_bytes": outcome.stdout_bytes}
        seen.usage = findings.usage._replace(resources=resources)
        seen.artifacts["transcript"] = self.artifacts.relative(STDOUT)
        if findings.notes:
            seen.extra["stream"] = dict(findings.notes)
        failure = findings.failure
        if failure is not None and failure.resets_at is not None:
            seen.extra["provider_resets_at"] = utc_text(failure.resets_at)
        return failure

"""What is looked at before a trial is admitted: the plan itself, instruments, executables, inputs.

A missing instrument skips the trial before its start, for nothing was measured. Something that is not the frozen one
stops the run: what came after it would be another experiment.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from oakbench_core.campaign.vocabulary import SkipReason
from oakbench_core.durable.documents import PLAN_NAME, load_plan
from oakbench_core.errors import OakbenchError
from oakbench_core.running.artifacts import artifact_folder
from oakbench_core.running.environment import search_path
from oakbench_core.running.executables import Watched, find_executable
from oakbench_core.running.inputs import INPUTS_NAME
from oakbench_core.running.rows import Ending, agent_of, skipped_before_start

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import ScheduledTrial


class Lookups:
    """Looks, again and again, and reads anew only what may have changed since its last look."""

    def __init__(self, plan: Plan, folder: Path, environment: Mapping[str, str]) -> None:
        self._plan = plan
        self._folder = folder
        self._search = search_path(environment)
        self._watched = Watched()
        self._sound_plan_file: str | None = None  # the hash of the bytes that were last found to hold the plan

    def skip_of(self, trial: ScheduledTrial) -> Ending | None:
        """Why the trial is skipped before its start; None: it can be started."""
        subject = self._plan.subject(trial)
        for scope in (f"{trial.workflow}.{trial.task}", trial.workflow):
            if scope in subject.unsupported:
                return skipped_before_start(SkipReason.UNSUPPORTED, None, subject.unsupported[scope])
        wanted = (subject.binary, *subject.instruments, *self._plan.task(trial).instruments)
        for instrument in wanted:
            if instrument is not None and find_executable(instrument, self._search) is None:
                return skipped_before_start(SkipReason.MISSING_INSTRUMENT, instrument, "not found on PATH")
        return None

    def contradictions(self, trial: ScheduledTrial) -> tuple[str, ...]:
        """Why nothing at all may be recorded of the trial, in words: plan and journal are not those of this folder."""
        return (*self._changed_plan(), *self._leftover(trial))

    def changes_of(self, trial: ScheduledTrial) -> tuple[str, ...]:
        """Everything that the trial depends on and that is not the frozen one, in words; each names both."""
        return (*self._changed_programs(trial), *self._changed_inputs(trial))

    def _changed_plan(self) -> Iterator[str]:
        path = self._folder / PLAN_NAME
        try:
            content = self._watched.file_sha256(path)
            if content == self._sound_plan_file:
                return
            found = load_plan(path).plan_sha256
        except OSError as error:
            yield f"{PLAN_NAME} cannot be read: {error.strerror}"
        except OakbenchError as error:
            yield f"{PLAN_NAME} is not the frozen one: frozen {self._plan.plan_sha256}; {_said(error)}"
        else:
            if found == self._plan.plan_sha256:
                self._sound_plan_file = content
            else:
                yield f"{PLAN_NAME} is not the frozen one: frozen {self._plan.plan_sha256}, found {found}"

    def _leftover(self, trial: ScheduledTrial) -> Iterator[str]:
        path = artifact_folder(self._folder, trial.trial_id)
        if os.path.lexists(path):
            name = path.relative_to(self._folder)
            yield f"{name} exists although {trial.trial_id} was never started: the journal beside it is another"

    def _changed_programs(self, trial: ScheduledTrial) -> Iterator[str]:
        subject, agent = self._plan.subject(trial), agent_of(self._plan, trial)
        programs = [
            (f"the binary of the subject {trial.subject}", subject.binary, subject.binary_sha256),
            (f"the program of the agent {trial.agent}", agent.argv[0], agent.binary_sha256),
        ]
        for what, name, frozen in programs:
            path = None if name is None or frozen is None else find_executable(name, self._search)
            if path is None:
                continue
            try:
                found = self._watched.file_sha256(path)
            except FileNotFoundError:  # gone since it was found: the trial's own ending says so
                continue
            except OSError as error:
                yield f"{what}, {path}, cannot be read: {error.strerror}; frozen {frozen}"
                continue
            if found != frozen:
                yield f"{what}, {path}, is not the frozen one: frozen {frozen}, found {found}"

    def _changed_inputs(self, trial: ScheduledTrial) -> Iterator[str]:
        task = self._plan.task(trial)
        trees = [
            (f"the fixture of {trial.workflow}.{trial.task}", task.fixture_sha256),
            (f"the oracle files of {trial.workflow}.{trial.task}", task.oracle.files_sha256),
            (f"the inputs of {trial.workflow}", self._plan.document.workflows[trial.workflow].inputs_sha256),
        ]
        for what, frozen in trees:
            if frozen is None:
                continue
            name = f"{INPUTS_NAME}/{frozen}"
            try:
                found = self._watched.tree_sha256(self._folder / name)
            except OakbenchError as error:
                yield f"{what}, {name}, cannot be read: {_said(error)}"
                continue
            except OSError as error:
                yield f"{what}, {name}, cannot be read: {error.strerror}"
                continue
            if found != frozen:
                yield f"{what}, {name}, is not the frozen one: frozen {frozen}, found {found}"


def _said(error: OakbenchError) -> str:
    """All that an error says, on one line."""
    return "; ".join(problem.rule for problem in error.problems)

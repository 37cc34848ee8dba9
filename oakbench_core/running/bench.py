"""The bench that `check` tries a campaign on: a throw-away campaign folder, and throw-away workspaces beside it."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oakbench_core.campaign.check_findings import Finding, FindingCode
from oakbench_core.campaign.definition_reach import tasks_reached
from oakbench_core.campaign.derived_plans import expect_own_plan
from oakbench_core.canonical import sha256_hex
from oakbench_core.durable.documents import PLAN_NAME, load_plan
from oakbench_core.errors import DocumentError
from oakbench_core.running.attempt import AttemptRequest
from oakbench_core.running.definition_file import DEFINITION_NAME, definition_source, run_settings
from oakbench_core.running.freezing import freeze
from oakbench_core.running.inputs import INPUTS_NAME
from oakbench_core.running.lookups import Lookups
from oakbench_core.running.readiness import expect_runnable
from oakbench_core.running.rows import HostFacts
from oakbench_core.running.runner_class import runner_class
from oakbench_core.running.supervisor import ForkServer
from oakbench_core.running.throw_away import throw_away_folder
from oakbench_core.running.workspace import workspaces_root

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from threading import Event

    from oakbench_core.campaign.definition import RunTable
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import Command
    from oakbench_core.running.definition_file import DefinitionSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What trials are tried with.

    `solutions`: by workflow and task; None: the definition of a frozen plan is not at hand. `environment`: the user's
    own. `end_now`: set by another thread or a signal, ends what is being tried.
    """

    plan: Plan
    run: RunTable
    folder: Path
    workspaces: Path
    solutions: Mapping[tuple[str, str], Command] | None
    environment: Mapping[str, str]
    server: ForkServer
    lookups: Lookups
    host: HostFacts
    end_now: Event

    def request(self, place: int) -> AttemptRequest:
        """An attempt at the trial at this place of the schedule, of which nothing is kept."""
        return AttemptRequest(
            plan=self.plan,
            place=place,
            folder=self.folder,
            workspaces=self.workspaces,
            environment=self.environment,
            host=self.host,
            grace_s=self.run.grace_s,
            output_cap_bytes=self.run.output_cap_mib << 20,
            keep_workspaces="none",
        )

    def named(self, text: str) -> str:
        """The text with the folders of a trial, which are others each time, called by their placeholders."""
        return re.sub(
            rf"{re.escape(str(self.workspaces))}/([\w.~+-]+)(?:/(home|tmp|inputs|oracle)\b)?", _placeholder, text
        )

    def objections(self) -> tuple[Finding, ...]:
        """Everything for which a run would refuse to begin."""
        try:
            expect_runnable(self.plan, self.environment)
        except DocumentError as error:
            return tuple(Finding(FindingCode.NOT_RUNNABLE, str(problem)) for problem in error.problems)
        return ()


@contextmanager
def bench(path: Path, environment: Mapping[str, str], end_now: Event) -> Iterator[Bench]:
    """A bench for a definition (a file, or the folder of a campaign.toml) or for a campaign folder, which is only read.

    Raises:
        UsageError: there is no such file.
        PlatformError: the system refuses, or no supervisor can be made on it.
        DocumentError: the definition or plan is refused, or is an import.
        IdentityError: the plan is not the frozen one.
    """
    with throw_away_folder() as place, ForkServer() as server:
        folder = place / "campaign"
        if is_campaign_folder(path):
            plan, run = load_plan(path), run_settings(path)
            expect_own_plan(plan, "checked")
            folder.mkdir(mode=0o700)
            (folder / INPUTS_NAME).symlink_to((path / INPUTS_NAME).absolute())
            solutions = _solutions_of_frozen(path, plan)
        else:
            frozen = freeze(path, folder)
            plan, run = frozen.plan, frozen.run
            solutions = _solutions(definition_source(path))
        system = os.uname()
        yield Bench(
            plan=plan,
            run=run,
            folder=folder,
            workspaces=workspaces_root(plan.plan_sha256, environment, place / "w"),
            solutions=solutions,
            environment=environment,
            server=server,
            lookups=Lookups(plan, folder, environment),
            host=HostFacts(system.sysname.lower(), system.machine, runner_class()),
            end_now=end_now,
        )


def _placeholder(found: re.Match[str]) -> str:
    folder, inner = found.groups()
    if not folder.startswith("."):
        return "{workspace}" + (f"/{inner}" if inner else "")
    return {"home": "$HOME", "tmp": "$TMPDIR", None: "{private}"}.get(inner, f"{{{inner}}}")


def is_campaign_folder(path: Path) -> bool:
    return (path / PLAN_NAME).is_file()


def _solutions_of_frozen(folder: Path, plan: Plan) -> dict[tuple[str, str], Command] | None:
    """Those of the definition beside the plan, if it is the one that the plan was frozen from."""
    file = folder / DEFINITION_NAME
    if not file.is_file():
        return None
    source = definition_source(file)
    is_the_frozen_one = sha256_hex(source.content or b"") == plan.document.provenance.definition_sha256
    return _solutions(source) if is_the_frozen_one else None


def _solutions(source: DefinitionSource) -> dict[tuple[str, str], Command]:
    found: dict[tuple[str, str], Command] = {}
    for reach in tasks_reached(source.value):
        solution = reach.table.get("solution")
        if solution is not None:
            found[reach.workflow, reach.task] = solution if isinstance(solution, str) else tuple(solution)
    return found

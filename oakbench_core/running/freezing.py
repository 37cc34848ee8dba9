"""Freezing: a definition becomes a plan, and a campaign folder that needs nothing outside itself but programs.

Everything that is wrong with the definition, its files and its programs is told together.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.definition_reach import agents_of, table_of, texts_of
from oakbench_core.campaign.definition_reading import read_definition
from oakbench_core.campaign.definition_secrets import secrets_in
from oakbench_core.campaign.definition_values import is_login_path
from oakbench_core.campaign.expansion import Found, expanded
from oakbench_core.campaign.plan import Plan, plan_from_document
from oakbench_core.canonical import canonical_text, sha256_hex
from oakbench_core.durable.documents import write_new
from oakbench_core.durable.opening import failures_named
from oakbench_core.errors import DocumentError, OakbenchError, Problem, UsageError
from oakbench_core.forms import NAME_PATTERN
from oakbench_core.running.campaign_folder import new_campaign_folder, put_plan, time_of_freezing
from oakbench_core.running.definition_file import DEFINITION_NAME, definition_source
from oakbench_core.running.extending import drop_unneeded, extension
from oakbench_core.running.following import expect_apart
from oakbench_core.running.inputs import INPUTS_NAME, gather
from oakbench_core.running.login import login_secrets, read_login
from oakbench_core.running.programs import Absence, absence_problems, absences, ask_programs, missing_instruments
from oakbench_core.running.runner_class import runner_class

if TYPE_CHECKING:
    from oakbench_core.campaign.definition import RunTable
    from oakbench_core.running.definition_file import DefinitionSource
    from oakbench_core.running.extending import Extension

CAMPAIGNS_NAME: Final = "runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """A campaign folder that was made, its plan, and the `[run]` table beside it.

    `absent`: programs of agents and subjects that are not on this machine, and may be missing. `missing_instruments`:
    name → how many trials need it. `extension`: of a plan that extends an earlier campaign, what it extends.
    """

    folder: Path
    plan: Plan
    run: RunTable
    absent: tuple[Absence, ...]
    missing_instruments: Mapping[str, int]
    extension: Extension | None = None


class _Result(NamedTuple):
    document: dict[str, Any]
    plan: Plan
    run: RunTable
    absent: tuple[Absence, ...]


def freeze_plan(definition: Path | str | Mapping[str, Any]) -> dict[str, Any]:
    """The plan document of a definition: a file, a folder that holds a campaign.toml, or a mapping.

    Paths in a file are relative to it, paths in a mapping to the working directory. Nothing is kept on disk.

    Raises:
        UsageError: there is no such file.
        PlatformError: the system refuses to read it or what it names.
        DocumentError: it is refused; every problem has its JSON path, and of a file its line.
    """
    source = definition_source(definition)
    with (
        failures_named(Path(tempfile.gettempdir()), "freeze there"),
        tempfile.TemporaryDirectory(prefix="oakbench-freezing-") as staging,
    ):
        return _frozen(source, Path(staging) / INPUTS_NAME, None, None).document


def freeze(
    definition: Path | str,
    folder: Path | None = None,
    *,
    campaign_id: str | None = None,
    created_at: str | None = None,
    parent: Path | None = None,
) -> Frozen:
    """Make a campaign folder from a definition: `folder`, or `runs/<campaign ID>` in the working directory.

    `campaign_id` stands above the definition's own. `created_at` is a UTC time; without it SOURCE_DATE_EPOCH says the
    time, or the clock. With `parent`, the folder of an earlier campaign, only what that one lacks is scheduled.

    Raises:
        UsageError: there is no such definition, or something stands at `folder` already.
        PlatformError: the system refuses to read or to write.
        DocumentError: the definition is refused; every problem has its file, line and JSON path.
        OakbenchError: as `extension`.
    """
    source = definition_source(definition)
    target = folder or Path(CAMPAIGNS_NAME) / str(_campaign_id(source, campaign_id) or "campaign")
    if parent is not None:
        expect_apart(target, parent)
    with new_campaign_folder(target) as staged:
        result = _frozen(source, staged / INPUTS_NAME, campaign_id, created_at)
        following = None if parent is None else extension(source, result.document, result.plan, parent)
        if following is not None:
            result = result._replace(document=following.document, plan=following.plan)
            drop_unneeded(staged / INPUTS_NAME, following.plan)
        write_new(staged / DEFINITION_NAME, source.content or b"")
        put_plan(staged, result.document)
    return Frozen(
        folder=target,
        plan=result.plan,
        run=result.run,
        absent=result.absent,
        missing_instruments=missing_instruments(result.plan, _search_path()),
        extension=following,
    )


def _frozen(source: DefinitionSource, inputs: Path, campaign_id: str | None, created_at: str | None) -> _Result:
    """Check everything, and copy the trees that the definition names into the new folder `inputs`."""
    if open_secrets := secrets_in(source.value, _secrets_named(source.value)):
        raise source.refusal(open_secrets)  # alone: another problem might show a part of what it found there
    search = _search_path()
    gathered = gather(source.value, source.folder, inputs)
    absent = absences(source.value, search)
    definition, problems = read_definition(source.value)
    found = [*source.problems, *problems, *gathered.problems, *absence_problems(absent)]
    identity = _campaign_id(source, campaign_id)
    campaign = source.value.get("campaign")
    if identity is None and isinstance(campaign, Mapping) and "id" not in campaign:
        found.append(Problem(path="$.campaign", rule="expected `id`, the campaign's name"))
    if definition is None or identity is None or found:
        raise source.refusal(found)
    asked = ask_programs(definition, source.value, search)
    if asked.problems:
        raise source.refusal(asked.problems)
    facts = Found(
        campaign_id=identity,
        created_at=created_at or time_of_freezing(),
        tool=f"oakbench {version('oakbench')}",
        definition_sha256=sha256_hex(canonical_text(source.value) if source.content is None else source.content),
        runner_class=runner_class(),
        trees=gathered.trees,
        programs=asked.programs,
    )
    try:
        document = expanded(definition, source.value, facts)
        plan = plan_from_document(document)
    except DocumentError as error:
        raise source.refusal(error.problems) from None
    return _Result(document, plan, definition.run, tuple(absent))


def _secrets_named(definition: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The secrets of all agents that are to be had here, by what the definition calls them."""
    for _, agent in agents_of(definition):
        yield from ((os.environ[name], name) for name in texts_of(agent.get("env")) if name in os.environ)
        for path in filter(is_login_path, texts_of(agent.get("login"))):
            with suppress(OakbenchError):  # that it cannot be read is said when it is needed
                yield from login_secrets([read_login(os.environ, path)])


def _search_path() -> str:
    return os.environ.get("PATH", os.defpath)


def _campaign_id(source: DefinitionSource, campaign_id: str | None) -> str | None:
    """The campaign's name, if there is one that can be a name.

    Raises:
        UsageError: `campaign_id` cannot.
    """
    if campaign_id is not None:
        if re.fullmatch(NAME_PATTERN, campaign_id):
            return campaign_id
        raise UsageError(f"expected a campaign ID of the form {NAME_PATTERN}, found {campaign_id!r}")
    said = table_of(source.value, "campaign").get("id")
    return said if isinstance(said, str) and re.fullmatch(NAME_PATTERN, said) else None

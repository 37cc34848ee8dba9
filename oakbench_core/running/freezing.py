"""Freezing: a definition becomes a plan, and a campaign folder that needs nothing outside itself but programs.

The folder appears under its name whole or not at all, and never over something that is there. Everything that is wrong
with the definition, its files and its programs is told together.
"""

from __future__ import annotations

import errno
import json
import os
import re
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.definition_reach import table_of
from oakbench_core.campaign.definition_reading import read_definition
from oakbench_core.campaign.expansion import Found, expanded
from oakbench_core.campaign.forms import NAME_PATTERN
from oakbench_core.campaign.plan import Plan, plan_from_document
from oakbench_core.canonical import canonical_text, sha256_hex
from oakbench_core.durable.documents import PLAN_NAME, write_document, write_plan
from oakbench_core.durable.opening import failures_named
from oakbench_core.errors import DocumentError, Problem, UsageError
from oakbench_core.running.definition_file import DEFINITION_NAME, definition_source
from oakbench_core.running.inputs import INPUTS_NAME, gather
from oakbench_core.running.programs import Absence, absence_problems, absences, ask_programs, missing_instruments
from oakbench_core.running.runner_class import runner_class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oakbench_core.campaign.definition import RunTable
    from oakbench_core.running.definition_file import DefinitionSource

CAMPAIGNS_NAME: Final = "runs"
# Anchored: a fixture may hold files of these names.
_IGNORED: Final = b"/journal*\n/artifacts/\n/workspaces/\n"
_EPOCH: Final = "SOURCE_DATE_EPOCH"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """A campaign folder that was made, its plan, and the `[run]` table beside it.

    `absent`: programs of agents and subjects that are not on this machine, and may be missing. `missing_instruments`:
    name → how many trials need it.
    """

    folder: Path
    plan: Plan
    run: RunTable
    absent: tuple[Absence, ...]
    missing_instruments: Mapping[str, int]


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
        PlatformError: it may not be read.
        DocumentError: it is refused; every problem has its JSON path, and of a file its line.
    """
    source = definition_source(definition)
    with tempfile.TemporaryDirectory(prefix="oakbench-freezing-") as staging:
        return _frozen(source, Path(staging) / INPUTS_NAME, None, None).document


def freeze(
    definition: Path | str,
    folder: Path | None = None,
    *,
    campaign_id: str | None = None,
    created_at: str | None = None,
) -> Frozen:
    """Make a campaign folder from a definition: `folder`, or `runs/<campaign ID>` in the working directory.

    `campaign_id` stands above the definition's own. `created_at` is a UTC time; without it SOURCE_DATE_EPOCH says the
    time, or the clock.

    Raises:
        UsageError: there is no such definition, or something stands at `folder` already.
        PlatformError: the system refuses to read or to write.
        DocumentError: the definition is refused; every problem has its file, line and JSON path.
    """
    source = definition_source(definition)
    target = folder or Path(CAMPAIGNS_NAME) / str(_campaign_id(source, campaign_id) or "campaign")
    _expect_free(target)
    with failures_named(target, "write a campaign folder"):
        # Beside the target, so that it can be given its name in one step.
        beside = next(place for place in target.absolute().parents if place.is_dir())
        with tempfile.TemporaryDirectory(prefix=".oakbench-freezing-", dir=beside) as staging:
            staged = Path(staging) / "campaign"
            staged.mkdir(mode=0o700)
            result = _frozen(source, staged / INPUTS_NAME, campaign_id, created_at)
            (staged / ".gitignore").write_bytes(_IGNORED)
            write_document(staged / DEFINITION_NAME, source.content or b"")
            write_plan(staged / PLAN_NAME, _json(result.document))
            _put(staged, target)
    return Frozen(
        folder=target,
        plan=result.plan,
        run=result.run,
        absent=result.absent,
        missing_instruments=missing_instruments(result.plan, _search_path()),
    )


def _frozen(source: DefinitionSource, inputs: Path, campaign_id: str | None, created_at: str | None) -> _Result:
    """Check everything, and copy the trees that the definition names into the new folder `inputs`."""
    search = _search_path()
    gathered = gather(source.value, source.folder, inputs)
    absent = absences(source.value, search)
    definition, problems = read_definition(source.value)
    found = [*source.problems, *problems, *gathered.problems, *absence_problems(absent)]
    identity = _campaign_id(source, campaign_id)
    if identity is None and "id" not in table_of(source.value, "campaign"):
        found.append(Problem(path="$.campaign", rule="expected `id`, the campaign's name"))
    if definition is None or identity is None or found:
        raise source.refusal(found)
    asked = ask_programs(definition, source.value, search)
    if asked.problems:
        raise source.refusal(asked.problems)
    facts = Found(
        campaign_id=identity,
        created_at=created_at or _now(),
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


def _now() -> str:
    said = os.environ.get(_EPOCH)
    try:
        moment = datetime.now(UTC) if said is None else datetime.fromtimestamp(int(said), UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"expected whole seconds since 1970 in {_EPOCH}, found {said!r}") from None
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _json(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def _expect_free(target: Path) -> None:
    if target.is_symlink() or (target.exists() and not (target.is_dir() and not any(target.iterdir()))):
        raise _exists(target)


def _exists(target: Path) -> UsageError:
    rule = "it exists already, and nothing is written over it"
    return UsageError(
        f"{target}: {rule}",
        [Problem(file=str(target), rule=rule)],
        next_step="freeze into another folder with -o DIR; a new plan is a new campaign",
    )


def _put(staged: Path, target: Path) -> None:
    """Give the finished folder its name. In an empty folder that is there, the plan comes last."""
    _expect_free(target)
    if target.exists():
        for child in sorted(staged.iterdir(), key=lambda child: child.name == PLAN_NAME):
            child.rename(target / child.name)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        staged.rename(target)
    except OSError as error:
        if error.errno in {errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR}:
            raise _exists(target) from None
        raise

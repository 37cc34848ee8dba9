"""The adapter `command`: any program. What it used, it may say in `{usage_file}`; what it does not say is unmeasured.

The file is JSON with names of a row's `resources` (but the duration, which is measured), `accounting`, `agent_version`
and `resolved_model`. It is an agent's word: what is not of its type is passed over and named, the rest stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from oakbench_core.campaign.row import Accounting, Resources
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS
from oakbench_core.canonical import parse_strict
from oakbench_core.running.agents.usage import LONGEST_TEXT, NOTHING, Usage
from oakbench_core.running.regular_files import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pydantic import BaseModel

LARGEST_FILE: Final = 1 << 20
_MOST_REFUSED: Final = 100
_MEASURED_BY_US: Final = "duration_s"
_TEXTS: Final = ("agent_version", "resolved_model")


def read_usage(path: Path, public: Callable[[str], str] = str) -> Usage:
    """What the file says; nothing where it is absent, unreadable, or no JSON object.

    Args:
        path: the file.
        public: takes the secrets out of a text, before it is cut.
    """
    content = _content(path)
    if content is None:
        return NOTHING
    value, problems = parse_strict(content)
    if problems or not isinstance(value, dict):
        return NOTHING._replace(refused=("usage_file",))
    resources, refused = _fields(value, Resources)
    accounting: dict[str, Any] = {}
    said = value.get("accounting")
    if isinstance(said, dict):
        accounting, wrong = _fields(said, Accounting)
        refused += [f"accounting.{name}" for name in (*wrong, *(said.keys() - Accounting.model_fields.keys()))]
    elif said is not None:
        refused.append("accounting")
    texts = {name: public(value[name])[:LONGEST_TEXT] for name in _TEXTS if isinstance(value.get(name), str)}
    refused += [name for name in _TEXTS if value.get(name) is not None and name not in texts]
    refused += value.keys() - (RESOURCE_UNITS.keys() | {*_TEXTS, "accounting"}) | (value.keys() & {_MEASURED_BY_US})
    return Usage(
        resources,
        {name: public(item)[:LONGEST_TEXT] if type(item) is str else item for name, item in accounting.items()},
        texts.get("agent_version"),
        texts.get("resolved_model"),
        tuple(sorted({public(name)[:LONGEST_TEXT] for name in refused})[:_MOST_REFUSED]),
    )


def _content(path: Path) -> bytes | None:
    """Its bytes; no bytes, which are no JSON, where there are too many."""
    try:
        with open_regular(path) as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError:
        return None
    return content if len(content) <= LARGEST_FILE else b""


def _fields(value: Mapping[str, Any], model: type[BaseModel]) -> tuple[dict[str, Any], list[str]]:
    """The fields of the model that are of its types, and the names of those that are not."""
    fine: dict[str, Any] = {}
    wrong = []
    for name in model.model_fields.keys() & value.keys() - {_MEASURED_BY_US}:
        try:
            read = getattr(model.model_validate({name: value[name]}), name)
        except ValidationError:
            wrong.append(name)
            continue
        if read is not None:
            fine[name] = read
    return fine, wrong

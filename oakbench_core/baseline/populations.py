"""What two populations must share to be compared, and what the rows of one must share to be a population (ADR-0009).

Rule: `COMPARISON_FIELDS` is the one list. A known value against a missing one differs. What names the subject itself,
its version, its binary and the label of its prompt, is not in the list on purpose: comparators differ in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import UNSET

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Value = str | int | None
Identity = tuple[Value, ...]
"""One value for each of `COMPARISON_FIELDS`, in their order; None: missing."""

_EVERY_LANE: Final = (
    "lane",
    "track",
    "semantics_version",
    "scenario",
    "scenario_version",
    "operation",
    "fixture_version",
    "oracle_version",
    "environment_isolation",
    "runner_class",
    "cache_state",
    "load_state",
)
_REMOTE: Final = ("transport", "server", "shaping")
_AGENT: Final = ("token_calibration", "agent", "agent_version", "model", "instruction_level")

COMPARISON_FIELDS: Final = (*_EVERY_LANE, *_REMOTE, *_AGENT)
"""The conditions that two populations must share to be compared."""

_SENTINEL_FIELDS: Final = frozenset({"cache_state", "load_state", "model"})
_SENTINELS: Final = frozenset({"unknown", "n/a", "none", "default", "auto", ""})


class PopulationKey(NamedTuple):
    """What the rows that are summarised as one sample are found by."""

    lane: str
    scenario: str
    operation: str
    track: str | None
    subject: str


class SubjectIdentity(NamedTuple):
    """What the subject's name stood for when it was measured."""

    version: Value
    binary_sha256: str | None


class Difference(NamedTuple):
    """A field in which two populations, or the rows of one, do not agree."""

    field: str
    values: tuple[Value, ...]


def applicable_fields(lane: str) -> tuple[str, ...]:
    """The fields that must be known of a population of this lane before anything is claimed of it."""
    if lane.startswith("remote"):
        return _EVERY_LANE + _REMOTE
    return _EVERY_LANE + _AGENT if lane.startswith("agent") else _EVERY_LANE


def measured(field: str, value: Any) -> Value:
    """A recorded value of a comparison field; a word that stands for `not known` is none.

    Only cache, load and model have such words: elsewhere `default` or `none` may be what a condition is called.
    """
    if value is UNSET:
        return None
    if field in _SENTINEL_FIELDS and isinstance(value, str) and value.strip().lower() in _SENTINELS:
        return None
    known: Value = value
    return known


def differences(one: Identity, other: Identity) -> tuple[Difference, ...]:
    """The fields in which two identities are not equal, or known on one side only."""
    return tuple(
        Difference(field, (a, b)) for field, a, b in zip(COMPARISON_FIELDS, one, other, strict=True) if not _same(a, b)
    )


def mixed_fields(identities: Iterable[Identity], subjects: Iterable[SubjectIdentity]) -> tuple[Difference, ...]:
    """The fields in which the rows of one population do not agree, its subject's version and binary among them."""
    columns = dict(zip(COMPARISON_FIELDS, zip(*identities, strict=True), strict=True))
    versions = list(subjects)
    columns["subject_version"] = tuple(subject.version for subject in versions)
    columns["subject_binary_sha256"] = tuple(subject.binary_sha256 for subject in versions)
    found = []
    for field, column in columns.items():
        distinct = _distinct(column)
        if len(distinct) > 1:
            found.append(Difference(field, distinct))
    return tuple(found)


def missing_fields(identity: Identity, lane: str) -> tuple[str, ...]:
    """The applicable fields that are not known."""
    values = dict(zip(COMPARISON_FIELDS, identity, strict=True))
    return tuple(field for field in applicable_fields(lane) if values[field] is None)


def as_fields(identity: Identity) -> dict[str, Value]:
    return dict(zip(COMPARISON_FIELDS, identity, strict=True))


def from_fields(fields: Mapping[str, Value]) -> Identity:
    """The identity that a book recorded; words for `not known` count as missing there too."""
    return tuple(measured(field, fields.get(field)) for field in COMPARISON_FIELDS)


def _same(a: Value, b: Value) -> bool:
    return type(a) is type(b) and a == b  # the text 1 is another version than the number 1


def _distinct(values: Iterable[Value]) -> tuple[Value, ...]:
    """Each value once: null first, then numbers, then text."""
    distinct = {(type(value), value): value for value in values}.values()
    return tuple(sorted(distinct, key=_ascending))


def _ascending(value: Value) -> tuple[bool, bool, int, str]:
    return value is not None, isinstance(value, str), value if isinstance(value, int) else 0, str(value)

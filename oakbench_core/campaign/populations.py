"""Whether the rows that are summarised together ran under the same conditions (ADR-0010; report.md, population).

Rule: a known value against a missing one disagrees. Two fields of a timed-out row are exempt: an agent that was killed
may never have said which model answered it, or its version; such a row is unreported, not different.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.counts import JUDGED, Places
from oakbench_core.campaign.row_columns import POPULATION_FIELDS
from oakbench_core.campaign.vocabulary import Standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan

PER_TASK: Final = frozenset({"fixture_version", "oracle_version", "prompt_sha256"})
EXEMPT: Final = frozenset({"agent_version", "resolved_model"})
NOTHING_RECORDED: Final[tuple[None, ...]] = (None,) * len(POPULATION_FIELDS)
_PER_TASK_FROZEN: Final = "fixture_version"
_FIXTURE: Final = POPULATION_FIELDS.index(_PER_TASK_FROZEN)
_EXEMPT_PLACES: Final = [POPULATION_FIELDS.index(name) for name in sorted(EXEMPT)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """What the tested rows agree on; `differing` gives each differing field its values, in order of the names."""

    differing: dict[str, list[Any]]
    unmeasured: list[str]
    unreported: int

    @property
    def agrees(self) -> bool:
        return not self.differing

    def as_document(self) -> dict[str, Any]:
        return {
            "agrees": self.agrees,
            "differing": listed(self.differing),
            "unmeasured": self.unmeasured,
            "unreported": self.unreported,
        }


def listed(differing: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """Differing fields as a report lists them."""
    return [{"field": name, "values": values} for name, values in differing.items()]


def ordered(values: Iterable[Any]) -> list[Any]:
    """Distinct values of a field, null first, then by value."""
    return sorted(values, key=lambda value: (value is not None, isinstance(value, str), value))


def recorded(ledger: Ledger, place: int) -> tuple[Any, ...]:
    """The population fields of a trial's row, all None where it has none."""
    return ledger.population(place) or NOTHING_RECORDED


def frozen_values(plan: Plan, place: int) -> dict[str, Any]:
    """What the plan froze of a trial's population, where that is known.

    A subject that brings its own program leaves the version of its agent open: the frozen one is of the program that it
    replaces.
    """
    trial = plan.schedule[place]
    subject, agent = plan.subject(trial), plan.document.agents[trial.agent]
    own_program = subject.agent is not None and (subject.agent.adapter, subject.agent.argv) != (None, None)
    values = {
        "subject_version": subject.version,
        "subject_binary_sha256": subject.binary_sha256,
        "agent_version": None if own_program else agent.version,
        "fixture_version": plan.task(trial).fixture_sha256,
    }
    return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class _Rows:
    """The distinct recorded populations of the tested rows, by task, and how many timed-out rows have each."""

    by_task: dict[str, set[tuple[tuple[Any, ...], bool]]]
    timed_out: Counter[tuple[Any, ...]]
    a_place: dict[str, int]  # for each task one of its trials, to ask the plan by

    @classmethod
    def read(cls, ledger: Ledger, places: Places) -> _Rows:
        schedule, standings = ledger.plan.schedule, ledger.standings
        distinct: dict[
            tuple[str, int, bool], int
        ] = {}  # rows of the same values → one of them, for most rows are alike
        rows = cls({}, Counter(), {})
        for place in places:
            standing = standings[place]
            if standing in JUDGED:
                distinct[schedule[place].task, ledger.population_number(place), standing == Standing.TIMED_OUT] = place
                if standing == Standing.TIMED_OUT:
                    rows.timed_out[recorded(ledger, place)] += 1
        for (task, _, timed_out), place in distinct.items():
            rows.by_task.setdefault(task, set()).add((recorded(ledger, place), timed_out))
            rows.a_place[task] = place
        return rows


def _columns(rows: set[tuple[tuple[Any, ...], bool]]) -> dict[str, set[Any]]:
    """The values of each field that take part in the comparison."""
    ended = {values for values, timed_out in rows if not timed_out}
    cut_off = {values for values, timed_out in rows if timed_out}
    columns: list[set[Any]] = [set(column) for column in zip(*ended, strict=True)]
    columns = columns or [set() for _ in POPULATION_FIELDS]
    for name, column, values in zip(POPULATION_FIELDS, columns, zip(*cut_off, strict=True), strict=False):
        column.update(value for value in values if value is not None or name not in EXEMPT)
    return dict(zip(POPULATION_FIELDS, columns, strict=True))


def _differing(values: set[Any], frozen: Any) -> bool:
    """Whether recorded values disagree with each other, or a known one with the known frozen one."""
    return len(values) > 1 or (frozen is not None and bool(values - {None, frozen}))


def _whole(columns: Mapping[str, set[Any]], frozen: Mapping[str, Any]) -> dict[str, set[Any]]:
    found = {}
    for name, values in columns.items():
        if _differing(values, frozen.get(name)):
            found[name] = values | ({frozen[name]} if name in frozen else set())
    return found


def _within_tasks(plan: Plan, rows: _Rows) -> dict[str, set[Any]]:
    """The fields that differ among the rows of one task, with their values over all such tasks."""
    differing: dict[str, set[Any]] = {}
    for task, of_task in rows.by_task.items():
        frozen = frozen_values(plan, rows.a_place[task])
        if len(of_task) == 1 and not _differing(
            {values[_FIXTURE] for values, _ in of_task}, frozen.get(_PER_TASK_FROZEN)
        ):
            continue  # one row agrees with itself
        in_task = {name: values for name, values in _columns(of_task).items() if name in PER_TASK}
        for name, values in _whole(in_task, frozen).items():
            differing.setdefault(name, set()).update(values)
    return differing


def population_of(ledger: Ledger, places: Places) -> Population:
    """The population of the completed and timed-out rows of one group's trials at `places`."""
    rows = _Rows.read(ledger, places)
    every = set().union(*rows.by_task.values()) if rows.by_task else set()
    columns = _columns(every)
    known = {name for name, values in columns.items() if values - {None}}
    differing: dict[str, set[Any]] = {}
    if every:
        frozen = frozen_values(ledger.plan, next(iter(rows.a_place.values())))
        in_group = {name: values for name, values in columns.items() if name not in PER_TASK}
        differing = _whole(in_group, frozen)
    differing |= _within_tasks(ledger.plan, rows)
    unreported = sum(
        count
        for values, count in rows.timed_out.items()
        if any(values[at] is None and POPULATION_FIELDS[at] in known for at in _EXEMPT_PLACES)
    )
    return Population(
        differing={name: ordered(differing[name]) for name in sorted(differing)},
        unmeasured=sorted(set(POPULATION_FIELDS) - known),
        unreported=unreported,
    )

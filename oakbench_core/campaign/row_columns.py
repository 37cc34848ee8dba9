"""What a ledger keeps of the rows: columns with one entry a scheduled trial, equal values of many trials kept once."""

from __future__ import annotations

from array import array
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.pool import PartPool
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oakbench_core.campaign.evidence import RowLike

RESOURCES: Final = tuple(RESOURCE_UNITS)
POPULATION_FIELDS: Final = (
    "runner_class",
    "os",
    "arch",
    "agent_version",
    "resolved_model",
    "subject_version",
    "subject_binary_sha256",
    "fixture_version",
    "oracle_version",
    "prompt_sha256",
    "environment_isolation",
    "cache_state",
    "load_state",
    "token_calibration",
)
UNMEASURED: Final = float("nan")  # no row can hold a NaN, so inside a column of floats it can stand for null
_FRACTIONAL: Final = frozenset({"duration_s", "cost_usd", "cost_weighted_tokens"})


class Accounting(NamedTuple):
    """How a row's provider counts; equal values are kept once."""

    provider: str | None
    input_includes_cached: bool | None
    output_includes_reasoning: bool | None
    cost_source: str | None
    price_table: str | None
    token_weights: tuple[tuple[str, float], ...] | None


class RowColumns:
    """The resources, populations and accountings of the rows on file, by their trial's place in the schedule."""

    def __init__(self, size: int) -> None:
        self._values = {name: array("d", [UNMEASURED]) * size for name in RESOURCES}
        self._columns = tuple(self._values.values())
        self._populations = PartPool(_population_of)
        self._accountings = PartPool(_accounting_of)
        self._population, self._accounting = array("i", [0]) * size, array("i", [0]) * size

    def resource(self, name: str, trial: int) -> int | float | None:
        """The observed value, in the unit that the name says; None: unmeasured."""
        value = self._values[name][trial]
        if value != value:  # noqa: PLR0124 - only NaN differs from itself, and math.isnan costs a call
            return None
        return value if name in _FRACTIONAL else int(value)

    def observations(self, name: str, trials: Iterable[int]) -> list[int | float | None]:
        """What `resource` gives for each of the trials, in their order: one pass over a column."""
        whole = name not in _FRACTIONAL
        values = map(self._values[name].__getitem__, trials)
        return [None if value != value else int(value) if whole else value for value in values]  # noqa: PLR0124 - as above

    def population(self, trial: int) -> tuple[Any, ...] | None:
        """The row's population fields in the order of `POPULATION_FIELDS`; None: no row, or none recorded."""
        return self._populations.value(self._population[trial])

    def population_number(self, trial: int) -> int:
        """A number equal for trials of equal population, 0 where there is none: cheap to group by."""
        return self._population[trial]

    def accounting(self, trial: int) -> Accounting | None:
        return self._accountings.value(self._accounting[trial])

    def accounting_number(self, trial: int) -> int:
        return self._accounting[trial]

    def _keep(self, trial: int, row: RowLike) -> None:
        resources, population, accounting = row.resources, row.population, row.accounting
        if resources is not None:
            self._keep_resources(trial, resources)
        if population is not None:
            number = self._populations.known_number(id(population))
            self._population[trial] = self._populations.learnt_number(population) if number is None else number
        if accounting is not None:
            number = self._accountings.known_number(id(accounting))
            self._accounting[trial] = self._accountings.learnt_number(accounting) if number is None else number

    def _keep_resources(self, trial: int, r: Any) -> None:  # noqa: C901 - a loop over the eleven takes twice as long
        duration, fresh, cached, written, output, reasoning, turns, calls, cost, weighted, size = self._columns
        if r.duration_s is not None:
            duration[trial] = r.duration_s
        if r.input_tokens is not None:
            fresh[trial] = r.input_tokens
        if r.cached_input_tokens is not None:
            cached[trial] = r.cached_input_tokens
        if r.cache_write_tokens is not None:
            written[trial] = r.cache_write_tokens
        if r.output_tokens is not None:
            output[trial] = r.output_tokens
        if r.reasoning_tokens is not None:
            reasoning[trial] = r.reasoning_tokens
        if r.turns is not None:
            turns[trial] = r.turns
        if r.tool_calls is not None:
            calls[trial] = r.tool_calls
        if r.cost_usd is not None:
            cost[trial] = r.cost_usd
        if r.cost_weighted_tokens is not None:
            weighted[trial] = r.cost_weighted_tokens
        if r.transcript_bytes is not None:
            size[trial] = r.transcript_bytes


_population_of: Final[Callable[[Any], tuple[Any, ...]]] = attrgetter(*POPULATION_FIELDS)
_accounting_fields = attrgetter(*Accounting._fields)


def _accounting_of(accounting: Any) -> Accounting:
    fields = _accounting_fields(accounting)
    if accounting.token_weights is None:
        return Accounting._make(fields)
    return Accounting._make((*fields[:-1], tuple(sorted(accounting.token_weights.items()))))

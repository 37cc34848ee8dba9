"""Random legal campaigns: a plan, and for each scheduled trial what became of it."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

from oakbench_core.campaign.intake import fold
from oakbench_core.campaign.plan import Plan, plan_from_document
from oakbench_core.campaign.report import report_ledger
from oakbench_core.intervals import Interval, Resampling
from tests.campaigns import (
    Json,
    finished,
    plan_document,
    recovered,
    skipped_after_start,
    skipped_before_start,
    started,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

RESOLVED: Final = ("success", "failure", "timed_out", "infrastructure_failure")
FATES: Final = (*RESOLVED, "unstarted", "interrupted", "uncertain", "skipped", "operator", "skipped_after")


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one trial; `resources`, `cost_source`, `population` and `late_s` only where it has a row."""

    kind: str
    resources: tuple[tuple[str, Any], ...] = ()
    cost_source: str | None = None
    population: tuple[tuple[str, Any], ...] = ()
    late_s: int = 0

    @property
    def has_verdict(self) -> bool:
        return self.kind in {"success", "failure", "timed_out"}

    def events(self, plan: Plan, place: int) -> list[Json]:
        changes: Json = {
            "resources": dict(self.resources),
            "accounting": {"cost_source": self.cost_source},
            "population": dict(self.population),
            "timeout_s": plan.schedule[place].timeout_s + self.late_s,
        }
        begun = [started(plan, place)]
        match self.kind:
            case "interrupted":
                return begun
            case "uncertain":
                return [recovered(plan, place)]
            case "skipped" | "operator":
                reason = "operator" if self.kind == "operator" else "missing_instrument"
                return [skipped_before_start(plan, place, reason)]
            case "skipped_after":
                return [*begun, skipped_after_start(plan, place, **changes)]
            case "success" | "failure":
                return [*begun, finished(plan, place, verified=self.kind == "success", **changes)]
        return [] if self.kind == "unstarted" else [*begun, finished(plan, place, self.kind, **changes)]


@dataclass(frozen=True, slots=True)
class Campaign:
    document: Json
    fates: tuple[Fate, ...]

    @property
    def plan(self) -> Plan:
        return plan_from_document(copy.deepcopy(self.document))

    def events(self) -> list[list[Json]]:
        """The events of each trial, in their order."""
        plan = self.plan
        return [fate.events(plan, place) for place, fate in enumerate(self.fates)]

    def with_fate(self, place: int, fate: Fate) -> Campaign:
        return replace(self, fates=(*self.fates[:place], fate, *self.fates[place + 1 :]))


def _no_interval(_source: Resampling) -> Interval:
    return Interval(0.0, 0.0)


def report(campaign: Campaign, events: Iterable[Json] | None = None) -> Json:
    """The report with the bootstrap left out: laws of everything else need no draws."""
    in_order = [event for trial in campaign.events() for event in trial] if events is None else events
    return report_ledger(fold(campaign.plan, in_order), resample=_no_interval)


amounts = st.none() | st.floats(0, 1e6) | st.integers(0, 1000).map(float)
whole = st.none() | st.integers(0, 2**53 - 1)
resources = st.fixed_dictionaries(
    {"duration_s": amounts, "input_tokens": whole, "turns": whole, "cost_usd": amounts}
).map(lambda values: tuple(values.items()))
populations = st.fixed_dictionaries(
    {
        "os": st.sampled_from(["linux"] * 12 + ["darwin"]),
        "resolved_model": st.sampled_from(["m-1"] * 12 + [None]),
        "subject_version": st.sampled_from(["1"] * 12 + [None, "2"]),
    }
).map(lambda values: tuple(values.items()))
plain_population = (("os", "linux"), ("resolved_model", "m-1"), ("subject_version", "1"))


@st.composite
def fates(draw: st.DrawFn, kinds: tuple[str, ...] = FATES, *, alike: bool = False) -> Fate:
    """One trial's fate; `alike` gives every row one population, one cost source and the frozen timeout."""
    kind = draw(st.sampled_from(kinds))
    if alike:
        return Fate(kind, draw(resources), "provider", plain_population)
    return Fate(
        kind,
        draw(resources),
        draw(st.sampled_from(["provider"] * 6 + ["price_table", None])),
        draw(populations),
        draw(st.sampled_from([0] * 9 + [5])),
    )


@st.composite
def campaigns(draw: st.DrawFn, kinds: tuple[str, ...] = FATES, *, alike: bool = False) -> Campaign:
    """A plan of up to three subjects and a fate for each of its trials."""
    document = plan_document(
        tasks=draw(st.sampled_from([("t",), ("t", "u"), ("t", "u", "v")])),
        subjects=draw(st.sampled_from([("a",), ("a", "b"), ("a", "b", "c")])),
        repetitions=draw(st.integers(1, 3)),
        levels=draw(st.sampled_from([("plain",), ("guided", "plain")])),
        budget_s=draw(st.none() | st.integers(0, 200)),
        compares=draw(st.sampled_from([[], ["resolved_model"]])),
    )
    size = len(document["schedule"])
    return Campaign(document, tuple(draw(st.lists(fates(kinds, alike=alike), min_size=size, max_size=size))))

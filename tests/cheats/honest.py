"""An honest, complete campaign that its owner would like to look better, and what a reader may take home from a report.

The cheat wants `git` to win. Its rival is `hg`; every trial has ended, every value is measured.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.plan import Plan, plan_from_document
from oakbench_core.campaign.report import report_campaign
from tests.campaigns import Json, plan_document, row, sealed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FAVOURITE, RIVAL = "git", "hg"
# One word a trial, in the schedule's order: git and hg of each block in turn.
_FATES: Final = ("V", "V", "F", "V", "V", "F", "T", "V", "V", "V", "F", "F")
PLACES: Final = range(len(_FATES))
FAILED: Final = tuple(place for place in PLACES if place % 2 == 0 and _FATES[place] == "F")
TIMED_OUT: Final = next(place for place in PLACES if place % 2 == 0 and _FATES[place] == "T")
VERIFIED: Final = tuple(place for place in PLACES if place % 2 == 0 and _FATES[place] == "V")
_POPULATION: Final = {
    "runner_class": "ws-1",
    "os": "linux",
    "arch": "x86_64",
    "agent_version": "2.1",
    "resolved_model": "m-1",
    "subject_version": "1",
    "subject_binary_sha256": "b" * 64,
    "fixture_version": "0" * 64,
    "oracle_version": 1,
    "prompt_sha256": "c" * 64,
}


def document(**top: Any) -> Json:
    """The frozen plan, or a frozen one that says something else."""
    return plan_document(tasks=("clone", "merge", "rename"), subjects=(FAVOURITE, RIVAL), **top)


@cache
def honest_plan() -> Plan:
    return plan_from_document(document())


def pair_of(place: int, plan: Plan | None = None) -> list[Json]:
    """The two events of the trial at `place`, as the honest runner wrote them."""
    plan = plan or honest_plan()
    terminal = "timed_out" if _FATES[place] == "T" else "completed"
    identity = {"trial_id": plan.schedule[place].trial_id, "plan_sha256": plan.plan_sha256}
    its_row = row(
        plan,
        place,
        terminal,
        verified=_FATES[place] == "V",
        resources={
            "duration_s": 4.0 + place / 8,
            "input_tokens": 900 + place,
            "turns": 7,
            "cost_usd": 0.25 + place / 64,
        },
        accounting={"cost_source": "provider"},
        population=dict(_POPULATION),
    )
    return [{"event": "started", **identity}, {"event": "finished", **identity, "terminal": terminal, "row": its_row}]


def history(plan: Plan | None = None) -> list[list[Json]]:
    """The events of each trial; a fresh copy that may be doctored."""
    return [pair_of(place, plan) for place in PLACES]


def flat(trials: Iterable[list[Json]]) -> list[Json]:
    return [event for trial in trials for event in trial]


@cache
def _honest_report() -> Json:
    return report_campaign(honest_plan(), flat(history()))


def honest_report() -> Json:
    return copy.deepcopy(_honest_report())


def group(report: Json, subject: str = FAVOURITE) -> Json:
    return next(found for found in report["groups"] if found["key"]["subject"] == subject)


def taken_home(report: Json) -> dict[str, float]:
    """What a report presents as a result, each so that more is better for the favourite; nothing else is one.

    A fraction that is not final, a pair that is not final and a bound are marked as such wherever they are shown.
    """
    own, pair = group(report), report["pairs"][0]
    found: dict[str, float] = {}
    if own["success"]["final"]:
        found["fraction"] = own["success"]["fraction"]
    if own["success"]["wilson"] is not None:
        found["interval"] = own["success"]["wilson"]["low"]
    for name, use in own["resources"].items():
        if use["total_per_verified_success"] is not None:
            found[f"{name} a success"] = -use["total_per_verified_success"]
    if pair["final"]:
        found["difference"] = pair["difference"]
        if pair["interval"] is not None:
            found["interval of the difference"] = pair["interval"]["low"]
    return found


def improved(report: Json) -> list[str]:
    """The results that the report makes better than the honest report does; a result that was none is better too."""
    honest = taken_home(honest_report())
    return [name for name, value in taken_home(report).items() if value > honest.get(name, -float("inf"))]


def codes(report: Json) -> set[str]:
    """Every code that a report names anywhere: notices, omissions of the favourite and of the pair, block reasons."""
    own, pair = group(report), report["pairs"][0]
    named = {notice["code"] for notice in report["notices"]}
    named |= {*own["success"]["omitted"], *pair["omitted"], *pair["blocks"]["reasons"]}
    return named.union(*(use["omitted"] for use in own["resources"].values()))


def refrozen(change: Callable[[Json], None]) -> Plan:
    """Another plan: the honest document after a change, hashed again."""
    changed = copy.deepcopy(document())
    change(changed)
    return plan_from_document(sealed(changed))

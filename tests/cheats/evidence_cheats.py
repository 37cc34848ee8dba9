"""What someone can do who writes events, rows and plans that are sound in form, and what must come of it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.report import report_campaign
from oakbench_core.errors import ExitCode
from tests.campaigns import Json, closed, recovered, sealed, skipped_after_start, skipped_before_start
from tests.cheats.honest import (
    FAILED,
    PLACES,
    TIMED_OUT,
    VERIFIED,
    document,
    flat,
    history,
    honest_plan,
    pair_of,
    refrozen,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oakbench_core.campaign.plan import Plan

OWN: Final = tuple(place for place in PLACES if place % 2 == 0)
LOST: Final = (*FAILED, TIMED_OUT)


@dataclass(frozen=True, slots=True)
class Case:
    """What is handed over as the campaign's evidence."""

    plan: Plan | Mapping[str, Any]
    events: list[Json]
    as_of: int | None = None

    def report(self) -> Json:
        return report_campaign(self.plan, self.events, as_of=self.as_of)


def doctored(change: Callable[[list[list[Json]]], None]) -> Case:
    """The honest history after a change."""
    trials = history()
    change(trials)
    return Case(honest_plan(), flat(trials))


def with_rows(places: tuple[int, ...], change: Callable[[Json, int], None]) -> Case:
    """The honest history with some rows changed."""

    def changed(trials: list[list[Json]]) -> None:
        for place in places:
            change(trials[place][1]["row"], place)

    return doctored(changed)


def with_ends(places: tuple[int, ...], end: Callable[[int], list[Json]]) -> Case:
    """The honest history in which some trials came to another end."""

    def changed(trials: list[list[Json]]) -> None:
        for place in places:
            trials[place] = end(place)

    return doctored(changed)


def relabelled(place: int) -> list[Json]:
    begun, ended = pair_of(place)
    its_row = ended["row"] | {"verified_success": None, "timed_out": False, "oracle": None, "exit_code": None}
    its_row["error"] = {"type": "agent_killed", "message": "killed"}
    return [begun, {**ended, "terminal": "infrastructure_failure", "row": its_row}]


def verified(its_row: Json, _place: int = 0) -> None:
    its_row["verified_success"] = True
    for check in its_row["oracle"]["checks"]:
        check["status"] = "pass"


def lengthened(its_row: Json, place: int) -> None:
    its_row["timeout_s"] = 60
    its_row["resources"]["duration_s"] = 31.0 + place


def set_resource(name: str, value: object) -> Callable[[Json, int], None]:
    return lambda its_row, _place: its_row["resources"].update({name: value})


def set_population(field: str, value: object) -> Callable[[Json, int], None]:
    return lambda its_row, _place: its_row["population"].update({field: value})


def lengthened_timeout() -> Case:
    def changed(trials: list[list[Json]]) -> None:
        begun, ended = trials[TIMED_OUT]
        its_row = ended["row"] | {"timed_out": False, "verified_success": True, "exit_code": 0}
        its_row["oracle"] = copy.deepcopy(trials[VERIFIED[0]][1]["row"]["oracle"])
        lengthened(its_row, TIMED_OUT)
        trials[TIMED_OUT] = [begun, {**ended, "terminal": "completed", "row": its_row}]

    return doctored(changed)


def stopped_when_ahead() -> Case:
    """Without a budget, somebody ends the run behind the first block: git has lost nothing yet."""
    return Case(honest_plan(), [*flat(history()[:2]), closed(honest_plan(), "signal", 130)])


def hard_tasks_passed_over() -> Case:
    blocks = {place // 2 for place in LOST}
    return Case(honest_plan(), flat(trial for place, trial in enumerate(history()) if place // 2 not in blocks))


def best_prefix() -> Case:
    """The report as of the moment at which the favourite was ahead."""
    events = [event | {"seq": seq} for seq, event in enumerate(flat(history()))]
    return Case(honest_plan(), events, as_of=3)


def follow_up(kind: str) -> Case:
    parent = {"campaign_id": "c0", "plan_sha256": "e" * 64, "kind": kind, "finished_trials": 12}
    plan = refrozen(lambda value: value["provenance"].update(parent=parent))
    return Case(plan, flat(history(plan)))


def scripted() -> Case:
    plan = refrozen(lambda value: value["agents"]["a"].update(mock=True))
    return Case(plan, flat(history(plan)))


def hand_written_plan() -> Case:
    plan = refrozen(lambda value: value["provenance"].update(source="import", definition_sha256=None))
    return Case(plan, flat(history(plan)))


def edited_plan() -> Case:
    changed = copy.deepcopy(document())
    for trial in changed["schedule"]:
        trial["timeout_s"] = 60
    return Case(changed, flat(history()))


def refrozen_plan() -> Case:
    """The plan made easier after the fact and hashed again; the events are those of the first."""
    return Case(refrozen(lambda value: value["schedule"].pop()), flat(history()))


def plan_of(change: Callable[[Json], None]) -> Case:
    changed = copy.deepcopy(document())
    change(changed)
    return Case(sealed(changed), [])


def second_try(place: int) -> list[Json]:
    again = copy.deepcopy(pair_of(place))
    verified(again[1]["row"])
    return pair_of(place) + again


def second_verdict(place: int) -> list[Json]:
    begun, ended = pair_of(place)
    better = copy.deepcopy(ended)
    verified(better["row"])
    return [begun, ended, better]


def pasted(place: int) -> list[Json]:
    """A success's row in the envelope of a failure."""
    begun, ended = pair_of(place)
    return [begun, {**ended, "row": pair_of(VERIFIED[0])[1]["row"]}]


def without_start(place: int) -> list[Json]:
    ended = copy.deepcopy(pair_of(place)[1])
    verified(ended["row"])
    return [ended]


def named_better(its_row: Json, _place: int) -> None:
    its_row["verified_success"] = True


def unmeasured_check(its_row: Json, _place: int) -> None:
    its_row["oracle"]["checks"][0] |= {"status": "unmeasured", "instrument": "pytest"}


def dropped_check(its_row: Json, _place: int) -> None:
    its_row["oracle"]["checks"] = [check for check in its_row["oracle"]["checks"] if check["status"] == "pass"]
    its_row["verified_success"] = True


def easier_conditions(its_row: Json, _place: int) -> None:
    its_row["instruction_level"] = "helped"


def other_campaign(its_row: Json, _place: int) -> None:
    its_row["bench_id"] = "c2"


def timed_although_suspended(its_row: Json, _place: int) -> None:
    its_row["suspended_s"] = 600.0


def cheaper_weights(its_row: Json, _place: int) -> None:
    its_row["accounting"]["token_weights"] = {"input_tokens": 0.001}
    its_row["resources"]["cost_weighted_tokens"] = 1.0


def claimed(its_row: Json, _place: int) -> None:
    its_row["claim_eligible"] = True


def verified_timeout() -> Case:
    return with_rows((TIMED_OUT,), lambda its_row, _place: its_row.update(verified_success=True))


REFUSED: Final[dict[str, tuple[Callable[[], Case], ExitCode, str]]] = {
    "a failure is tried again under its own name": (
        lambda: with_ends(FAILED, second_try), ExitCode.INVALID, "start"),
    "a second verdict is appended": (
        lambda: with_ends(FAILED, second_verdict), ExitCode.INVALID, "cannot be completed"),
    "a success's row is pasted over a failure": (lambda: with_ends(FAILED, pasted), ExitCode.INVALID, "the plan"),
    "a success that never started": (lambda: with_ends(FAILED, without_start), ExitCode.INVALID, "start"),
    "a verdict that its checks contradict": (
        lambda: with_rows(FAILED, named_better), ExitCode.INVALID, "the checks say false"),
    "a check that failed is left out": (lambda: with_rows(FAILED, dropped_check), ExitCode.INVALID, "each once"),
    "an unmeasured check of the rival is called a failure": (
        lambda: with_rows((5,), unmeasured_check), ExitCode.INVALID, "unmeasured check"),
    "an unmeasured check is called a success": (
        lambda: with_rows(VERIFIED, unmeasured_check), ExitCode.INVALID, "unmeasured check"),
    "a timed-out trial is called verified": (verified_timeout, ExitCode.INVALID, "timed-out trial is not verified"),
    "rows of an easier condition are pooled": (
        lambda: with_rows(FAILED, easier_conditions), ExitCode.INVALID, "instruction_level"),
    "rows of another campaign are mixed in": (lambda: with_rows(FAILED, other_campaign), ExitCode.INVALID, "bench_id"),
    "a suspended trial keeps its time": (
        lambda: with_rows(FAILED, timed_although_suspended), ExitCode.INVALID, "voids the timing"),
    "a negative duration": (
        lambda: with_rows(FAILED, set_resource("duration_s", -4.0)), ExitCode.INVALID, "duration_s"),
    "a cost that is no number": (
        lambda: with_rows(FAILED, set_resource("cost_usd", float("nan"))), ExitCode.INVALID, "cost_usd"),
    "weighted tokens that the weights do not give": (
        lambda: with_rows(FAILED, cheaper_weights), ExitCode.INVALID, "cost_weighted_tokens"),
    "a row that calls itself claim-eligible": (
        lambda: with_rows(FAILED, claimed), ExitCode.INVALID, "claim_eligible"),
    "the plan is edited and keeps its hash": (edited_plan, ExitCode.IDENTITY, "changed after freezing"),
    "the plan is edited and hashed again": (refrozen_plan, ExitCode.IDENTITY, "plan"),
    "a good block is scheduled twice": (
        lambda: plan_of(lambda value: value["schedule"].extend(value["schedule"][:2])),
        ExitCode.REFUSED, "stands already"),
    "one side of a block is given more time": (
        lambda: plan_of(lambda value: value["schedule"][0].update(timeout_s=60)), ExitCode.REFUSED, "agree in all"),
    "the plan calls itself claim-eligible": (
        lambda: plan_of(lambda value: value.update(claim_eligible=True)), ExitCode.REFUSED, "claim_eligible"),
}  # fmt: skip

NAMED: Final[dict[str, tuple[Callable[[], Case], set[str]]]] = {
    "failures are removed": (
        lambda: with_ends(LOST, lambda _place: []), {"partial_schedule", "schedule_open", "unstarted"}),
    "the ends of failures are removed": (
        lambda: with_ends(LOST, lambda place: pair_of(place)[:1]), {"unresolved_started", "interrupted"}),
    "failures are called skips for want of an instrument": (
        lambda: with_ends(LOST, lambda place: [skipped_before_start(honest_plan(), place)]),
        {"instrument_skipped", "skipped"}),
    "failures are called an operator's skips": (
        lambda: with_ends(LOST, lambda place: [skipped_before_start(honest_plan(), place, "operator")]),
        {"other_skipped", "skipped"}),
    "failures are called unmeasured after their start": (
        lambda: with_ends(LOST, lambda place: [pair_of(place)[0], skipped_after_start(honest_plan(), place)]),
        {"instrument_skipped", "skipped"}),
    "failures are called infrastructure failures": (
        lambda: with_ends(LOST, relabelled), {"infrastructure_failures", "infrastructure_failure"}),
    "the journal is torn where a failure stood": (
        lambda: with_ends(FAILED[-1:], lambda place: [recovered(honest_plan(), place)]), {"unresolved_started"}),
    "a doubtful end is accepted as an uncertain one": (
        lambda: with_ends(FAILED[-1:], lambda place: [recovered(honest_plan(), place, "uncertain_accepted")]),
        {"uncertain_accepted", "unresolved_started"}),
    "a timed-out trial is given more time": (lengthened_timeout, {"timeout_mismatch"}),
    "all of the favourite's trials are given more time": (
        lambda: with_rows(OWN, lengthened), {"timeout_mismatch"}),
    "the run is stopped while it looks good": (stopped_when_ahead, {"schedule_open", "partial_schedule"}),
    "hard tasks are passed over": (hard_tasks_passed_over, {"schedule_gaps", "partial_schedule"}),
    "the best prefix is reported": (best_prefix, {"prefix_report"}),
    "a retry of failures is shown as the campaign": (
        lambda: follow_up("retry"), {"retry_campaign", "retry_selection"}),
    "scripted agents are shown as real ones": (scripted, {"mock_agents"}),
    "a schedule written down afterwards is shown as a frozen one": (hand_written_plan, {"imported_plan"}),
    "an extension is shown as a campaign of its own": (lambda: follow_up("extension"), {"extended_campaign"}),
    "a better binary did some of the work": (
        lambda: with_rows(VERIFIED[:2], set_population("subject_binary_sha256", "d" * 64)), {"mixed_population"}),
    "another version did all of the work": (
        lambda: with_rows(OWN, set_population("subject_version", "2")), {"mixed_population"}),
    "a stronger model did some of the work": (
        lambda: with_rows(VERIFIED[:2], set_population("resolved_model", "m-9")), {"mixed_population"}),
    "a stronger model did all of the favourite's work": (
        lambda: with_rows(OWN, set_population("resolved_model", "m-9")), {"identity_mismatch"}),
    "the favourite ran on a faster machine": (
        lambda: with_rows(OWN, set_population("runner_class", "ws-2")), {"identity_mismatch"}),
    "an easier oracle judged some of the trials": (
        lambda: with_rows(FAILED, set_population("oracle_version", 2)), {"mixed_population"}),
    "a more helpful prompt was used for one repetition": (
        lambda: with_rows(VERIFIED[:1], set_population("prompt_sha256", "d" * 64)), {"mixed_population"}),
    "an easier fixture was used": (
        lambda: with_rows(VERIFIED[:1], set_population("fixture_version", "1" * 64)), {"mixed_population"}),
    "what identifies the model is left out": (
        lambda: with_rows(FAILED, set_population("resolved_model", None)), {"mixed_population"}),
    "the dear trials' costs are lost": (
        lambda: with_rows(LOST, set_resource("cost_usd", None)), {"incomplete_coverage"}),
    "all costs are lost": (lambda: with_rows(OWN, set_resource("cost_usd", None)), {"unmeasured"}),
    "the dear trials' costs are taken from another price list": (
        lambda: with_rows(LOST, lambda its_row, _place: its_row["accounting"].update(cost_source="price_table")),
        {"mixed_sources"}),
    "where the costs come from is left out": (
        lambda: with_rows(OWN, lambda its_row, _place: its_row["accounting"].update(cost_source=None)),
        {"accounting_unknown"}),
}  # fmt: skip

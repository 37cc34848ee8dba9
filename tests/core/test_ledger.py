"""One transition table; every scheduled trial in exactly one state; an illegal event changes nothing."""

from __future__ import annotations

import copy
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.admission import admissible_at_worst, admission, admits
from oakbench_core.campaign.endings import Step
from oakbench_core.campaign.ledger import TRANSITIONS, Ledger
from oakbench_core.campaign.vocabulary import Standing, State
from tests.campaigns import (
    closed,
    finished,
    folded,
    opened,
    plan,
    recovered,
    run,
    skipped_after_start,
    skipped_before_start,
    started,
    violations,
)

STEPS: dict[Step, Any] = {
    Step.STARTED: started,
    Step.RESERVED: recovered,
    Step.SKIPPED_BEFORE_START: skipped_before_start,
    Step.SKIPPED_AFTER_START: skipped_after_start,
    Step.SUCCEEDED: finished,
    Step.FAILED: lambda plan, place: finished(plan, place, verified=False),
    Step.TIMED_OUT: lambda plan, place: finished(plan, place, "timed_out"),
    Step.INFRASTRUCTURE_FAILED: lambda plan, place: finished(plan, place, "infrastructure_failure"),
}
WAYS: dict[Standing, list[Step]] = {
    Standing.UNSTARTED: [],
    Standing.INTERRUPTED: [Step.STARTED],
    Standing.UNCERTAIN: [Step.RESERVED],
    Standing.SKIPPED_BEFORE_START: [Step.SKIPPED_BEFORE_START],
    Standing.SKIPPED_AFTER_START: [Step.STARTED, Step.SKIPPED_AFTER_START],
    Standing.VERIFIED_SUCCESS: [Step.STARTED, Step.SUCCEEDED],
    Standing.TASK_FAILURE: [Step.STARTED, Step.FAILED],
    Standing.TIMED_OUT: [Step.STARTED, Step.TIMED_OUT],
    Standing.INFRASTRUCTURE_FAILURE: [Step.STARTED, Step.INFRASTRUCTURE_FAILED],
}


def snapshot(ledger: Ledger) -> tuple[object, ...]:
    return bytes(ledger.standings), tuple(ledger.tallies), dict(ledger.events), admission(ledger)


@pytest.mark.clause("A10-06", "A10-14", "A10-15", "A10-44")
@pytest.mark.parametrize("step", Step)
@pytest.mark.parametrize("standing", Standing)
def test_the_legal_transitions_are_these_and_no_others(standing: Standing, step: Step) -> None:
    campaign = plan()
    ledger = folded(campaign, *(STEPS[way](campaign, 0) for way in WAYS[standing]))
    assert ledger.standing(0) is standing
    before = snapshot(ledger)

    found = violations(ledger, STEPS[step](campaign, 0))

    after = TRANSITIONS.get((standing, step))
    if after is None:
        assert len(found) == 1
        assert campaign.schedule[0].trial_id in found[0]
        assert snapshot(ledger) == before
    else:
        assert found == []
        assert ledger.standing(0) is after


def test_the_table_is_the_decision_records() -> None:
    legal = {(before.state, step) for before, step in TRANSITIONS}

    assert legal == {
        (State.UNSTARTED, Step.STARTED),
        (State.UNSTARTED, Step.RESERVED),
        (State.UNSTARTED, Step.SKIPPED_BEFORE_START),
        (State.INTERRUPTED, Step.SKIPPED_AFTER_START),
        (State.INTERRUPTED, Step.SUCCEEDED),
        (State.INTERRUPTED, Step.FAILED),
        (State.INTERRUPTED, Step.TIMED_OUT),
        (State.INTERRUPTED, Step.INFRASTRUCTURE_FAILED),
    }
    assert not any(before is Standing.UNCERTAIN for before, _ in TRANSITIONS)


@pytest.mark.clause("A10-16", "A10-17")
def test_a_start_without_an_end_is_interrupted_and_no_start_is_unstarted() -> None:
    campaign = plan()

    ledger = folded(campaign, started(campaign, 0))

    assert ledger.standing(0).state is State.INTERRUPTED
    assert ledger.standing(1).state is State.UNSTARTED


@pytest.mark.clause("A10-07")
def test_a_foreign_plan_or_trial_is_invalid() -> None:
    campaign, other = plan(), plan(seed=99)
    ledger = Ledger(campaign)

    assert "another plan" in violations(ledger, started(other, 0))[0]
    assert "not in the plan" in violations(ledger, started(campaign, 0) | {"trial_id": "w.fix.other"})[0]
    assert ledger.tallies[Standing.UNSTARTED] == len(campaign.schedule)


@pytest.mark.clause("A10-03")
@pytest.mark.parametrize("event", [started, finished])
@pytest.mark.parametrize("key", ["plan_sha256", "trial_id"])
def test_started_and_finished_name_their_plan_and_trial(event: Any, key: str) -> None:
    campaign = plan()
    nameless = event(campaign, 0)
    del nameless[key]

    assert f"$.{key}: this key is required" in violations(Ledger(campaign), nameless)


@pytest.mark.clause("A10-04")
def test_the_whole_row_is_read_from_the_finished_envelope_alone() -> None:
    campaign = plan()
    ledger = folded(campaign, started(campaign, 0), finished(campaign, 0, resources={"duration_s": 2.5, "turns": 0}))

    assert ledger.resource("duration_s", 0) == 2.5
    assert ledger.resource("turns", 0) == 0
    without = finished(campaign, 2)
    del without["row"]
    assert "row" in violations(ledger, started(campaign, 2), without)[0]


@pytest.mark.clause("A10-30")
def test_an_unmeasured_resource_is_none_and_a_measured_zero_is_zero() -> None:
    campaign = plan()
    ledger = folded(campaign, *run(campaign, 0, resources={"duration_s": 0, "input_tokens": 0}))

    assert ledger.resource("duration_s", 0) == 0
    assert ledger.resource("input_tokens", 0) == 0
    assert ledger.resource("output_tokens", 0) is None
    assert ledger.resource("cost_usd", 0) is None


CONTRADICTIONS: list[tuple[str, dict[str, Any], str]] = [
    ("completed", {"verified_success": None}, "has a verdict"),
    ("completed", {"timed_out": True}, "timed_out"),
    ("completed", {"verified_success": False}, "the checks say true"),
    ("completed", {"oracle": {"version": 1, "checks": []}}, "the plan's are"),
    ("completed", {"oracle": None}, "the plan's are"),
    ("completed", {"error": {"type": "runner_error", "message": None}}, "row.error"),
    ("completed", {"skip": {"phase": "after_start", "reason": "unsupported"}}, "row.skip"),
    ("completed", {"bench_id": "c2"}, "bench_id"),
    ("completed", {"run": 2}, "row.run"),
    ("completed", {"workflow": "v"}, "row.workflow"),
    ("completed", {"task": "rename"}, "row.task"),
    ("completed", {"instruction_level": "guided"}, "row.instruction_level"),
    ("completed", {"agent": "b"}, "row.agent"),
    ("completed", {"model": "m"}, "row.model"),
    ("completed", {"subject": "hg"}, "row.subject"),
    ("completed", {"suspended_s": 3.0}, "suspension"),
    ("timed_out", {"verified_success": None}, "not verified"),
    ("timed_out", {"verified_success": True}, "not verified"),
    ("timed_out", {"timed_out": False}, "timed_out"),
    ("timed_out", {"oracle": {"checks": [{"name": "tests", "status": "fail"}]}}, "not run after a timeout"),
    ("infrastructure_failure", {"error": None}, "row.error"),
    ("infrastructure_failure", {"verified_success": False}, "no verdict"),
    ("infrastructure_failure", {"timed_out": True}, "timed_out"),
    ("skipped", {"skip": {"phase": "after_start", "reason": "operator"}}, "operator"),
    ("skipped", {"skip": None}, "row.skip"),
    ("skipped", {"verified_success": False, "skip": {"phase": "after_start", "reason": "unsupported"}}, "no verdict"),
    (
        "skipped",
        {
            "skip": {"phase": "after_start", "reason": "missing_instrument"},
            "oracle": {"checks": [{"name": "tests", "status": "fail"}]},
        },
        "no unmeasured check",
    ),
]


@pytest.mark.clause("A10-19", "A10-20")
@pytest.mark.parametrize(("terminal", "changes", "words"), CONTRADICTIONS)
def test_a_row_that_contradicts_its_envelope_or_its_plan_is_refused(
    terminal: str, changes: dict[str, Any], words: str
) -> None:
    campaign = plan()
    ledger = folded(campaign, started(campaign, 0))
    before = snapshot(ledger)

    found = violations(ledger, finished(campaign, 0, terminal, **changes))

    assert any(words in text for text in found), found
    assert snapshot(ledger) == before


LEGAL_ENDINGS: list[tuple[str, dict[str, Any]]] = [
    ("completed", {}),
    ("completed", {"verified": False}),
    ("timed_out", {}),
    ("infrastructure_failure", {}),
    ("skipped", {"skip": {"phase": "after_start", "reason": "missing_instrument", "instrument": "pytest"}}),
    ("skipped", {"skip": {"phase": "after_start", "reason": "unsupported"}}),
]


@given(st.lists(st.sampled_from([*LEGAL_ENDINGS, *(case[:2] for case in CONTRADICTIONS)]), max_size=8))
def test_an_ending_is_judged_alike_whatever_was_judged_before(endings: list[tuple[str, dict[str, Any]]]) -> None:
    campaign = plan()
    used = Ledger(campaign)
    for place, (terminal, changes) in enumerate(endings):
        fresh = folded(campaign, started(campaign, place))
        event = finished(campaign, place, terminal, **changes)

        assert violations(used, started(campaign, place), event) == violations(fresh, event)
        assert (used.standing(place), used.ending(place)) == (fresh.standing(place), fresh.ending(place))


@pytest.mark.parametrize(
    "checks",
    [
        [("tests", "pass")],
        [("tests", "pass"), ("tests", "pass")],
        [("tests", "pass"), ("scope", "pass"), ("more", "pass")],
        [("tests", "pass"), ("scope", "unmeasured")],
    ],
)
def test_a_completed_trial_has_exactly_the_plans_checks_all_measured(checks: list[tuple[str, str]]) -> None:
    campaign = plan()
    oracle = {"version": 1, "checks": [{"name": name, "status": status} for name, status in checks]}

    assert violations(folded(campaign, started(campaign, 0)), finished(campaign, 0, oracle=oracle))


def test_the_verdict_of_an_import_without_checks_stands_as_recorded() -> None:
    campaign = plan()
    document = campaign.document.model_copy(deep=True)
    for task in document.workflows["w"].tasks.values():
        object.__setattr__(task.oracle, "checks", ())
    imported = type(campaign)(document, campaign.index)

    ledger = folded(imported, *run(imported, 0, verified=True), *run(imported, 1, verified=False))

    assert ledger.standing(0) is Standing.VERIFIED_SUCCESS
    assert ledger.standing(1) is Standing.TASK_FAILURE


def test_another_timeout_is_legal_and_counted() -> None:
    campaign = plan()

    ledger = folded(campaign, *run(campaign, 0, timeout_s=99), *run(campaign, 1))

    assert list(ledger.timeout_differs[:2]) == [1, 0]


WEIGHTS = {"input_tokens": 0.1, "cached_input_tokens": 0.01, "output_tokens": 5}


def weighted(value: float | None, *, includes: bool | None = True, **tokens: int | None) -> dict[str, Any]:
    return {
        "resources": {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 7, **tokens}
        | {"cost_weighted_tokens": value},
        "accounting": {"input_includes_cached": includes, "token_weights": WEIGHTS},
    }


@pytest.mark.parametrize(
    ("changes", "legal"),
    [
        (weighted(41.4), True),
        (weighted(45.4, includes=False), True),
        (weighted(45.4), False),
        (weighted(None), False),
        (weighted(None, includes=None), True),
        (weighted(41.4, includes=None), False),
        (weighted(None, output_tokens=None), True),
        (weighted(0.0, output_tokens=None), False),
    ],
)
@pytest.mark.clause("A10-33")
def test_weighted_tokens_are_the_stated_weights_times_the_counts(changes: dict[str, Any], *, legal: bool) -> None:
    campaign = plan()

    found = violations(folded(campaign, started(campaign, 0)), finished(campaign, 0, **changes))

    assert (found == []) is legal, found


@given(st.lists(st.tuples(st.integers(0, 7), st.sampled_from(list(Step))), max_size=60))
@pytest.mark.clause("A10-21")
def test_the_tallies_add_up_to_the_schedule_after_any_events_legal_or_not(moves: list[tuple[int, Step]]) -> None:
    campaign = plan()
    ledger = Ledger(campaign)

    for place, step in moves:
        violations(ledger, STEPS[step](campaign, place))

        assert sum(ledger.tallies) == len(campaign.schedule)
        assert ledger.tallies == [ledger.standings.count(standing) for standing in Standing]


@given(st.lists(st.tuples(st.integers(0, 7), st.sampled_from(list(Step))), max_size=60))
def test_the_running_account_equals_one_made_anew_from_the_trials(moves: list[tuple[int, Step]]) -> None:
    campaign = plan(budget_s=60)
    ledger = Ledger(campaign)
    durations: dict[int, Decimal] = {}
    for place, step in moves:
        if not violations(ledger, STEPS[step](campaign, place)) and ledger.resource("duration_s", place) is not None:
            durations[place] = Decimal(repr(ledger.resource("duration_s", place)))

    account = admission(ledger)

    states = [ledger.standing(place) for place in range(8)]
    charged = [s for s in states if s not in {Standing.UNSTARTED, Standing.SKIPPED_BEFORE_START}]
    assert account.observed_s == sum(durations.values())
    assert account.reserved_s == 10 * (len(charged) - len(durations))
    assert account.remaining_s == 60 - account.observed_s - account.reserved_s


@pytest.mark.clause("A10-45")
def test_equality_admits_and_a_hair_less_does_not() -> None:
    assert admits(Decimal(10), 10)
    assert not admits(Decimal("9.9999999999999999999"), 10)


def test_charges_are_exact_decimals_so_that_tenths_add_up() -> None:
    campaign = plan(budget_s=11, timeout_s=10)

    ledger = folded(campaign, *(e for n in range(3) for e in run(campaign, n, resources={"duration_s": 0.1})))
    assert admission(ledger).remaining_s == Decimal("10.7")
    for place, duration in ((3, 0.2), (4, 0.5)):
        assert not violations(ledger, *run(campaign, place, resources={"duration_s": duration}))

    assert admission(ledger).next_admissible is True


@pytest.mark.clause("A10-46")
def test_a_lost_attempt_reserves_its_whole_timeout_apart_from_what_was_observed() -> None:
    campaign = plan(budget_s=100)

    ledger = folded(
        campaign,
        opened(campaign),
        started(campaign, 0),
        *run(campaign, 1, resources={"duration_s": 2.0}),
        *run(campaign, 2, "infrastructure_failure", resources={}),
        recovered(campaign, 3),
        skipped_before_start(campaign, 4),
    )

    account = admission(ledger)
    assert (account.observed_s, account.reserved_s, account.unmeasured_charges) == (Decimal("2.0"), 30, 1)
    assert account.remaining_s == 68
    assert admissible_at_worst(ledger) == 3


def test_without_a_budget_nothing_is_said_of_what_remains() -> None:
    ledger = Ledger(plan())

    account = admission(ledger)

    assert (account.remaining_s, account.next_admissible, account.next_timeout_s) == (None, None, 10)
    assert admissible_at_worst(ledger) is None


def test_the_reason_of_the_last_stop_is_forgotten_when_a_runner_goes_on() -> None:
    campaign = plan()
    ledger = folded(campaign, opened(campaign), closed(campaign))
    assert ledger.last_stop.reason == "budget"

    violations(ledger, opened(campaign))

    assert ledger.last_stop is None


def test_what_is_in_flight_is_what_this_runner_started() -> None:
    campaign = plan()

    ledger = folded(campaign, opened(campaign), started(campaign, 0), opened(campaign), started(campaign, 1))

    assert list(ledger.in_flight) == [1]


def test_events_are_not_changed_by_being_folded() -> None:
    campaign = plan()
    events = [opened(campaign), *run(campaign, 0)]
    kept = copy.deepcopy(events)

    folded(campaign, *events)

    assert events == kept

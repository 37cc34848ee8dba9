"""Laws of admission: whatever trials take and however they end, the budget is spent by the rules and no other way."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakbench_core.campaign.vocabulary import StopReason
from oakbench_core.running.run_loop import RunLimits, Stop
from tests.running.simulated_runs import Course, Simulated, charges, planned, simulated

GRACE_S = 2
OUTCOMES = ["passes", "fails", "setup_failed", "agent_killed", "provider_unavailable"]


@st.composite
def course(draw: st.DrawFn, timeout_s: int) -> Course:
    """A trial that keeps to its timeout, is ended at it, or loses its duration."""
    kind = draw(st.sampled_from(["ends", "ends", "timed_out", "lost", "interrupted"]))
    if kind == "timed_out":
        return Course(timeout_s + draw(st.integers(0, GRACE_S * 10)) / 10, "timed_out")
    if kind == "lost":
        return Course(None, "supervisor_lost")
    if kind == "interrupted":
        return Course(1.0, "interrupted")
    return Course(draw(st.integers(0, timeout_s * 10)) / 10, draw(st.sampled_from(OUTCOMES)))


@st.composite
def campaigns(draw: st.DrawFn) -> tuple[list[int], list[Course], int, int]:
    timeouts_s = draw(st.lists(st.integers(1, 5), min_size=1, max_size=12))
    courses = [draw(course(timeout_s)) for timeout_s in timeouts_s]
    return timeouts_s, courses, draw(st.integers(0, sum(timeouts_s) + 3)), draw(st.integers(1, 5))


def run(campaign: tuple[list[int], list[Course], int, int]) -> Simulated:
    timeouts_s, courses, budget_s, max_parallel = campaign
    with TemporaryDirectory() as place:
        return simulated(Path(place), planned(timeouts_s, budget_s=budget_s), courses, max_parallel=max_parallel)


@pytest.mark.clause("A10-45")
@given(campaigns())
def test_at_every_step_the_budget_is_what_the_journal_says_and_no_trial_is_admitted_beyond_it(
    campaign: tuple[list[int], list[Course], int, int],
) -> None:
    _, _, budget_s, max_parallel = campaign
    seen = run(campaign)
    plan = seen.simulation.plan
    assert isinstance(seen.stop, Stop)
    assert seen.stop.reason in {StopReason.BUDGET, StopReason.EXHAUSTED}
    accounts = iter(seen.simulation.accounts)
    happened: list[dict[str, object]] = []
    for event in seen.events:
        if event["event"] == "started":
            timeout_s = next(trial.timeout_s for trial in plan.schedule if trial.trial_id == event["trial_id"])
            # Never with less than its whole timeout; equality admits.
            assert budget_s - charges(plan, happened) >= timeout_s
        happened.append(event)
        if event["event"] in {"started", "finished"}:
            account = next(accounts)
            while account.observed_s + account.reserved_s != charges(plan, happened):
                account = next(accounts)  # an interruption is no event
            assert account.remaining_s == budget_s - account.observed_s - account.reserved_s
    # Reservations are never exceeded by more than the grace of what was in flight at once.
    assert charges(plan, happened) <= budget_s + max_parallel * GRACE_S
    assert seen.simulation.most_flying <= max_parallel


@given(campaigns())
def test_a_run_stops_for_want_of_budget_only_with_nothing_in_flight_and_only_where_it_is_so(
    campaign: tuple[list[int], list[Course], int, int],
) -> None:
    timeouts_s, _, budget_s, _ = campaign
    seen = run(campaign)
    assert isinstance(seen.stop, Stop)
    started = seen.started

    assert started == list(range(1, len(started) + 1))  # in the schedule's order, each once
    left = budget_s - charges(seen.simulation.plan, seen.events)
    if seen.stop.reason is StopReason.BUDGET:
        assert left < timeouts_s[len(started)]
        assert seen.stop.code == 12
        assert seen.log == [] or "start" not in seen.log[-1]
    else:
        assert seen.stop.reason is StopReason.EXHAUSTED
        assert len(started) == len(timeouts_s)


@settings(max_examples=40)
@given(campaigns(), st.integers(1, 4))
def test_a_campaign_run_in_pieces_spends_the_same_budget(
    campaign: tuple[list[int], list[Course], int, int], pieces: int
) -> None:
    """Each run begins from the journal alone."""
    timeouts_s, courses, budget_s, max_parallel = campaign
    document = planned(timeouts_s, budget_s=budget_s)
    with TemporaryDirectory() as place:
        for _ in range(len(timeouts_s) + 1):
            limits = RunLimits(starts=pieces)
            seen = simulated(Path(place), document, courses, limits=limits, max_parallel=max_parallel)
            assert isinstance(seen.stop, Stop)
            if seen.stop.reason is not StopReason.LIMIT:
                break
            assert len(seen.started) == pieces
    plan = seen.simulation.plan
    started = [event["trial_id"] for event in seen.events if event["event"] == "started"]
    assert len(set(started)) == len(started)
    assert charges(plan, seen.events) <= Decimal(budget_s + max_parallel * GRACE_S)
    if isinstance(seen.stop, Stop) and seen.stop.reason is StopReason.BUDGET:
        assert budget_s - charges(plan, seen.events) < timeouts_s[len(started)]

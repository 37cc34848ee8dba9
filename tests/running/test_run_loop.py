"""The loop of a run in simulated time: what it waits for, what it stops for, what it ends, and in which order."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.vocabulary import StopReason
from oakbench_core.errors import ExitCode, PlatformError, PoisonedError
from oakbench_core.running.run_loop import RunLimits, Stop
from tests.core.durable_faults import FaultyFiles
from tests.running.simulated_runs import Course, Simulation, planned, simulated

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LIMIT = Course(1.0, "provider_limit")
WORKS = Course(10.0)


def test_so_many_trials_are_in_flight_and_the_next_starts_when_one_ends(tmp_path: Path) -> None:
    courses = [Course(5), Course(3), Course(3), Course(1)]
    seen = simulated(tmp_path, planned([9] * 4), courses, max_parallel=2)

    assert seen.log == [
        "0 start 1", "0 start 2", "3 end 2", "3 start 3", "5 end 1", "5 start 4", "6 end 3", "6 end 4",
    ]  # fmt: skip
    assert seen.stop == Stop(StopReason.EXHAUSTED, ExitCode.DONE)
    assert seen.events[0]["runner"]["max_parallel"] == 2


def test_with_less_budget_than_a_timeout_the_loop_waits_for_what_is_in_flight_and_asks_again(tmp_path: Path) -> None:
    """Fault 21. Two trials reserve all of it; the first gives back enough for the third, the second for no other."""
    courses = [Course(5), Course(10), Course(4), Course(1)]
    seen = simulated(tmp_path, planned([10] * 4, budget_s=25), courses, max_parallel=4)

    assert seen.log == ["0 start 1", "0 start 2", "5 end 1", "5 start 3", "9 end 3", "10 end 2"]
    assert seen.stop == Stop(StopReason.BUDGET, ExitCode.BUDGET, "6.0 s remain, the next trial needs 10 s")


def test_equality_admits(tmp_path: Path) -> None:
    assert simulated(tmp_path, planned([10, 10], budget_s=20), [Course(10)] * 2, max_parallel=2).started == [1, 2]


def test_a_row_of_failures_stops_the_run_and_what_is_in_flight_goes_to_its_end(tmp_path: Path) -> None:
    failing = Course(1, "agent_not_started")
    seen = simulated(tmp_path, planned([9] * 9), [failing] * 3 + [WORKS] * 6, max_parallel=4, halt_after=3)

    assert seen.log == [
        "0 start 1", "0 start 2", "0 start 3", "0 start 4", "1 end 1", "1 start 5", "1 end 2", "1 start 6", "1 end 3",
        "1 stopping with 3: 3 infrastructure failures of a in a row, the last: agent_not_started: the last word of it",
        "10 end 4", "11 end 5", "11 end 6",
    ]  # fmt: skip
    assert isinstance(seen.stop, Stop)
    assert (seen.stop.reason, seen.stop.code) == (StopReason.HALTED, ExitCode.SELF_STOPPED)
    assert seen.events[-1]["stop"]["detail"] == seen.stop.detail


def test_so_many_trials_are_started_at_most(tmp_path: Path) -> None:
    seen = simulated(tmp_path, planned([9] * 5), [WORKS] * 5, max_parallel=2, limits=RunLimits(starts=3))

    assert seen.started == [1, 2, 3]
    assert seen.stop == Stop(StopReason.LIMIT, ExitCode.SELF_STOPPED, "it was to start 3 trials, and has")
    again = simulated(tmp_path, planned([9] * 5), [WORKS] * 5, limits=RunLimits(starts=3))
    assert (again.started, again.stop) == ([4, 5], Stop(StopReason.EXHAUSTED, ExitCode.DONE))


def test_a_limit_that_the_schedule_just_reaches_stops_nothing(tmp_path: Path) -> None:
    seen = simulated(tmp_path, planned([9] * 2), [WORKS] * 2, limits=RunLimits(starts=2))

    assert seen.stop == Stop(StopReason.EXHAUSTED, ExitCode.DONE)


def test_after_so_long_nothing_is_started_and_what_is_in_flight_goes_to_its_end(tmp_path: Path) -> None:
    seen = simulated(tmp_path, planned([99] * 9), [WORKS] * 9, max_parallel=2, limits=RunLimits(seconds=15))

    assert [line for line in seen.log if "stopping" not in line][-2:] == ["20 end 3", "20 end 4"]
    assert seen.started == [1, 2, 3, 4]
    assert isinstance(seen.stop, Stop)
    assert (seen.stop.reason, seen.stop.code) == (StopReason.LIMIT, 13)
    assert seen.stop.detail == "it was to start trials for 15 s, which are over"


def test_after_a_limit_nothing_starts_until_the_hold_is_over_and_then_one_alone_tries(tmp_path: Path) -> None:
    courses = [LIMIT, Course(2, "provider_limit"), WORKS, WORKS, WORKS]
    seen = simulated(tmp_path, planned([99] * 5), courses, max_parallel=2, hold_s=100, halt_after=2)

    assert seen.log == [
        "0 start 1", "0 start 2", "1 end 1", "1 hold 100", "2 end 2", "2 hold 100",
        "102 start 3", "112 end 3", "112 start 4", "112 start 5", "122 end 4", "122 end 5",
    ]  # fmt: skip
    assert seen.stop == Stop(StopReason.EXHAUSTED, ExitCode.DONE)


def test_the_limits_own_end_stands_for_the_hold(tmp_path: Path) -> None:
    courses = [Course(1, "provider_limit", resets_after_s=5000), WORKS]
    seen = simulated(tmp_path, planned([99] * 2), courses, hold_s=100)
    assert seen.log == ["0 start 1", "1 end 1", "1 hold 5000", "5001 start 2", "5011 end 2"]


def test_an_end_of_a_limit_that_is_over_already_holds_for_nothing(tmp_path: Path) -> None:
    courses = [Course(1, "provider_limit", resets_after_s=-3), WORKS]
    seen = simulated(tmp_path, planned([99] * 2), courses, hold_s=100)
    assert seen.log == ["0 start 1", "1 end 1", "1 start 2", "11 end 2"]


def test_without_holds_a_limit_is_a_failure_like_any_other(tmp_path: Path) -> None:
    seen = simulated(tmp_path, planned([9] * 9), [LIMIT] * 9, max_parallel=2, halt_after=3)

    assert len(seen.started) == 4
    assert isinstance(seen.stop, Stop)
    assert seen.stop.reason is StopReason.HALTED


def test_a_limit_that_does_not_end_burns_one_trial_a_hold_and_halts(tmp_path: Path) -> None:
    """What was in flight when the limit struck is one failure, and each try after it is another."""
    seen = simulated(tmp_path, planned([9] * 20), [LIMIT] * 20, max_parallel=4, hold_s=60, halt_after=3)

    assert len(seen.started) == 6
    assert isinstance(seen.stop, Stop)
    assert (seen.stop.reason, seen.stop.code) == (StopReason.HALTED, 13)
    assert "provider_limit" in str(seen.stop.detail)


def test_a_long_trial_from_before_the_limit_keeps_no_other_from_trying(tmp_path: Path) -> None:
    courses = [Course(500), LIMIT, WORKS, WORKS]
    seen = simulated(tmp_path, planned([999] * 4), courses, max_parallel=3, hold_s=50)

    assert [line for line in seen.log if "start" in line] == [
        "0 start 1", "0 start 2", "0 start 3", "51 start 4",
    ]  # fmt: skip


def test_the_time_of_a_run_ends_within_a_hold_too(tmp_path: Path) -> None:
    seen = simulated(tmp_path, planned([9] * 3), [LIMIT] * 3, hold_s=1000, limits=RunLimits(seconds=60))

    assert seen.log[-1] == "1 hold 1000"
    assert seen.simulation.time.now == 60
    assert isinstance(seen.stop, Stop)
    assert seen.stop.reason is StopReason.LIMIT


def asking(number: int, when: str) -> Callable[[str, Simulation], None]:
    def act(text: str, simulation: Simulation) -> None:
        if text == when:
            simulation.switch.ask(number)

    return act


def test_a_first_interrupt_lets_everything_in_flight_go_to_its_end(tmp_path: Path) -> None:
    seen = simulated(tmp_path, planned([9] * 9), [WORKS] * 9, max_parallel=3, act=asking(2, "start 3"))

    assert seen.started == [1, 2, 3]
    assert [event["event"] for event in seen.events].count("finished") == 3
    assert seen.stop == Stop(StopReason.SIGNAL, 130)


@pytest.mark.parametrize(("number", "code"), [(15, 143), (1, 129)])
def test_other_signals_end_what_is_in_flight_and_leave_it_interrupted(tmp_path: Path, number: int, code: int) -> None:
    seen = simulated(tmp_path, planned([9] * 9), [WORKS] * 9, max_parallel=3, act=asking(number, "start 3"))

    assert [line.split(" ", 1)[1] for line in seen.log[3:]] == ["interrupted 1", "interrupted 2", "interrupted 3"]
    assert [event["event"] for event in seen.events] == ["opened", *["started"] * 3, "closed"]
    assert seen.stop == Stop(StopReason.SIGNAL, code)


def test_a_signal_weighs_more_than_a_stop_that_was_under_way(tmp_path: Path) -> None:
    courses = [Course(1, "setup_failed"), *[WORKS] * 3]
    act = asking(2, "end 1")
    seen = simulated(tmp_path, planned([9] * 4), courses, max_parallel=2, halt_after=1, act=act)

    assert seen.stop == Stop(StopReason.SIGNAL, 130)


@pytest.mark.parametrize("fault", [{"sync_data": errno.EIO}, {"write": errno.ENOSPC}])
def test_a_journal_that_cannot_be_written_starts_nothing_more_and_ends_what_is_in_flight(
    tmp_path: Path, fault: dict[str, int]
) -> None:
    """Fault 10: no launch after it, no retry, nothing left running."""
    files = FaultyFiles()

    def act(text: str, _: Simulation) -> None:
        if text == "start 3":
            files.failing |= fault

    seen = simulated(tmp_path, planned([9] * 9), [Course(5), *[WORKS] * 8], max_parallel=3, files=files, act=act)

    assert isinstance(seen.stop, PoisonedError)
    assert seen.stop.exit_code == ExitCode.POISONED
    assert seen.started == [1, 2, 3]
    assert seen.simulation.switch.end_now.is_set()
    assert seen.simulation.switch.signal is None


def test_a_folder_that_becomes_part_of_a_project_stops_the_run_when_what_is_in_flight_has_ended(tmp_path: Path) -> None:
    def act(text: str, _: Simulation) -> None:
        if text == "end 1":
            (tmp_path / "ws" / "CLAUDE.md").touch()

    seen = simulated(tmp_path, planned([9] * 9), [Course(5), *[WORKS] * 8], max_parallel=3, act=act)

    assert isinstance(seen.stop, PlatformError)
    assert [event["event"] for event in seen.events] == ["opened", *["started"] * 3, *["finished"] * 3]


def test_an_input_that_changes_stops_the_run_when_what_is_in_flight_has_ended(tmp_path: Path) -> None:
    """Fault 23."""

    def act(text: str, _: Simulation) -> None:
        if text == "end 1":
            (tmp_path / "plan.json").write_text("{}")

    seen = simulated(tmp_path, planned([9] * 9), [Course(5), *[WORKS] * 8], max_parallel=3, act=act)

    assert isinstance(seen.stop, Stop)
    assert (seen.stop.reason, seen.stop.code) == (StopReason.CHANGED_INPUT, ExitCode.IDENTITY)
    assert [event["event"] for event in seen.events].count("finished") == 3


def test_a_thread_that_fails_is_a_trial_that_was_lost_with_its_whole_timeout(tmp_path: Path) -> None:
    def act(text: str, simulation: Simulation) -> None:
        if text == "start 1":
            simulation.courses[0] = Course(1, "no such word")

    seen = simulated(tmp_path, planned([9] * 2), [WORKS] * 2, act=act)

    error = seen.events[2]["row"]["error"]
    assert error == {"type": "worker_lost", "message": "the thread of the trial failed: ValueError"}
    assert seen.events[2]["row"]["resources"]["duration_s"] is None
    assert seen.stop == Stop(StopReason.EXHAUSTED, ExitCode.DONE)

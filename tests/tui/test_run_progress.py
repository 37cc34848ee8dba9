"""Progress of a run in figures and lines: counts, budget, hours left, what runs longest; never too wide."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.ledger import Ledger
from oakbench_tui.cli.durations import seconds_of, span_in_words
from oakbench_tui.view.run_progress import RunFigures, Running, progress_lines, run_figures
from tests import campaigns

FIGURES = RunFigures(
    ended=14, scheduled=126, counts=(("verified", 9), ("failed", 3), ("skipped", 2)), unstarted=108,
    unstarted_timeout_s=64_800, mean_s=50.0, budget_s=7200, remaining_s=1234.5, max_parallel=4,
)  # fmt: skip
RUNNING = [Running("w.t.b", 600, 970.0), Running("w.t.a", 600, 400.0), Running("w.t.c", 600, 1000.0)]


def test_the_lines_say_what_ended_what_is_left_and_what_runs_longest_first() -> None:
    assert progress_lines(FIGURES, RUNNING, 1000.0, 200, 9) == [
        "14 of 126 ended: 9 verified, 3 failed, 2 skipped",
        "1,234 s of 7,200 s of the budget left; 4.6 h of agents left at worst, 23 min at the mean so far",
        "  w.t.a      600 s of 600 s",
        "  w.t.b       30 s of 600 s",
        "  w.t.c        0 s of 600 s",
    ]


def test_what_does_not_fit_is_counted_and_cut() -> None:
    lines = progress_lines(FIGURES, RUNNING, 1000.0, 40, 3)

    assert len(lines) == 3
    assert lines[2] == "  w.t.a      600 s of 600 s   and 2 more"
    assert lines[1].endswith("…")
    assert all(len(line) <= 40 for line in lines)


def test_nothing_is_said_of_a_mean_without_a_measured_trial_nor_of_a_budget_that_there_is_not() -> None:
    bare = FIGURES._replace(mean_s=None, budget_s=None, remaining_s=None, counts=(), ended=0)

    assert progress_lines(bare, [], 0.0, 200, 9) == ["0 of 126 ended", "4.5 h of agents left at worst"]


@given(st.integers(20, 200), st.integers(3, 12), st.integers(0, 9))
def test_lines_keep_to_the_screen(width: int, most: int, running: int) -> None:
    flying = [Running(f"w.t.plain.a.r{number:03}.s", 10**6, float(number)) for number in range(running)]
    lines = progress_lines(FIGURES, flying, 1e6, width, most)

    assert len(lines) <= most
    assert all(len(line) <= width for line in lines)


def test_figures_are_the_ledgers_and_trials_in_flight_are_no_interruptions() -> None:
    plan = campaigns.plan(budget_s=60)
    ledger = Ledger(plan)
    events = [
        campaigns.started(plan, 0), campaigns.finished(plan, 0), campaigns.started(plan, 1), campaigns.started(plan, 2),
    ]  # fmt: skip
    assert campaigns.violations(ledger, *events) == []
    figures = run_figures(ledger, 1, 50, 2)

    assert (figures.ended, figures.scheduled, figures.unstarted) == (1, 8, 5)
    assert figures.counts == (("verified", 1), ("interrupted", 1))
    assert (figures.mean_s, figures.budget_s, figures.remaining_s) == (1.5, 60, 38.5)


@given(st.integers(0, 99), st.integers(0, 99), st.integers(1, 99))
def test_a_span_is_read_as_it_is_written(hours: int, minutes: int, seconds: int) -> None:
    assert seconds_of(f"{hours}h{minutes}m{seconds}s", "--for") == 3600 * hours + 60 * minutes + seconds


def test_a_span_in_words_has_two_units() -> None:
    assert [span_in_words(seconds) for seconds in (12.9, 450, 7500)] == ["12 s", "7 min 30 s", "2 h 05 min"]

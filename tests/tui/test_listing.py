"""The cursor stands on a trial; nothing that arrives moves it."""

from __future__ import annotations

import pytest

from oakbench_tui.view.filter import EXPECTED, FilterError, parse_filter
from oakbench_tui.view.glyphs import LOOKS, Shown
from oakbench_tui.view.listing import Listing, Order, Sort
from tests.campaigns import finished, plan, run, skipped_before_start, started
from tests.tui.snapshots import small_snapshot

PLAN = plan()  # eight trials: two tasks, two subjects, two repetitions


def slow(place: int, seconds: float) -> list[dict[str, object]]:
    return run(PLAN, place, resources={"duration_s": seconds})


def test_a_trial_that_no_longer_matches_stays_while_the_cursor_stands_on_it() -> None:
    before = small_snapshot([started(PLAN, 2)], [started(PLAN, 3)])
    listing = Listing(before, filter=parse_filter("state:interrupted"))
    listing.stand_on(0)

    listing.take(small_snapshot(run(PLAN, 2), [started(PLAN, 3)]))

    assert listing.cursor == 2
    assert (list(listing.places), listing.matched) == ([2, 3], 1)


def test_the_first_trial_that_matches_at_last_gets_the_cursor() -> None:
    listing = Listing(small_snapshot([started(PLAN, 3)]), filter=parse_filter("state:finished"))
    assert (listing.cursor, list(listing.places)) == (None, [])

    listing.take(small_snapshot(run(PLAN, 3)))

    assert (listing.cursor, listing.row) == (3, 0)


def test_a_live_sort_that_would_move_the_cursor_is_held_until_asked_for() -> None:
    listing = Listing(small_snapshot(slow(0, 5.0)), order=Order(Sort.DURATION))
    listing.stand_on(0)
    assert listing.cursor == 0

    newer = small_snapshot(slow(0, 5.0), slow(1, 1.0))
    listing.take(newer)
    before = (listing.held, listing.cursor, listing.row)
    listing.arrange()
    after = (listing.held, listing.cursor, listing.row)

    assert before == (True, 0, 0)
    assert after == (False, 0, 1)


def test_new_rows_above_keep_the_cursor_on_its_trial() -> None:
    listing = Listing(small_snapshot(run(PLAN, 5)), filter=parse_filter("state:finished"))
    assert (listing.cursor, listing.row) == (5, 0)

    listing.take(small_snapshot(run(PLAN, 1), run(PLAN, 5)))

    assert (listing.cursor, listing.row) == (5, 1)


def test_the_next_problem_is_the_next_trial_that_is_not_verified() -> None:
    held = small_snapshot(run(PLAN, 0), run(PLAN, 1, verified=False), run(PLAN, 2, "timed_out"), run(PLAN, 3))
    listing = Listing(held)

    assert listing.problem_row(1) == 1
    listing.stand_on(2)
    assert (listing.problem_row(1), listing.problem_row(-1)) == (None, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fix", [0, 1, 4, 5]),
        ("!hg fix", [0, 4]),
        ("subject:git", [0, 2, 4, 6]),
        ("rep:2 task:rename", [6, 7]),
        ("duration:>2", [1]),
        ("duration:1..2", [0]),
        ("tokens:>=100", [0]),
        ("state:run", []),
        ("outcome:task", [1]),
        ("unmeasured:input", [1]),
        ("reason:tests", [1]),
        ("state:", list(range(8))),
        ("duration:>", list(range(8))),
        ("duration:1.", list(range(8))),
        ("duration:1..", list(range(8))),
        ("state:failure", [1]),
        ("state:task-failure", [1]),
        ('state:"task failure"', [1]),
        ("state:success", [0]),
        ("state:fini", [0, 1]),
        ("state:un", [2, 3, 4, 5, 6, 7]),
        ("!state:unstarted", [0, 1]),
        ('"w.fix"', [0, 1, 4, 5]),
        ("FIX", []),
    ],
)
def test_the_filter_language(text: str, expected: list[int]) -> None:
    held = small_snapshot(run(PLAN, 0), run(PLAN, 1, verified=False, resources={"duration_s": 3.0}))

    assert list(parse_filter(text).places(held)) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(", "no regex"),
        ("state:asleep", "no state is called asleep: unstarted running"),
        ("colour:red", "no key is called colour"),
        ("duration:soon", "expected a number such as >60"),
        ('"open', "a quote is open"),
        ("state:\x1b[31m", r"\x1b[31m"),
    ],
)
def test_a_wrong_expression_says_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(FilterError) as error:
        parse_filter(text)

    assert said in str(error.value)
    assert "\x1b" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("state:", "state: is not finished: unstarted running"),
        ("fix duration:>", "duration:> is not finished: a number such as >60"),
        ("duration:10..", "not finished"),
        ("!", "! is not finished"),
    ],
)
def test_a_term_that_is_half_typed_asks_for_nothing_and_is_not_accepted(text: str, said: str) -> None:
    parse_filter(text)
    with pytest.raises(FilterError) as error:
        parse_filter(text, whole=True)

    assert said in str(error.value)


@pytest.mark.parametrize("shown", Shown)
def test_every_word_that_the_list_shows_of_a_state_finds_its_trials(shown: Shown) -> None:
    look = LOOKS[shown]
    trials = [
        run(PLAN, 0),
        run(PLAN, 1, verified=False),
        run(PLAN, 2, "timed_out"),
        run(PLAN, 3, "infrastructure_failure"),
        [skipped_before_start(PLAN, 4)],
        [started(PLAN, 5)],
        [started(PLAN, 6)],
    ]
    held = small_snapshot(*trials, running=(6,))

    for word in (look.word, look.short):
        for text in (f'state:"{word}"', f"state:{word.replace(' ', '-')}", f"state:{word.replace(' ', '_')}"):
            assert [held.shown(place) for place in parse_filter(text, whole=True).places(held)] == [shown]


def test_every_value_that_the_help_names_is_one() -> None:
    for key in ("state", "outcome", "unmeasured"):
        for value in EXPECTED[key].split():
            assert parse_filter(f"{key}:{value}", whole=True).terms


def test_running_is_a_word_of_a_live_runner_only() -> None:
    held = small_snapshot([started(PLAN, 0)], [started(PLAN, 1)], [finished(PLAN, 1)], running=(0,))

    assert list(parse_filter("state:running").places(held)) == [0]
    assert list(parse_filter("state:interrupted").places(held)) == []

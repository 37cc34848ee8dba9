"""The adapter `mock`: scripted courses as real processes, the same for the same plan everywhere."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.mock_script import FAULTS, OUTCOMES, RANGES, course_of, mock_script
from oakbench_core.campaign.vocabulary import Terminal
from tests.running.trials import alive

if TYPE_CHECKING:
    from oakbench_core.running.attempt import Attempted
    from tests.running.trials import Trials

CHECK = {"name": "done", "kind": "file", "path": "done", "present": True}


def mocked(trials: Trials, *words: str, **more: Any) -> Attempted:
    return trials.attempt([*words], agent={"adapter": "mock", "mock": True}, checks=[CHECK], **more)


@pytest.mark.parametrize(
    ("words", "terminal", "verified", "error"),
    [
        (["pass=1", "do=touch done"], Terminal.COMPLETED, True, None),
        (["pass=1", "do=echo {trial_id} > done"], Terminal.COMPLETED, True, None),
        (["pass=1", "do=exit 3"], Terminal.COMPLETED, False, None),
        (["fail=1", "do=touch done"], Terminal.COMPLETED, False, None),
        (["crash=1", "do=touch done"], Terminal.COMPLETED, False, None),
        (["hang=1", "stubborn=100"], Terminal.TIMED_OUT, False, None),
        (["killed=1"], Terminal.INFRASTRUCTURE_FAILURE, None, "agent_killed"),
        (["auth=1"], Terminal.INFRASTRUCTURE_FAILURE, None, "provider_auth"),
        (["limit=1", "resets_in_s=60"], Terminal.INFRASTRUCTURE_FAILURE, None, "provider_limit"),
        (["outage=1"], Terminal.INFRASTRUCTURE_FAILURE, None, "provider_unavailable"),
    ],
)
def test_a_trial_ends_as_its_script_says(
    trials: Trials, words: list[str], terminal: Terminal, verified: bool | None, error: str | None
) -> None:
    attempted = mocked(trials, *words, timeout_s=1)

    assert (attempted.terminal, attempted.row["verified_success"]) == (terminal, verified)
    assert (attempted.row["error"] or {}).get("type") == error
    assert ("provider_resets_at" in attempted.row["extra"]) == ("resets_in_s=60" in words)


def test_it_says_what_it_used_unless_it_is_silent(trials: Trials) -> None:
    words = ["pass=1", "tokens=1000", "turns=3-5", "tool_calls=7", "cost_usd=0.25"]
    used = mocked(trials, *words).row["resources"]
    assert (used["input_tokens"], used["output_tokens"], used["cached_input_tokens"]) == (800, 200, 0)
    assert 3 <= used["turns"] <= 5
    assert (used["tool_calls"], used["cost_usd"]) == (7, 0.25)

    silent = mocked(trials.another(), *words, "silent=100").row["resources"]
    assert {name for name, value in silent.items() if value is not None} == {"duration_s", "transcript_bytes"}


def test_its_faults_are_real_and_leave_nothing(trials: Trials) -> None:
    attempted = mocked(
        trials, "pass=1", "do=touch done", "daemon=100", "stubborn=100", "flood=100", output_cap_bytes=1 << 20
    )

    assert attempted.row["verified_success"] is True
    assert attempted.row["extra"]["output_cut"] == {"stderr": 8 << 20}
    assert alive("sleep\x0086400") == []


def test_the_course_of_a_plan_is_the_same_everywhere_and_another_by_another_seed() -> None:
    words = ["pass=6", "fail=3", "hang=1", "seconds=0-2", "daemon=50"]
    script, seeded = mock_script(words)[0], mock_script([*words, "seed=2"])[0]
    courses = [course_of(script, f"w.t.plain.a.r{number:03}.s") for number in range(300)]

    assert courses[0] == ("hang", ("daemon",), {"seconds": 0.573227}, None)
    assert courses == [course_of(script, f"w.t.plain.a.r{number:03}.s") for number in range(300)]
    assert courses != [course_of(seeded, f"w.t.plain.a.r{number:03}.s") for number in range(300)]
    counts = Counter(course.outcome for course in courses)
    assert 150 < counts["pass"] < 210
    assert 15 < counts["hang"] < 45


@given(
    st.dictionaries(st.sampled_from(OUTCOMES), st.integers(0, 5), min_size=1),
    st.dictionaries(st.sampled_from(FAULTS), st.integers(0, 100)),
    st.dictionaries(st.sampled_from(RANGES), st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted)),
    st.text(max_size=9),
)
def test_what_is_drawn_is_within_the_script(
    outcomes: dict[str, int], faults: dict[str, int], ranges: dict[str, list[int]], trial_id: str
) -> None:
    words = [f"{name}={value}" for name, value in {**outcomes, **faults}.items()]
    script, problems = mock_script([*words, *(f"{name}={low}-{high}" for name, (low, high) in ranges.items())])
    if not sum(outcomes.values()):
        assert problems
        return
    course = course_of(script, trial_id)

    assert problems == []
    assert outcomes[course.outcome] > 0
    assert {name for name, percent in faults.items() if percent == 100} <= set(course.faults)
    assert not {name for name, percent in faults.items() if percent == 0} & set(course.faults)
    assert all(low <= course.numbers[name] <= high for name, (low, high) in ranges.items())

"""What an error says: every problem with its place, and nothing twice."""

from __future__ import annotations

import pytest

from oakbench_core.errors import DocumentError, OakbenchError, Problem


@pytest.mark.parametrize(
    ("message", "problem", "said"),
    [
        ("it is wrong", Problem(rule="it is wrong"), "it is wrong"),
        ("it is wrong", Problem(rule="it is wrong", file="f"), "f: it is wrong"),
        ("f: it is wrong", Problem(rule="it is wrong", file="f"), "f: it is wrong"),
        ("f: it is wrong", Problem(rule="it is wrong", file="f", byte=1234), "f, byte 1,234: it is wrong"),
        ("refused", Problem(rule="it is wrong", file="f"), "refused\n  f: it is wrong"),
    ],
)
def test_one_problem_is_said_once_with_what_is_known_of_its_place(message: str, problem: Problem, said: str) -> None:
    assert str(OakbenchError(message, [problem])) == said


def test_an_error_without_problems_says_its_message() -> None:
    assert str(OakbenchError("it is wrong")) == "it is wrong"


def test_of_several_problems_each_is_said_below_the_message() -> None:
    error = DocumentError("refused", [Problem(rule="a", line=1), Problem(rule="refused")])

    assert str(error) == "refused\n  line 1: a\n  refused"

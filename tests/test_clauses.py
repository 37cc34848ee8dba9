"""Each sentence of the decision records is shown by a test, or is named as not built yet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MARK = re.compile(r"pytest\.mark\.clause\(([^)]*)\)")
IDENTITY = re.compile(r"A(?:09|10)-\d\d")


def shown() -> dict[str, list[str]]:
    """Clause → the test files that mark it."""
    found: dict[str, list[str]] = {}
    for path in sorted(HERE.rglob("test_*.py")):
        for mark in MARK.findall(path.read_text()):
            for clause in IDENTITY.findall(mark):
                found.setdefault(clause, []).append(path.name)
    return found


def clauses() -> list[str]:
    return re.findall(r"^\| (A(?:09|10)-\d\d) \|", (HERE / "clauses.md").read_text(), re.MULTILINE)


def pending() -> list[str]:
    lines = (HERE / "clauses_pending.txt").read_text().splitlines()
    return [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]


def test_there_are_ninety_six_clauses() -> None:
    assert len(clauses()) == len(set(clauses())) == 96


@pytest.mark.parametrize("clause", clauses())
def test_a_clause_is_shown_by_a_test_or_is_pending(clause: str) -> None:
    assert (clause in shown()) is not (clause in pending()), (
        f"{clause}: in exactly one of tests and clauses_pending.txt"
    )


def test_marks_and_pending_ids_are_clauses() -> None:
    assert set(shown()) | set(pending()) <= set(clauses())

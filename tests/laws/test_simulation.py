"""The simulation of docs/simulation.md: what its tables say holds, and they are what the program gives."""

from __future__ import annotations

import os
import re

import pytest

from tests.simulate_claims import (
    MARK,
    PAGE,
    PAIRS,
    SIZES,
    coverage_rows,
    false_green_rows,
    p99_coverage,
    standard_error,
)

RUNS = 20_000 if os.environ.get("OAKBENCH_LONG") else 1_000
SIGMAS = 5  # of chance: some fifty figures are compared, and none should be off by luck


def page_rows() -> dict[str, list[float]]:
    """Name of a row → its figures as shares."""
    _, _, tables = PAGE.read_text().partition(MARK)
    rows = {}
    for line in tables.splitlines():
        name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells and all(re.fullmatch(r"\d+\.\d+( %)?", cell) for cell in cells):
            rows[name] = [float(cell.removesuffix(" %")) / (100 if "%" in cell else 1) for cell in cells]
    return rows


def agree(one: float, other: float) -> bool:
    return abs(one - other) <= SIGMAS * 2 * max(standard_error(one, RUNS), standard_error(other, RUNS))


@pytest.mark.slow
def test_an_interval_of_a_ratio_covers_at_least_as_often_as_it_says() -> None:
    shown = page_rows()

    for name, row in coverage_rows(RUNS):
        assert len(row) == len(SIZES)
        for figure, on_page in zip(row, shown[name], strict=True):
            assert figure >= 0.95 - SIGMAS * standard_error(0.95, RUNS), name
            assert agree(figure, on_page), (name, figure, on_page)
    assert all(value >= 0.95 - SIGMAS * standard_error(0.95, RUNS // 10) for value in p99_coverage(RUNS // 10).values())


@pytest.mark.slow
def test_a_false_green_is_rare_without_session_effects_and_a_floor_of_many_pairs_makes_it_rare_with_them() -> None:
    shown = page_rows()
    found = dict(false_green_rows(RUNS))

    for name, row in found.items():
        for figure, on_page in zip(row, shown[name], strict=True):
            assert agree(figure, on_page), (name, figure, on_page)
    assert len(PAIRS) == len(found["none"])
    assert all(figure <= 0.02 + SIGMAS * standard_error(0.02, RUNS) for figure in found["none"])
    without, *_, with_ten = found["as large as the spread within"]
    assert without > 0.25
    assert with_ten <= 0.03


def test_the_page_s_tables_say_what_its_text_says() -> None:
    shown = page_rows()

    assert all(figure >= 0.945 for name, row in shown.items() if name.startswith("median") for figure in row)
    assert all(figure <= 0.02 for figure in shown["none"])
    with_effect = shown["as large as the spread within"]
    assert 0.28 < with_effect[0] < 0.36
    assert sorted(with_effect, reverse=True) == with_effect
    assert with_effect[-1] <= 0.02

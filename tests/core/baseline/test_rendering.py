"""Scorecards and books as people read them: every verdict with its reasons, null in words, nothing obeyed."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core import build_book, scorecard
from oakbench_core.rendering.baseline_words import figure, ratio
from oakbench_core.rendering.book import book_csv, book_markdown, book_text
from oakbench_core.rendering.ratio_line import Axis, axis_of, ratio_line
from oakbench_core.rendering.scorecard import scorecard_csv, scorecard_markdown, scorecard_text
from oakbench_core.rendering.text_tables import Column, cells, folded, text_table
from tests.core.baseline.staging import book, git_rows, noise_rows, oak_rows, row, rows, target
from tests.core.baseline.test_books import V1

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTILE = "\x1b]52;c;eA==\x07\u202e|[x](javascript:1)"


def every_verdict(mode: str = "claim") -> dict[str, Any]:
    """Six targets: one of each verdict, and an AMBER of either kind."""
    operations = {"green": 60.0, "open": 80.0, "red": 95.0, "capped": 60.0, "invalid": 60.0, "unmeasured": 60.0}
    baseline = [one for name in operations for one in git_rows(operation=name)]
    noise = [one for name in operations if name != "capped" for one in noise_rows(operation=name)]
    changes: dict[str, dict[str, Any]] = {"invalid": {"cache_state": "cold"}, "unmeasured": {"outcome": "failed"}}
    candidates = [
        one
        for name, median in operations.items()
        for one in oak_rows(30, median, operation=name, **changes.get(name, {}))
    ]
    wanted = [target(operation=name) for name in operations]
    return scorecard(build_book(baseline, noise), candidates, wanted, mode)


@pytest.mark.parametrize("mode", ["claim", "diagnostic"])
def test_a_scorecard_reads_as_it_read(mode: str, golden: Callable[[str, str], None]) -> None:
    card = every_verdict(mode) | {"targets_sha256": "0" * 64, "book_sha256": "1" * 64}  # of all digits of every float

    golden(f"scorecard_{mode}.txt", scorecard_text(card))
    golden(f"scorecard_{mode}.md", scorecard_markdown(card))


def test_a_book_reads_as_it_read(golden: Callable[[str, str], None]) -> None:
    hidden = [row(run=31, outcome="failed"), row(run=32, outcome="skipped", metrics={})]
    document = build_book([*git_rows(), *hidden, row(operation="other", metrics={})], noise_rows())
    document["source"] = {"rows_sha256": "0" * 64}

    golden("book.txt", book_text(document))
    golden("book.md", book_markdown(document))
    golden("book_v1.txt", book_text(V1))


def test_every_reason_and_notice_of_every_result_is_said_in_words() -> None:
    card = every_verdict()

    for text in (scorecard_text(card), scorecard_markdown(card).replace("\\", "")):
        for result in card["results"]:
            assert result["verdict"] in text
            for entry in [*result["reasons"], *result["notices"]]:
                assert entry["text"] in text
        assert "the numbers alone: GREEN" in text


def test_csv_has_a_line_a_target_with_figures_in_full() -> None:
    card = every_verdict()
    records = list(csv.DictReader(io.StringIO(scorecard_csv(card))))

    assert [record["verdict"] for record in records] == ["GREEN", "AMBER", "RED", "AMBER", "INVALID", "UNMEASURED"]
    assert records[0]["ratio"] == repr(card["results"][0]["ratio"]["value"])
    assert records[3]["statistical_verdict"] == "GREEN"
    assert (records[4]["ratio"], records[4]["reasons"]) == ("", "identity_mismatch")


def test_a_book_as_csv_has_a_line_a_cell_and_version_one_its_own_columns() -> None:
    (median, p99) = csv.DictReader(io.StringIO(book_csv(book())))

    assert (median["statistic"], p99["statistic"], p99["interval_low"]) == ("median", "p99", "")
    assert median["noise_pairs"] == "10"
    (old,) = csv.DictReader(io.StringIO(book_csv(V1)))
    assert (old["median"], old["uncertainty"]) == ("100.0", '{"bootstrap": [98.0, 103.0], "note": "draws 200"}')


def test_hostile_names_are_shown_and_obeyed_by_no_form() -> None:
    names: dict[str, Any] = {"operation": HOSTILE, "fixture_version": HOSTILE}
    document = build_book(git_rows(**names), noise_rows(**names))
    evil = oak_rows(operation=HOSTILE, subject="=oak()", fixture_version=f"{HOSTILE}2")
    card = scorecard(document, evil, [target(operation=HOSTILE, candidate="=oak()")])

    assert card["results"][0]["verdict"] == "INVALID"
    texts = [scorecard_text(card), scorecard_markdown(card), scorecard_csv(card)]
    texts += [book_text(document), book_markdown(document), book_csv(document)]
    for text in texts:
        assert not set("\x1b\x07\u202e") & set(text)
    assert "[x](" not in scorecard_markdown(card) + book_markdown(document)
    assert "'=oak()" in scorecard_csv(card)


def test_a_figure_never_reads_0_nor_a_ratio_1_unless_it_is() -> None:
    assert figure(1e-12) == "1e-12"
    assert figure(0) == "0"
    assert figure(None) == "unmeasured"
    assert ratio(1.0) == "1"
    assert ratio(0.99999999) == "0.99999999"
    assert ratio(None) == "beyond any float"


class TestLine:
    def result(self, **changes: Any) -> dict[str, Any]:
        held = {"value": 0.5, "low": 0.4, "high": 0.6, "confidence": 0.95}
        return {"target_ratio": 1, "ratio": held, "noise_floor": None} | changes

    def test_all_lines_share_an_axis_that_shows_every_end(self) -> None:
        results = [self.result(), self.result(ratio={"value": 3.0, "low": 2.0, "high": 4.0, "confidence": 0.95})]
        axis = axis_of(results, 40)

        lines = [ratio_line(result, axis) for result in results]
        assert all(len(line) == 40 and line.count("●") == 1 and line.count("│") == 1 for line in lines)
        assert lines[0].index("●") < lines[0].index("│") < lines[1].index("●")
        assert lines[0].index("│") == lines[1].index("│")

    def test_what_is_beyond_the_axis_is_pointed_at(self) -> None:
        far = self.result(ratio={"value": 1e9, "low": 0.9, "high": 1e10, "confidence": 0.95})

        assert ratio_line(far, axis_of([far], 20)).endswith(">")

    def test_nothing_is_drawn_where_nothing_could_be_compared(self) -> None:
        assert set(ratio_line(self.result(ratio=None), Axis(-1, 1, 20))) == {" ", "│"}

    def test_a_ratio_without_an_interval_is_a_point(self) -> None:
        point = self.result(ratio={"value": 0.5, "low": None, "high": None, "confidence": None})

        assert "━" not in ratio_line(point, Axis(-1, 1, 20))

    def test_the_floor_is_hatched_around_the_target_and_the_interval_over_it_as_well(self) -> None:
        noisy = self.result(
            noise_floor={"value": 0.3}, ratio={"value": 1.0, "low": 0.5, "high": 1.05, "confidence": 0.95}
        )
        line = ratio_line(noisy, Axis(-1, 1, 40))

        assert "░" in line
        assert "▒" in line
        assert line.index("━") < line.index("▒") < line.index("░")

    def test_ticks_stand_over_their_place_without_touching(self) -> None:
        heading = Axis(math.log(0.01), math.log(100), 30).heading()

        assert ".1" in heading
        assert "1" in heading.split()


def test_columns_that_say_the_same_in_every_row_are_said_once() -> None:
    columns = [Column("a", ["x", "x"]), Column("b", ["1", "2"]), Column("keep", ["y", "y"])]

    constant, rest = folded(columns, keep=("keep",))
    assert (constant, [column.name for column in rest]) == ([("a", "x")], ["b", "keep"])
    assert folded([Column("a", [])]) == ([], [Column("a", [])])


def test_wide_and_combining_characters_keep_columns_straight() -> None:
    lines = list(text_table([Column("名", ["e\u0301", "xyz"]), Column("n", ["1", "2"], right=True)]))

    assert [cells(line) for line in lines] == [6, 6, 6]


def test_a_book_without_cells_and_rows_without_figures_have_texts_too() -> None:
    empty = book() | {"cells": []}

    assert "0 cells" in book_text(empty)
    assert book_csv(empty).startswith("lane,")
    assert "unmeasured" in book_text(build_book(rows([None])))

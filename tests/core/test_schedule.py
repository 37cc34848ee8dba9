"""The order of a schedule is frozen from its seed."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.schedule import Place, ordered


def test_the_order_is_that_of_the_vectors(vectors: dict[str, Any]) -> None:
    vector = vectors["schedule"]
    places = [Place(int(block[-3:]), block, subject) for block in vector["blocks"] for subject in vector["subjects"]]

    order = [f"{place.block_id}.{place.subject}" for place in ordered(places, vector["seed"])]

    assert order == vector["order"]


@given(st.permutations([Place(r, f"b{n}", s) for r in (1, 2) for n in range(4) for s in ("git", "hg")]))
def test_the_order_does_not_depend_on_the_definitions_order(places: list[Place]) -> None:
    assert ordered(places, 1) == ordered(sorted(places), 1)


def test_a_campaign_that_stops_early_holds_whole_rounds() -> None:
    places = [Place(r, f"b{n}.r{r}", "git") for n in range(9) for r in (1, 2, 3)]

    assert [place.repetition for place in ordered(places, 5)] == [1] * 9 + [2] * 9 + [3] * 9

"""Values that many trials share have one number, however often and by whatever object they are said."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter

from oakbench_core.campaign.pool import Known, PartPool, Pool


@dataclass
class Part:
    a: str
    b: int | None = None


def test_equal_values_have_one_number_and_none_is_zero() -> None:
    pool: Pool[str] = Pool()

    assert [pool.number(value) for value in ("x", None, "y", "x")] == [1, 0, 2, 1]
    assert [pool.value(number) for number in range(3)] == [None, "x", "y"]


def test_equal_parts_have_one_number_and_the_same_part_is_asked_once() -> None:
    asked = []

    def value_of(part: Part) -> tuple[object, ...]:
        asked.append(part)
        return part.a, part.b

    pool = PartPool(value_of)
    one, other, twin = Part("x"), Part("y"), Part("x")

    assert [pool.number_of(part) for part in (one, other, one, twin, one, twin)] == [1, 2, 1, 1, 1, 1]
    assert [id(part) for part in asked] == [id(one), id(other), id(twin)]
    assert pool.value(2) == ("y", None)


def test_parts_that_come_and_go_are_never_taken_for_each_other() -> None:
    """The next one is mostly made in the very place of the last."""
    pool = PartPool(attrgetter("a", "b"))

    for round_number in range(2_000):
        part = Part("x", round_number % 7)
        assert pool.value(pool.number_of(part)) == ("x", round_number % 7)


def test_few_and_small_things_are_remembered() -> None:
    known: Known[int] = Known()
    things = [object() for _ in range(1_000)]
    for number, thing in enumerate(things):
        known.learn(id(thing), thing, 10, number)
    large = object()
    known.learn(id(large), large, 1 << 20, 7)

    remembered = [known.get(id(thing)) for thing in things]
    assert sum(found is not None for found in remembered) <= 256
    assert remembered[-1] == 999
    assert known.get(id(large)) is None

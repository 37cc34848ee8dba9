"""Values that many trials share, kept once."""

from __future__ import annotations

from typing import Generic, TypeVar

V = TypeVar("V")


class Pool(Generic[V]):
    """Values that repeat over many trials, each kept once and named by a small number; 0 names None."""

    def __init__(self) -> None:
        self._numbers: dict[V | None, int] = {None: 0}
        self._values: list[V | None] = [None]

    def number(self, value: V | None) -> int:
        number = self._numbers.setdefault(value, len(self._values))
        if number == len(self._values):
            self._values.append(value)
        return number

    def value(self, number: int) -> V | None:
        return self._values[number]

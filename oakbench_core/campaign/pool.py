"""Values that many trials share, kept once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

V = TypeVar("V")
P = TypeVar("P", bound=tuple[Any, ...])
_MOST_KNOWN: Final = 256
_MOST_CHARACTERS: Final = 4096


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


class Known(Generic[V]):
    """What follows from things that do not change, found by their identity, since to compare them would cost more.

    Whatever it is told, it holds a few small things only. `get` gives what follows by a key that holds the thing's
    `id`; the thing is kept, so that nothing else can come to have that `id`.
    """

    def __init__(self) -> None:
        self._known: dict[object, V] = {}
        self._things: list[object] = []
        self.get: Final = self._known.get  # a method of our own would cost as much again

    def learn(self, key: object, thing: object, characters: int, what: V) -> None:
        """`characters` is how much text the thing holds."""
        if characters > _MOST_CHARACTERS:
            return
        if len(self._things) == _MOST_KNOWN:
            self._known.clear()
            self._things.clear()
        self._known[key] = what
        self._things.append(thing)


class PartPool(Pool[P]):
    """A pool of the values of parts of rows, which do not change."""

    def __init__(self, value_of: Callable[[Any], P]) -> None:
        super().__init__()
        self._value_of = value_of
        self._known: Known[int] = Known()
        self.known_number: Final = self._known.get

    def number_of(self, part: object) -> int:
        """The number of the part's value."""
        known = self.known_number(id(part))
        return self.learnt_number(part) if known is None else known

    def learnt_number(self, part: object) -> int:
        """As `number_of`, of a part that is not known."""
        value = self._value_of(part)
        number = self.number(value)
        self._known.learn(id(part), part, sum(len(item) for item in value if isinstance(item, str)), number)
        return number

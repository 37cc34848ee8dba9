"""What a report says, as parts that any rendering can show: headings, sentences, items and tables of plain text.

Rule: the text in here is not escaped for anything. Whoever renders a page escapes all of it, our own words too, so that
no text of a stranger can be forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.rendering.words import UNMEASURED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LONGEST: Final = 120  # characters of one value: a report stays readable whatever a row recorded
_MOST: Final = 6  # values of one field


class Strong(NamedTuple):
    """Words that are what the sentence is about."""

    text: str


Words = tuple[str | Strong, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` counts from 1, the report's name."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    words: Words


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a list; `within` are entries below it."""

    words: Words
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    entries: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """`figures`: for each column, whether it holds figures, which stand at the right."""

    header: tuple[str, ...]
    figures: tuple[bool, ...]
    rows: tuple[tuple[Words, ...], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A place for a drawing of the same figures, in renderings that draw: `about` is a group's or a pair's entry."""

    kind: str
    about: Any = None


Part = Heading | Paragraph | Items | Table | Figure


def paragraph(*words: str | Strong) -> Paragraph:
    return Paragraph(words)


def item(*words: str | Strong, within: Iterable[str] = ()) -> Item:
    return Item(words, tuple(within))


def cells(*texts: str | Strong) -> tuple[Words, ...]:
    return tuple((text,) for text in texts)


def cut(text: str) -> str:
    """Text of a stranger, shortened if it is very long, which is said."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


def value(recorded: object) -> str:
    """A recorded value in words: null is `unmeasured`."""
    return UNMEASURED if recorded is None else cut(str(recorded))


def values(recorded: list[Any]) -> str:
    """Values one after the other, the rest of very many by their number."""
    more = len(recorded) - _MOST
    return ", ".join([*map(value, recorded[:_MOST]), *([f"{more:,} more"] if more > 0 else [])])


def condition(key: Mapping[str, Any]) -> str:
    """What a group or pair shares, in the order of the key: workflow, instruction level, agent, model."""
    parts = [key["workflow"], key["instruction_level"], key["agent"]]
    return ", ".join(map(cut, parts if key["model"] is None else [*parts, key["model"]]))


def group_name(key: Mapping[str, Any]) -> str:
    return f"{cut(key['subject'])}: {condition(key)}"


def pair_name(key: Mapping[str, Any]) -> str:
    return f"{cut(key['a'])} − {cut(key['b'])}: {condition(key)}"

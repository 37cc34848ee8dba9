"""The filter language: `state:interrupted !hg duration:>60`. Terms stand beside each other and must all hold.

A term is a regex on the trial's ID, or `KEY:VALUE`; `!` before it inverts it; quotes hold blanks together. Letters
match in either case unless the value has a capital. A value of a closed list may be any beginning of a word; of a name
it is the whole name, or else a regex; of a number `>60`, `>=60`, `<60`, `<=60`, `60` or `10..60`, and no unmeasured
value is any number.
"""

from __future__ import annotations

import operator
import re
import shlex
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Final, Protocol

from oakbench_core.campaign.vocabulary import RESOURCE_UNITS, Outcome, Standing, State
from oakbench_core.display import display_safe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oakbench_tui.view.snapshot import Snapshot

NAME_KEYS: Final[Mapping[str, str]] = {
    "workflow": "workflow",
    "task": "task",
    "level": "instruction_level",
    "agent": "agent",
    "model": "model",
    "subject": "subject",
    "block": "block_id",
    "id": "trial_id",
}
NUMBER_KEYS: Final[Mapping[str, str]] = {
    "duration": "duration_s",
    "input": "input_tokens",
    "tokens": "input_tokens",
    "output": "output_tokens",
    "turns": "turns",
    "calls": "tool_calls",
    "cost": "cost_usd",
}
_STATES: Final = {
    "unstarted": {Standing.UNSTARTED},
    "interrupted": {Standing.INTERRUPTED, Standing.UNCERTAIN},
    "uncertain": {Standing.UNCERTAIN},
    "skipped": {s for s in Standing if s.state is State.SKIPPED},
    "finished": {s for s in Standing if s.state is State.FINISHED},
    "running": {Standing.INTERRUPTED},
}
_OUTCOMES: Final = {str(outcome): {s for s in Standing if s.outcome is outcome} for outcome in Outcome}


class FilterError(ValueError):
    """What is wrong with an expression, in words for the person who types it."""


class Term(Protocol):
    """One condition on every trial of a snapshot."""

    def mask(self, snapshot: Snapshot) -> bytes:
        """One byte a scheduled trial: 1 where the condition holds, else 0."""
        ...


@dataclass(frozen=True, slots=True)
class _Standings:
    """The trial stands as one of these; `running` narrows, or excludes, what a live runner has started."""

    held: frozenset[Standing]
    running: bool | None = None

    def mask(self, snapshot: Snapshot) -> bytes:
        table = bytes(code in self.held for code in range(256))
        mask = bytearray(snapshot.standings.translate(table))
        if self.running is None:
            return bytes(mask)
        if self.running:
            mask = bytearray(len(mask))
        for trial in snapshot.running:
            mask[trial.place] = self.running
        return bytes(mask)


@dataclass(frozen=True, slots=True)
class _Named:
    """A field of the schedule matches."""

    field: str
    pattern: re.Pattern[str]
    whole: str | None

    def mask(self, snapshot: Snapshot) -> bytes:
        values = list(map(operator.attrgetter(self.field), snapshot.plan.schedule))
        if self.field == "trial_id":
            search = self.pattern.search
            return bytes(search(value) is not None for value in values)
        holds = self._holder(set(values))
        return bytes(map(holds.__getitem__, values))

    def _holder(self, names: set[str | None]) -> dict[str | None, bool]:
        words = {name: name or "none" for name in names}
        if self.whole is not None and any(word.casefold() == self.whole for word in words.values()):
            return {name: word.casefold() == self.whole for name, word in words.items()}
        return {name: self.pattern.search(word) is not None for name, word in words.items()}


@dataclass(frozen=True, slots=True)
class _Number:
    """A measured value within a range."""

    read: Callable[[Snapshot, int], float | None]
    test: Callable[[float], bool]

    def mask(self, snapshot: Snapshot) -> bytes:
        values = (self.read(snapshot, place) for place in range(snapshot.scheduled))
        return bytes(value is not None and self.test(value) for value in values)


@dataclass(frozen=True, slots=True)
class _Unmeasured:
    """The trial ended, after its start, without a value of the resource."""

    resource: str

    def mask(self, snapshot: Snapshot) -> bytes:
        def holds(place: int) -> bool:
            before = snapshot.standings[place] == Standing.SKIPPED_BEFORE_START
            return snapshot.has_row(place) and not before and snapshot.resource(self.resource, place) is None

        return bytes(holds(place) for place in range(snapshot.scheduled))


@dataclass(frozen=True, slots=True)
class _Reason:
    """What the trial's end names: the first check not passed, a skip's reason or instrument, an error's type."""

    pattern: re.Pattern[str]

    def mask(self, snapshot: Snapshot) -> bytes:
        def holds(place: int) -> bool:
            ending = snapshot.ending(place)
            if ending is None:
                return False
            named = (ending.first_not_passed, ending.skip_reason, ending.instrument, ending.error_type)
            return any(text is not None and self.pattern.search(text) for text in named)

        return bytes(holds(place) for place in range(snapshot.scheduled))


@dataclass(frozen=True, slots=True)
class _Not:
    term: Term

    def mask(self, snapshot: Snapshot) -> bytes:
        return self.term.mask(snapshot).translate(b"\x01\x00" + bytes(254))


@dataclass(frozen=True, slots=True)
class Filter:
    """A checked expression. `text` is what was typed."""

    text: str
    terms: tuple[Term, ...]

    def places(self, snapshot: Snapshot) -> Sequence[int]:
        """The places in the schedule of the trials that match, in the schedule's order."""
        size = snapshot.scheduled
        if not self.terms:
            return range(size)
        # Masks are joined as whole numbers: one machine operation for many trials.
        held = int.from_bytes(b"\x01" * size, "little")
        for term in self.terms:
            held &= int.from_bytes(term.mask(snapshot), "little")
        return list(compress(range(size), held.to_bytes(size, "little")))


EVERYTHING: Final = Filter("", ())


def parse_filter(text: str) -> Filter:
    """The filter of an expression.

    Raises:
        FilterError: naming the term that is wrong, and what would be right.
    """
    try:
        words = shlex.split(text, posix=True) if '"' in text or "'" in text else text.split()
    except ValueError as error:
        raise FilterError("a quote is open") from error
    return Filter(text, tuple(term for word in words if (term := _term(word)) is not None))


def _term(word: str) -> Term | None:
    inverted, body = word.startswith("!"), word.removeprefix("!")
    key, colon, value = body.partition(":")
    if not body or (colon and not value and key in KEYS):
        return None  # still being typed: it asks for nothing yet
    term = _keyed(key, value) if colon and key.isalpha() else _Named("trial_id", _regex(body), None)
    return _Not(term) if inverted else term


def _keyed(key: str, value: str) -> Term:
    if key in NAME_KEYS:
        return _Named(NAME_KEYS[key], _regex(value), value.casefold())
    if key in NUMBER_KEYS:
        resource = NUMBER_KEYS[key]
        return _Number(lambda snapshot, place: snapshot.resource(resource, place), _range(value))
    make = _OTHER_KEYS.get(key)
    if make is None:
        raise FilterError(f"no key is called {display_safe(key)}: " + " ".join(KEYS))
    return make(value)


def _state(value: str) -> Term:
    word = _chosen(value, _STATES, "state")
    running = {"running": True, "interrupted": False}.get(word)
    return _Standings(frozenset(_STATES[word]), running)


def _chosen(value: str, words: Mapping[str, object], what: str) -> str:
    """The one word that `value` begins, or is."""
    begun = value.casefold().replace("-", "_")
    if begun in words:
        return begun
    for word in words:
        if word.startswith(begun):
            return word
    raise FilterError(f"no {what} begins with {display_safe(value)}: " + " ".join(words))


def _regex(text: str) -> re.Pattern[str]:
    flags = re.IGNORECASE if text == text.lower() else re.NOFLAG
    try:
        return re.compile(text, flags)
    except re.error as error:
        raise FilterError(f"{display_safe(text)} is no regex: {error.msg}") from error


_COMPARISON: Final = re.compile(r"(>=|<=|>|<|=?)([0-9]+(?:\.[0-9]+)?)?")
_BETWEEN: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\.\.([0-9]+(?:\.[0-9]+)?)")
_COMPARED: Final[Mapping[str, Callable[[float, float], bool]]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
    "": operator.eq,
}


def _range(value: str) -> Callable[[float], bool]:
    if match := _BETWEEN.fullmatch(value):
        low, high = float(match[1]), float(match[2])
        return lambda number: low <= number <= high
    match = _COMPARISON.fullmatch(value)
    if match is None:
        raise FilterError(f"expected a number such as >60, <60 or 10..60, found {display_safe(value)}")
    if match[2] is None:
        return lambda _: True  # the bound is still being typed
    compared, bound = _COMPARED[match[1]], float(match[2])
    return lambda number: compared(number, bound)


def _unmeasured(value: str) -> Term:
    names = {**{name: name for name in RESOURCE_UNITS}, **NUMBER_KEYS}
    return _Unmeasured(names[_chosen(value, names, "resource")])


def _repetition(snapshot: Snapshot, place: int) -> int:
    return snapshot.trial(place).repetition


_OTHER_KEYS: Final[Mapping[str, Callable[[str], Term]]] = {
    "state": _state,
    "outcome": lambda value: _Standings(frozenset(_OUTCOMES[_chosen(value, _OUTCOMES, "outcome")])),
    "rep": lambda value: _Number(_repetition, _range(value)),
    "unmeasured": _unmeasured,
    "reason": lambda value: _Reason(_regex(value)),
}
KEYS: Final = (*NAME_KEYS, *NUMBER_KEYS, *_OTHER_KEYS)

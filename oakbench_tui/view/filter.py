"""The filter language: `state:interrupted !hg duration:>60`. Terms stand beside each other and must all hold.

A term is a regex on the trial's ID, or `KEY:VALUE`; `!` before it inverts it; quotes hold blanks together. Letters
match in either case unless the value has a capital. A value of a closed list is a word of it, or the beginning of one
or of a part of one: `state:fail` finds every kind of failure, and the words that the list of trials shows are all
values. Of a name it is the whole name, or else a regex; of a number `>60`, `>=60`, `<60`, `<=60`, `60` or `10..60`, and
no unmeasured value is any number.

A term that is still being typed (`state:`, `duration:>`) asks for nothing yet; in a whole expression it is refused.
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
    from collections.abc import Callable, Iterable, Mapping, Sequence

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
class _Any:
    """At least one of the terms holds."""

    terms: tuple[Term, ...]

    def mask(self, snapshot: Snapshot) -> bytes:
        held = 0
        for term in self.terms:
            held |= int.from_bytes(term.mask(snapshot), "little")
        return held.to_bytes(snapshot.scheduled, "little")


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


def parse_filter(text: str, *, whole: bool = False) -> Filter:
    """The filter of an expression; `whole`: nothing more is going to be typed.

    Raises:
        FilterError: naming the term that is wrong, and what would be right.
    """
    try:
        words = shlex.split(text, posix=True) if '"' in text or "'" in text else text.split()
    except ValueError as error:
        raise FilterError("a quote is open") from error
    return Filter(text, tuple(term for word in words if (term := _term(word, whole=whole)) is not None))


def _term(word: str, *, whole: bool) -> Term | None:
    """None: it is still being typed, and asks for nothing yet."""
    inverted, body = word.startswith("!"), word.removeprefix("!")
    key, colon, value = body.partition(":")
    if not body or (colon and key in KEYS and _is_unfinished(key, value)):
        if whole:
            raise FilterError(f"{display_safe(word)} is not finished: " + EXPECTED.get(key, "a term follows"))
        return None
    term = _keyed(key, value) if colon and key.isalpha() else _Named("trial_id", _regex(body), None)
    return _Not(term) if inverted else term


def _is_unfinished(key: str, value: str) -> bool:
    return not value or (key in _NUMBERS and _UNFINISHED_NUMBER.fullmatch(value) is not None)


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


def _chosen(value: str, words: Mapping[str, Term], what: str) -> Term:
    """The term of the word that `value` is, or of all the words that it begins, or begins a part of."""
    begun = value.casefold().replace("-", "_").replace(" ", "_")
    found = (words[begun],) if begun in words else tuple(words[word] for word in words if _begins(begun, word))
    if not found:
        raise FilterError(f"no {what} is called {display_safe(value)}: " + " ".join(words))
    return found[0] if len(found) == 1 else _Any(found)


def _begins(begun: str, word: str) -> bool:
    parts = word.split("_")
    return any("_".join(parts[at:]).startswith(begun) for at in range(len(parts)))


def _regex(text: str) -> re.Pattern[str]:
    flags = re.IGNORECASE if text == text.lower() else re.NOFLAG
    try:
        return re.compile(text, flags)
    except re.error as error:
        raise FilterError(f"{display_safe(text)} is no regex: {error.msg}") from error


_COMPARISON: Final = re.compile(r"(>=|<=|>|<|=?)([0-9]+(?:\.[0-9]+)?)")
_UNFINISHED_NUMBER: Final = re.compile(r"(?:>=?|<=?|=)?(?:[0-9]+\.)?|[0-9]+(?:\.[0-9]+)?\.\.(?:[0-9]+\.)?")
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
        raise FilterError(f"expected {_A_NUMBER}, found {display_safe(value)}")
    compared, bound = _COMPARED[match[1]], float(match[2])
    return lambda number: compared(number, bound)


def _repetition(snapshot: Snapshot, place: int) -> int:
    return snapshot.trial(place).repetition


def _of(standings: Iterable[Standing], *, running: bool | None = None) -> Term:
    return _Standings(frozenset(standings), running)


_OUTCOMES: Final[Mapping[str, Term]] = {
    str(outcome): _of(s for s in Standing if s.outcome is outcome) for outcome in Outcome
}
_STATES: Final[Mapping[str, Term]] = {
    "unstarted": _of({Standing.UNSTARTED}),
    "running": _of({Standing.INTERRUPTED}, running=True),
    "interrupted": _of({Standing.INTERRUPTED, Standing.UNCERTAIN}, running=False),
    "uncertain": _of({Standing.UNCERTAIN}),
    "skipped": _of(s for s in Standing if s.state is State.SKIPPED),
    "finished": _of(s for s in Standing if s.state is State.FINISHED),
    **_OUTCOMES,
    "infra_failure": _OUTCOMES[Outcome.INFRASTRUCTURE_FAILURE],  # as narrow lists have it
}
_MISSING: Final[Mapping[str, Term]] = {
    **{name: _Unmeasured(name) for name in RESOURCE_UNITS},
    **{key: _Unmeasured(name) for key, name in NUMBER_KEYS.items()},
}
_OTHER_KEYS: Final[Mapping[str, Callable[[str], Term]]] = {
    "state": lambda value: _chosen(value, _STATES, "state"),
    "outcome": lambda value: _chosen(value, _OUTCOMES, "outcome"),
    "rep": lambda value: _Number(_repetition, _range(value)),
    "unmeasured": lambda value: _chosen(value, _MISSING, "resource"),
    "reason": lambda value: _Reason(_regex(value)),
}
KEYS: Final = (*NAME_KEYS, *NUMBER_KEYS, *_OTHER_KEYS)
_NUMBERS: Final = frozenset({*NUMBER_KEYS, "rep"})
_A_NUMBER: Final = "a number such as >60, <=60 or 10..60"
EXPECTED: Final[Mapping[str, str]] = {
    **dict.fromkeys(NAME_KEYS, "a name, or a regex"),
    **dict.fromkeys(_NUMBERS, _A_NUMBER),
    "state": " ".join(_STATES),
    "outcome": " ".join(_OUTCOMES),
    "unmeasured": " ".join(RESOURCE_UNITS),
    "reason": "a regex of what its end names: a check, a skip's reason, an instrument, an error",
}
"""For each key, what its value may be."""

"""Which columns the list of trials has: their widths come from the plan, so that they never move while a campaign runs.

A column whose value is the same for every trial is no column: it stands once in the line `every row: …`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from oakbench_core.display import display_safe
from oakbench_tui.view.segments import Segment, Token, cells, cut, left, right

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oakbench_core.campaign.plan import Plan
    from oakbench_tui.view.segments import Line


class Key(StrEnum):
    STATE = "state"
    WORKFLOW = "workflow"
    TASK = "task"
    LEVEL = "level"
    REPETITION = "rep"
    AGENT = "agent"
    MODEL = "model"
    SUBJECT = "subject"
    DURATION = "duration s"
    TOKENS = "tokens in"
    COST = "cost usd"
    ORACLE = "oracle"


NAMES: Final[Mapping[Key, str]] = {
    Key.WORKFLOW: "workflow",
    Key.TASK: "task",
    Key.LEVEL: "instruction_level",
    Key.AGENT: "agent",
    Key.MODEL: "model",
    Key.SUBJECT: "subject",
}
NUMERIC: Final = frozenset({Key.REPETITION, Key.DURATION, Key.TOKENS, Key.COST})
_FIGURE_WIDTH: Final = 10  # `unmeasured` as a word
_STATE_WIDE: Final = 24  # a glyph and `infrastructure failure`
_STATE_SHORT: Final = 15
_WIDE_WORDS_FROM: Final = 140
_TASK_LEAST: Final = 12
_NAME_MOST: Final = 24
_ORACLE_LEAST: Final = 6
_ORACLE_WORDS: Final = 20
_ORACLE_MOST: Final = 34
# What goes first where the width does not hold everything.
_DROPPED: Final = (Key.COST, Key.MODEL, Key.TOKENS, Key.AGENT, Key.WORKFLOW, Key.LEVEL, Key.REPETITION)


@dataclass(frozen=True, slots=True)
class Column:
    """`in_words`: it is wide enough for `3 of 4 pass`; else the title says what is counted."""

    key: Key
    width: int
    in_words: bool = True

    @property
    def title(self) -> str:
        if self.key is Key.STATE:
            return left(f"  {self.key}", self.width)  # over the word, not over the glyph
        if self.key is Key.ORACLE and not self.in_words:
            return left("passed", self.width)
        return right(self.key, self.width) if self.key in NUMERIC else left(self.key, self.width)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a list, two blanks between them where the width allows, else one."""

    columns: tuple[Column, ...]
    gap: int
    wide_words: bool

    def header(self) -> Line:
        """The titles, over a blank place for the cursor and the glyph."""
        text = (" " * self.gap).join(column.title for column in self.columns)
        return (Segment("  ", Token.SOFT), Segment(text, Token.SOFT))


@dataclass(frozen=True, slots=True)
class Variety:
    """What differs between the trials of a plan: for each name column its widest value, and what is constant.

    `checks` is the largest number of checks of a trial.
    """

    widths: Mapping[Key, int]
    constants: tuple[tuple[str, str], ...]
    checks: int


def variety(plan: Plan) -> Variety:
    """Looks at every trial once; the result is kept for the life of the plan."""
    widths: dict[Key, int] = {}
    constants: list[tuple[str, str]] = []
    for key, field in NAMES.items():
        values = {getattr(trial, field) for trial in plan.schedule}
        shown = [display_safe(value or "none") for value in values]
        if len(values) == 1 and key not in {Key.SUBJECT, Key.TASK}:
            constants.append((key, shown[0]))
        else:
            widths[key] = max(cells(key), *map(cells, shown))
    repetitions = {trial.repetition for trial in plan.schedule}
    if len(repetitions) > 1:
        widths[Key.REPETITION] = max(len(Key.REPETITION), len(str(max(repetitions))))
    timeouts = {trial.timeout_s for trial in plan.schedule}
    if len(timeouts) == 1:
        constants.append(("timeout", f"{timeouts.pop():,} s"))
    tasks = (task for workflow in plan.document.workflows.values() for task in workflow.tasks.values())
    return Variety(widths, tuple(constants), max((len(task.oracle.checks) for task in tasks), default=0))


def columns_for(held: Variety, width: int, *, cost: bool) -> Columns:
    """The columns that `width` cells hold. `cost`: whether any cost was ever measured."""
    wide_words = width >= _WIDE_WORDS_FROM
    wanted: dict[Key, int] = {Key.STATE: _STATE_WIDE if wide_words else _STATE_SHORT}
    for key in (Key.WORKFLOW, Key.TASK, Key.LEVEL, Key.REPETITION, Key.AGENT, Key.MODEL, Key.SUBJECT):
        if key in held.widths:
            wanted[key] = held.widths[key] if key is Key.TASK else min(held.widths[key], _NAME_MOST)
    wanted |= {Key.DURATION: _FIGURE_WIDTH, Key.TOKENS: _FIGURE_WIDTH}
    if cost:
        wanted[Key.COST] = _FIGURE_WIDTH
    oracle_least = max(_ORACLE_LEAST, len(f"{held.checks} of {held.checks}"))
    wanted[Key.ORACLE] = oracle_least
    least = {key: min(size, _TASK_LEAST) if key is Key.TASK else size for key, size in wanted.items()}
    for key in _DROPPED:
        if _total(least, 1) <= width:
            break
        wanted.pop(key, None)
        least.pop(key, None)
    spare = width - _total({key: size for key, size in wanted.items() if key is not Key.TASK}, 1) - 1
    if Key.TASK in wanted:
        wanted[Key.TASK] = max(min(wanted[Key.TASK], spare), min(_TASK_LEAST, wanted[Key.TASK]))
    gap = 2 if _total(wanted, 2) + _ORACLE_WORDS - oracle_least <= width else 1
    rest = width - _total(wanted, gap)
    if rest < 0:
        wanted.pop(Key.ORACLE)  # the beginning of a count is another count
    else:
        wanted[Key.ORACLE] = min(oracle_least + rest, max(_ORACLE_MOST, oracle_least))
    in_words = wanted.get(Key.ORACLE, 0) >= len(f"{held.checks} of {held.checks} pass")
    return Columns(tuple(Column(key, size, in_words) for key, size in wanted.items()), gap, wide_words)


def _total(widths: Mapping[Key, int], gap: int) -> int:
    return sum(widths.values()) + gap * (len(widths) - 1)


def every_row(held: Variety, unmeasured: tuple[str, ...], width: int) -> str:
    """`every row: agent scripted, model none, timeout 2 s, cost unmeasured`; values alone where that is too long."""
    missing = [f"{name} unmeasured" for name in unmeasured]
    named = [f"{name} {value}" for name, value in held.constants]
    bare = [value if value != "none" else f"no {name}" for name, value in held.constants]
    for parts in (named, bare):
        text = "every row: " + ", ".join([*parts, *missing])
        if cells(text) <= width:
            break
    return cut(text, width) if named or missing else ""

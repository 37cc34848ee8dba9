"""The blocks of a campaign as a matrix: blocks down, subjects across, a shape for each trial.

Rule: the pairing is seen and not described. Each state has a shape of its own; a block of which every trial has a
verdict is marked ●, any other ○.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.conditions import conditions_of
from oakbench_core.campaign.counts import JUDGED
from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.rendering.markup import at, label, shortened
from oakbench_core.rendering.page import condition as words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oakbench_core.campaign.conditions import Condition
    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.rendering.markup import Drawings

KINDS: Final[Mapping[Standing, str]] = {
    Standing.VERIFIED_SUCCESS: "verified_success",
    Standing.TASK_FAILURE: "task_failure",
    Standing.TIMED_OUT: "timed_out",
    Standing.INFRASTRUCTURE_FAILURE: "infrastructure_failure",
    Standing.SKIPPED_BEFORE_START: "skipped",
    Standing.SKIPPED_AFTER_START: "skipped",
    Standing.INTERRUPTED: "interrupted",
    Standing.UNCERTAIN: "uncertain",
    Standing.UNSTARTED: "unstarted",
}
# Each shape in a square of ten, as a path that begins where it is put.
_SHAPES: Final = {
    "verified_success": "h10v10h-10z",
    "task_failure": "l10 10m0-10l-10 10",
    "timed_out": "m5 0a5 5 0 1 0 .01 0zm0 2v3.5h3",
    "infrastructure_failure": "m5 0l5 10h-10z",
    "skipped": "m5 0a5 5 0 1 0 .01 0zm-3.5 8.5l7-7",
    "interrupted": "m5 0v6m0 2v2",
    "uncertain": "h10v10h-10zm5 2v3.5m0 1v1.5",
    "unstarted": "m3.5 3.5h3v3h-3z",
}
_CELL: Final = 16
_LINE: Final = 15
_WIDTH: Final = 940
_LETTER: Final = 6.9  # a wide letter of 11 px: which font a browser has is not known here
_LONGEST_NAME: Final = 44
_LEAST_DOWN: Final = 12  # blocks in a column, before another one is begun
_MOST_NAMED: Final = 4_000  # blocks; beyond, the shapes alone are drawn


def legend(drawings: Drawings, ledger: Ledger) -> str:
    """The shapes that occur, with their words and how many trials have each."""
    tallies: dict[str, int] = {}
    for standing, kind in KINDS.items():
        tallies[kind] = tallies.get(kind, 0) + ledger.tallies[standing]
    parts, x = [], 0.0
    for kind, number in tallies.items():
        if number:
            text = f"{kind.replace('_', ' ')}: {number:,}"
            parts += [_path(kind, [(x, 3)]), label(x + 16, 12, text)]
            x += 16 + len(text) * _LETTER + 20
    return drawings.drawing(x + 1, 18, parts, title="Shapes of the matrix", description="Trials by state.")


def block_matrices(drawings: Drawings, ledger: Ledger) -> Iterator[tuple[str, str]]:
    """For each condition its name and its matrix."""
    conditions = conditions_of(ledger.plan)
    named = sum(len(condition.blocks) for condition in conditions) <= _MOST_NAMED
    for condition in conditions:
        yield words_of(condition.key._asdict()), _matrix(drawings, ledger, condition, named=named)


def _matrix(drawings: Drawings, ledger: Ledger, condition: Condition, *, named: bool) -> str:
    blocks, subjects = (
        sorted(condition.blocks, key=lambda block: _task_and_repetition(ledger, block)),
        condition.subjects,
    )
    names = [_block_name(ledger, block) for block in blocks] if named else []
    room = 18 + min(max(map(len, names), default=0), _LONGEST_NAME) * _LETTER if named else 0
    width = room + _CELL * len(subjects) + 24
    across = max(1, min(int(_WIDTH // width), -(-len(blocks) // _LEAST_DOWN)))
    down = -(-len(blocks) // across)
    across = -(-len(blocks) // down)  # the last columns may be left with nothing
    top = 8 + max(len(shortened(subject, 20)) for subject in subjects) * _LETTER
    places: dict[str, list[tuple[float, float]]] = {}
    parts = [
        _upright(column * width + room + _CELL * number, top - 6, subject)
        for column in range(across)
        for number, subject in enumerate(subjects)
    ]
    for number, block in enumerate(blocks):
        x, y = number // down * width, top + number % down * _LINE
        if named:
            parts.append(_row_label(ledger, block, names[number], x, y + 10))
        for column, subject in enumerate(subjects):
            if (place := block.get(subject)) is not None:
                cell = (x + room + _CELL * column, y)
                places.setdefault(KINDS[ledger.standing(place)], []).append(cell)
                if ledger.timeout_differs[place]:
                    places.setdefault("late", []).append(cell)
    parts += [_path(kind, cells) for kind, cells in places.items()]
    description = f"{len(blocks):,} blocks down, {len(subjects):,} subjects across: {', '.join(subjects)}."
    title = f"Blocks, {words_of(condition.key._asdict())}"
    return drawings.drawing(across * width, top + down * _LINE + 4, parts, title=title, description=description)


def _path(kind: str, cells: list[tuple[float, float]]) -> str:
    shape = _SHAPES.get(kind, "m0 12.5h10")
    drawn = "".join(f"M{at(x)} {at(y)}{shape}" for x, y in cells)
    return f'<path class="{kind}" d="{drawn}"/>'


def _upright(x: float, y: float, subject: str) -> str:
    text = label(0, 0, shortened(subject, 20), kind="soft", title=subject)
    return f'<g transform="translate({at(x + 9)} {at(y)}) rotate(-90)">{text}</g>'


def _task_and_repetition(ledger: Ledger, block: dict[str, int]) -> tuple[str, int]:
    trial = ledger.plan.schedule[next(iter(block.values()))]
    return trial.task, trial.repetition


def _block_name(ledger: Ledger, block: dict[str, int]) -> str:
    task, repetition = _task_and_repetition(ledger, block)
    return f"{task} {repetition}"


def _row_label(ledger: Ledger, block: dict[str, int], name: str, x: float, y: float) -> str:
    standings = {subject: ledger.standing(place) for subject, place in sorted(block.items())}
    mark = "●" if all(standing in JUDGED for standing in standings.values()) else "○"
    words = "; ".join(f"{subject} {standing.name.lower().replace('_', ' ')}" for subject, standing in standings.items())
    block_id = ledger.plan.schedule[next(iter(block.values()))].block_id
    return label(x, y, f"{mark} {shortened(name, _LONGEST_NAME)}", kind="row", title=f"{block_id}: {words}")

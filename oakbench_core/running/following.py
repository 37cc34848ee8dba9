"""The campaign that a follow-up is made from: its plan, and what is on file of it. Nothing of it is ever written."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from oakbench_core.campaign.vocabulary import RecoveryKind
from oakbench_core.durable.documents import load_plan
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState, UncertainTailError
from oakbench_core.errors import ExitCode, IdentityError, OakbenchError, Problem, UsageError
from oakbench_core.running.inputs import INPUTS_NAME
from oakbench_core.running.trees import copy_tree, tree_sha256

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.reading import JournalReading


class NothingToScheduleError(OakbenchError):
    """A follow-up would hold no trial, so none was made."""

    exit_code: ClassVar[ExitCode] = ExitCode.GATE_NOT_MET


class Parent(NamedTuple):
    """`ledger` counts what a report of it counts."""

    folder: Path
    plan: Plan
    ledger: Ledger


def parent_campaign(folder: Path) -> Parent:
    """The campaign in a folder, as far as its journal proves it.

    Raises:
        UsageError, PlatformError, DocumentError, IdentityError: as `load_plan`.
        JournalError: the journal gives no results, or what its last bytes were is not known.
    """
    plan = load_plan(folder)
    reading = read_journal(folder, plan)
    if reading.refusal is not None:
        raise reading.refusal
    if reading.state is JournalState.UNCERTAIN_TAIL and not _is_proved(reading):
        rule = "what its last bytes were cannot be known, so what is on file of its trials is not known either"
        raise UncertainTailError(
            "this campaign cannot be followed up as it is",
            [Problem(file=str(reading.path), rule=rule)],
            next_step=f"see `verify {folder}`, and decide with `recover`",
        )
    return Parent(folder, plan, reading.ledger_after_recovery)


def _is_proved(reading: JournalReading) -> bool:
    foreseen = None if reading.tail is None else reading.tail.would_recover
    return foreseen is not None and foreseen["recovery"]["kind"] == RecoveryKind.UNCERTAIN_PROVED


def expect_apart(target: Path, folder: Path) -> None:
    """Raises UsageError where the new campaign would stand in the one that it follows, which stays as it is."""
    if target.resolve().is_relative_to(folder.resolve()) and target.resolve() != folder.resolve():
        rule = f"it would stand in {folder}, which is only read"
        raise UsageError(f"{target}: {rule}", [Problem(file=str(target), rule=rule)], next_step="give another folder")


def copy_inputs(source: Path, target: Path, hashes: Iterable[str]) -> None:
    """Copy frozen trees from one campaign folder into another, and test that each copy is what was frozen.

    Raises:
        IdentityError: some are not there, or are others; all are named.
        OSError: the system refuses.
    """
    (target / INPUTS_NAME).mkdir()
    problems = [problem for sha256 in sorted(hashes) if (problem := _copied(source, target, sha256)) is not None]
    if problems:
        raise IdentityError(
            "the inputs of this campaign are not the frozen ones",
            problems,
            next_step="put them back from a copy of the campaign folder",
        )


def _copied(source: Path, target: Path, sha256: str) -> Problem | None:
    tree = source / INPUTS_NAME / sha256
    if not tree.is_dir():
        return Problem(file=str(tree), rule="there is no such folder")
    copy = target / INPUTS_NAME / sha256
    copy_tree(tree, copy)
    found = tree_sha256(copy)
    return None if found == sha256 else Problem(file=str(tree), rule=f"its tree hashes to {found}")

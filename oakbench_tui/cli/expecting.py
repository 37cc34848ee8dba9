"""`--expect-plan` and `--expect-last`: what was published earlier, held against what is on file now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from oakbench_core.errors import IdentityError, JournalError, OakbenchError, Problem

if TYPE_CHECKING:
    from oakbench_core.durable.reading import JournalReading
    from oakbench_tui.cli.campaign import Campaign

ExpectPlan = Annotated[
    str | None, typer.Option("--expect-plan", metavar="H", help="Exit with 31 unless this is the plan's hash.")
]
ExpectLast = Annotated[
    str | None,
    typer.Option("--expect-last", metavar="H", help="Exit with 30 unless the journal's chain holds this hash."),
]


class Expectation(NamedTuple):
    """What came of it: errors, and how many records follow the expected one (None: none was expected, or is there)."""

    errors: tuple[OakbenchError, ...] = ()
    following: int | None = None

    @property
    def words(self) -> str | None:
        if self.following is None:
            return None
        return "it is the last record" if not self.following else f"{self.following:,} records follow it"


def expectation(campaign: Campaign, plan: str | None, last: str | None) -> Expectation:
    """Hold a campaign against the hashes of its plan and of one of its records."""
    errors: list[OakbenchError] = []
    if plan is not None and plan.lower() != campaign.plan.plan_sha256:
        rule = f"expected the plan {plan}, found {campaign.plan.plan_sha256}"
        errors.append(IdentityError("this is not the expected plan", [Problem(rule=rule, file=str(campaign.folder))]))
    if last is None:
        return Expectation(tuple(errors))
    if campaign.journal.refusal is not None:
        return Expectation((*errors, campaign.journal.refusal))
    following = _following(campaign.journal, last.lower())
    if following is None:
        rule = f"no record of this journal has the hash {last}; the last is {campaign.journal.last_hash or 'none'}"
        problem = Problem(rule=rule, file=str(campaign.journal.path))
        errors.append(JournalError("this journal does not hold the expected record", [problem]))
    return Expectation(tuple(errors), following)


def _following(journal: JournalReading, expected: str) -> int | None:
    """How many records follow the one of that hash; None: there is none."""
    if journal.last_hash == expected:
        return 0
    for number, event in enumerate(journal.events, 1):
        if event["hash"] == expected:
            return journal.records - number
    return None

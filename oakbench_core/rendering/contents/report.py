"""A report's summary → its page, in the order in which it is read aloud.

What it is, what was run, what became of it, what may be said, what must be said beside it; then each group and pair.

Rule: the summary is all that is read, and every number in the text stands in it; this folder counts nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.rendering.contents import groups, pairs
from oakbench_core.rendering.contents.notices import notices_and_limits
from oakbench_core.rendering.contents.setting import what_was_run
from oakbench_core.rendering.numbers import seconds
from oakbench_core.rendering.page import Figure, Heading, Items, Strong, Table, cells, cut, item, paragraph
from oakbench_core.rendering.words import COMPLETENESS, STOP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oakbench_core.rendering.page import Part


def report_page(summary: Mapping[str, Any], *, writer_alive: bool = False) -> Iterator[Part]:
    """The parts of the page.

    Args:
        summary: what `report_campaign` returns, or the same read back from report.json.
        writer_alive: whether a runner was writing the journal when it was read. A report has no running trials: they
            are interrupted ones in it, which must then be said.
    """
    yield from _head(summary, writer_alive=writer_alive)
    yield from what_was_run(summary)
    yield from _trials(summary["counts"])
    yield from _admission(summary["admission"])
    yield from groups.overview(summary["groups"])
    yield from pairs.overview(summary)
    yield Figure("blocks")
    yield from notices_and_limits(summary)
    yield from groups.each_group(summary["groups"])
    yield from pairs.each_pair(summary["pairs"])
    yield paragraph(f"Summary SHA-256: {summary['summary_sha256']}")


def _head(summary: Mapping[str, Any], *, writer_alive: bool) -> Iterator[Part]:
    campaign, counts = summary["campaign"], summary["counts"]
    yield Heading(cut(campaign["campaign_id"]), 1)
    mock = " Mock agents: this run proves instrumentation only." if campaign["mock"] else ""
    yield paragraph(Strong(f"Diagnostic agent campaign. Not claim-eligible.{mock}"))
    yield paragraph(
        f"{COMPLETENESS[summary['completeness']]} Of {counts['scheduled']:,} scheduled trials {counts['finished']:,} "
        f"finished, {_were(counts['skipped'])} skipped, {counts['interrupted']:,} "
        f"{'is' if counts['interrupted'] == 1 else 'are'} interrupted and {_were(counts['unstarted'])} not started."
        f"{_last_stop(summary['execution'])}"
    )
    if campaign["as_of"] is not None:
        yield paragraph(
            Strong(f"This is a prefix: the journal up to record {campaign['as_of']:,} and no further."),
        )
    if writer_alive:
        yield paragraph(
            "A runner was writing this journal when it was read: a trial that was running then is an interrupted one "
            "here, since it had no end on file."
        )


def _were(number: int) -> str:
    return f"{number:,} {'was' if number == 1 else 'were'}"


def _last_stop(execution: Mapping[str, Any] | None) -> str:
    if execution is None or not execution["stops"]:
        return ""
    return f" The last end on file: {STOP[execution['stops'][-1]['reason']]}."


def _trials(counts: Mapping[str, int]) -> Iterator[Part]:
    yield Heading("Trials")
    phases = f"{counts['skipped_before_start']:,} before the start, {counts['skipped_after_start']:,} after"
    yield Table(
        ("state", "trials"),
        (False, True),
        (
            cells("unstarted", f"{counts['unstarted']:,}"),
            cells(f"interrupted ({counts['interrupted_uncertain']:,} uncertain)", f"{counts['interrupted']:,}"),
            cells(f"skipped ({phases})", f"{counts['skipped']:,}"),
            cells("finished", f"{counts['finished']:,}"),
            cells(Strong("scheduled"), Strong(f"{counts['scheduled']:,}")),
        ),
    )
    yield Figure("trials", counts)
    yield paragraph(f"{groups.equation(counts)}.")
    yield paragraph(f"Started: {counts['started']:,}, of which {counts['resolved']:,} are resolved.")


def _admission(account: Mapping[str, Any]) -> Iterator[Part]:
    yield Heading("Admission budget")
    used = f"{seconds(account['observed_s'])} observed + {seconds(account['reserved_s'])} reserved"
    if account["budget_s"] is None:
        budget = f"No budget was set. Used: {used}."
    else:
        budget = f"{seconds(account['budget_s'])} = {used} + {seconds(account['remaining_s'])} remaining."
    if account["next_timeout_s"] is None:
        following = "Nothing is left to admit."
    else:
        admitted = {None: "no budget limits it", True: "admitted", False: "not admitted"}[account["next_admissible"]]
        following = f"The next trial needs its whole timeout of {seconds(account['next_timeout_s'])}: {admitted}."
    yield Items(
        (
            item(budget),
            item(following),
            item(
                "Reserved seconds are whole timeouts of trials whose duration is lost: accounting, no timing. Ended "
                f"without a duration: {account['unmeasured_charges']:,}."
            ),
            item("This is no hard end-to-end deadline, and no cap on cost."),
        )
    )

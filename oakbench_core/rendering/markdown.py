"""A report's summary → Markdown that can be read aloud in a meeting: what was run, what is known, what is not, and why.

Rule: the summary is all that is read, and every number in the text stands in it; this file counts and computes nothing.
Whatever the summary's texts hold, the Markdown shows them and does not obey them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.rendering.escaping import escaped, group_name, pair_name, sentence
from oakbench_core.rendering.markdown_groups import equation, group_lines, overview_lines
from oakbench_core.rendering.markdown_pairs import pair_lines
from oakbench_core.rendering.numbers import seconds
from oakbench_core.rendering.words import COMPLETENESS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def render_markdown(summary: Mapping[str, Any]) -> str:
    """The whole report as Markdown text, LF at the end of each line.

    Args:
        summary: what `report_campaign` returns, or the same read back from report.json.
    """
    return "".join(f"{line}\n" for line in _lines(summary))


def _lines(summary: Mapping[str, Any]) -> Iterator[str]:
    yield from _head(summary)
    yield from _trials(summary["counts"])
    yield from _admission(summary["admission"])
    yield "## Verified success by group"
    yield ""
    yield from overview_lines(summary["groups"])
    for group in summary["groups"]:
        yield ""
        yield from group_lines(group)
    yield ""
    yield from _pairs(summary)
    yield from _notices(summary["notices"])
    yield "## What this cannot show"
    yield ""
    yield sentence(summary["limits"])
    yield ""
    yield f"Summary SHA-256: {escaped(summary['summary_sha256'])}"


def _head(summary: Mapping[str, Any]) -> Iterator[str]:
    campaign = summary["campaign"]
    yield f"# {escaped(campaign['campaign_id'])}"
    yield ""
    mock = " Mock agents: this run proves instrumentation only." if campaign["mock"] else ""
    yield f"**Diagnostic agent campaign. Not claim-eligible.{mock}**"
    yield ""
    yield COMPLETENESS[summary["completeness"]]
    yield ""
    origin = "reconstructed by an import" if campaign["plan_source"] == "import" else "frozen from a definition"
    yield f"- Plan: {escaped(campaign['plan_sha256'])}, {origin}."
    parent = campaign["parent"]
    if parent is not None:
        yield (
            f"- A {escaped(parent['kind'])} of the campaign {escaped(parent['campaign_id'])}, plan "
            f"{escaped(parent['plan_sha256'])}."
        )
    upto = "" if campaign["as_of"] is None else f", up to number {campaign['as_of']:,} of the journal and no further"
    yield f"- Journal: {campaign['journal_events']:,} events of trials{upto}."
    if campaign["compares"]:
        yield f"- Compared on purpose: {', '.join(map(escaped, campaign['compares']))}."
    yield ""


def _trials(counts: Mapping[str, int]) -> Iterator[str]:
    yield "## Trials"
    yield ""
    yield "| state | trials |"
    yield "|---|---:|"
    yield f"| unstarted | {counts['unstarted']:,} |"
    yield f"| interrupted ({counts['interrupted_uncertain']:,} uncertain) | {counts['interrupted']:,} |"
    phases = f"{counts['skipped_before_start']:,} before the start, {counts['skipped_after_start']:,} after"
    yield f"| skipped ({phases}) | {counts['skipped']:,} |"
    yield f"| finished | {counts['finished']:,} |"
    yield f"| **scheduled** | **{counts['scheduled']:,}** |"
    yield ""
    yield f"{equation(counts)}."
    yield ""
    yield f"Started: {counts['started']:,}, of which {counts['resolved']:,} are resolved."
    yield ""


def _admission(account: Mapping[str, Any]) -> Iterator[str]:
    yield "## Admission budget"
    yield ""
    used = f"{seconds(account['observed_s'])} observed + {seconds(account['reserved_s'])} reserved"
    if account["budget_s"] is None:
        yield f"- No budget was set. Used: {used}."
    else:
        yield f"- {seconds(account['budget_s'])} = {used} + {seconds(account['remaining_s'])} remaining."
    if account["next_timeout_s"] is None:
        yield "- Nothing is left to admit."
    else:
        admitted = {None: "no budget limits it", True: "admitted", False: "not admitted"}[account["next_admissible"]]
        yield f"- The next trial needs its whole timeout of {seconds(account['next_timeout_s'])}: {admitted}."
    yield (
        "- Reserved seconds are whole timeouts of trials whose duration is lost: accounting, no timing. Ended without "
        f"a duration: {account['unmeasured_charges']:,}."
    )
    yield "- This is no hard end-to-end deadline, and no cap on cost."
    yield ""


def _pairs(summary: Mapping[str, Any]) -> Iterator[str]:
    yield "## Pairs"
    yield ""
    count = summary["comparisons"]["count"]
    if not count:
        yield "No block schedules two subjects: there is nothing to compare."
    else:
        yield f"Compared: {count:,}. Descriptive, over complete blocks only; not adjusted for their number."
    for pair in summary["pairs"]:
        yield ""
        yield from pair_lines(pair)
    yield ""


def _notices(notices: list[Mapping[str, Any]]) -> Iterator[str]:
    yield "## Notices"
    yield ""
    for notice in notices:
        yield f"- {sentence(notice['text'])}"
        for group in notice.get("groups", ()):
            yield f"  - {group_name(group['key'])}{_figures(group)}"
        for pair in notice.get("pairs", ()):
            yield f"  - {pair_name(pair['key'])}{_figures(pair)}"
    yield ""


def _figures(entry: Mapping[str, Any]) -> str:
    """The counts of one entry of a notice, by the names that they have in the report."""
    counts = [f"{escaped(name)} {count:,}" for name, count in entry.items() if name != "key"]
    return f": {', '.join(counts)}" if counts else ""

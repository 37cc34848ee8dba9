"""The one sentence that introduces a group or a pair, with its limits in it (report.md).

Rule: the sentence can be quoted alone and still not mislead: it has the denominator, what is planned, what is not
known, and whether it is final.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.report_codes import Omission
from oakbench_core.rendering.numbers import counted, percent, signed
from oakbench_core.rendering.page import Paragraph, Strong, cut
from oakbench_core.rendering.words import BLOCK_REASON, INTERVAL_WITHHELD

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOT_KNOWN: Final = {
    "unstarted": "never started",
    "interrupted": "interrupted",
    "skipped_before_start": "skipped before their start",
    "skipped_after_start": "skipped after their start",
    "infrastructure_failure": "ended by an infrastructure failure",
}


def withheld(codes: list[str]) -> str:
    """Why an interval is not given: every reason that applies."""
    return "; ".join(INTERVAL_WITHHELD[Omission(code)] for code in codes)


def group_sentence(group: Mapping[str, Any]) -> Paragraph:
    """`Of 12 planned trials of 4 fixed tasks 10 were started, of which 6 of 10 (60.0 %) were verified; …`."""
    counts, success = group["counts"], group["success"]
    planned = f"Of {counted(counts['scheduled'], 'planned trial')} of {counted(group['tasks'], 'fixed task')} "
    unknown = [f"{counts[name]:,} {words}" for name, words in _NOT_KNOWN.items() if counts[name]]
    known = f"; not known: {', '.join(unknown)}." if unknown else "; each has its verdict."
    if success["fraction"] is None:
        return Paragraph((planned, Strong("none was started"), f", so there is no fraction{known}"))
    of_started = f"{success['verified']:,} of {success['started']:,} ({percent(success['fraction'])})"
    started = f"{success['started']:,} {'was' if success['started'] == 1 else 'were'} started, of which "
    verified = f" {'was' if success['verified'] == 1 else 'were'} verified{known} {_group_standing(success)}"
    return Paragraph((planned, started, Strong(of_started), verified))


def _group_standing(success: Mapping[str, Any]) -> str:
    if success["final"]:
        return "Final."
    return f"Not final: {withheld(success['omitted']) or 'part of what was planned never started'}."


def pair_sentence(pair: Mapping[str, Any]) -> Paragraph:
    """`In 10 of 12 planned blocks of 4 fixed tasks a alone was verified in 2 and b alone in 3, …; not known: …`."""
    key, blocks, table = pair["key"], pair["blocks"], pair["table"]
    a, b = cut(key["a"]), cut(key["b"])
    planned = counted(blocks["scheduled"], "planned block")
    lost = [f"{count:,} because {BLOCK_REASON[reason]}" for reason, count in blocks["reasons"].items()]
    known = f"; not known or not comparable: {', '.join(lost)}." if lost else "; no block is lost."
    if pair["difference"] is None:
        return Paragraph(("In ", Strong(f"none of {planned}"), f" can {a} and {b} be compared{known}"))
    of_planned = f"In {blocks['complete']:,} of {planned}, over {counted(pair['tasks']['distinct'], 'fixed task')}, "
    alone = f"{a} alone was verified in {table['only_a']:,} and {b} alone in {table['only_b']:,}"
    difference = Strong(signed(pair["difference"]))
    standing = f"{known} {_pair_standing(pair)}"
    return Paragraph((of_planned, alone, ": a descriptive difference of ", difference, standing))


def _pair_standing(pair: Mapping[str, Any]) -> str:
    if pair["final"]:
        return "Final."
    return f"Not final: {withheld(pair['omitted']) or 'not every planned block is complete'}."

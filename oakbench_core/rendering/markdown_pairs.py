"""One pair in Markdown: which blocks are compared, the difference, and what the lost blocks could still change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.rendering.escaping import escaped, pair_name, values
from oakbench_core.rendering.markdown_groups import withheld
from oakbench_core.rendering.numbers import counted, signed
from oakbench_core.rendering.words import BLOCK_REASON, NOT_GIVEN, UNMEASURED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def pair_lines(pair: Mapping[str, Any]) -> Iterator[str]:
    """The lines of one pair, headed by its subjects and condition."""
    a, b = escaped(pair["key"]["a"]), escaped(pair["key"]["b"])
    yield f"### {pair_name(pair['key'])}"
    yield ""
    yield from _difference(pair)
    yield from _intervals(pair)
    yield from _blocks(pair, a, b)
    yield f"- Timed out in complete blocks: {a} {pair['timed_out']['a']:,}, {b} {pair['timed_out']['b']:,}."
    yield from _identity(pair["identity"])
    yield ""
    yield from _table(pair["table"], a, b)


def _difference(pair: Mapping[str, Any]) -> Iterator[str]:
    blocks, table = pair["blocks"], pair["table"]
    if pair["difference"] is None:
        yield f"- Descriptive difference in verified success: {NOT_GIVEN}, no block is complete."
    else:
        standing = "final" if pair["final"] else "not final"
        yield (
            f"- Descriptive difference in verified success: **{signed(pair['difference'])}** = ({table['only_a']:,} "
            f"− {table['only_b']:,}) / {counted(blocks['complete'], 'complete block')}, {standing}."
        )
        if table["only_a"] == table["only_b"] == 0:
            seen = counted(blocks["complete"], "block")
            yield f"- No disagreement seen in {seen}, which is not the same as no difference."
    bounds = pair["bounds"]
    if blocks["complete"] < blocks["scheduled"]:
        yield (
            f"- Bounds over {counted(blocks['scheduled'], 'scheduled block')}: {signed(bounds['low'])} to "
            f"{signed(bounds['high'])}, whatever the lost blocks would have given."
        )


def _intervals(pair: Mapping[str, Any]) -> Iterator[str]:
    interval, newcombe, source = pair["interval"], pair["newcombe"], pair["bootstrap"]
    if interval is None:
        yield f"- Intervals: {NOT_GIVEN}: {withheld(pair['omitted'])}."
        return
    yield (
        f"- Bootstrap 95 % interval: {signed(interval['low'])} to {signed(interval['high'])} "
        f"({source['draws']:,} draws of {source['n']:,} whole blocks, {escaped(source['method'])}, key "
        f"{escaped(source['key'])})."
    )
    yield f"- Newcombe's 95 % interval: {signed(newcombe['low'])} to {signed(newcombe['high'])}."


def _blocks(pair: Mapping[str, Any], a: str, b: str) -> Iterator[str]:
    blocks, lost = pair["blocks"], pair["lost_side"]
    yield (
        f"- Blocks: {blocks['scheduled']:,} scheduled = {blocks['complete']:,} complete + "
        f"{blocks['incomplete']:,} incomplete + {blocks['excluded']:,} excluded."
    )
    for reason, sentence in BLOCK_REASON.items():
        if reason in blocks["reasons"]:
            yield f"  - {blocks['reasons'][reason]:,}: {sentence}"
    if blocks["incomplete"]:
        yield f"- Without a verdict in incomplete blocks: {a} {lost['a']:,}, {b} {lost['b']:,}, both {lost['both']:,}."


def _identity(identity: Mapping[str, Any]) -> Iterator[str]:
    if identity["agrees"]:
        yield "- Conditions of both sides: all that was recorded and must agree does."
    for difference in identity["differing"]:
        yield f"- Conditions differ in {escaped(difference['field'])}: {values(difference['values'])}."
    for difference in identity["treatment"]:
        yield f"- Treatment, differs by intent: {escaped(difference['field'])}: {values(difference['values'])}."
    if identity["unmeasured"]:
        yield f"- Conditions {UNMEASURED} on every row: {', '.join(map(escaped, identity['unmeasured']))}."


def _table(table: Mapping[str, int], a: str, b: str) -> Iterator[str]:
    yield f"| complete blocks | {b} verified | {b} not |"
    yield "|---|---:|---:|"
    yield f"| {a} verified | {table['both']:,} | {table['only_a']:,} |"
    yield f"| {a} not | {table['only_b']:,} | {table['neither']:,} |"

"""The pairs: which blocks are compared, the difference, what the lost blocks could change, and what each side used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.campaign.report_codes import PairedOmission
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS
from oakbench_core.rendering.contents.sentences import pair_sentence, withheld
from oakbench_core.rendering.numbers import amount, amount_difference, counted, signed
from oakbench_core.rendering.page import (
    Figure,
    Heading,
    Items,
    Table,
    cells,
    cut,
    item,
    pair_name,
    paragraph,
    values,
)
from oakbench_core.rendering.words import BLOCK_REASON, NOT_GIVEN, PAIRED_WITHHELD, RESOURCE, UNMEASURED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oakbench_core.rendering.page import Item, Part


def overview(summary: Mapping[str, Any]) -> Iterator[Part]:
    yield Heading("Pairs")
    count = summary["comparisons"]["count"]
    if not count:
        yield paragraph("No block schedules two subjects: there is nothing to compare.")
        return
    yield paragraph(
        f"Compared: {count:,}. Descriptive, over complete blocks only; not adjusted for their number. A block is the "
        "trials that match but for their subject; a difference is the verified fraction of the first subject less that "
        "of the second. It is final if every planned block is complete and no reason withholds its interval."
    )
    rows = []
    for pair in summary["pairs"]:
        blocks, interval = pair["blocks"], pair["interval"]
        rows.append(
            cells(
                pair_name(pair["key"]),
                f"{blocks['complete']:,} of {blocks['scheduled']:,}",
                f"{pair['table']['only_a']:,}",
                f"{pair['table']['only_b']:,}",
                NOT_GIVEN if pair["difference"] is None else signed(pair["difference"]),
                NOT_GIVEN if interval is None else f"{signed(interval['low'])} to {signed(interval['high'])}",
                "final" if pair["final"] else "not final",
            )
        )
    header = (
        "pair, first − second",
        "complete of planned blocks",
        "first alone",
        "second alone",
        "difference",
        "bootstrap 95 % interval",
        "standing",
    )
    yield Table(header, (False, True, True, True, True, True, False), tuple(rows))
    yield Figure("pairs", summary["pairs"])


def each_pair(pairs: list[Mapping[str, Any]]) -> Iterator[Part]:
    if not pairs:
        return
    yield Heading("Each pair")
    for pair in pairs:
        a, b = cut(pair["key"]["a"]), cut(pair["key"]["b"])
        yield Heading(pair_name(pair["key"]), 3)
        yield pair_sentence(pair)
        yield Items((*_difference(pair), *_blocks(pair, a, b), *_tasks(pair["tasks"], a, b), *_identity(pair)))
        yield _table(pair["table"], a, b)
        yield from _resources(pair["resources"], a, b)


def _difference(pair: Mapping[str, Any]) -> Iterator[Item]:
    blocks, table, bounds = pair["blocks"], pair["table"], pair["bounds"]
    if pair["difference"] is not None:
        yield item(
            f"Descriptive difference in verified success: {signed(pair['difference'])} = ({table['only_a']:,} "
            f"− {table['only_b']:,}) / {counted(blocks['complete'], 'complete block')}."
        )
        if table["only_a"] == table["only_b"] == 0:
            seen = counted(blocks["complete"], "block")
            yield item(f"No disagreement seen in {seen}, which is not the same as no difference.")
    if blocks["complete"] < blocks["scheduled"]:
        yield item(
            f"Bounds over {counted(blocks['scheduled'], 'scheduled block')}: {signed(bounds['low'])} to "
            f"{signed(bounds['high'])}, whatever the lost blocks would have given."
        )
    interval, newcombe, source = pair["interval"], pair["newcombe"], pair["bootstrap"]
    if interval is None:
        yield item(f"Intervals: {NOT_GIVEN}: {withheld(pair['omitted'])}.")
        return
    yield item(
        f"Bootstrap 95 % interval: {signed(interval['low'])} to {signed(interval['high'])} "
        f"({source['draws']:,} draws of {source['n']:,} whole blocks, {source['method']}, key {source['key']})."
    )
    yield item(f"Newcombe's 95 % interval: {signed(newcombe['low'])} to {signed(newcombe['high'])}.")


def _blocks(pair: Mapping[str, Any], a: str, b: str) -> Iterator[Item]:
    blocks, lost, late = pair["blocks"], pair["lost_side"], pair["timed_out"]
    yield item(
        f"Blocks: {blocks['scheduled']:,} scheduled = {blocks['complete']:,} complete + "
        f"{blocks['incomplete']:,} incomplete + {blocks['excluded']:,} excluded.",
        within=[
            f"{blocks['reasons'][reason]:,}: {sentence}"
            for reason, sentence in BLOCK_REASON.items()
            if reason in blocks["reasons"]
        ],
    )
    if blocks["incomplete"]:
        yield item(
            f"Without a verdict in incomplete blocks: {a} {lost['a']:,}, {b} {lost['b']:,}, both {lost['both']:,}."
        )
    yield item(f"Timed out in complete blocks: {a} {late['a']:,}, {b} {late['b']:,}.")


def _tasks(tasks: Mapping[str, Any], a: str, b: str) -> Iterator[Item]:
    if not tasks["distinct"]:
        return
    yield item(
        f"Tasks: of {counted(tasks['distinct'], 'distinct task')} {a} is ahead in {tasks['a_ahead']:,}, {b} in "
        f"{tasks['b_ahead']:,}, and {tasks['equal']:,} {'is' if tasks['equal'] == 1 else 'are'} equal. The mean of the "
        f"tasks' differences is {signed(tasks['mean_difference'])}, without an interval."
    )
    if tasks["disagreeing"]:
        yield item(f"Tasks in which a subject's verdict differs between repeats: {tasks['disagreeing']:,}.")


def _identity(pair: Mapping[str, Any]) -> Iterator[Item]:
    identity, blocks = pair["identity"], pair["blocks"]
    if blocks["complete"] + blocks["excluded"] == 0:
        yield item("Conditions: in no block have both sides a verdict, so nothing was recorded that could differ.")
        return
    if identity["agrees"]:
        yield item("Conditions of both sides: all that was recorded and must agree does.")
    for difference in identity["differing"]:
        yield item(f"Conditions differ in {difference['field']}: {values(difference['values'])}.")
    for difference in identity["treatment"]:
        yield item(f"Treatment, differs by intent: {difference['field']}: {values(difference['values'])}.")
    if identity["unmeasured"]:
        yield item(f"Conditions {UNMEASURED} on every row: {', '.join(identity['unmeasured'])}.")


def _table(table: Mapping[str, int], a: str, b: str) -> Table:
    return Table(
        ("complete blocks", f"{b} verified", f"{b} not"),
        (False, True, True),
        (
            cells(f"{a} verified", f"{table['both']:,}", f"{table['only_a']:,}"),
            cells(f"{a} not", f"{table['only_b']:,}", f"{table['neither']:,}"),
        ),
    )


def _resources(resources: Mapping[str, Any], a: str, b: str) -> Iterator[Part]:
    given = {name: use for name, use in resources.items() if not use["omitted"]}
    if given:
        rows = []
        for name, use in given.items():
            unit = RESOURCE_UNITS[name]
            totals = [amount(use["total_a"], unit), amount(use["total_b"], unit)]
            rows.append(
                cells(RESOURCE[name], f"{use['blocks']:,}", *totals, amount_difference(use["difference"], unit))
            )
        header = ("resource, same complete blocks", "blocks", f"{a}, total", f"{b}, total", "difference")
        yield Table(header, (False, True, True, True, True), tuple(rows))
    reasons: dict[str, list[str]] = {}
    for name, use in resources.items():
        for code in use["omitted"]:
            reasons.setdefault(code, []).append(RESOURCE[name])
    if reasons:
        listed = [
            item(f"{', '.join(reasons[code])}: {PAIRED_WITHHELD[code]}.") for code in PairedOmission if code in reasons
        ]
        yield Items(tuple(listed))

"""Notices of what the figures beside them do not say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.notices.findings import notice
from oakbench_core.campaign.report_codes import NoticeCode, ResourceOmission
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oakbench_core.campaign.notices.findings import Document, Findings

SMALL_BLOCKS: Final = 30
SMALL_DISAGREEMENTS: Final = 10
SMALL_TASKS: Final = 30


def _with(entries: list[Document], has: Callable[[Document], bool]) -> list[Document]:
    """The groups or pairs of which some resource has it, by key."""
    return [{"key": entry["key"]} for entry in entries if any(map(has, entry["resources"].values()))]


def _accounting(findings: Findings, code: ResourceOmission, text: str) -> Iterator[Document]:
    """The notice of the same code, where sums of a group or of a pair are withheld for it."""
    groups, pairs = (_with(part, lambda use: code in use["omitted"]) for part in (findings.groups, findings.pairs))
    if groups or pairs:
        yield notice(NoticeCode(code.value), text, groups=groups, pairs=pairs)


def resources(findings: Findings) -> Iterator[Document]:
    """What sums and means of resources do not say."""
    if _with(findings.groups, lambda use: use["on_success"]["mean"] is not None):
        yield notice(
            NoticeCode.CONDITIONAL_ON_SUCCESS,
            "Means and medians of resources are over verified successes alone: they are conditional on success and "
            "are no cost of an attempt. Totals are over all started trials, failures included.",
        )
    weighted = RESOURCE_UNITS["cost_weighted_tokens"]
    if _with(findings.groups, lambda use: use["unit"] == weighted and use["observed"] > 0):
        yield notice(
            NoticeCode.PROXY_TOKENS,
            "Cost-weighted tokens are a proxy made of token counts and weights; they are no money and never USD.",
        )
    yield from _accounting(
        findings,
        ResourceOmission.MIXED_SOURCES,
        "Some amounts come from sources that count differently; they are not added up, nor are the sides of a pair "
        "compared by them. Costs stand by source.",
    )
    yield from _accounting(
        findings,
        ResourceOmission.ACCOUNTING_UNKNOWN,
        "Of some amounts it is not recorded how they were counted (who computed a cost, whether input holds cached "
        "tokens or output holds reasoning); no complete total of such costs is given, and no side of a pair is "
        "compared by such amounts.",
    )


def _disagreements(pair: Document) -> int:
    return int(pair["table"]["only_a"] + pair["table"]["only_b"])


def pairs(findings: Findings) -> Iterator[Document]:
    """What paired differences do not say."""
    if not findings.pairs:
        return
    yield notice(
        NoticeCode.DESCRIPTIVE_PAIRS,
        "Paired differences are descriptive: they describe the recorded blocks and test no hypothesis.",
    )
    estimated = [pair for pair in findings.pairs if pair["blocks"]["complete"]]
    lossy = [pair for pair in estimated if pair["blocks"]["complete"] < pair["blocks"]["scheduled"]]
    if lossy:
        yield notice(
            NoticeCode.COMPLETE_CASE_ESTIMATE,
            "Some differences are over complete blocks only; the bounds beside them say how far the lost blocks could "
            "move them.",
            pairs=[
                {
                    "key": pair["key"],
                    "complete": pair["blocks"]["complete"],
                    "scheduled": pair["blocks"]["scheduled"],
                }
                for pair in lossy
            ],
        )
    yield notice(
        NoticeCode.MULTIPLICITY,
        f"Pairs compared: {len(findings.pairs):,}. No interval is adjusted for their number.",
        count=len(findings.pairs),
    )


def samples(findings: Findings) -> Iterator[Document]:
    """What few, repeated or agreeing blocks do not say."""
    repeated = [group for group in findings.groups if group["counts"]["scheduled"] > group["tasks"]]
    if repeated:
        yield notice(
            NoticeCode.REPEATED_TASKS,
            "Tasks were repeated: the intervals describe repeats of these tasks only, and repeats of a fixed task are "
            "not independently sampled task families.",
            groups=[
                {"key": group["key"], "tasks": group["tasks"], "scheduled": group["counts"]["scheduled"]}
                for group in repeated
            ],
        )
    estimated = [pair for pair in findings.pairs if pair["blocks"]["complete"]]
    if small := [pair for pair in estimated if _is_small(pair)]:
        yield notice(
            NoticeCode.SMALL_SAMPLE,
            "Some pairs have under 30 complete blocks, under 10 disagreements or under 30 tasks. Where disagreement is "
            "one-sided with probability p, the bootstrap interval of n blocks covers about 1 − (1 − p)^n, which can "
            "be far below 95 %.",
            pairs=[
                {
                    "key": pair["key"],
                    "complete": pair["blocks"]["complete"],
                    "disagreements": _disagreements(pair),
                    "tasks": pair["tasks"]["distinct"],
                }
                for pair in small
            ],
        )
    if degenerate := [pair for pair in estimated if not _disagreements(pair)]:
        yield notice(
            NoticeCode.DEGENERATE,
            "No disagreement was seen in the complete blocks of some pairs; that is not the same as no difference.",
            pairs=[{"key": pair["key"], "complete": pair["blocks"]["complete"]} for pair in degenerate],
        )


def _is_small(pair: Document) -> bool:
    return bool(
        pair["blocks"]["complete"] < SMALL_BLOCKS
        or _disagreements(pair) < SMALL_DISAGREEMENTS
        or pair["tasks"]["distinct"] < SMALL_TASKS
    )

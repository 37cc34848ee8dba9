"""Plan and events → the report: every count, fraction, sum and interval that may be shown anywhere.

Rule: a report has no other evidence than its plan and events and no other effect than its result, which is plain JSON
data. It is diagnostic: `claim_eligible` is a constant, and no path of the code can change it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.admission import admission
from oakbench_core.campaign.conditions import conditions_of
from oakbench_core.campaign.counts import JUDGED, Horizon, counts_of, reached
from oakbench_core.campaign.follow_ups import is_retry
from oakbench_core.campaign.intake import fold
from oakbench_core.campaign.limits import LIMITS
from oakbench_core.campaign.notices.every import notices_of
from oakbench_core.campaign.notices.findings import Findings
from oakbench_core.campaign.pairs import pair_report
from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.campaign.populations import population_of
from oakbench_core.campaign.report_codes import Completeness
from oakbench_core.campaign.resources import resources_of
from oakbench_core.campaign.success import success_of, success_omissions
from oakbench_core.campaign.vocabulary import EventKind
from oakbench_core.canonical import canonical_text, sha256_hex
from oakbench_core.errors import JournalError
from oakbench_core.intervals import Interval, Resampling, bootstrap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oakbench_core.campaign.admission import Admission
    from oakbench_core.campaign.conditions import Group
    from oakbench_core.campaign.evidence import EventLike
    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan

REPORT_SCHEMA: Final = "oakbench.report/1"
EVIDENCE_CLASS: Final = "diagnostic_agent_campaign"

Resample = Callable[[Resampling], Interval]


def report_campaign(
    plan: Plan | Mapping[str, Any], events: Iterable[EventLike | Mapping[str, Any]], *, as_of: int | None = None
) -> dict[str, Any]:
    """The summary of a campaign, as plain JSON data.

    Args:
        plan: a checked plan, or the mapping that plan.json holds.
        events: journal events in their order, checked or as plain mappings; `opened` and the transport fields (`seq`,
            `v`, `writer`, `at`, `hash`) may be absent.
        as_of: leave out events of a greater `seq`, and say so in the report.

    Raises:
        OakbenchError: one error that lists every violation. An `IdentityError` if an event is of another plan, else a
            `JournalError`; or what `plan_from_document` raises of the plan.
    """
    return report_ledger(fold(plan_from_document(plan), events, as_of), as_of=as_of)


def report_ledger(ledger: Ledger, *, as_of: int | None = None, resample: Resample = bootstrap) -> dict[str, Any]:
    """The same summary of events that a ledger has folded already.

    `resample` gives a pair's bootstrap interval: a caller who asks often may pass one that remembers. `as_of` only says
    that the ledger holds a prefix, up to that `seq`; it leaves nothing out.
    """
    try:
        return _sealed(_summary(ledger, as_of, resample))
    except OverflowError as error:
        raise JournalError("the recorded numbers add up beyond what a number can hold: no total exists") from error


def _sealed(summary: dict[str, Any]) -> dict[str, Any]:
    return {**summary, "summary_sha256": sha256_hex(canonical_text(summary))}


def _summary(ledger: Ledger, as_of: int | None, resample: Resample) -> dict[str, Any]:
    account = admission(ledger)
    horizon = Horizon(
        admits_more=account.next_timeout_s is not None and account.next_admissible is not False,
        reached=reached(ledger),
        is_retry=is_retry(ledger.plan),
        is_prefix=as_of is not None,
    )
    everything = range(len(ledger.standings))
    counts = counts_of(ledger, everything, horizon)
    conditions = conditions_of(ledger.plan)
    groups, pairs = [], []
    for condition in conditions:
        of_condition = [_group(ledger, group, horizon) for group in condition.groups()]
        agreeing = {group["key"]["subject"] for group in of_condition if group["population"]["agrees"]}
        groups += of_condition
        pairs += [pair_report(ledger, pair, horizon, resample, agreeing) for pair in condition.pairs()]
    findings = Findings(
        ledger=ledger,
        conditions=conditions,
        as_of=as_of,
        counts=counts,
        admission=_admission(account),
        groups=groups,
        pairs=pairs,
        judged=[place for place in everything if ledger.standings[place] in JUDGED],
    )
    return {
        "schema": REPORT_SCHEMA,
        "evidence_class": EVIDENCE_CLASS,
        "claim_eligible": False,
        "campaign": _campaign(ledger, as_of),
        "completeness": completeness_of(counts).value,
        "counts": counts,
        "admission": findings.admission,
        "groups": groups,
        "pairs": findings.pairs,
        "comparisons": {"count": len(pairs), "adjusted": False},
        "execution": ledger.chronicle.as_document(ledger.reservations),
        "notices": notices_of(findings),
        "limits": LIMITS,
    }


def _campaign(ledger: Ledger, as_of: int | None) -> dict[str, Any]:
    plan = ledger.plan
    parent = plan.document.provenance.parent
    return {
        "campaign_id": plan.campaign_id,
        "plan_sha256": plan.plan_sha256,
        "plan_source": plan.document.provenance.source,
        "parent": parent
        and {
            "campaign_id": parent.campaign_id,
            "plan_sha256": parent.plan_sha256,
            "kind": parent.kind,
            "finished_trials": parent.finished_trials,
        },
        "mock": plan.is_mock,
        "compares": sorted(field.value for field in plan.document.compares),
        "journal_events": sum(
            ledger.events[kind] for kind in (EventKind.STARTED, EventKind.FINISHED, EventKind.RECOVERED)
        ),
        "as_of": as_of,
    }


def completeness_of(counts: Mapping[str, int]) -> Completeness:
    """`complete`: nothing unstarted, interrupted or skipped; `not_started`: everything unstarted; else `partial`."""
    if counts["unstarted"] == counts["scheduled"]:
        return Completeness.NOT_STARTED
    if counts["unstarted"] or counts["interrupted"] or counts["skipped"]:
        return Completeness.PARTIAL
    return Completeness.COMPLETE


def _admission(account: Admission) -> dict[str, Any]:
    return {
        "budget_s": account.budget_s,
        "observed_s": _finite(float(account.observed_s)),
        "reserved_s": account.reserved_s,
        "unmeasured_charges": account.unmeasured_charges,
        "remaining_s": None if account.remaining_s is None else _finite(float(account.remaining_s)),
        "next_timeout_s": account.next_timeout_s,
        "next_admissible": account.next_admissible,
    }


def _finite(number: float) -> float:
    if math.isinf(number):
        raise OverflowError
    return number


def _group(ledger: Ledger, group: Group, horizon: Horizon) -> dict[str, Any]:
    counts = counts_of(ledger, group.places, horizon)
    population = population_of(ledger, group.places)
    omitted = success_omissions(ledger, group.places, counts, horizon, population_agrees=population.agrees)
    success = success_of(counts, omitted)
    return {
        "key": group.key,
        "counts": counts,
        "tasks": len({ledger.plan.schedule[place].task for place in group.places}),
        "population": population.as_document(),
        "success": success,
        "resources": resources_of(ledger, group.places, final=success["final"], population_agrees=population.agrees),
    }

"""Notices of what kind of campaign this is, how far it went, and what its verdicts rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_core.campaign.follow_ups import is_retry
from oakbench_core.campaign.notices.findings import notice
from oakbench_core.campaign.oracles import depends_on_subject, is_unrecorded
from oakbench_core.campaign.populations import recorded
from oakbench_core.campaign.report_codes import NoticeCode
from oakbench_core.campaign.row_columns import POPULATION_FIELDS
from oakbench_core.campaign.setting import setting_of
from oakbench_core.campaign.vocabulary import RecoveryKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.campaign.notices.findings import Document, Findings


def standing(findings: Findings) -> Iterator[Document]:
    """What kind of campaign this is."""
    yield notice(
        NoticeCode.DIAGNOSTIC_ONLY,
        "This is a diagnostic agent campaign and no claim rests on it. What may be published of it: counts, the "
        "fraction with its denominator, the interval, and the hashes of plan and journal.",
        describes=setting_of(findings.ledger, findings.judged),
    )
    plan = findings.ledger.plan
    if plan.is_mock:
        yield notice(
            NoticeCode.MOCK_AGENTS,
            "Mock agents took part: this campaign proves that the instrument works, and nothing about any agent.",
        )
    if plan.document.provenance.source == "import":
        yield notice(
            NoticeCode.IMPORTED_PLAN,
            "The plan was reconstructed afterwards from another tool's files; it was not frozen before the trials ran.",
        )
    parent = plan.document.provenance.parent
    if is_retry(plan):
        yield notice(
            NoticeCode.RETRY_CAMPAIGN,
            "This campaign retries trials that were picked by their results in an earlier campaign: no interval is "
            "given, and nothing is pooled with the earlier one.",
            finished_trials=None if parent is None else parent.finished_trials,
            retried=sum(trial.retry_of is not None for trial in plan.schedule),
        )
    if parent is not None and parent.kind == "extension":
        yield notice(
            NoticeCode.EXTENDED_CAMPAIGN,
            "This campaign extends an earlier one whose results could be known by then; nothing is pooled over the "
            "two.",
            finished_trials=parent.finished_trials,
        )


def extent(findings: Findings) -> Iterator[Document]:
    """How much of the schedule is on file, and what stopped it."""
    counts, admission = findings.counts, findings.admission
    if counts["unstarted"]:
        yield notice(
            NoticeCode.PARTIAL_SCHEDULE,
            f"Not started: {counts['unstarted']:,} of {counts['scheduled']:,} scheduled trials. Fractions are over "
            "started trials, not over the schedule.",
            unstarted=counts["unstarted"],
            scheduled=counts["scheduled"],
        )
    if admission["next_admissible"] is False:
        yield notice(
            NoticeCode.STOPPED_BY_BUDGET,
            "The admission budget stopped this campaign: what remains does not cover the whole timeout of the next "
            "trial, and no trial is shortened.",
            remaining_s=admission["remaining_s"],
            next_timeout_s=admission["next_timeout_s"],
        )
    if counts["schedule_gaps"]:
        yield notice(
            NoticeCode.OUT_OF_ORDER_HISTORY,
            f"The schedule was not followed in its order: {counts['schedule_gaps']:,} unstarted trials stand before "
            "trials that were started or skipped.",
            schedule_gaps=counts["schedule_gaps"],
        )
    if findings.as_of is not None:
        yield notice(
            NoticeCode.PREFIX_REPORT,
            f"This reports a prefix of the journal: events after number {findings.as_of:,} are left out.",
            as_of=findings.as_of,
        )
    yield notice(
        NoticeCode.NOT_A_DEADLINE,
        "Neither a trial's timeout nor the admission budget is a hard end-to-end deadline: both count seconds of the "
        "agent's subprocess, and setup, checks and waiting come on top.",
    )
    yield notice(
        NoticeCode.NO_COST_CAP,
        "Nothing here caps what a campaign costs in USD: the admission budget is in seconds, and a recorded cost is "
        "known only afterwards.",
    )


def irregularities(findings: Findings) -> Iterator[Document]:
    """What did not go as a plan would have it."""
    counts = findings.counts
    if counts["infrastructure_failure"]:
        yield notice(
            NoticeCode.INFRASTRUCTURE_FAILURES,
            f"Trials ended by an infrastructure failure: {counts['infrastructure_failure']:,}. They have no verdict; "
            "the bounds count them as either.",
            infrastructure_failure=counts["infrastructure_failure"],
        )
    if counts["timeout_mismatch"]:
        yield notice(
            NoticeCode.TIMEOUTS_DIFFER,
            f"Rows whose recorded timeout is not the frozen one: {counts['timeout_mismatch']:,}. Their groups have no "
            "interval, and their blocks are excluded from every paired comparison.",
            timeout_mismatch=counts["timeout_mismatch"],
        )
    if uneven := sum(condition.uneven_blocks for condition in findings.conditions):
        yield notice(
            NoticeCode.UNBALANCED_GROUPS,
            f"Blocks that lack a subject which others of their condition have: {uneven:,}. The groups of such a "
            "condition are not over the same blocks.",
            blocks=uneven,
        )


def trust(findings: Findings) -> Iterator[Document]:
    """What rests on something that is not on record, or was taken on trust."""
    yield from _oracles(findings)
    ledger = findings.ledger
    if accepted := sum(entry.kind == RecoveryKind.UNCERTAIN_ACCEPTED for entry in ledger.reservations):
        yield notice(
            NoticeCode.UNCERTAIN_ACCEPTED,
            "Damage at the end of the journal that could be a lost acknowledged record was accepted by hand; such "
            f"recoveries: {accepted:,}.",
            recoveries=accepted,
        )
    if ledger.chronicle.unsafe_filesystem:
        yield notice(
            NoticeCode.UNSAFE_FILESYSTEM,
            "A runner of this journal was told to go on whatever its file system promises about durability.",
        )
    at = POPULATION_FIELDS.index("resolved_model")
    if unreported := sum(recorded(ledger, place)[at] is None for place in findings.judged):
        yield notice(
            NoticeCode.UNREPORTED_MODEL,
            f"Rows that do not record which model answered: {unreported:,} of {len(findings.judged):,}.",
            rows=unreported,
        )


def _oracles(findings: Findings) -> Iterator[Document]:
    plan = findings.ledger.plan
    tasks = {(trial.workflow, trial.task): plan.task(trial) for trial in plan.schedule}
    if unrecorded := sum(map(is_unrecorded, tasks.values())):
        yield notice(
            NoticeCode.ORACLE_UNRECORDED,
            f"Tasks of which the plan does not record what their oracle runs: {unrecorded:,} of {len(tasks):,}. The "
            "recorded verdicts are taken as they stand.",
            tasks=unrecorded,
        )
    if dependent := sum(map(depends_on_subject, tasks.values())):
        yield notice(
            NoticeCode.ORACLE_DEPENDS_ON_SUBJECT,
            f"Tasks whose oracle runs what belongs to the subject under test: {dependent:,} of {len(tasks):,}. Their "
            "subjects are not judged by the same check.",
            tasks=dependent,
        )

"""Prints the hash of a report over a fixed campaign: two Pythons, two processes must print the same.

python -m tests.report_bytes
"""

from __future__ import annotations

import json

from oakbench_core.campaign.intake import fold
from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.campaign.report import report_ledger
from oakbench_core.canonical import sha256_hex
from oakbench_core.rendering.csv_tables import TableName, render_csv
from oakbench_core.rendering.html import render_html
from oakbench_core.rendering.markdown import render_markdown
from tests.scripted_campaign import plan_document, recording


def fixed_report() -> tuple[str, ...]:
    """Every rendering of the scripted campaign."""
    plan = plan_from_document(plan_document())
    events = [line["event"] | {"plan_sha256": plan.plan_sha256} for line in recording(plan) if "event" in line]
    ledger = fold(plan, events)
    summary = report_ledger(ledger)
    tables = (render_csv(summary, ledger, table) for table in TableName)
    text = json.dumps(summary, ensure_ascii=False)
    return text, render_markdown(summary), render_html(summary, ledger), *tables


if __name__ == "__main__":
    print(sha256_hex("\n".join(fixed_report())))  # noqa: T201 - its output is what is compared

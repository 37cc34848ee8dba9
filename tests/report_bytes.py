"""Prints the hash of a report over a fixed campaign: two Pythons, two processes must print the same.

python -m tests.report_bytes
"""

from __future__ import annotations

import json

from oakbench_core import render_markdown, report_campaign
from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.canonical import sha256_hex
from tests.scripted_campaign import plan_document, recording


def fixed_report() -> tuple[str, str]:
    """The JSON and the Markdown of the scripted campaign."""
    document = plan_document()
    lines = recording(plan_from_document(document))
    events = [line["event"] | {"plan_sha256": document["plan_sha256"]} for line in lines if "event" in line]
    summary = report_campaign(document, events)
    return json.dumps(summary, ensure_ascii=False), render_markdown(summary)


if __name__ == "__main__":
    print(sha256_hex("\n".join(fixed_report())))  # noqa: T201 - its output is what is compared

"""The public names of oakbench's core."""

from oakbench_core.campaign.report import report_campaign
from oakbench_core.durable.documents import load_plan
from oakbench_core.durable.reading import JournalReading, read_journal
from oakbench_core.errors import OakbenchError
from oakbench_core.rendering.markdown import render_markdown

__all__ = [
    "JournalReading",
    "OakbenchError",
    "load_plan",
    "read_journal",
    "render_markdown",
    "report_campaign",
]

"""The public names of oakbench's core, each loaded when it is first asked for.

Every module of the package loads this file; were the names loaded here at once, `verify` would wait for the report and
for freezing, which it never uses.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oakbench_core.baseline.building import build_book
    from oakbench_core.baseline.populations import COMPARISON_FIELDS
    from oakbench_core.baseline.scorecard import scorecard
    from oakbench_core.campaign.report import report_campaign
    from oakbench_core.durable.baselines import load_book, load_rows
    from oakbench_core.durable.documents import load_plan
    from oakbench_core.durable.reading import JournalReading, read_journal
    from oakbench_core.errors import OakbenchError
    from oakbench_core.rendering.markdown import render_markdown
    from oakbench_core.running.freezing import freeze_plan

__all__ = [
    "COMPARISON_FIELDS",
    "JournalReading",
    "OakbenchError",
    "build_book",
    "freeze_plan",
    "load_book",
    "load_plan",
    "load_rows",
    "read_journal",
    "render_markdown",
    "report_campaign",
    "scorecard",
]

_HOMES = {
    "COMPARISON_FIELDS": "baseline.populations",
    "JournalReading": "durable.reading",
    "OakbenchError": "errors",
    "build_book": "baseline.building",
    "freeze_plan": "running.freezing",
    "load_book": "durable.baselines",
    "load_plan": "durable.documents",
    "load_rows": "durable.baselines",
    "read_journal": "durable.reading",
    "render_markdown": "rendering.markdown",
    "report_campaign": "campaign.report",
    "scorecard": "baseline.scorecard",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value

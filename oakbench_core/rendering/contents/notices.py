"""Notices and limits: what must be said beside the figures, in every rendering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.rendering.page import Heading, Items, group_name, item, pair_name, paragraph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oakbench_core.rendering.page import Part


def notices_and_limits(summary: Mapping[str, Any]) -> Iterator[Part]:
    yield Heading("Notices")
    yield Items(tuple(item(notice["text"], within=_entries(notice)) for notice in summary["notices"]))
    yield Heading("What this cannot show")
    yield paragraph(summary["limits"])


def _entries(notice: Mapping[str, Any]) -> Iterator[str]:
    for group in notice.get("groups", ()):
        yield f"{group_name(group['key'])}{_figures(group)}"
    for pair in notice.get("pairs", ()):
        yield f"{pair_name(pair['key'])}{_figures(pair)}"


def _figures(entry: Mapping[str, Any]) -> str:
    """The counts of one entry of a notice, by the names that they have in the report."""
    counts = [f"{name} {count:,}" for name, count in entry.items() if name != "key"]
    return f": {', '.join(counts)}" if counts else ""

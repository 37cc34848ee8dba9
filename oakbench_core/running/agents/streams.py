"""Agents whose standard output is a stream of events: which reader takes it, and the file of it from end to end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.vocabulary import Adapter
from oakbench_core.running.agents.claude_code import ClaudeCodeStream
from oakbench_core.running.agents.codex import CodexStream
from oakbench_core.running.agents.mock import MockStream
from oakbench_core.running.agents.stream_lines import StreamLines
from oakbench_core.running.agents.stream_reading import StreamFindings, StreamReader
from oakbench_core.running.agents.usage import NOTHING
from oakbench_core.running.regular_files import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

READERS: Final[dict[Adapter, Callable[[], StreamReader]]] = {
    Adapter.CLAUDE_CODE: ClaudeCodeStream,
    Adapter.CODEX: CodexStream,
    Adapter.MOCK: MockStream,
}
_CHUNK: Final = 1 << 18


def read_stream(adapter: Adapter, path: Path, now_s: float, *, is_cut: bool) -> StreamFindings:
    """What the stream in a file says. One that was cut has no end: then it says nothing of what was used in all.

    Raises:
        OSError: the file cannot be read.
    """
    with open_regular(path) as file:
        findings = stream_findings(READERS[adapter](), iter(lambda: file.read(_CHUNK), b""), now_s)
    if not is_cut:
        return findings
    usage = NOTHING._replace(agent_version=findings.usage.agent_version, resolved_model=findings.usage.resolved_model)
    return StreamFindings(usage, None, {**findings.notes, "cut": True})


def stream_findings(reader: StreamReader, chunks: Iterable[bytes], now_s: float) -> StreamFindings:
    """The reader's findings on a stream in chunks of any size, and what of its lines was no event."""
    lines = StreamLines()
    for chunk in chunks:
        _hand_on(lines.feed(chunk), reader)
    _hand_on(lines.finish(), reader)
    findings = reader.findings(now_s)
    notes: dict[str, Any] = dict(findings.notes)
    notes |= {name: number for name, number in (("foreign_lines", lines.foreign), ("lost_lines", lines.lost)) if number}
    return findings._replace(notes=notes)


def _hand_on(events: Iterable[dict[str, Any] | None], reader: StreamReader) -> None:
    for event in events:
        if event is None:
            reader.lose()
        else:
            reader.take(event)

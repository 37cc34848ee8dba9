"""The adapter `mock`: a scripted agent, so that a whole campaign can be tried without a provider and without money."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.mock_script import course_of, mock_script
from oakbench_core.campaign.vocabulary import CostSource, ErrorType
from oakbench_core.running.agents.provider_errors import ProviderFailure
from oakbench_core.running.agents.stream_reading import StreamFindings, amount_of, count_of, part_of
from oakbench_core.running.agents.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PROGRAM: Final = Path(__file__).with_name("mock_program.py")
_COUNTS: Final = ("input_tokens", "cached_input_tokens", "cache_write_tokens", "output_tokens", "turns", "tool_calls")


def mock_argv(words: Sequence[str], trial_id: str) -> list[str]:
    """The command that does what the script wants of this trial; its placeholders are filled in already."""
    script, _ = mock_script(words)
    return [sys.executable, "-I", "-S", str(_PROGRAM), json.dumps(course_of(script, trial_id)._asdict())]


class MockStream:
    """A `StreamReader` of what the mock's program prints."""

    def __init__(self) -> None:
        self._result: Mapping[str, Any] | None = None

    def take(self, event: Mapping[str, Any]) -> None:
        if event["type"] == "mock.result":
            self._result = event

    def lose(self) -> None:
        """Nothing that the mock prints is ever torn."""

    def findings(self, now_s: float) -> StreamFindings:
        if self._result is None:
            return StreamFindings(Usage({}, {}), None, {})
        used = part_of(self._result, "usage")
        resources: dict[str, float | None] = {name: count_of(used.get(name)) for name in _COUNTS}
        resources["cost_usd"] = amount_of(used.get("cost_usd"))
        accounting: dict[str, Any] = {"input_includes_cached": False, "output_includes_reasoning": True}
        if resources["cost_usd"] is not None:
            accounting["cost_source"] = CostSource.CLIENT_ESTIMATE.value
        observed = {name: value for name, value in resources.items() if value is not None}
        return StreamFindings(Usage(observed, accounting), self._failure(now_s), {})

    def _failure(self, now_s: float) -> ProviderFailure | None:
        said = None if self._result is None else self._result.get("error")
        if said not in set(ErrorType):
            return None
        resets_in_s = amount_of((self._result or {}).get("resets_in_s"))
        return ProviderFailure(
            ErrorType(said), f"scripted: {said}", None if resets_in_s is None else now_s + resets_in_s
        )

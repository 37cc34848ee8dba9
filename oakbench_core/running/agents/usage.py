"""What an agent said of itself: the resources that it used, how its provider counts, which version and model it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_TEXT: Final = 200


class Usage(NamedTuple):
    """None and absent keys are unmeasured. `refused` names what was said and not understood."""

    resources: Mapping[str, float]
    accounting: Mapping[str, Any]
    agent_version: str | None = None
    resolved_model: str | None = None
    refused: tuple[str, ...] = ()


NOTHING: Final = Usage({}, {})

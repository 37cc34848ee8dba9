"""Templates: text with `{name}` in it, where `{{` and `}}` are braces of the text itself.

A value is put in as it stands: braces in it mean nothing, and no shell quotes it. A single brace that belongs to no
placeholder is refused, so that a shell's `${x}` that was not written `${{x}}` is noticed at freezing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from oakbench_core.errors import OakbenchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PART: Final = re.compile(r"\{\{|\}\}|\{([A-Za-z0-9_.-]+)\}|[{}]")
_SHOWN: Final = 24


class TemplateError(OakbenchError):
    """A placeholder without a value, or a brace that belongs to none."""


def names_in(template: str) -> tuple[str, ...]:
    """The placeholders' names, each once, in the order of their first use.

    Raises:
        TemplateError: a single brace belongs to no placeholder.
    """
    return tuple(dict.fromkeys(name for name in _names(template) if name is not None))


def expand(template: str, values: Mapping[str, str]) -> str:
    """The text with every placeholder replaced by its value and every doubled brace by one.

    Raises:
        TemplateError: a placeholder has no value, or a single brace belongs to no placeholder.
    """
    unknown = sorted(set(names_in(template)) - values.keys())
    if unknown:
        raise TemplateError(f"no value for {', '.join(f'{{{name}}}' for name in unknown)}")
    return _PART.sub(lambda part: values[part[1]] if part[1] is not None else part[0][0], template)


def _names(template: str) -> Iterator[str | None]:
    for part in _PART.finditer(template):
        if part[0] in {"{", "}"}:
            around = template[part.start() : part.start() + _SHOWN]
            raise TemplateError(f"a single `{part[0]}` at {around!r}: write `{part[0] * 2}` for a brace of the text")
        yield part[1]

"""Text and numbers → HTML and SVG that show them and obey none of them.

Rule: every text goes through `shown`, whoever wrote it: first `display_safe`, then HTML's escapes.
"""

from __future__ import annotations

from html import escape
from itertools import count
from typing import TYPE_CHECKING

from oakbench_core.display import display_safe

if TYPE_CHECKING:
    from collections.abc import Iterable


def shown(text: str) -> str:
    """Text that reads as `text` in an element or in a quoted attribute."""
    return escape(display_safe(text), quote=True)


def at(number: float) -> str:
    """A coordinate: at most two decimals, and none that says nothing."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


class Drawings:
    """Makes the drawings of one document, each with a title and a description that a screen reader reads."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def drawing(self, width: float, height: float, parts: Iterable[str], *, title: str, description: str) -> str:
        """One `<svg>`; `parts` are elements that are markup already, `title` and `description` are text."""
        name = f"d{next(self._numbers)}"
        return (
            f'<svg role="img" aria-labelledby="{name}t {name}d" viewBox="0 0 {at(width)} {at(height)}" '
            f'width="{at(width)}" height="{at(height)}">'
            f'<title id="{name}t">{shown(title)}</title><desc id="{name}d">{shown(description)}</desc>'
            f"{''.join(parts)}</svg>\n"
        )


def label(x: float, y: float, text: str, *, kind: str = "", title: str | None = None) -> str:
    """A text in a drawing, its baseline at `y`; `title` is what is read when it is pointed at."""
    hover = "" if title is None else f"<title>{shown(title)}</title>"
    chosen = f' class="{kind}"' if kind else ""
    return f'<text x="{at(x)}" y="{at(y)}"{chosen}>{hover}{shown(text)}</text>'


def box(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{at(x)}" y="{at(y)}" width="{at(max(width, 0))}" height="{at(height)}"/>'


def line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{at(x)}" y1="{at(y)}" x2="{at(to_x)}" y2="{at(to_y)}"/>'


def dot(x: float, y: float, *, filled: bool) -> str:
    """Filled: final; open: not final."""
    return f'<circle class="{"final" if filled else "open"}" cx="{at(x)}" cy="{at(y)}" r="4"/>'


def shortened(text: str, longest: int) -> str:
    """A label that fits; the whole of it stands in the title."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"

"""The themes: what each style name looks like. No hue carries a meaning alone: a glyph and a word stand beside it.

`safe` is made for red-green blindness (blue against orange); its accent is white, since blue is verified there. Without
colour, bold, underline and reverse remain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oakbench_tui.view.segments import Token

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Attributes:
    bold: bool = False
    underline: bool = False
    reverse: bool = False


@dataclass(frozen=True, slots=True)
class Palette:
    """`colours` by style name; `ground` and `cursor_row` are backgrounds. An empty name means the terminal's own."""

    name: str
    dark: bool
    ground: str
    cursor_row: str
    colours: Mapping[Token, str]


def _palette(name: str, ground: str, cursor_row: str, *, dark: bool, **colours: str) -> Palette:
    return Palette(name, dark, ground, cursor_row, {Token(k): v for k, v in colours.items()})


DARK: Final = _palette(
    "dark",
    "#11151b",
    "#1f2b3a",
    dark=True,
    line="#3b4653",
    text="#d3dae3",
    strong="#f2f5f8",
    soft="#93a0b0",
    faint="#8592a2",
    accent="#5cc8e0",
    verified="#86c995",
    failure="#f0a065",
    timeout="#e2c85c",
    infra="#e39bd3",
    interrupted="#ff8b7b",
    note="#b9b3ee",
)
LIGHT: Final = _palette(
    "light",
    "#fbfaf7",
    "#e2ecf5",
    dark=False,
    line="#c4c8cc",
    text="#23292f",
    strong="#0b0f13",
    soft="#535d68",
    faint="#5f6873",
    accent="#00627a",
    verified="#1f6b36",
    failure="#99480a",
    timeout="#705a00",
    infra="#8d2f7d",
    interrupted="#b3261e",
    note="#544aa8",
)
SAFE: Final = _palette(
    "safe",
    "#10141a",
    "#1e2a3a",
    dark=True,
    line="#3b4653",
    text="#d6dce4",
    strong="#f4f6f9",
    soft="#96a3b3",
    faint="#8592a2",
    accent="#f4f6f9",
    verified="#6db3f2",
    failure="#f5a13d",
    timeout="#ffd27a",
    infra="#d9a7c7",
    interrupted="#ec6a5a",
    note="#b3bfe8",
)
PALETTES: Final = {palette.name: palette for palette in (DARK, LIGHT, SAFE)}

PLAIN: Final = Attributes()
COLOURED_ATTRIBUTES: Final[Mapping[Token, Attributes]] = {Token.STRONG: Attributes(bold=True)}
"""What is added to the colours."""

COLOURLESS_ATTRIBUTES: Final[Mapping[Token, Attributes]] = {
    Token.STRONG: Attributes(bold=True),
    Token.ACCENT: Attributes(bold=True),
    Token.FAILURE: Attributes(bold=True),
    Token.TIMEOUT: Attributes(bold=True),
    Token.INFRA: Attributes(bold=True),
    Token.INTERRUPTED: Attributes(underline=True),
    Token.HERE: Attributes(bold=True, reverse=True),
    Token.FILLED: Attributes(bold=True, reverse=True),
    Token.PILL: Attributes(bold=True, reverse=True),
}
"""What stands for the colours where there are none."""

"""The themes can be read: by contrast on both grounds, without colour, and by people who confuse red with green."""

from __future__ import annotations

import pytest

from oakbench_tui.view.glyphs import ASCII, LOOKS
from oakbench_tui.view.palette import COLOURLESS_ATTRIBUTES, PALETTES, Palette
from oakbench_tui.view.segments import Token, cells
from oakbench_tui.widgets.paint import Paint

LEAST_CONTRAST = 4.5  # WCAG 2, level AA, for text
themes = pytest.mark.parametrize("palette", PALETTES.values(), ids=lambda palette: palette.name)


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb` by WCAG 2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@themes
def test_every_text_colour_can_be_read_on_the_ground_and_on_the_cursors_row(palette: Palette) -> None:
    for token, colour in palette.colours.items():
        if token is not Token.LINE:  # rules, never text
            assert contrast(colour, palette.ground) >= LEAST_CONTRAST, token
            assert round(contrast(colour, palette.cursor_row), 1) >= LEAST_CONTRAST, token


@themes
def test_every_style_has_a_look(palette: Palette) -> None:
    paint = Paint(theme=palette.name)

    for token in Token:
        assert paint.style(token).color is not None
        assert paint.style(token, on_cursor_row=True).bgcolor is not None


def test_without_colour_no_colour_is_written() -> None:
    paint = Paint(colourless=True)

    for token in Token:
        style = paint.style(token)
        assert (style.color, style.bgcolor) == (None, None)
    assert COLOURLESS_ATTRIBUTES[Token.FILLED].reverse


def test_states_are_told_apart_by_glyph_and_by_word_alone() -> None:
    assert len({look.glyph for look in LOOKS.values()}) == len(LOOKS)
    assert len({look.word for look in LOOKS.values()}) == len({look.short for look in LOOKS.values()}) == len(LOOKS)
    twins = [look.glyph.translate(ASCII) for look in LOOKS.values()]
    assert len(set(twins)) == len(twins)
    assert all(twin.isascii() and len(twin) == 1 for twin in twins)


def test_every_glyph_is_one_cell_wide() -> None:
    assert {cells(chr(code)) for code in ASCII} == {1}

"""Every key and item of a TOML text has its line, however it is written."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.running.toml_lines import line_of, toml_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLE = """\
# a comment with = and [brackets]
title = "one # no comment ] } \\" two"   # a comment

[a]
b.c = 1
b."d.e" = 'x'
'f g' = [ 1, # one
  { h = \"\"\"
two lines "quoted"\"\"\", i = [] },
  [2,
   3] ]
[[k]]
x = 2026-01-01T00:00:00Z
[[k]]
x.y = 1.5
[k.z]
s = '''
[not a header]
t = 1'''
[a.late]
u = {}
v = ""
"""
LINES = {
    "$": 1,
    "$.title": 2,
    "$.a": 4,
    "$.a.b": 5,
    "$.a.b.c": 5,
    "$.a.b.d.e": 6,
    "$.a.f g": 7,
    "$.a.f g[0]": 7,
    "$.a.f g[1]": 8,
    "$.a.f g[1].h": 8,
    "$.a.f g[1].i": 9,
    "$.a.f g[2]": 10,
    "$.a.f g[2][0]": 10,
    "$.a.f g[2][1]": 11,
    "$.k": 12,
    "$.k[0]": 12,
    "$.k[0].x": 13,
    "$.k[1]": 14,
    "$.k[1].x": 15,
    "$.k[1].x.y": 15,
    "$.k[1].z": 16,
    "$.k[1].z.s": 17,
    "$.a.late": 20,
    "$.a.late.u": 21,
    "$.a.late.v": 22,
}


def paths(value: Any, path: str = "$") -> Iterator[str]:
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from paths(inner, f"{path}[{number}]")


def test_every_way_to_write_a_key_has_its_line() -> None:
    assert toml_lines(EXAMPLE) == LINES
    assert set(paths(tomllib.loads(EXAMPLE))) == set(LINES)


def test_a_line_may_end_with_cr_and_lf() -> None:
    assert toml_lines(EXAMPLE.replace("\n", "\r\n")) == LINES


def test_what_is_not_there_is_where_its_table_is() -> None:
    assert line_of("$.a.b.missing[3].x", LINES) == 5
    assert line_of("$.nothing", LINES) == 1


KEYS = st.text(st.sampled_from("ab-_. \"'#=[]{},é\\\n"), min_size=1, max_size=4)
STRINGS = st.text(st.sampled_from("ab\"'\\\n\t[]{}#=,é"), max_size=8)
LF = "\n"
VALUES = st.recursive(
    st.one_of(STRINGS, st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=6,
)


class Writer:
    """Writes a value as TOML, and notes on which line each part of it begins."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data
        self.text = ""
        self.lines = {"$": 1}

    def document(self, value: dict[str, Any]) -> None:
        for key, inner in value.items():
            self._put(self._break())
            self._pair("$", key, inner)
            self._put("\n")

    def _put(self, text: str) -> None:
        self.text += text

    def _pick(self, *choices: str) -> str:
        return self._data.draw(st.sampled_from(choices))

    def _break(self) -> str:
        return self._pick("", " ", "\n", "# ] } ' \" =\n", "\t\n\n")

    def _note(self, path: str) -> None:
        self.lines.setdefault(path, self.text.count("\n") + 1)

    def _escaped(self, text: str, raw: str = "") -> str:
        escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
        return "".join(part if part in raw else escapes.get(part, part) for part in text)

    def _basic(self, text: str) -> str:
        return f'"{self._escaped(text)}"'

    def _pair(self, path: str, key: str, value: Any) -> None:
        self._put(self._basic(key) + self._pick("", " "))
        self._note(f"{path}.{key}")
        self._put("=" + self._pick("", " "))
        self._value(f"{path}.{key}", value)

    def _value(self, path: str, value: Any) -> None:
        if isinstance(value, dict):
            self._put("{")
            for number, (key, inner) in enumerate(value.items()):
                self._put(", " if number else " ")
                self._pair(path, key, inner)
            self._put(" }")
        elif isinstance(value, list):
            self._put("[")
            for number, inner in enumerate(value):
                self._put(self._break())
                self._note(f"{path}[{number}]")
                self._value(f"{path}[{number}]", inner)
                self._put(f"{self._break()},")
            self._put(f"{self._break()}]")
        elif isinstance(value, str):
            self._put(self._string(value))
        else:
            self._put(str(value).lower())

    def _string(self, text: str) -> str:
        # TOML leaves out a first line feed, and a literal string has no escapes.
        kept = [LF] if '"""' in text or text.endswith('"') else [LF, LF + '"']
        ways = [self._basic(text), *(f'"""\n{self._escaped(text, raw)}"""' for raw in kept)]
        if "'" not in text:
            ways.append(f"'''\n{text}'''")
            if "\n" not in text:
                ways.append(f"'{text}'")
        return self._pick(*ways)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.data())
def test_every_part_of_any_text_has_its_line(value: dict[str, Any], data: st.DataObject) -> None:
    writer = Writer(data)
    writer.document(value)

    assert tomllib.loads(writer.text) == value
    # Keys with dots may spell one path twice; the first is kept, in both.
    assert toml_lines(writer.text) == writer.lines

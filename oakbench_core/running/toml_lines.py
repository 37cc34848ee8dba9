"""The line of every key and array item of a TOML text, which the standard library's reader does not tell.

The text must have been read by `tomllib` already: what is no TOML is not noticed here.
"""

from __future__ import annotations

import re
import tomllib
from typing import Final

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_STRING: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:[^"\\]|\\.)*"' r"|'[^']*'",
    re.DOTALL,
)
_PLAIN_VALUE: Final = re.compile(r"[^,\]}#\n]*")


def toml_lines(text: str) -> dict[str, int]:
    """JSON path (such as `$.workflows.w.tasks.t.setup[1]`) → line, counted from 1; `$` is line 1.

    A table is where its header stands first; a table that only dotted keys make, where the first of them stands.
    """
    scan = _Scan(text.replace("\r\n", "\n"))
    scan.document()
    return scan.lines


def line_of(path: str, lines: dict[str, int]) -> int:
    """The line of `path`, or of the nearest part of the document around it that is there."""
    while path not in lines:
        cut = max(path.rfind("."), path.rfind("["))
        if cut <= 0:
            return 1
        path = path[:cut]
    return lines[path]


class _Scan:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._counted = 0
        self._line = 1
        self.lines = {"$": 1}
        self._arrays: dict[str, int] = {}

    def document(self) -> None:
        table = "$"
        while self._skip(_BLANK) < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _skip(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._at

    def _take(self, token: str) -> bool:
        """Step over `token`, and whether it was there."""
        if not self._text.startswith(token, self._at):
            return False
        self._at += len(token)
        return True

    def _note(self, path: str) -> None:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        self.lines.setdefault(path, self._line)

    def _header(self) -> str:
        is_array = self._take("[[")
        if not is_array:
            self._take("[")
        path = self._key("$")
        if is_array:
            number = self._arrays[path] = self._arrays.get(path, -1) + 1
            path = f"{path}[{number}]"
            self._note(path)
        self._skip(_SPACE)
        self._take("]]" if is_array else "]")
        return path

    def _key(self, path: str) -> str:
        """The path that a dotted key adds to; each part of it is noted."""
        while True:
            self._skip(_SPACE)
            if self._arrays.get(path) is not None:  # a table below the last item of an array of tables
                path = f"{path}[{self._arrays[path]}]"
            path = f"{path}.{self._key_part()}"
            self._note(path)
            self._skip(_SPACE)
            if not self._take("."):
                return path

    def _key_part(self) -> str:
        start = self._at
        if self._text[start] not in "\"'":
            return self._text[start : self._skip(_BARE_KEY)]
        quoted = self._text[start : self._skip(_STRING)]
        return next(iter(tomllib.loads(f"{quoted} = 0")))

    def _pair(self, table: str) -> None:
        path = self._key(table)
        self._take("=")
        self._skip(_SPACE)
        self._value(path)

    def _value(self, path: str) -> None:
        if self._take("["):
            self._array(path)
        elif self._take("{"):
            self._inline_table(path)
        elif self._text[self._at] in "\"'":
            self._skip(_STRING)
        else:
            self._skip(_PLAIN_VALUE)

    def _array(self, path: str) -> None:
        number = 0
        while self._skip(_BLANK) < len(self._text) and not self._take("]"):
            self._note(f"{path}[{number}]")
            self._value(f"{path}[{number}]")
            number += 1
            self._skip(_BLANK)
            self._take(",")

    def _inline_table(self, path: str) -> None:
        while self._skip(_BLANK) < len(self._text) and not self._take("}"):
            self._pair(path)
            self._skip(_BLANK)
            self._take(",")

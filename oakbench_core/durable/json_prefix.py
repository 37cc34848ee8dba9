"""Whether bytes can be the beginning of a JSON value in the one encoding: shown by completing them.

A completion is found, not argued: the last token is finished in one of the few ways that it can be, the open containers
are closed, and the parser and the encoder judge the whole. It is as short as can be, for a record has a limit.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.canonical import MAX_DEPTH, parse_strict
from oakbench_core.durable.framing import compact
from oakbench_core.durable.number_prefix import completed_number

if TYPE_CHECKING:
    from collections.abc import Iterator


class Completed(NamedTuple):
    """A whole value that the bytes begin with, or are a beginning of; and the bytes that follow it."""

    text: bytes
    rest: bytes


# A string, whole or to the end of the text, or a bracket. What stands between these has neither quotes nor brackets.
_STRUCTURE: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:(")|\\?\Z)|[{}\[\]]', re.DOTALL)
_CLOSERS: Final = {b"{"[0]: b"}", b"["[0]: b"]"}
_DEEPEST: Final = MAX_DEPTH - 1  # the object stands inside a record
_LONG_INTEGER: Final = re.compile(rb"(?<![0-9.])[0-9]{16,}+(?![.e])")
_WORDS: Final = (b"true", b"false", b"null")
_LEAST_VALUE: Final = b"0"
_STRING_ENDS: Final = (
    b"",
    *(b"n", b"0", b"00", b"000", b"0000"),  # of an escape
    *(b"\x80", b"\xa0\x80", b"\x80\x80", b"\x90\x80\x80", b"\x80\x80\x80"),  # of a character
)


def _is_exact(text: bytes) -> bool:
    """Whether `text`, nested no deeper than may be, is a JSON value in the one encoding.

    Encoding what was decoded gives neither a key twice nor NaN nor a lone surrogate back; only integers beyond
    ±(2^53 − 1) need a look of their own.
    """
    try:
        same = compact(json.loads(text.decode())) == text
    except (ValueError, RecursionError):
        return False
    return same and not (_LONG_INTEGER.search(text) and parse_strict(text)[1])


def completed_object(text: bytes) -> Completed | None:
    """The JSON object that `text` begins with or is a beginning of."""
    if not text:
        return Completed(b"{}", b"")
    if not text.startswith(b"{"):
        return None
    opened, last = bytearray(), None
    for last in _STRUCTURE.finditer(text):
        mark = text[last.start()]
        if mark in b"{[":
            opened.append(mark)
            if len(opened) > _DEEPEST:
                return None
        elif mark in b"}]":
            opened.pop()
            if not opened:
                whole = text[: last.end()]
                return Completed(whole, text[last.end() :]) if _is_exact(whole) else None
    closers = b"".join(_CLOSERS[mark] for mark in reversed(opened))
    wholes = (begun + closers for begun in _closable(text, last, inside_object=opened[-1] in b"{"))
    return next((Completed(whole, b"") for whole in wholes if _is_exact(whole)), None)


def _closable(text: bytes, last: re.Match[bytes] | None, *, inside_object: bool) -> Iterator[bytes]:
    """Ways to go on with `text` until its containers can be closed; of JSON that is none, any will do.

    `last`: its last string or bracket.
    """
    start, end = last.span() if last else (0, 0)
    if end < len(text):
        yield from _with_value(text, end, inside_object=inside_object)
    elif text[start] not in b'"':
        yield text
    elif inside_object and text[start - 1] in b"{,":
        keys = (text,) if last and last[1] else _with_keys(text, start)
        yield from (key + b":" + _LEAST_VALUE for key in keys)
    elif last and last[1]:
        yield text
    elif (string := _begun_string(text[start:])) is not None:
        yield text[:start] + string + b'"'


def _with_value(text: bytes, start: int, *, inside_object: bool) -> Iterator[bytes]:
    """Of a text that ends, after its last string or bracket at `start`, with a mark or a scalar."""
    end = max(text.rfind(mark, start) for mark in (b",", b":")) + 1 or start
    if end < len(text):
        yield from (text[:end] + scalar for scalar in _scalars(text[end:]))
    elif text.endswith(b",") and inside_object:
        yield from (key + b":" + _LEAST_VALUE for key in _with_keys(text + b'"', end))
    else:
        yield text + _LEAST_VALUE


def _scalars(partial: bytes) -> Iterator[bytes]:
    yield from (word for word in _WORDS if word.startswith(partial))
    if (number := completed_number(partial)) is not None:
        yield number


def _with_keys(text: bytes, start: int) -> Iterator[bytes]:
    """The text with the key that begins at `start` finished, the shortest first: it may stand there already."""
    key = _begun_string(text[start:])
    if key is not None:
        fresh = sha256(text).hexdigest().encode()
        yield from (text[:start] + key + more + b'"' for more in (b"", b"~", b"~~", fresh))


def _begun_string(partial: bytes) -> bytes | None:
    """A string without its last quote that begins with `partial` and ends with a whole character."""
    return next((partial + end for end in _STRING_ENDS if _is_exact(partial + end + b'"')), None)

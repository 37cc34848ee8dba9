"""Whether bytes can be the beginning of a JSON value in the one encoding: shown by completing them.

A completion is found, not argued: the open containers are closed, the last token is finished in one of the few ways
that it can be, and the strict parser and the encoder judge the whole.
"""

from __future__ import annotations

import re
from itertools import islice, product
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.canonical import parse_strict
from oakbench_core.durable.framing import compact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Completed(NamedTuple):
    """A whole value that the bytes begin with, or are a beginning of; and the bytes that follow it."""

    text: bytes
    rest: bytes


_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^"{}\[\],:]+', re.DOTALL)
_CLOSERS: Final = {b"{": b"}", b"[": b"]"}
_DIGITS: Final = tuple(b"%d" % digit for digit in range(10))
# A shortest spelling has at most 17 digits, and from 15 on two more reach one in every interval; then the exponents.
_SCALAR_ENDS: Final = (
    b"",
    *_DIGITS,
    *(first + second for first, second in product(_DIGITS, _DIGITS)),
    b".5",
    *(start + end for start, end in product((b"", b"e", b"1e", b"5e"), (b"+16", b"-05", b"16", b"05"))),
)
_WORDS: Final = (b"true", b"false", b"null")
_ESCAPE_ENDS: Final = (b"", b"n", b"0000", b"000", b"00", b"0")
_CHARACTER_ENDS: Final = (b"\x80", b"\x80\x80", b"\x80\x80\x80", b"\xa0\x80", b"\x90\x80\x80")
_KEYS_TRIED: Final = 3  # the first way to finish a key may give one that stands there already


def is_exact(text: bytes) -> bool:
    """Whether `text`, as a value one level inside a document, is JSON in the one encoding."""
    wrapped = b'{"":%b}' % text
    value, problems = parse_strict(wrapped)
    return not problems and compact(value) == wrapped


def completed_string(text: bytes) -> Completed | None:
    """The JSON string that `text` begins with or is a beginning of."""
    if not text:
        return Completed(b'""', b"")
    if not text.startswith(b'"'):
        return None
    token = _TOKEN.match(text)
    if token is not None:
        return Completed(token[0], text[token.end() :]) if is_exact(token[0]) else None
    return next((Completed(whole, b"") for whole in _finished_strings(text)), None)


def completed_object(text: bytes) -> Completed | None:
    """The JSON object that `text` begins with or is a beginning of."""
    if not text:
        return Completed(b"{}", b"")
    if not text.startswith(b"{"):
        return None
    opened: list[bytes] = []
    awaited, start, position = "value", 0, 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:  # a string without its end
            break
        start, position = position, token.end()
        if token[0] in b"}]":
            opened.pop()
        elif token[0] in b"{[":
            opened.append(token[0])
        if not opened:
            whole = text[:position]
            return Completed(whole, text[position:]) if is_exact(whole) else None
        awaited = _awaited(token[0], awaited, opened)
    if awaited == "end of scalar":
        position = start
    ends = islice(_ends(text[position:], awaited), _KEYS_TRIED)
    closers = b"".join(_CLOSERS[bracket] for bracket in reversed(opened))
    wholes = (text[:position] + end + closers for end in ends)
    return next((Completed(whole, b"") for whole in wholes if is_exact(whole)), None)


def _awaited(token: bytes, awaited: str, opened: list[bytes]) -> str:
    """What comes after a token of well-formed JSON; of other JSON any answer will do, the whole is judged later."""
    if token == b",":
        return "key" if opened[-1] == b"{" else "value"
    if token.startswith(b'"'):
        return "colon" if awaited in {"key", "first key"} else "more"
    fixed = {b"{": "first key", b"[": "first item", b":": "value", b"}": "more", b"]": "more"}
    return fixed.get(token, "end of scalar")


def _ends(partial: bytes, awaited: str) -> Iterable[bytes]:
    """Ways to go on, from the last token that may not be whole, until the open containers can be closed."""
    if awaited == "end of scalar":
        return _finished_scalars(partial)
    if awaited in {"key", "first key"} and (partial or awaited == "key"):
        return (key + b":null" for key in _finished_strings(partial or b'"', more=(b"", b"~", b"~~")))
    if partial:
        return _finished_strings(partial)
    return {"colon": (b":null",), "value": (b"null",)}.get(awaited, (b"",))


def _finished_strings(partial: bytes, more: tuple[bytes, ...] = (b"",)) -> Iterator[bytes]:
    for end, text in product((*_ESCAPE_ENDS, *_CHARACTER_ENDS), more):
        whole = partial + end + text + b'"'
        if is_exact(whole):
            yield whole


def _finished_scalars(partial: bytes) -> Iterator[bytes]:
    yield from (word for word in _WORDS if word.startswith(partial))
    if partial[:1] in b"-0123456789":
        yield from (partial + end for end in _SCALAR_ENDS if is_exact(partial + end))

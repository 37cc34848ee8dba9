"""JSON read strictly, and the one canonical text that hashes are taken of.

Canonical text: keys sorted by code point, no white space, no ASCII escapes, UTF-8. RFC 8785 agrees where keys are
ASCII; it sorts by UTF-16 units.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from oakbench_core.errors import Problem

MAX_INTEGER: Final = 2**53 - 1  # beyond it a reader with floats only sees another number
MAX_DEPTH: Final = 64

_SURROGATE_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def canonical_text(value: object) -> str:
    """The canonical JSON text of plain JSON data; NaN and Infinity raise ValueError."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def readable_text(value: object) -> str:
    """The JSON text of a document that people read too, a line feed at its end; NaN and Infinity raise ValueError."""
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def sha256_hex(content: str | bytes) -> str:
    """Lower-case hex SHA-256; text is hashed as UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


class _Refused:
    """Stands where a value was read that JSON numbers may not hold."""

    def __init__(self, rule: str) -> None:
        self.rule = rule


class _Pairs(list[tuple[str, object]]):
    """An object before its keys were made unique."""


def _refuse_constant(word: str) -> object:
    return _Refused(f"expected a finite number, found {word}")


def _checked_integer(digits: str) -> object:
    # Long digit strings are refused by length: int() itself limits them, and takes quadratic time before that.
    if len(digits) > len(str(MAX_INTEGER)) + 1 or abs(int(digits)) > MAX_INTEGER:
        return _Refused(f"expected an integer within ±(2^53 − 1), found {digits[:24]}")
    return int(digits)


def _checked_float(digits: str) -> object:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        return _Refused(f"expected a finite number, found {digits[:24]}")
    return number


def _collected(value: object, path: str, depth: int, found: list[Problem]) -> Any:
    """The plain value under `path`; everything that strict JSON refuses is added to `found`."""
    if depth > MAX_DEPTH:
        found.append(Problem(rule=f"nested deeper than {MAX_DEPTH} levels", path=path))
        return None
    if isinstance(value, _Refused):
        found.append(Problem(rule=value.rule, path=path))
        return None
    if isinstance(value, str):
        if rule := _scalar_rule(value):
            found.append(Problem(rule=rule, path=path))
        return value
    if isinstance(value, _Pairs):
        plain: dict[str, object] = {}
        for key, inner in value:
            if key in plain:
                found.append(Problem(rule=f"the key {key!r} stands there twice", path=path))
            _collected(key, path, depth, found)
            plain[key] = _collected(inner, f"{path}.{key}", depth + 1, found)
        return plain
    if isinstance(value, list):
        return [_collected(v, f"{path}[{i}]", depth + 1, found) for i, v in enumerate(value)]
    return value


def _containers(value: object) -> list[object]:
    if isinstance(value, dict):
        inner: list[object] = list(value.values())
    elif isinstance(value, list):
        inner = value
    else:
        return []
    return [item for item in inner if isinstance(item, dict | list)]


def _nested_too_deep(value: object) -> bool:
    # Level by level: a document of 100,000 trials is wide, and recursion over it would cost more than its parsing.
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _containers(outer)]
        if not level:
            return False
    return True


def _parsed_fast(text: str) -> tuple[Any, bool]:
    """The value, and whether a slower look is needed to name what is wrong with it."""
    doubtful = False

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal doubtful
        plain = dict(pairs)
        doubtful |= len(plain) != len(pairs)
        return plain

    def integer(digits: str) -> object:
        nonlocal doubtful
        number = _checked_integer(digits)
        doubtful |= isinstance(number, _Refused)
        return number

    def floating(digits: str) -> object:
        nonlocal doubtful
        number = _checked_float(digits)
        doubtful |= isinstance(number, _Refused)
        return number

    def constant(word: str) -> object:
        nonlocal doubtful
        doubtful = True
        return _refuse_constant(word)

    value = json.loads(
        text,
        object_pairs_hook=unique,
        parse_int=integer,
        parse_float=floating,
        parse_constant=constant,
    )
    return value, doubtful


def plain_problems(value: object) -> tuple[Problem, ...]:
    """What makes a value no plain JSON data of ours, though it was never text: the same rules as `parse_strict`."""
    if _is_plain(value, 1):
        return ()
    found: list[Problem] = []
    _inspect(value, "$", 1, found)
    return tuple(found)


def plain_data(value: object) -> Any:
    """Dicts, lists and plain scalars of a value that `plain_problems` finds nothing wrong with."""
    if _is_plain(value, 1):
        return value
    if isinstance(value, Mapping):
        return {key: plain_data(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain_data(inner) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    # A member of an enumeration becomes its value.
    return next((kind(value) for kind in (str, int, float) if isinstance(value, kind)), value)


def _is_plain(value: object, depth: int) -> bool:
    """A quick look that names nothing: True of dicts, lists and scalars of exactly JSON's kinds, within its limits."""
    kind = type(value)
    if kind is dict or kind is list:
        if depth > MAX_DEPTH:
            return False
        if isinstance(value, dict):
            return all(type(key) is str and key.isascii() and _is_plain(at, depth + 1) for key, at in value.items())
        return isinstance(value, list) and all(_is_plain(inner, depth + 1) for inner in value)
    if kind is str or kind is float or kind is int:
        return _scalar_rule(value) is None
    return value is None or kind is bool


def _inspect(value: object, path: str, depth: int, found: list[Problem]) -> None:
    if depth > MAX_DEPTH:
        found.append(Problem(rule=f"nested deeper than {MAX_DEPTH} levels", path=path))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if isinstance(key, str):
                _inspect(key, path, depth, found)
                _inspect(inner, f"{path}.{key}", depth + 1, found)
            else:
                found.append(Problem(rule=f"expected keys that are text, found {key!r}", path=path))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            _inspect(inner, f"{path}[{number}]", depth + 1, found)
    elif rule := _scalar_rule(value):
        found.append(Problem(rule=rule, path=path))


def _scalar_rule(value: object) -> str | None:
    """What a value that holds no others breaks."""
    match value:
        case str():
            surrogate = not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value)
            return "expected text, found a lone surrogate" if surrogate else None
        case int():
            return None if abs(value) <= MAX_INTEGER else "expected an integer within ±(2^53 − 1)"
        case float():
            return None if math.isfinite(value) else f"expected a finite number, found {value}"
        case None:
            return None
    return f"expected JSON data, found {type(value).__name__}"


def parse_strict(data: bytes) -> tuple[Any, tuple[Problem, ...]]:
    """The value of a JSON document and everything that makes it refused (`value` is None then).

    Refused: bytes that are no UTF-8, a BOM, a syntax error, duplicate keys, NaN and Infinity, numbers that overflow,
    integers beyond ±(2^53 − 1), lone surrogates, nesting deeper than 64.
    """
    if data.startswith(b"\xef\xbb\xbf"):
        return None, (Problem(rule="expected UTF-8 without a byte order mark", byte=0),)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return None, (Problem(rule="expected UTF-8", byte=error.start),)
    try:
        value, doubtful = _parsed_fast(text)
        if not (doubtful or _SURROGATE_ESCAPE.search(data) or _nested_too_deep(value)):
            return value, ()
        found: list[Problem] = []
        pairs = json.loads(
            text,
            object_pairs_hook=_Pairs,
            parse_int=_checked_integer,
            parse_float=_checked_float,
            parse_constant=_refuse_constant,
        )
        value = _collected(pairs, "$", 1, found)
    except RecursionError:
        return None, (Problem(rule=f"nested deeper than {MAX_DEPTH} levels"),)
    except json.JSONDecodeError as error:
        byte = len(text[: error.pos].encode())
        return None, (Problem(rule=f"expected JSON: {error.msg}", line=error.lineno, byte=byte),)
    return (None, tuple(found)) if found else (value, ())

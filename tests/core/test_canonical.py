"""JSON is read strictly, and one canonical text is hashed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.canonical import MAX_INTEGER, canonical_text, parse_strict, plain_problems, sha256_hex

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=20,
)


def test_canonical_text_and_hash_are_those_of_the_vectors(vectors: dict[str, Any]) -> None:
    vector = vectors["canonical_sha256"]

    assert canonical_text(vector["value"]) == vector["text"]
    assert sha256_hex(vector["text"]) == vector["sha256"]


def test_keys_are_sorted_by_code_point_not_by_utf16_unit(vectors: dict[str, Any]) -> None:
    vector = vectors["canonical_order"]

    assert canonical_text({"😀": 2, "\ufb33": 1}) == vector["text"]
    assert sha256_hex(vector["text"]) == vector["sha256"]


@given(JSON)
def test_what_is_written_canonically_is_read_back_the_same(value: object) -> None:
    assert parse_strict(canonical_text(value).encode()) == (value, ())


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        (b'{"a":1,"b":{"c":2,"c":3}}', "$.b", "twice"),
        (b'{"a":[1,NaN]}', "$.a[1]", "finite"),
        (b'{"a":-Infinity}', "$.a", "finite"),
        (b'{"a":1e999}', "$.a", "finite"),
        (b'{"a":9007199254740992}', "$.a", "2^53"),
        (b'{"a":-' + b"9" * 5000 + b"}", "$.a", "2^53"),
        (b'{"a":"\\ud800"}', "$.a", "surrogate"),
        (b'{"\\udfff":1}', "$", "surrogate"),
        (b"[" * 65 + b"]" * 65, "$" + "[0]" * 64, "deeper"),
    ],
)
def test_refused_values_are_named_with_their_json_path(text: bytes, path: str, words: str) -> None:
    value, problems = parse_strict(text)

    assert value is None
    assert [problem.path for problem in problems] == [path]
    assert words in problems[0].rule


@pytest.mark.parametrize("text", [b"[" * 100_000, b'{"a":' * 100_000])
def test_endless_nesting_is_refused_without_a_traceback(text: bytes) -> None:
    value, problems = parse_strict(text)

    assert value is None
    assert problems


def test_all_problems_of_a_document_are_reported_together() -> None:
    _, problems = parse_strict(b'{"a":1,"a":[NaN,1e999],"b":"\\ud800","c":90071992547409920}')

    assert len(problems) == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [(b"\xef\xbb\xbf{}", "byte order mark"), (b'{"a":"\xff"}', "UTF-8"), (b"{,}", "JSON"), (b"", "JSON")],
)
def test_what_is_no_json_text_is_refused_with_its_byte(text: bytes, words: str) -> None:
    value, problems = parse_strict(text)

    assert value is None
    assert words in problems[0].rule
    assert problems[0].byte is not None


def test_a_depth_of_64_is_still_read() -> None:
    text = b"[" * 64 + b"]" * 64

    assert parse_strict(text) == (json.loads(text), ())


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": "\ud800"}, "$.a"),
        ({"\ud800": 1}, "$"),
        ({"a": [1, float("nan")]}, "$.a[1]"),
        ({"a": 2**53}, "$.a"),
        ({"a": {1}}, "$.a"),
        ({1: "a"}, "$"),
    ],
)
def test_data_that_was_never_text_is_held_to_the_same_rules(value: object, path: str) -> None:
    assert [problem.path for problem in plain_problems(value)] == [path]


@given(JSON)
def test_what_json_text_can_hold_is_plain_data(value: object) -> None:
    assert plain_problems(value) == ()


def test_plain_data_may_be_as_deep_as_text_and_no_deeper() -> None:
    deep: object = 1
    for _ in range(63):
        deep = [deep]
    assert plain_problems(deep) == ()

    for _ in range(5_000):
        deep = [deep]
    assert len(plain_problems(deep)) == 1

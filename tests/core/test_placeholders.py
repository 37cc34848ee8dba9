"""Templates: every placeholder gets its value as it stands, and no brace is passed over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.placeholders import TemplateError, expand, names_in

NAMES = st.sampled_from(["workspace", "prompt", "subject.binary", "subject.how_to-commit", "x"])
PIECES = st.lists(st.one_of(st.tuples(st.just("text"), st.text()), st.tuples(st.just("name"), NAMES)))


@given(st.text())
def test_text_with_doubled_braces_comes_back_as_it_was(text: str) -> None:
    escaped = text.replace("{", "{{").replace("}", "}}")

    assert names_in(escaped) == ()
    assert expand(escaped, {}) == text


@given(PIECES, st.text())
def test_each_placeholder_is_replaced_and_nothing_else(pieces: list[tuple[str, str]], value: str) -> None:
    template = "".join(
        f"{{{piece}}}" if kind == "name" else piece.replace("{", "{{").replace("}", "}}") for kind, piece in pieces
    )
    values = {piece: value + piece for kind, piece in pieces if kind == "name"}

    assert names_in(template) == tuple(values)
    assert expand(template, values) == "".join(values[piece] if kind == "name" else piece for kind, piece in pieces)


def test_a_value_is_no_template() -> None:
    assert expand("a{x}b", {"x": "{y} {{ }"}) == "a{y} {{ }b"


def test_a_shell_variable_is_written_with_doubled_braces() -> None:
    assert expand("echo ${{HOME}} {{{x}}}", {"x": "1"}) == "echo ${HOME} {1}"


@pytest.mark.parametrize("template", ["{", "}", "{ x }", "{x", "x}", "{}", "{{{", "}}}", "awk '{ print }'", "{a b}"])
def test_a_brace_that_belongs_to_no_placeholder_is_refused(template: str) -> None:
    with pytest.raises(TemplateError, match="for a brace of the text"):
        names_in(template)
    with pytest.raises(TemplateError):
        expand(template, {"x": ""})


def test_a_placeholder_without_a_value_is_named() -> None:
    with pytest.raises(TemplateError, match=r"no value for \{a\}, \{b\}"):
        expand("{b}{a}{c}", {"c": ""})

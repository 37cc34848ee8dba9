"""Laws of rows: the fast way accepts what the slow way accepts, and both say the same of it."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from oakbench_core.baseline.row import checked_line, checked_mapping, content
from oakbench_core.canonical import canonical_text
from tests.core.baseline.staging import row

texts = st.text(max_size=6)
versions = st.none() | texts | st.integers(-(2**53), 2**53)
numbers = st.none() | st.integers(-(2**54), 2**54) | st.floats()
shares = st.none() | st.floats(-0.5, 1.5) | st.sampled_from([0, 1, 1e-7, True])
metrics = st.dictionaries(st.sampled_from(["wall_ms", "user_ms", "é", "", '"q"']), numbers, max_size=3)
odd = st.none() | st.booleans() | st.integers(-3, 3) | texts | st.lists(st.none(), max_size=1)
changes = st.fixed_dictionaries(
    {},
    optional={
        "schema": st.sampled_from(["oakbench.row/1", "oakbench.row/2", None]),
        "lane": st.sampled_from(["core", "agent", "remote-ssh", "", 3]),
        "bench_id": st.none() | texts,
        "run": numbers | texts | st.booleans(),
        "fixture_version": versions | st.floats(0, 1),
        "metrics": metrics | odd,
        "oracles": st.none()
        | st.fixed_dictionaries({}, optional={"output": st.fixed_dictionaries({}, optional={"recall": shares})}),
        "at": st.sampled_from(["2026-11-30T08:15:00Z", "2026-02-30T08:15:00Z", "", None]),
        "extra": st.none() | st.dictionaries(texts, odd | st.integers(2**52, 2**54), max_size=2),
        "fixture": st.sampled_from([None, {}, {"version": "f2"}, {"version": 3}, {"other": 1}]),
        "prompt": st.sampled_from([None, {"instruction_level": "a"}]),
        "instruction": st.sampled_from([None, {"level": "a"}, {"level": "b"}]),
        "exit_code": odd,
        "surplus": odd,
    },
)


@given(changes, st.sampled_from([(",", ":"), (", ", ": ")]), st.booleans())
@example({"metrics": {"wall_ms": 1e16, "user_ms": 1e-5}}, (",", ":"), False)
@example({"run": -0.0}, (",", ":"), False)
def test_a_line_and_the_mapping_that_it_says_are_read_alike(
    changed: dict[str, Any], separators: tuple[str, str], escaped: bool
) -> None:
    value = row(**changed)
    text = json.dumps(value, separators=separators, ensure_ascii=escaped).encode(errors="surrogatepass")

    from_line, of_line = checked_line(text)
    from_mapping, of_mapping = checked_mapping(value)

    assert (from_line is None) is (from_mapping is None), (of_line, of_mapping)
    if from_line is not None and from_mapping is not None:
        assert from_line == from_mapping
        assert from_line.text == canonical_text(json.loads(text)).encode()
        assert content(from_line.row, 0) == content(from_mapping.row, 0)


@given(changes, st.data())
def test_a_line_in_which_any_key_stands_twice_is_refused(changed: dict[str, Any], data: st.DataObject) -> None:
    value = row(**changed)
    key = data.draw(st.sampled_from(sorted(value)))
    once = json.dumps({key: value[key]})[1:-1]
    text = "{" + once + "," + json.dumps(value)[1:]

    assert checked_line(text.encode(errors="surrogatepass"))[0] is None

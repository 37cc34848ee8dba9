"""A definition: what it may not hold is refused, all at once, each with its place and by its name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from oakbench_core.campaign.definition import Definition
from oakbench_core.campaign.definition_reading import read_definition, read_run_table
from tests.core.definitions import changed, definition

T = "workflows.w.tasks.t"
CHECKS = f"{T}.oracle.checks"


def problems_of(value: Any) -> dict[str, str]:
    """Rules by path; two of one path are joined."""
    read, problems = read_definition(value)
    assert (read is None) == bool(problems)
    rules: dict[str, str] = {}
    for problem in problems:
        path = problem.path or ""
        rules[path] = f"{rules[path]}; {problem.rule}" if path in rules else problem.rule
    return rules


def test_the_small_definition_is_one() -> None:
    assert problems_of(definition()) == {}


@pytest.mark.parametrize(
    ("path", "value", "place", "words"),
    [
        ("campaign", ..., "$.campaign", "required"),
        ("campaign.id", "a b", "$.campaign.id", "form"),
        ("campaign.seed", 1.5, "$.campaign.seed", "integer"),
        ("campaign.seed", True, "$.campaign.seed", "integer"),
        ("campaign.colour", "red", "$.campaign.colour", "unknown"),
        ("campaign.compares", ["cost"], "$.campaign.compares[0]", "agent_version"),
        ("campaign.compares", ["agent_version"] * 2, "$.campaign.compares[1]", "twice"),
        ("campaign.admission_budget_s", 1.5, "$.campaign.admission_budget_s", "integer"),
        ("campaign.repetitions", 0, "$.campaign.repetitions", "1"),
        ("campaign.repetitions", 10**9, "$.campaign", "at most 1,000,000 trials, found 6,000,000,000"),
        ("campaign.timeout_s", ..., f"$.{T}", "`timeout_s`"),
        ("campaign.agents", [], "$.campaign.agents", "at least one"),
        ("campaign.agents", ["a", "b"], "$.campaign.agents[1]", "no agent is called 'b', expected one of a"),
        ("workflows.w.subjects", ["three"], "$.workflows.w.subjects[0]", "no subject is called 'three'"),
        (f"{T}.subjects", ["one", "one"], f"$.{T}.subjects[1]", "twice"),
        ("campaign.instruction_levels", ["helped"], "$.workflows.w.tasks.u.prompts", "no prompt of the"),
        ("campaign.participants", "humans", "$.campaign.participants", "own protocol"),
        ("campaign.participants", "robots", "$.campaign.participants", "agents"),
        ("run.keep_workspaces", "some", "$.run.keep_workspaces", "'none', 'failed' or 'all'"),
        ("run.grace_s", 0.5, "$.run.grace_s", "integer"),
        ("subjects.one.binary", "bin/x", "$.subjects.one.binary", "absolute path"),
        ("subjects.one.parameters.t", 0.7, "$.subjects.one.parameters.t", "put it in quotes"),
        ("subjects.one.parameters.binary", "x", "$.subjects.one.parameters.binary", "another name"),
        ("subjects.one.setup", [3], "$.subjects.one.setup[0]", "expected a command"),
        ("subjects.one.setup", [[]], "$.subjects.one.setup[0]", "expected a command"),
        ("subjects.one.setup", [""], "$.subjects.one.setup[0]", "expected a command"),
        ("subjects.one.setup", "true", "$.subjects.one.setup", "expected a list, found 'true'"),
        ("subjects.one", 3, "$.subjects.one", "expected a table, found 3"),
        ("subjects", [], "$.subjects", "expected a table, found []"),
        ("workflows.w", "x", "$.workflows.w", "expected a table, found 'x'"),
        ("subjects.one.unsupported", {"w.x": "why"}, "$.subjects.one.unsupported.w.x", "is called 'w.x'"),
        ("subjects.One", {"binary": "sh"}, "$.subjects.One", "case only"),
        ("subjects.a b", {}, "$.subjects.a b", "form"),
        ("agents", {}, "$.agents", "at least one"),
        ("agents.a.adapter", "magic", "$.agents.a.adapter", "command"),
        ("agents.a.argv", "claude -p", "$.agents.a.argv", "a list of texts"),
        ("agents.a.argv", ["", "x"], "$.agents.a.argv", "a list of texts"),
        ("agents.a.argv", ["x", "\0"], "$.agents.a.argv", "a list of texts"),
        ("agents.a.env", ["A-B"], "$.agents.a.env[0]", "form"),
        ("agents.a.set_env", {"MY_TOKEN": "x"}, "$.agents.a.set_env.MY_TOKEN", "looks like a secret"),
        ("agents.a.set_env", {"X": 1}, "$.agents.a.set_env.X", "expected text, found 1"),
        ("agents.a.home", "mine", "$.agents.a.home", "'fresh' or 'inherit'"),
        ("agents.a.login", ["auth.json"], "$.agents.a.login[0]", "expected a file below HOME"),
        ("agents.a.login", ["~/../x"], "$.agents.a.login[0]", "expected a file below HOME"),
        ("agents.a.cleanup", [3], "$.agents.a.cleanup[0]", "expected a command"),
        ("agents.a.cleanup", ["rm {oracle}"], "$.agents.a.cleanup[0]", "has no value in a cleanup command"),
        (f"{T}.cleanup", ["rm {nope}"], f"$.{T}.cleanup[0]", "no placeholder"),
        ("workflows.w.cleanup", ["true"], "$.workflows.w.cleanup", "unknown"),
        ("agents.a.prices", {"input": "1.25"}, "$.agents.a.prices.output", "required"),
        ("agents.a.prices", {"input": 1.25, "output": "2"}, "$.agents.a.prices.input", "expected text"),
        ("agents.a.prices", {"input": "1e3", "output": "2"}, "$.agents.a.prices.input", "form"),
        ("subjects.one.agent.prices", {"output": "2"}, "$.subjects.one.agent.prices.input", "required"),
        ("agents.a.token_weights", {"tokens": "1"}, "$.agents.a.token_weights.tokens", "input_tokens"),
        ("agents.a.token_weights", {"input_tokens": 1}, "$.agents.a.token_weights.input_tokens", "expected text"),
        ("workflows.w.version", ..., "$.workflows.w.version", "required"),
        ("workflows.w.inputs", ["../x"], "$.workflows.w.inputs[0]", "stays inside"),
        ("workflows.w.fixture", "x", "$.workflows.w.fixture", "unknown"),
        ("workflows.w.tasks", {}, "$.workflows.w.tasks", "at least one"),
        (f"{T}.fixture", 3, f"$.{T}.fixture", "expected a fixture"),
        (f"{T}.fixture", {"repo": "x"}, f"$.{T}.fixture", "expected a fixture"),
        (f"{T}.fixture", {"repo": "x", "commit": "--all"}, f"$.{T}.fixture", "expected a fixture"),
        (f"{T}.prompts", {}, f"$.{T}.prompts", "at least one"),
        (f"{T}.prompts", ..., f"$.{T}.prompts", "required"),
        (f"{T}.prompts.plain", " ", f"$.{T}.prompts.plain", "expected a prompt"),
        (f"{T}.prompts.Plain", "x", f"$.{T}.prompts.Plain", "case only"),
        (f"{T}.oracle.checks", [], f"$.{T}.oracle.checks", "at least one"),
        (f"{T}.oracle.version", ..., f"$.{T}.oracle.version", "required"),
    ],
)
def test_what_a_definition_may_not_hold_is_refused_with_its_place(
    path: str, value: Any, place: str, words: str
) -> None:
    found = problems_of(changed((path, value)))

    assert place in found
    assert words in found[place]


@pytest.mark.parametrize(
    ("check", "key", "words"),
    [
        ({"name": "x"}, "", "with `run`, with `path`, or with `may_change` or `must_change`"),
        ({"name": "ran", "path": "y"}, ".name", "two checks are called 'ran'"),
        ({"name": "x", "run": "true", "path": "y"}, ".path", "unknown"),
        ({"name": "x", "run": "true", "stdout_regex": "("}, ".stdout_regex", "regular expression"),
        ({"name": "x", "run": "true", "timeout_s": 0}, ".timeout_s", "1"),
        ({"name": "x", "path": "/etc/passwd"}, ".path", "stays inside"),
        ({"name": "x", "path": "y", "sha256": "abc"}, ".sha256", "form"),
        ({"name": "x", "path": "y", "present": False, "contains": "z"}, ".contains", "absent"),
        ({"name": "x", "may_change": ["../**"]}, ".may_change[0]", "inside the workspace"),
        ({"name": "x", "must_change": ["/x"]}, ".must_change[0]", "inside the workspace"),
        ({"run": "true"}, ".name", "required"),
    ],
)
def test_a_check_that_is_none_is_refused_with_its_place(check: dict[str, Any], key: str, words: str) -> None:
    checks = [*definition()["workflows"]["w"]["tasks"]["t"]["oracle"]["checks"], check]
    found = problems_of(changed((CHECKS, checks)))

    assert list(found) == [f"$.{CHECKS}[3]{key}"]
    assert words in found[f"$.{CHECKS}[3]{key}"]


NOT_DONE = {
    "subjects.one.agent.adapter": "gemini",
}


@pytest.mark.parametrize("path", NOT_DONE)
def test_what_is_known_and_not_done_is_refused_by_its_name(path: str) -> None:
    found = problems_of(changed((path, NOT_DONE[path])))

    assert list(found) == [f"$.{path}"]
    assert "not supported" in found[f"$.{path}"]


def test_an_adapter_that_is_not_built_says_what_to_write_instead() -> None:
    assert 'say adapter = "command"' in problems_of(changed(("agents.a.adapter", "gemini")))["$.agents.a.adapter"]


def test_a_subject_makes_no_mock_of_an_agent_that_is_none() -> None:
    """The campaign would not say that it proves instrumentation only."""
    assert (
        "expected 'command'"
        in problems_of(changed(("subjects.one.agent.adapter", "mock")))["$.subjects.one.agent.adapter"]
    )


def test_a_mock_that_says_it_is_none_is_refused() -> None:
    found = problems_of(changed(("agents.a.adapter", "mock"), ("agents.a.argv", ["pass=1"]), ("agents.a.mock", False)))

    assert list(found) == ["$.agents.a.mock"]


def test_the_script_of_a_mock_is_looked_at_word_by_word() -> None:
    argv = ["pass=3", "fail", "seconds=5-1", "pass=1", "hum=1", "daemon=101", "do= ", "{nope}"]
    found = problems_of(changed(("agents.a.adapter", "mock"), ("agents.a.argv", argv)))

    assert set(found) == {f"$.agents.a.argv[{number}]" for number in range(1, 8)}
    assert "stands there twice" in found["$.agents.a.argv[3]"]


@pytest.mark.parametrize(
    ("path", "value", "place", "words"),
    [
        ("agents.a.argv", ["{nope}"], "$.agents.a.argv[0]", "`{nope}` is no placeholder"),
        ("agents.a.argv", ["x", "${HOME}"], "$.agents.a.argv[1]", "`{HOME}` is no placeholder"),
        ("agents.a.argv", ["x", "{oracle}"], "$.agents.a.argv[1]", "laid down when the agent has ended"),
        ("agents.a.argv", ["x", "{inputs}"], "$.agents.a.argv[1]", "the workflow 'w' has no `inputs`"),
        ("agents.a.argv", ["x", "{subject.x}"], "$.agents.a.argv[1]", "the subject 'one' has no parameter 'x'"),
        ("agents.a.argv", ["{subject.binary}"], "$.agents.a.argv[0]", "the subject 'two' has no `binary`"),
        ("agents.a.argv", ["x", "{"], "$.agents.a.argv[1]", "write `{{`"),
        ("agents.a.model", ..., "$.agents.a.argv[2]", "the agent 'a' names no model"),
        ("agents.a.version", ["x", "{subject.help}"], "$.agents.a.version[1]", "once for all subjects"),
        ("subjects.one.version", ["x", "{task}"], "$.subjects.one.version[1]", "no value in a subject's version"),
        ("subjects.one.setup", ["{oracle}"], "$.subjects.one.setup[0]", "laid down"),
        (f"{T}.setup", ["echo {oracle}"], f"$.{T}.setup[0]", "laid down"),
        (f"{T}.setup", ["echo }"], f"$.{T}.setup[0]", "write `}}`"),
        (f"{T}.prompts.plain", "{workspace}", f"$.{T}.prompts.plain", "expected one of {subject.NAME}"),
        (f"{T}.prompts.plain", "{subject.binary}", f"$.{T}.prompts.plain", "name the program by a parameter"),
        (f"{T}.prompts.plain", "{subject.x}", f"$.{T}.prompts.plain", "the subject 'two' has no parameter 'x'"),
        (f"{T}.oracle.files", ..., f"$.{CHECKS}[0].run", "the oracle of w.t has no `files`"),
        (f"{T}.solution", "{solution}", f"$.{T}.solution", "no placeholder"),
    ],
)
def test_a_placeholder_without_a_value_is_refused_where_it_stands(
    path: str, value: Any, place: str, words: str
) -> None:
    found = problems_of(changed((path, value)))

    assert place in found
    assert words in found[place]


def test_a_placeholder_is_asked_only_of_the_subjects_that_meet_it() -> None:
    only_one = changed((f"{T}.prompts.plain", "{subject.x}"), (f"{T}.subjects", ["one"]))
    only_one["subjects"]["one"]["parameters"]["x"] = "1"

    assert problems_of(only_one) == {}


def test_a_subject_that_brings_its_argv_is_not_asked_for_what_the_agents_needs() -> None:
    document = changed(("agents.a.argv", ["x", "{subject.own}"]), ("subjects.one.parameters.own", "1"))
    assert set(problems_of(document)) == {"$.agents.a.argv[1]"}

    document["subjects"]["two"]["agent"] = {"argv": ["y"]}
    assert problems_of(document) == {}


def test_a_brace_of_a_literal_text_is_no_placeholder() -> None:
    checks = [
        {"name": "json", "run": "true", "stdout": '{"a": {}}', "stdout_regex": "a{2,3}"},
        {"name": "holds", "path": "{x}", "contains": "{"},
    ]
    document = changed((CHECKS, checks), (f"{T}.solution", ...), ("agents.a.set_env", {"A": "{x}"}))
    document["subjects"]["one"]["parameters"]["json"] = "{"

    assert problems_of(document) == {}


def test_all_problems_of_a_definition_are_reported_together() -> None:
    places = {
        "$.campaign.seed": ("campaign.seed", "x"),
        "$.run.hold_s": ("run.hold_s", -1),
        "$.agents.a.argv[0]": ("agents.a.argv", ["{nope}"]),
        "$.subjects.one.parameters.binary": ("subjects.one.parameters.binary", "x"),
        f"$.{T}.prompts.plain": (f"{T}.prompts.plain", "{"),
        "$.workflows.w.tasks.u.oracle.checks": ("workflows.w.tasks.u.oracle.checks", []),
    }

    assert set(problems_of(changed(*places.values()))) == set(places)


JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=3), inner, max_size=2)),
    max_leaves=4,
)


def places_of(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places_of(item, (*path, key)))]


@given(st.data())
def test_whatever_stands_anywhere_in_a_definition_is_read_or_refused_with_a_place(data: st.DataObject) -> None:
    document = definition()
    *way, last = data.draw(st.sampled_from([place for place in places_of(document) if place]))
    table: Any = document
    for key in way:
        table = table[key]
    table[last] = data.draw(JUNK)

    read, problems = read_definition(document)

    assert (read is None) == bool(problems)
    assert all((problem.path or "").startswith("$") and problem.rule for problem in problems)


def test_the_run_table_is_read_whatever_stands_beside_it() -> None:
    table, problems = read_run_table({"run": {"grace_s": 1}, "campaign": 3})
    assert table is not None
    assert (table.grace_s, table.halt_after, table.keep_workspaces, problems) == (1, 3, "failed", ())

    table, problems = read_run_table({"run": {"grace_s": -1, "max_parallel": 0, "x": 1}})
    assert table is None
    assert {problem.path for problem in problems} == {"$.run.grace_s", "$.run.max_parallel", "$.run.x"}


def test_a_definition_has_a_json_schema() -> None:
    schema = TypeAdapter(Definition).json_schema()

    assert set(schema["properties"]) == {"campaign", "run", "workflows", "agents", "subjects"}
    assert "gemini" not in str(schema)


@pytest.mark.parametrize(
    ("adapter", "argv", "words"),
    [
        ("claude-code", ["claude", "-p", "{prompt}"], "reads what claude prints with `--output-format`"),
        ("claude-code", ["/opt/claude", "-p", "{prompt}"], "add it"),
        ("codex", ["codex", "exec", "{prompt}"], "prints with `--json`"),
        ("codex", ["sh", "{usage_file}"], "reads no usage file"),
    ],
)
def test_an_argv_that_gives_its_adapter_nothing_to_read_is_refused(adapter: str, argv: list[str], words: str) -> None:
    found = problems_of(changed(("agents.a.adapter", adapter), ("agents.a.argv", argv)))
    assert words in found["$.agents.a.argv"]

    found = problems_of(changed(("subjects.one.agent.adapter", adapter), ("subjects.one.agent.argv", argv)))
    assert words in found["$.subjects.one.agent.argv"]


@pytest.mark.parametrize(
    ("adapter", "argv"),
    [
        ("claude-code", ["claude", "-p", "{prompt}", "--output-format=stream-json", "--verbose"]),
        ("claude-code", ["sh", "-c", "{prompt}"]),  # whatever it starts
        ("codex", ["codex", "exec", "--json", "{prompt}"]),
        ("command", ["claude", "-p", "{prompt}", "{usage_file}"]),
    ],
)
def test_an_argv_that_its_adapter_can_read_is_taken(adapter: str, argv: list[str]) -> None:
    assert problems_of(changed(("agents.a.adapter", adapter), ("agents.a.argv", argv))) == {}

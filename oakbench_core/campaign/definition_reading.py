"""A mapping → a checked definition, or everything that is wrong with it, told together."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter

from oakbench_core.campaign.definition import Definition, RunTable
from oakbench_core.campaign.definition_adapters import adapter_problems
from oakbench_core.campaign.definition_keys import probably_meant
from oakbench_core.campaign.definition_placeholders import template_problems
from oakbench_core.campaign.definition_rules import contradictions
from oakbench_core.campaign.definition_unbuilt import named_refusals
from oakbench_core.shapes import UNKNOWN_KEY, checked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oakbench_core.errors import Problem


_PLAIN: Final = (
    (re.compile(r"^expected a valid tuple"), "expected a list"),
    (re.compile(r"^expected a valid dictionary( or (an )?(instance|object) .+?(?=,))?"), "expected a table"),
    (re.compile(r"^expected a valid string"), "expected text"),
    (re.compile(r"^expected \w+ should have at least 1 item.*"), "expected at least one, found none"),
)


@cache
def _definition_type() -> TypeAdapter[Definition]:
    return TypeAdapter(Definition)


@cache
def _run_type() -> TypeAdapter[RunTable]:
    return TypeAdapter(RunTable)


def read_definition(value: Mapping[str, Any]) -> tuple[Definition | None, tuple[Problem, ...]]:
    """The definition of plain data (prompts that stand in files may be put in as texts), or None and every problem.

    Each problem has its JSON path. What is refused by name is not called unknown as well.
    """
    by_name = list(named_refusals(value))
    named = {problem.path for problem in by_name}
    read = checked(_definition_type(), value)
    definition, in_form = read
    others = [*map(_said_plainly, in_form), *contradictions(value), *template_problems(value), *adapter_problems(value)]
    problems = (*by_name, *(problem for problem in others if problem.path not in named))
    return (None, problems) if problems else (definition, ())


def read_run_table(value: Mapping[str, Any]) -> tuple[RunTable | None, tuple[Problem, ...]]:
    """The table `[run]` of a definition, whatever stands beside it, or None and its problems."""
    read = checked(_run_type(), value.get("run", {}))
    table, in_form = read
    in_place = [replace(problem, path=(problem.path or "$").replace("$", "$.run", 1)) for problem in in_form]
    placed = tuple(map(_said_plainly, in_place))
    return (None, placed) if placed else (table, ())


def _said_plainly(problem: Problem) -> Problem:
    """The form's test names a refused key by a part of its own, and speaks of Python's types."""
    rule, path = problem.rule, (problem.path or "$").removesuffix(".[key]")
    for technical, plain in _PLAIN:
        rule = technical.sub(plain, rule)
    if rule == UNKNOWN_KEY and (meant := probably_meant(path)):
        rule += f": did you mean `{meant}`?"
    return replace(problem, path=path, rule=rule)

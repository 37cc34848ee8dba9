"""A small definition as plain data, and the same with one value changed."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

NOTES = Path(__file__).resolve().parent.parent / "definitions" / "notes"
"""A realistic definition with its fixtures, oracle files, prompts and scripts."""


def definition() -> dict[str, Any]:
    """A definition without files, whose programs every machine has."""
    return {
        "campaign": {"id": "small", "seed": 7, "repetitions": 2, "timeout_s": 60},
        "subjects": {
            "one": {"binary": "sh", "parameters": {"help": "Use one.", "state": "true"}, "setup": ["{subject.state}"]},
            "two": {"parameters": {"help": "Use two.", "state": "false"}},
        },
        "agents": {"a": {"adapter": "command", "model": "m", "argv": ["sh", "-c", "{prompt} {model}"]}},
        "workflows": {
            "w": {
                "version": 1,
                "tasks": {
                    "t": {
                        "prompts": {"plain": "Do it.", "helped": "Do it. {subject.help}"},
                        "setup": [["true"], "cd {workspace}"],
                        "solution": "true {oracle}",
                        "oracle": {
                            "version": 1,
                            "files": "somewhere",
                            "checks": [
                                {"name": "ran", "run": "true {oracle}", "exit": 0},
                                {"name": "is there", "path": "x", "contains": "y"},
                                {"name": "scope", "may_change": ["src/**"], "must_change": []},
                            ],
                        },
                    },
                    "u": {
                        "prompts": {"plain": "Do it too."},
                        "timeout_s": 30,
                        "oracle": {"version": 1, "checks": [{"name": "ran", "run": ["true"]}]},
                    },
                },
            }
        },
    }


def changed(*changes: tuple[str, Any]) -> dict[str, Any]:
    """The small definition with values at dotted paths replaced (or removed, where the value is ...)."""
    document = copy.deepcopy(definition())
    for path, value in changes:
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        place: Any = document
        for part in way:
            place = place[part] if isinstance(part, int) else place.setdefault(part, {})
        if value is ...:
            del place[last]
        else:
            place[last] = value
    return document

"""Promises about the code as a whole: what is loaded when, how large files are, what the documents name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.campaigns import plan_document

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("oakbench_core", "oakbench_tui")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def modules_after(*arguments: str) -> set[str]:
    """The modules that one run of the command line has loaded at its end."""
    program = (
        "import json, sys\n"
        "from oakbench_tui.cli.main import run\n"
        f"run({list(arguments)!r})\n"
        "sys.stderr.write('\\n' + json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("campaign")
    (place / "plan.json").write_text(json.dumps(plan_document()))
    return place


@pytest.mark.parametrize("command", ["verify", "status", "report"])
def test_a_command_that_opens_no_console_does_not_load_textual(command: str, folder: Path) -> None:
    assert not {"textual", "watchfiles"} & modules_after(command, str(folder))


@pytest.mark.parametrize("command", ["verify", "status"])
def test_what_draws_no_sample_does_not_load_numpy(command: str, folder: Path) -> None:
    assert "numpy" not in modules_after(command, str(folder))


def test_the_core_loads_no_console_library() -> None:
    program = "import sys, oakbench_core; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)

    assert not {"textual", "rich", "typer", "watchfiles", "oakbench_tui"} & set(loaded.stdout.split())


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_has_one_subject_and_room_on_two_screens(path: Path) -> None:
    limit = 150 if path.name == "app.py" else 400

    assert len(path.read_text().splitlines()) <= limit
    assert path.stem not in {"utils", "helpers", "common", "base", "manager"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_left_for_later_in_the_code(path: Path) -> None:
    assert not re.search(r"TODO|FIXME|XXX|NotImplementedError|for now", path.read_text())


@pytest.mark.clause("A10-48")
def test_no_option_offers_a_cap_on_cost() -> None:
    program = "from oakbench_tui.cli.main import run; run(['{0}', '-h'])"
    for command in (
        *("demo", "init", "freeze", "run", "retry", "watch", "status", "report", "verify", "schema"),
        *("scorecard", "stats"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", program.format(command)], capture_output=True, text=True, check=True, cwd=ROOT
        )
        assert not re.search(r"usd|cost|dollar|price", done.stdout, re.IGNORECASE)


def test_the_readme_gives_the_two_commands_for_a_fresh_clone() -> None:
    readme = (ROOT / "README.md").read_text()

    first = "    python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/oakbench-tui demo\n"
    tests = "    python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/python -m pytest\n"
    assert first in readme
    assert tests in readme


def test_pictures_and_documents_that_the_readme_shows_are_there() -> None:
    readme = (ROOT / "README.md").read_text()

    for target in re.findall(r"\]\(([^)#:]+)\)", readme):
        assert (ROOT / target).is_file(), target


def test_the_readme_names_every_command_and_no_other() -> None:
    readme = (ROOT / "README.md").read_text()
    named = set(re.findall(r"oakbench-tui ([a-z]+)", readme))

    assert named == {
        *("demo", "init", "check", "freeze", "run", "retry", "watch", "status", "report", "verify", "schema"),
        *("book", "scorecard", "stats", "import"),
    }


def test_every_public_name_is_there_and_no_other_is_promised() -> None:
    import oakbench_core

    assert all(getattr(oakbench_core, name) is not None for name in oakbench_core.__all__)
    assert set(oakbench_core.__all__) == set(oakbench_core._HOMES)  # noqa: SLF001 - the table is what is tested
    with pytest.raises(AttributeError, match="no attribute"):
        _ = oakbench_core.no_such_name

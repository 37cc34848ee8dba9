"""A definition's problems are told with file and line; its files are told of with the key that names them."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from oakbench_core.errors import DocumentError, PlatformError, Problem, UsageError
from oakbench_core.running.definition_file import run_settings
from oakbench_core.running.freezing import freeze, freeze_plan
from oakbench_core.running.trees import tree_sha256
from tests.core.definitions import NOTES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A copy of the realistic definition, to be broken."""
    return shutil.copytree(NOTES, tmp_path / "notes")


def refused(folder: Path) -> list[Problem]:
    with pytest.raises(DocumentError) as caught:
        freeze_plan(folder)
    return list(caught.value.problems)


def edited(folder: Path, *replacements: tuple[str, str]) -> None:
    file = folder / "campaign.toml"
    text = file.read_text()
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new, 1)
    file.write_text(text)


def line(folder: Path, text: str) -> int:
    """The line on which a text stands first."""
    lines = (folder / "campaign.toml").read_text().splitlines()
    return next(number for number, found in enumerate(lines, 1) if text in found)


def test_every_problem_of_a_definition_and_of_its_files_has_its_line(notes: Path) -> None:
    edited(
        notes,
        ("timeout_s = 20\n", 'timeout_s = "20"\n'),
        ("may_be_missing = true\n", ""),
        ('fixture = "fixtures/off-by-one"', 'fixture = "fixtures/gone"'),
        ('"{inputs}/scripts/agent.sh"', '"{input}/scripts/agent.sh"'),
        ("prompts/helped.md", "prompts/gone.md"),
        ('path = "NOTES.md"', 'path = "/NOTES.md"'),
        ("[workflows.hello]", "[workflows.hello]\ncleanup = 3"),
    )
    file = str(notes / "campaign.toml")
    task = "$.workflows.bugfix.tasks.off-by-one"
    expected = [
        ("$.campaign.timeout_s", '"20"'),
        ("$.subjects.hg.binary", "hg-that-no-machine-has"),
        ("$.agents.scripted.argv[1]", "{input}"),
        (f"{task}.fixture", "fixtures/gone"),
        (f"{task}.prompts.helped.file", "prompts/gone.md"),
        (f"{task}.oracle.checks[3].path", '"/NOTES.md"'),
        ("$.workflows.hello.cleanup", "cleanup"),
    ]

    problems = refused(notes)

    assert all(problem.file == file for problem in problems)
    found = {(problem.path, problem.line) for problem in problems}
    assert {(path, line(notes, text)) for path, text in expected} <= found
    assert [problem.line or 0 for problem in problems] == sorted(problem.line or 0 for problem in problems)


def test_a_problem_of_a_prompts_file_is_told_with_that_file(notes: Path) -> None:
    (notes / "prompts" / "helped.md").write_text("{subject.nothing}")

    problems = refused(notes)

    assert {problem.file for problem in problems} == {str(notes / "prompts" / "helped.md")}
    assert {problem.path for problem in problems} == {"$.workflows.bugfix.tasks.off-by-one.prompts.helped"}


@pytest.mark.parametrize(
    ("content", "at", "words"),
    [
        (b"a = 1\nb = \n", 2, "expected TOML: Invalid value"),
        (b"[campaign]\nid = 'a'\nid = 'b'\n", 3, "Cannot overwrite a value"),
        (b"a = [1,\n", 2, "expected TOML"),
        (b"a = '\n\xff'", 2, "UTF-8"),
        (b"\xef\xbb\xbfa = 1", None, "byte order mark"),
    ],
)
def test_what_is_no_toml_is_refused_with_its_line(content: bytes, at: int | None, words: str, tmp_path: Path) -> None:
    (tmp_path / "campaign.toml").write_bytes(content)

    (problem,) = refused(tmp_path)

    assert problem.line == at
    assert words in problem.rule


def test_a_definition_that_is_not_there_is_no_definition(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        freeze_plan(tmp_path / "gone.toml")
    with pytest.raises(UsageError, match="no such file"):
        freeze(tmp_path, tmp_path / "c")
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(PlatformError, match="a FIFO"):
        freeze_plan(tmp_path / "fifo")


def test_trees_that_no_folder_could_hold_are_refused_with_their_key(notes: Path) -> None:
    os.mkfifo(notes / "fixtures" / "off-by-one" / "fifo")
    (notes / "oracles" / "off-by-one" / "link").symlink_to("/etc/passwd")
    (notes / "scripts" / "agent.sh").unlink()

    rules = {problem.path: problem.rule for problem in refused(notes)}

    assert "FIFO" in rules["$.workflows.bugfix.tasks.off-by-one.fixture"]
    assert "link: a symbolic link that leaves its tree" in rules["$.workflows.bugfix.tasks.off-by-one.oracle.files"]
    assert "scripts/agent.sh: there is no such file" in rules["$.workflows.bugfix.inputs"]


def test_a_fixture_does_not_hold_the_campaign_that_is_made_of_it(notes: Path) -> None:
    edited(notes, ('fixture = "fixtures/off-by-one"', 'fixture = "."'))

    with pytest.raises(DocumentError, match="would stand in it"):
        freeze(notes, notes / "runs" / "c")


def test_oracle_files_may_be_one_file_and_inputs_a_folder(notes: Path) -> None:
    edited(
        notes,
        ('"oracles/off-by-one"', '"oracles/off-by-one/check.sh"'),
        ('["scripts/agent.sh"]', '["scripts", "prompts/helped.md"]'),
    )
    folder = freeze(notes, notes.parent / "c").folder

    assert {str(path.relative_to(folder / "inputs")).partition("/")[2] for path in folder.glob("inputs/*/**/*.*")} == {
        "NOTES.md",
        "src/count.sh",
        "check.sh",
        "scripts/agent.sh",
        "prompts/helped.md",
    }


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ('["scripts", "scripts/agent.sh"]', "stands in another of the inputs already"),
        ('["scripts/gone.sh", "scripts/agent.sh"]', "scripts/gone.sh: there is no such file or folder"),
        ('["."]', "would stand in it"),
    ],
)
def test_inputs_that_cannot_be_had_are_refused(inputs: str, words: str, notes: Path) -> None:
    edited(notes, ('["scripts/agent.sh"]', inputs))

    with pytest.raises(DocumentError) as caught:
        freeze(notes, notes / "c")

    assert [problem.path for problem in caught.value.problems] == ["$.workflows.bugfix.inputs"]
    assert words in caught.value.problems[0].rule


def test_a_path_that_no_system_takes_is_told_with_its_key(notes: Path) -> None:
    edited(notes, ('"oracles/off-by-one"', f'"{"x" * 300}"'))

    (problem, *_) = refused(notes)

    assert problem.path == "$.workflows.bugfix.tasks.off-by-one.oracle.files"
    assert "x" * 300 in problem.rule


def git(folder: Path, *arguments: str) -> str:
    settings = ["-c", "user.name=x", "-c", "user.email=x@x.invalid"]
    done = subprocess.run(["git", *settings, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(notes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose first commit is the fixture, with attributes that would change what a checkout writes."""
    repo = notes.parent / "repo"
    shutil.copytree(notes / "fixtures" / "off-by-one", repo)
    (repo / ".gitattributes").write_text("*.md eol=crlf\nsrc export-ignore\n")
    (repo / "link").symlink_to("src")
    (repo / "é \n").write_text("a name to be quoted")
    git(repo, "init", "-q")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "1")
    monkeypatch.setenv("GIT_DIR", str(notes / "nowhere"))
    return repo


def test_the_tree_of_a_commit_is_taken_byte_for_byte(
    repository: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_DIR")
    commit = git(repository, "rev-parse", "--short", "HEAD")
    shutil.copytree(repository, notes.parent / "expected", symlinks=True, ignore=lambda *_: [".git"])
    (repository / "NOTES.md").write_text("changed since")
    git(repository, "commit", "-qam", "2")
    monkeypatch.setenv("GIT_DIR", str(notes / "nowhere"))
    edited(notes, ('fixture = "fixtures/off-by-one"', f'fixture = {{ repo = "../repo", commit = "{commit}" }}'))

    folder = freeze(notes, notes.parent / "c").folder

    assert (folder / "inputs" / tree_sha256(notes.parent / "expected")).is_dir()


@pytest.mark.parametrize(
    ("repo", "commit", "words"),
    [
        ("../repo", "0123abc", "no such commit"),
        ("../gone", "HEAD", "gone"),
        ("../plain", "HEAD", "not a git repository"),
    ],
)
def test_a_commit_that_is_not_there_is_refused(
    repo: str, commit: str, words: str, repository: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(notes.parent))
    (notes.parent / "plain").mkdir()
    edited(notes, ('fixture = "fixtures/off-by-one"', f'fixture = {{ repo = "{repo}", commit = "{commit}" }}'))

    (problem,) = refused(notes)

    assert problem.path == "$.workflows.bugfix.tasks.off-by-one.fixture"
    assert words in problem.rule


def test_a_tree_with_a_submodule_is_refused(repository: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_DIR")
    head = git(repository, "rev-parse", "HEAD")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{head},sub")
    git(repository, "commit", "-qm", "2")
    edited(notes, ('fixture = "fixtures/off-by-one"', 'fixture = { repo = "../repo", commit = "HEAD" }'))

    (problem,) = refused(notes)

    assert "the submodule 'sub'" in problem.rule


def test_of_the_copy_in_a_campaign_folder_only_the_run_table_is_read(notes: Path, tmp_path: Path) -> None:
    assert run_settings(tmp_path).grace_s == 10

    edited(notes, ("seed = 20261201", 'seed = "edited since"'))
    assert run_settings(notes).grace_s == 1

    edited(notes, ("grace_s = 1", "grace_s = -1"))
    with pytest.raises(DocumentError) as caught:
        run_settings(notes)
    (problem,) = caught.value.problems
    assert (problem.path, problem.line) == ("$.run.grace_s", line(notes, "grace_s"))

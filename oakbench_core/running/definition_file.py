"""campaign.toml as a file: read, its prompts' files put in, and every problem given its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.definition import RunTable
from oakbench_core.campaign.definition_reach import table_of, tasks_reached
from oakbench_core.campaign.definition_reading import read_run_table
from oakbench_core.durable.opening import read_whole
from oakbench_core.errors import DocumentError, OakbenchError, Problem
from oakbench_core.running.toml_lines import line_of, toml_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

DEFINITION_NAME: Final = "campaign.toml"
_REFUSED: Final = "this definition is refused"
_PLACE: Final = re.compile(r" \(at line (\d+), column \d+\)$")


@dataclass(frozen=True, slots=True)
class DefinitionSource:
    """A definition before it is checked.

    `content`: the bytes of the file, None of a mapping. `value`: its plain data, texts of prompt files put in.
    `prompt_files`: JSON path of a prompt → the file that its text was read from. `problems`: of reading those files.
    """

    file: Path | None
    folder: Path
    content: bytes | None
    value: Mapping[str, Any]
    prompt_files: Mapping[str, Path]
    problems: tuple[Problem, ...]

    def refusal(self, problems: Iterable[Problem]) -> DocumentError:
        """The error that carries the problems, each with its file and line, in the order of the lines."""
        lines = {} if self.content is None else toml_lines(self.content.decode())
        placed = [self._placed(problem, lines) for problem in dict.fromkeys(problems)]
        # Stable: of one line, problems keep the order in which they were found.
        return DocumentError(_REFUSED, sorted(placed, key=lambda problem: (problem.file or "", problem.line or 0)))

    def _placed(self, problem: Problem, lines: dict[str, int]) -> Problem:
        if problem.file is not None:
            return problem
        path = problem.path or "$"
        if path in self.prompt_files:
            return replace(problem, file=str(self.prompt_files[path]))
        if self.file is None:
            return problem
        return replace(problem, file=str(self.file), line=line_of(path, lines))


def definition_source(definition: Path | str | Mapping[str, Any]) -> DefinitionSource:
    """A definition from a file, from the folder that holds a campaign.toml, or from a mapping.

    Paths in a file are relative to the file, paths in a mapping to the working directory.

    Raises:
        UsageError: there is no such file.
        PlatformError: it is no regular file, or may not be read.
        DocumentError: it is no TOML.
    """
    if isinstance(definition, Mapping):
        return _with_prompts(None, Path(), None, definition)
    file = Path(definition)
    if file.is_dir():
        file /= DEFINITION_NAME
    content = read_whole(file)
    return _with_prompts(file, file.parent, content, _parsed(file, content))


def run_settings(folder: Path) -> RunTable:
    """The table `[run]` of the campaign folder's definition; nothing else of it is read. Defaults where there is none.

    Raises:
        DocumentError: the table is refused, or the file is no TOML.
        PlatformError: it is no regular file, or may not be read.
    """
    file = folder / DEFINITION_NAME
    if not file.exists():
        return RunTable()
    content = read_whole(file)
    value = _parsed(file, content)
    table, problems = read_run_table(value)
    if table is None:
        raise DefinitionSource(file, folder, content, value, {}, ()).refusal(problems)
    return table


def _parsed(file: Path, content: bytes) -> dict[str, Any]:
    try:
        if content.startswith(b"\xef\xbb\xbf"):
            raise DocumentError(_REFUSED, [Problem(file=str(file), byte=0, rule="expected no byte order mark")])
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            _REFUSED, [Problem(file=str(file), line=line, byte=error.start, rule="expected UTF-8")]
        ) from None
    except tomllib.TOMLDecodeError as error:
        text = str(error)
        place = _PLACE.search(text)
        line = int(place[1]) if place else content.count(b"\n") + 1  # else it is at the end of the document
        rule = f"expected TOML: {_PLACE.sub('', text)}"
        raise DocumentError(_REFUSED, [Problem(file=str(file), line=line, rule=rule)]) from None
    except RecursionError:
        raise DocumentError(_REFUSED, [Problem(file=str(file), rule="nested too deep")]) from None


def _with_prompts(file: Path | None, folder: Path, content: bytes | None, value: Mapping[str, Any]) -> DefinitionSource:
    """The source with the text of each prompt's file in the place of its reference."""
    files: dict[str, Path] = {}
    texts: dict[str, str] = {}
    problems: list[Problem] = []
    for reach in tasks_reached(value):
        for level, prompt in table_of(reach.table, "prompts").items():
            name = prompt.get("file") if isinstance(prompt, Mapping) and set(prompt) == {"file"} else None
            if not isinstance(name, str) or not name or "\0" in name:
                continue
            path = f"{reach.path}.prompts.{level}"
            try:
                texts[path] = read_whole(folder / name).decode()
                files[path] = folder / name
            except OakbenchError as error:
                if isinstance(error.__cause__, OSError):  # what the system refuses is no mistake in the definition
                    raise
                problems.append(Problem(path=f"{path}.file", rule=str(error.problems[0])))
            except UnicodeDecodeError as error:
                problems.append(Problem(path=f"{path}.file", rule=f"{name}: expected UTF-8 at byte {error.start:,}"))
    return DefinitionSource(file, folder, content, _replaced(value, texts), files, tuple(problems))


def _replaced(value: Any, texts: Mapping[str, str], path: str = "$") -> Any:
    """A copy of plain data with some values, by their JSON paths, replaced."""
    if path in texts:
        return texts[path]
    if isinstance(value, Mapping):
        return {key: _replaced(inner, texts, f"{path}.{key}") for key, inner in value.items()}
    return value

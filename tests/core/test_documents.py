"""Plans and exported documents as files: named errors with their places; old or new, and always whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.durable.documents import load_plan, write_document, write_plan
from oakbench_core.errors import (
    DocumentError,
    IdentityError,
    OakbenchError,
    PlatformError,
    UsageError,
)
from tests.core.durable_samples import plan_document

if TYPE_CHECKING:
    from collections.abc import Callable


def plan_file(folder: Path, document: dict[str, Any]) -> Path:
    path = folder / "plan.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_a_plan_is_loaded_from_its_file_and_from_its_folder(tmp_path: Path) -> None:
    path = plan_file(tmp_path, plan_document())

    assert load_plan(path).plan_sha256 == load_plan(str(tmp_path)).plan_sha256 == plan_document()["plan_sha256"]


def test_a_real_plan_is_loaded(data_dir: Path) -> None:
    assert len(load_plan(data_dir / "haiku-opus-371").schedule) == 742


@pytest.mark.parametrize("missing", ["nothing", "nothing/plan.json", "plan.json/plan.json"])
def test_a_plan_that_is_not_there_is_a_usage_error(missing: str, tmp_path: Path) -> None:
    plan_file(tmp_path, plan_document())
    with pytest.raises(UsageError) as caught:
        load_plan(tmp_path / missing)

    assert caught.value.file == str(tmp_path / missing)


def test_a_folder_without_a_plan_is_a_usage_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"plan\.json"):
        load_plan(tmp_path)


@pytest.mark.clause("A10-01")
def test_an_edited_plan_is_not_the_frozen_one(tmp_path: Path) -> None:
    with pytest.raises(IdentityError) as caught:
        load_plan(plan_file(tmp_path, plan_document() | {"seed": 7}))

    assert (caught.value.file, caught.value.path) == (str(tmp_path / "plan.json"), "$.plan_sha256")
    assert caught.value.next_step


def test_all_problems_of_a_plan_are_named_with_the_file_and_their_paths(tmp_path: Path) -> None:
    document = plan_document() | {"seed": True, "surprise": 1, "schedule": []}
    with pytest.raises(DocumentError) as caught:
        load_plan(plan_file(tmp_path, document))

    assert {problem.path for problem in caught.value.problems} == {"$.seed", "$.surprise", "$.schedule"}
    assert {problem.file for problem in caught.value.problems} == {str(tmp_path / "plan.json")}


def test_what_is_no_json_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text('{\n"schema": oakbench\n}', encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        load_plan(path)

    assert (caught.value.file, caught.value.line) == (str(path), 2)


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_folder(path: Path) -> None:
    path.mkdir()


def make_link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [make_fifo, make_link_to_device], ids=lambda make: make.__name__)
def test_a_plan_that_is_no_file_is_refused_at_once(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "plan.json")
    with pytest.raises(PlatformError, match="expected a regular file"):
        load_plan(tmp_path)


def test_a_document_is_written_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    write_document(tmp_path / "report.md", b"# one\n")

    assert (tmp_path / "report.md").read_bytes() == b"# one\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.md"]


def test_an_existing_document_is_kept_unless_overwriting_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    write_document(path, b"one")
    with pytest.raises(UsageError, match="exists already"):
        write_document(path, b"two")
    assert path.read_bytes() == b"one"
    write_document(path, b"three", overwrite=True)

    assert path.read_bytes() == b"three"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.md"]


@pytest.mark.parametrize("name", ["plan.json", "journal.jsonl"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_no_report_takes_the_name_of_a_campaigns_evidence(name: str, tmp_path: Path, *, overwrite: bool) -> None:
    """Fault 25."""
    (tmp_path / name).write_bytes(b"evidence")
    with pytest.raises(UsageError, match="evidence"):
        write_document(tmp_path / name, b"report", overwrite=overwrite)

    assert (tmp_path / name).read_bytes() == b"evidence"


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("make", [make_fifo, make_folder, make_link_to_device], ids=lambda make: make.__name__)
def test_a_document_replaces_nothing_but_a_file(
    make: Callable[[Path], None], tmp_path: Path, *, overwrite: bool
) -> None:
    make(tmp_path / "report.md")
    with pytest.raises(PlatformError, match="expected a regular file"):
        write_document(tmp_path / "report.md", b"report", overwrite=overwrite)

    assert [entry.name for entry in tmp_path.iterdir()] == ["report.md"]


@pytest.mark.parametrize("target", ["journal.jsonl", "nothing"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_document_is_not_written_through_a_symbolic_link(target: str, tmp_path: Path, *, overwrite: bool) -> None:
    """Fault 25: onto the journal by another name."""
    (tmp_path / "journal.jsonl").write_bytes(b"evidence")
    (tmp_path / "report.md").symlink_to(target)
    with pytest.raises(PlatformError, match="symbolic link"):
        write_document(tmp_path / "report.md", b"report", overwrite=overwrite)

    assert (tmp_path / "journal.jsonl").read_bytes() == b"evidence"
    assert (tmp_path / "report.md").is_symlink()
    assert not (tmp_path / "nothing").exists()


def test_a_hard_link_to_the_journal_is_replaced_and_the_journal_kept(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_bytes(b"evidence")
    (tmp_path / "report.md").hardlink_to(tmp_path / "journal.jsonl")
    write_document(tmp_path / "report.md", b"report", overwrite=True)

    assert (tmp_path / "journal.jsonl").read_bytes() == b"evidence"


def test_a_folder_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        write_document(tmp_path / "missing" / "report.md", b"report")


def test_a_new_plan_never_replaces_one(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_plan(path, json.dumps(plan_document()).encode())
    assert load_plan(path).campaign_id == "sample"
    with pytest.raises(UsageError, match="exists already"):
        write_plan(path, b"{}")

    assert load_plan(path).campaign_id == "sample"


def test_a_file_that_comes_up_while_writing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, link = tmp_path / "report.md", os.link

    def link_late(source: Path, target: Path) -> None:
        target.write_bytes(b"another's")
        link(source, target)

    monkeypatch.setattr(os, "link", link_late)
    with pytest.raises(UsageError, match="exists already"):
        write_document(path, b"report")

    assert path.read_bytes() == b"another's"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.md"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_document_is_durable_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, overwrite: bool
) -> None:
    path, fsync = tmp_path / "report.md", os.fsync
    synced: list[tuple[str, bool]] = []

    def recorded(descriptor: int) -> None:
        synced.append((Path(f"/proc/self/fd/{descriptor}").readlink().name, path.exists()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", recorded)
    write_document(path, b"report", overwrite=overwrite)
    (temporary, named), folder = synced

    assert temporary.startswith(".report.md.")
    assert not named
    assert folder == (tmp_path.name, True)


WRITE_FOREVER = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from oakbench_core.durable.documents import write_document
path, number = Path(sys.argv[1]), 0
os.write(1, b"ready\\n")
while True:
    number += 1
    write_document(path, b"%06d\\n" % number * 50_000, overwrite=True)
"""


def test_a_document_whose_writer_is_killed_is_old_or_new_and_whole(tmp_path: Path) -> None:
    """Fault 25."""
    path = tmp_path / "report.md"
    for _ in range(5):
        path.write_bytes(b"000000\n" * 50_000)
        command = [sys.executable, "-c", WRITE_FOREVER, str(path), str(Path(__file__).parent.parent.parent)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            before = path.read_bytes()
            while path.read_bytes() == before:
                assert writer.poll() is None
            writer.kill()
        lines = path.read_bytes().split(b"\n")

        assert len(lines) == 50_001
        assert len(set(lines[:-1])) == 1


def test_a_disk_that_is_full_leaves_the_old_document(tmp_path: Path) -> None:
    """The limit of the file size stands for it: the write fails in the middle."""
    path = tmp_path / "report.md"
    path.write_bytes(b"old")
    program = f"""
import resource, sys
sys.path.insert(0, {str(Path(__file__).parent.parent.parent)!r})
from pathlib import Path
from oakbench_core.durable.documents import write_document
from oakbench_core.errors import PlatformError
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_document(Path({str(path)!r}), b"x" * 5000, overwrite=True)
except PlatformError as error:
    print(int(error.exit_code))
"""
    child = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    assert child.stdout == "42\n"
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.md"]


def test_every_refusal_is_an_error_of_the_inputs_fault() -> None:
    assert all(issubclass(kind, OakbenchError) for kind in (UsageError, PlatformError, DocumentError, IdentityError))

"""A real campaign, written by an independent program."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.durable.documents import load_plan
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.lock import Liveness
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState
from oakbench_core.errors import JournalError, UsageError
from tests.core.durable_outcomes import seen

if TYPE_CHECKING:
    from pathlib import Path


def test_the_journal_is_clean_and_its_chain_holds_to_the_end(data_dir: Path) -> None:
    folder = data_dir / "haiku-opus-371"
    reading = read_journal(folder, load_plan(folder))

    assert reading.state is JournalState.CLEAN
    assert (reading.records, reading.last_seq) == (1485, 1484)
    assert reading.last_hash == "f4319fa8d63fd8d235b66cb62066a51a"
    assert (reading.problems, reading.tail, reading.refusal) == ((), None, None)
    assert reading.liveness is Liveness.UNKNOWN
    assert reading.ledger.tallies[Standing.VERIFIED_SUCCESS] == 728
    assert reading.ledger.tallies[Standing.TASK_FAILURE] == 13
    assert reading.ledger.tallies[Standing.TIMED_OUT] == 1
    assert sum(1 for _ in reading.events) == 1485


def test_small_polls_fold_as_one_look_does(data_dir: Path) -> None:
    folder = data_dir / "haiku-opus-371"
    plan = load_plan(folder)
    with JournalReader(folder, plan) as reader:
        while reader.poll(max_bytes=1).more:
            pass

        assert seen(reader.ledger) == seen(read_journal(folder, plan).ledger)


def test_jq_reads_the_journal(data_dir: Path) -> None:
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    journal = data_dir / "haiku-opus-371" / "journal.jsonl"
    command = ["jq", "-r", 'select(.terminal == "timed_out") | .trial_id', str(journal)]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()

    assert len(found) == 1


def test_the_ledger_at_a_record_is_that_of_the_records_up_to_it(data_dir: Path) -> None:
    folder = data_dir / "haiku-opus-371"
    plan = load_plan(folder)
    reading = read_journal(folder, plan)

    assert seen(reading.ledger_at(1484)) == seen(reading.ledger)
    assert reading.ledger_at(0).tallies[Standing.UNSTARTED] == 742
    assert reading.ledger_at(2).tallies[Standing.VERIFIED_SUCCESS] == 1
    for seq in (-1, 1485):
        with pytest.raises(UsageError, match="its last record is number 1484"):
            reading.ledger_at(seq)


def test_a_journal_that_was_changed_since_it_was_read_gives_no_prefix(data_dir: Path, tmp_path: Path) -> None:
    for name in ("plan.json", "journal.jsonl"):
        shutil.copy(data_dir / "haiku-opus-371" / name, tmp_path / name)
    reading = read_journal(tmp_path, load_plan(tmp_path))
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"run":1', b'"run":2'))

    with pytest.raises(JournalError, match="replaced while it was read"):
        reading.ledger_at(1000)

"""The writer's lock: one holder, let go by the kernel, seen by anyone, taken by no reader."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oakbench_core.durable.lock import LockState, probe_lock, take_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent.parent

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the lock is Linux's")

HOLDER = """
import os, sys
sys.path.insert(0, sys.argv[2])
from oakbench_core.durable.lock import take_lock
descriptor = os.open(sys.argv[1], os.O_WRONLY | os.O_CLOEXEC)
print(take_lock(descriptor), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.touch()
    return path


@pytest.fixture
def reading(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


@pytest.fixture
def writing(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_WRONLY)
    yield descriptor
    os.close(descriptor)


def test_the_probe_takes_nothing_and_needs_no_right_to_write(reading: int, writing: int) -> None:
    assert probe_lock(reading) is LockState.FREE
    assert take_lock(writing)
    assert probe_lock(reading) is LockState.HELD


def test_the_lock_has_one_holder_within_one_process_too(path: Path, writing: int) -> None:
    assert take_lock(writing)
    second = os.open(path, os.O_WRONLY)
    try:
        assert not take_lock(second)
    finally:
        os.close(second)


def test_the_lock_survives_that_its_process_opens_and_closes_the_file(path: Path, reading: int, writing: int) -> None:
    """Fault 12: a POSIX lock would be gone."""
    assert take_lock(writing)
    for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
        os.close(os.open(path, flags))

    assert probe_lock(reading) is LockState.HELD


def test_the_lock_is_let_go_with_its_descriptor(path: Path, reading: int) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    assert take_lock(descriptor)
    os.close(descriptor)

    assert probe_lock(reading) is LockState.FREE


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_holder_holds_nothing_and_a_stopped_one_all(
    ending: signal.Signals, path: Path, reading: int, writing: int
) -> None:
    """Fault 11: SIGSTOP lets nothing go."""
    command = [sys.executable, "-c", HOLDER, str(path), str(ROOT)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert probe_lock(reading) is LockState.HELD
        holder.send_signal(signal.SIGSTOP)
        assert not take_lock(writing)
        holder.send_signal(ending)
        holder.send_signal(signal.SIGCONT)
        holder.wait()

        assert probe_lock(reading) is LockState.FREE
        assert take_lock(writing)


def test_elsewhere_than_on_linux_nothing_is_known_and_nothing_taken(
    reading: int, writing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    assert probe_lock(reading) is LockState.UNKNOWN
    with pytest.raises(OSError, match="no open-file-description locks"):
        take_lock(writing)


def test_where_the_system_cannot_probe_nothing_is_known(path: Path) -> None:
    closed = os.open(path, os.O_RDONLY)
    os.close(closed)

    assert probe_lock(closed) is LockState.UNKNOWN

"""Fixtures of the tests that start real processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oakbench_core.running.supervisor import ForkServer
from tests.running.trials import Trials

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    with ForkServer() as server:
        yield server


@pytest.fixture
def trials(tmp_path: Path, server: ForkServer) -> Trials:
    return Trials(tmp_path, server)

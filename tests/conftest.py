"""What every test may use: the place of the real data, the format's worked values, golden files."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent

# A shared machine is slow now and then: a law is about values, not about time.
settings.register_profile("oakbench", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("oakbench")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Real campaigns and streams, kept beside the project; tests of them skip where they are not."""
    place = Path(os.environ.get("OAKBENCH_DATA", ROOT.parent / "shared" / "data"))
    if not (place / "haiku-opus-371" / "plan.json").is_file():
        pytest.skip(f"no real data at {place}: set OAKBENCH_DATA")
    return place


@pytest.fixture(scope="session")
def vectors() -> dict[str, Any]:
    """The format's worked values: hashes, a journal, a schedule order, bootstrap intervals."""
    values: dict[str, Any] = json.loads((ROOT / "tests" / "vectors.json").read_text())
    return values


def pytest_configure() -> None:
    """Signals as at a terminal: a shell that starts us in the background ignores them, and programs inherit that."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regold", action="store_true", help="write golden files anew; read the diff")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many processes were really killed, so that the number can be held to what was promised."""
    outcomes = sys.modules.get("tests.core.durable_outcomes")
    if outcomes is not None and outcomes.KILLS:
        told = ", ".join(f"{number:,} {what}" for what, number in sorted(outcomes.KILLS.items()))
        terminalreporter.write_line(f"killed (SIGKILL): {outcomes.KILLS.total():,} processes: {told}")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """`cli("verify", folder)`: a command's exit code, stdout and stderr; none of them ever shows a traceback."""
    from oakbench_tui.cli.main import run

    def call(*arguments: object) -> tuple[int, str, str]:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        return code, captured.out, captured.err

    return call


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: the file tests/golden/NAME holds exactly this text; `--regold` writes it."""

    def compare(name: str, text: str) -> None:
        path = ROOT / "tests" / "golden" / name
        if request.config.getoption("--regold"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            return
        expected = path.read_text() if path.exists() else ""
        if text != expected:
            path.with_name(path.name + ".got").write_text(text)
        assert text == expected, f"{name} differs; the new text is beside it as {path.name}.got"

    return compare

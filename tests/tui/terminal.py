"""A real terminal for tests: the real program inside tmux, looked at until what is expected is there."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE_S = 30
_LOOK_EVERY_S = 0.02

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal:
    """One tmux window with one program in it, on a server of its own."""

    def __init__(self, socket: str, raw: Path) -> None:
        self._socket = socket
        self.raw = raw

    def tmux(self, *arguments: str) -> str:
        result = subprocess.run(
            ["tmux", "-L", self._socket, *arguments], capture_output=True, text=True, check=True, timeout=PATIENCE_S
        )
        return result.stdout

    def text(self) -> str:
        return self.tmux("capture-pane", "-p", "-t", "0")

    def keys(self, *names: str) -> None:
        self.tmux("send-keys", "-t", "0", *names)

    def resize(self, width: int, height: int) -> None:
        self.tmux("resize-window", "-t", "0", "-x", str(width), "-y", str(height))

    def until(self, holds: Callable[[str], object]) -> str:
        """The screen as soon as it holds."""
        deadline = time.monotonic() + PATIENCE_S
        text = ""
        while time.monotonic() < deadline:
            text = self.text()
            if holds(text):
                return text
            time.sleep(_LOOK_EVERY_S)
        raise AssertionError(f"it never came; the screen:\n{text}")

    def until_seen(self, *words: str) -> str:
        return self.until(lambda text: all(word in text for word in words))

    def signal(self, number: signal.Signals) -> None:
        """To the program in the window: the one child of the window's shell."""
        shell = self.tmux("display-message", "-p", "-t", "0", "#{pane_pid}").strip()
        children = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        os.kill(int(children[0]), number)

    @property
    def is_restored(self) -> bool:
        """Whether the window is as a shell expects it: main screen, cursor seen, no mouse reports."""
        flags = self.tmux("display-message", "-p", "-t", "0", "#{alternate_on}#{cursor_flag}#{mouse_any_flag}").strip()
        return flags == "010"


@contextmanager
def terminal(
    tmp_path: Path, command: str, *, size: tuple[int, int] = (100, 30), **environment: str
) -> Iterator[Terminal]:
    """Runs `command` in a shell, which then prints `ended CODE` and stays."""
    socket = f"oakbench-{os.getpid()}-{tmp_path.name}"
    raw = tmp_path / "raw"
    script = f"cd {shlex.quote(str(ROOT))}; {command}; echo ended $?; exec cat"
    variables = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(tmp_path), **environment}
    start = ["tmux", "-L", socket, "-f", "/dev/null", "new-session", "-d", "-x", str(size[0]), "-y", str(size[1])]
    subprocess.run([*start, "sh", "-c", script], env=variables, check=True, timeout=PATIENCE_S)
    window = Terminal(socket, raw)
    try:
        window.tmux("pipe-pane", "-t", "0", f"cat > {shlex.quote(str(raw))}")
        yield window
    finally:
        subprocess.run(["tmux", "-L", socket, "kill-server"], capture_output=True, check=False, timeout=PATIENCE_S)


def watch(folder: Path, *options: str) -> str:
    """The command line that opens the console on a folder."""
    return shlex.join([sys.executable, "-m", "oakbench_tui", "watch", str(folder), *options])

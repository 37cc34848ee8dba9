"""Process trees: nothing that a command started outlives it.

A sub-reaper inherits every orphan below it, so that all that a command started stays below its supervisor, whatever
sessions it made. That no child is left is therefore the proof that no descendant is; a look at /proc is none, since a
process that forks and ends while the list is read stands in it neither as parent nor as child.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import time
from contextlib import suppress
from typing import Final

_PR_SET_CHILD_SUBREAPER: Final = 36
_FIRST_WAIT_MS: Final = 1
_LONGEST_WAIT_MS: Final = 20
_QUIET_LOOKS: Final = 3

IGNORED: Final = (
    signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGPIPE, signal.SIGUSR1, signal.SIGUSR2,
    signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGXFSZ,
)  # fmt: skip


def become_subreaper() -> None:
    """Inherit every orphan among the descendants. Raises OSError where the system has no such thing."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER")


def ignore_signals() -> None:
    """Only a KILL ends this process: what an agent sends to its parent or a terminal to its group does not."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)


class Wakeup:
    """A descriptor that is readable after a child has ended."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # with the default action nothing is written
        signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)

    def fileno(self) -> int:
        return self._read

    def drain(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._read, 512):
                pass

    def wait(self, timeout_ms: int) -> None:
        """Until a child ends, but no longer than that."""
        poll = select.poll()
        poll.register(self._read, select.POLLIN)
        poll.poll(timeout_ms)
        self.drain()


def reap(ended: dict[int, int]) -> bool:
    """Note every child that has ended, with its exit code (−N for signal N); whether any is left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if not pid:
            return True
        ended[pid] = os.waitstatus_to_exitcode(status)


def descendants(of: int, spared: frozenset[int] = frozenset()) -> list[int]:
    """The processes below `of` that /proc shows, without those of `spared` and what is below them."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - hundreds of names, looked at while processes fork
        if name.isdigit():
            parent = _parent(name)
            if parent is not None:
                children.setdefault(parent, []).append(int(name))
    found, look = [], [of]
    while look:
        below = [pid for pid in children.get(look.pop(), ()) if pid not in spared]
        found += below
        look += below
    return found


def _parent(name: str) -> int | None:
    try:
        with open(f"/proc/{name}/stat", "rb", buffering=0) as file:  # noqa: PTH123 - pathlib costs more than the reading
            stat = file.read(512)
    except OSError:
        return None
    # The command's name stands in parentheses and may hold any byte, a parenthesis too.
    return int(stat[stat.rindex(b")") + 2 :].split(b" ", 2)[1])


def signal_tree(number: signal.Signals) -> None:
    """Send a signal to all that is below this process."""
    for pid in descendants(os.getpid()):
        _send(pid, number)
        if number is not signal.SIGKILL:
            _send(pid, signal.SIGCONT)  # a stopped process takes no other


def _send(pid: int, number: signal.Signals) -> None:
    # A process of another user (a setuid program) cannot be ended by us; it is counted as left.
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def clear_tree(
    wakeup: Wakeup, ended: dict[int, int], *, limit_s: float, spared: frozenset[int] = frozenset()
) -> tuple[int, int]:
    """Kill and reap all that is below this process but for `spared`, until nothing is left or the limit is over.

    Returns:
        How many were seen, and how many the system would not end.
    """
    limit, wait_ms, quiet = time.monotonic() + limit_s, _FIRST_WAIT_MS, 0
    seen: set[int] = set()
    while reap(ended):
        below = descendants(os.getpid(), spared)
        seen.update(below)
        for pid in below:
            _send(pid, signal.SIGKILL)
        quiet = 0 if below else quiet + 1
        if spared and quiet >= _QUIET_LOOKS:
            return len(seen), 0
        if time.monotonic() >= limit:
            return len(seen), len(below)
        if below:
            wakeup.wait(wait_ms)
            wait_ms = min(2 * wait_ms, _LONGEST_WAIT_MS)
    return len(seen), 0

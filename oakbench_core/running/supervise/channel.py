"""Messages between the runner and a supervisor: one JSON object a line over a stream socket; the end of it is death."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping

_CHUNK: Final = 1 << 18

EXITED: Final = "exited"
TIMED_OUT: Final = "timed_out"
ENDED: Final = "ended"
NOT_STARTED: Final = "not_started"
FAILED: Final = "failed"


class Order(NamedTuple):
    """One command to run to its end.

    Its output goes to new files, each cut after `cap_bytes`; `replace` gives what must not stand in them, as pairs of
    secret and name. Text may hold surrogate escapes for bytes that are no UTF-8.
    """

    argv: list[str]
    cwd: str
    env: dict[str, str]
    stdout: str
    stderr: str
    timeout_s: float
    grace_s: float
    cap_bytes: int
    replace: list[list[str]]


class Outcome(NamedTuple):
    """How a command ended, sent when nothing that it started is alive.

    `cause` is `exited` (by itself), `timed_out`, `ended` (the runner asked), `not_started` (`problem` says why) or
    `failed` (the supervisor could not do its work). `exit_code` is −N for signal N. `duration_s` is from the launch
    until the whole tree was gone; `left` counts processes that the system would not end.
    """

    cause: str
    exit_code: int | None = None
    duration_s: float = 0.0
    problem: str | None = None
    stdout_bytes: int = 0
    stdout_cut: bool = False
    stderr_bytes: int = 0
    stderr_cut: bool = False
    left: int = 0


class Channel:
    """One end of the socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._received = bytearray()

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def send(self, message: Mapping[str, Any]) -> None:
        """Raises OSError where the other end is gone."""
        self._socket.sendall(json.dumps(message).encode() + b"\n")

    def fill(self) -> bool:
        """Take what has come, waiting for something; False where the other end is gone."""
        try:
            data = self._socket.recv(_CHUNK)
        except ConnectionError:
            return False
        self._received += data
        return bool(data)

    def take(self) -> dict[str, Any] | None:
        """The next message that has come whole."""
        end = self._received.find(b"\n")
        if end < 0:
            return None
        message: dict[str, Any] = json.loads(self._received[:end])
        del self._received[: end + 1]
        return message

    def receive(self) -> dict[str, Any] | None:
        """The next message, waited for; None where the other end is gone."""
        while (message := self.take()) is None:
            if not self.fill():
                return None
        return message

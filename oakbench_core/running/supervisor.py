"""The runner's side of supervision: the fork server's process, and the supervisor of one trial as an object.

The program itself is `oakbench_core.running.supervise`. The runner never forks: the server is exec'd once, and makes
the supervisors. Whatever is lost, `Supervisor.close` returns when nothing of the trial's tree is known to be alive.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from oakbench_core.errors import PlatformError
from oakbench_core.running.supervise.channel import Channel, Order, Outcome
from oakbench_core.running.supervise.serving import READY
from oakbench_core.running.supervise.supervision import CLEARING_LIMIT_S

if TYPE_CHECKING:
    from threading import Event
    from types import TracebackType

PROGRAM: Final = "import sys; sys.path.append(sys.argv[2]); from supervise.serving import main; main()"
"""What the server's command line says; its folder is last on the path, so that none of its names hides a module."""

_FOLDER: Final = Path(__file__).parent
_START_S: Final = 60.0
_POLL_MS: Final = 100
_SLACK_S: Final = CLEARING_LIMIT_S + 20.0
_CLOSE_S: Final = 5.0


class SupervisorLostError(Exception):
    """The supervisor was killed, stopped, or could not be made: what its command did is not known."""


class Farewell(NamedTuple):
    """What the server said when a supervisor was gone: processes that it had to end itself, and those that stayed."""

    exit_code: int
    swept: int
    left: int


class ForkServer:
    """Makes supervisors, for any thread; a context manager. One that was killed is started again for the next trial."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def __enter__(self) -> Self:
        with self._lock:
            self._start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def supervisor(self) -> Supervisor:
        """A new supervisor, without any command yet.

        Raises:
            SupervisorLostError: none could be made.
            PlatformError: the server cannot be started on this system.
        """
        channel, channel_there = socket.socketpair()
        line, line_there = socket.socketpair()
        with channel_there, line_there:
            try:
                socket.send_fds(self._living(), [b"s"], [channel_there.fileno(), line_there.fileno()])
            except BaseException as error:
                channel.close()
                line.close()
                if isinstance(error, OSError):
                    raise SupervisorLostError(f"the fork server is gone: {error.strerror}") from error
                raise
        return Supervisor(channel, line, self)

    def _living(self) -> socket.socket:
        """The control socket of a server that is alive, started anew if need be."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._close()
                self._start()
            if self._control is None:
                raise SupervisorLostError("the fork server is not running")
            return self._control

    def resume(self) -> None:
        """Let the server go on if somebody has stopped it."""
        with self._lock:
            self._resume()

    def _resume(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """End the server; it ends whatever it still has first."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            try:
                self._resume()
                self._process.wait(CLEARING_LIMIT_S + _CLOSE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def _start(self) -> None:
        if sys.platform != "linux" or not Path("/proc/self/stat").is_file():
            raise PlatformError("running trials needs Linux with /proc: elsewhere a process tree cannot be followed")
        control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", PROGRAM, str(theirs.fileno()), str(_FOLDER)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                cwd="/", env={"LANG": "C.UTF-8"}, pass_fds=[theirs.fileno()], start_new_session=True,
            )  # fmt: skip
        control.settimeout(_START_S)
        self._control = control
        ready = b""
        with suppress(OSError):
            ready = control.recv(1)
        control.settimeout(None)
        if ready != READY:
            self._close()
            raise PlatformError("the supervisors' server did not start: is PR_SET_CHILD_SUBREAPER allowed here?")


class Supervisor:
    """Runs the commands of one trial, one at a time; a context manager."""

    def __init__(self, channel: socket.socket, line: socket.socket, server: ForkServer) -> None:
        channel.settimeout(_SLACK_S)
        self._socket, self._line, self._server = channel, line, server
        self._process: int | None = None  # a descriptor: it names no other process when this one is gone
        self._channel = Channel(channel)
        self._poll = select.poll()
        self._poll.register(channel, select.POLLIN)
        self.farewell: Farewell | None = None
        """After `close`: what the server said; None where the server was lost too."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def run(self, order: Order, end_now: Event) -> Outcome:
        """Run a command to its end; when this returns, nothing that it started is alive.

        Where `end_now` is set meanwhile, the tree gets a TERM, the order's grace and a KILL, and the outcome says so.

        Raises:
            SupervisorLostError: the supervisor died, or did not answer long after the timeout.
        """
        try:
            self._channel.send({"order": order._asdict()})
            return self._outcome(order, end_now)
        except OSError as error:
            raise SupervisorLostError(f"the supervisor does not listen: {error.strerror or 'timed out'}") from error

    def _outcome(self, order: Order, end_now: Event) -> Outcome:
        asked, deadline = False, time.monotonic() + order.timeout_s + order.grace_s + _SLACK_S
        while (message := self._next_message()) is None:
            if end_now.is_set() and not asked:
                self._channel.send({"end": order.grace_s})
                asked, deadline = True, min(deadline, time.monotonic() + order.grace_s + _SLACK_S)
            if self._poll.poll(_POLL_MS):
                if not self._channel.fill():
                    raise SupervisorLostError("the supervisor was killed")
            elif time.monotonic() > deadline:
                raise SupervisorLostError("the supervisor does not answer: it was stopped, or a process will not end")
        return Outcome(**message)

    def _next_message(self) -> dict[str, Any] | None:
        """The outcome, if it has come; the supervisor's name for itself, which comes first, is noted."""
        message = self._channel.take()
        if message is not None and "pid" in message:
            with suppress(ProcessLookupError):
                self._process = os.pidfd_open(message["pid"])
            message = self._channel.take()
        return message

    def close(self) -> None:
        """End the supervisor and whatever it still has, and return when all of it is gone."""
        if self._line.fileno() < 0:
            return
        self._socket.close()
        try:
            self._line.settimeout(_CLOSE_S)
            said = self._last_words()
            if said is None:  # supervisor or server were stopped: the server kills the one and all below it
                self._server.resume()
                with suppress(OSError):
                    self._line.sendall(b"k")
                self._line.settimeout(CLEARING_LIMIT_S + _CLOSE_S)
                said = self._last_words()
            self.farewell = Farewell(**json.loads(said)) if said else None
            if not said:
                self._end_alone()
        finally:
            self._line.close()
            if self._process is not None:
                os.close(self._process)
                self._process = None

    def _end_alone(self) -> None:
        """Without a server: a supervisor that goes on sees that the runner let it go, and ends its tree first."""
        if self._process is None:
            return
        for number, limit_s in ((signal.SIGCONT, CLEARING_LIMIT_S), (signal.SIGKILL, _CLOSE_S)):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._process, number)
            ended = select.poll()
            ended.register(self._process, select.POLLIN)
            if ended.poll(limit_s * 1000):
                return

    def _last_words(self) -> bytes | None:
        """What the server says up to the line's end; None where nothing came in time."""
        said = b""
        try:
            while data := self._line.recv(4096):
                said += data
        except TimeoutError:
            return None
        except ConnectionError:
            return b""
        return said

"""The fork server: makes supervisors without forking the runner, and ends what a lost one leaves.

It is a single-threaded process of its own session and a sub-reaper, so that the tree of a supervisor that was killed
becomes its own. Each request carries two sockets: the supervisor's channel, and the line on which the server tells that
the supervisor and all below it are gone. When the runner is gone, every tree is ended and the server with them.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Final

from .processes import Wakeup, become_subreaper, clear_tree, ignore_signals, reap
from .supervision import CLEARING_LIMIT_S, supervise

_PATIENCE_S: Final = 1.0
READY: Final = b"r"


def main() -> None:
    """The program; its one argument is the descriptor of the control socket."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    ignore_signals()
    become_subreaper()
    control.sendall(READY)
    _Server(control).serve()


class _Server:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._wakeup = Wakeup()
        self._lines: dict[int, socket.socket] = {}
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)
        self._poll.register(self._wakeup, select.POLLIN)

    def serve(self) -> None:
        """Until the runner is gone, and then until its trees are."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._control.fileno():
                    if not self._take_request():
                        self._leave()
                        return
                elif descriptor == self._wakeup.fileno():
                    self._wakeup.drain()
                    self._bury()
                else:
                    self._hear(descriptor)

    def _take_request(self) -> bool:
        try:
            request, descriptors = _received(self._control)
        except ConnectionError:
            return False
        if len(descriptors) != 2:
            for descriptor in descriptors:
                os.close(descriptor)
            return bool(request)
        channel, line = (socket.socket(fileno=descriptor) for descriptor in descriptors)
        with channel:
            self._fork(channel, line)
        return True

    def _fork(self, channel: socket.socket, line: socket.socket) -> None:
        try:
            pid = os.fork()
        except OSError:
            line.close()  # the runner sees a supervisor that is gone
            return
        if not pid:
            code = 70
            try:
                for inherited in (self._control, line, *self._lines.values()):
                    inherited.close()
                supervise(channel)
                code = 0
            finally:
                os._exit(code)
        self._lines[pid] = line
        self._poll.register(line, select.POLLIN)

    def _hear(self, descriptor: int) -> None:
        """The runner gives up a supervisor, or is gone itself, which the control socket tells as well."""
        for pid, line in self._lines.items():
            if line.fileno() == descriptor:
                with suppress(ConnectionError):
                    if line.recv(1):
                        os.kill(pid, signal.SIGKILL)
                        return
                self._poll.unregister(descriptor)

    def _bury(self) -> None:
        """End what supervisors that are gone have left, and tell so."""
        ended: dict[int, int] = {}
        reap(ended)
        gone = [pid for pid in self._lines if pid in ended]
        seen, left = clear_tree(
            self._wakeup, ended, limit_s=CLEARING_LIMIT_S, spared=frozenset(self._lines).difference(gone)
        )
        for pid in [pid for pid in self._lines if pid in ended]:
            line = self._lines.pop(pid)
            with suppress(KeyError):  # not listened to any more
                self._poll.unregister(line)
            with line, suppress(OSError):
                line.sendall(json.dumps({"exit_code": ended[pid], "swept": seen, "left": left}).encode())

    def _leave(self) -> None:
        """Supervisors end their trees and themselves; one that does not (it was stopped) is killed."""
        limit, ended = time.monotonic() + _PATIENCE_S, dict[int, int]()
        while reap(ended) and self._lines.keys() - ended.keys() and time.monotonic() < limit:
            self._wakeup.wait(20)
        clear_tree(self._wakeup, ended, limit_s=CLEARING_LIMIT_S)


def _received(control: socket.socket) -> tuple[bytes, list[int]]:
    request, ancillary, _, _ = control.recvmsg(1, socket.CMSG_SPACE(2 * 4), socket.MSG_CMSG_CLOEXEC)
    descriptors = []
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors += [int.from_bytes(data[at : at + 4], sys.byteorder) for at in range(0, len(data) - 3, 4)]
    return request, descriptors

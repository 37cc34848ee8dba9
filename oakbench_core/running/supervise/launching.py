"""The start of a command: a session of its own, empty stdin, default signals, no descriptor but three."""

from __future__ import annotations

import errno
import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from .channel import Order


class NotStartedError(Exception):
    """The command could not be started; the text says why."""


def launch(order: Order, stdout: int, stderr: int) -> int:
    """The process ID of the command, which runs its program already.

    Raises:
        NotStartedError: there is no such program, it may not be executed, its arguments are too long …
    """
    read_end, write_end = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if not pid:
        _become(order, stdout, stderr, write_end)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as report:
        problem = report.read()  # ends when the program is executed, since the pipe is closed by that
    if problem:
        os.waitpid(pid, 0)
        raise NotStartedError(problem.decode(errors="replace"))
    return pid


def _become(order: Order, stdout: int, stderr: int, report: int) -> NoReturn:
    """In the child: execute the command, or say why not."""
    doing = "prepare"
    try:
        os.setsid()  # a `kill 0` of the command does not reach its supervisor
        _default_signals()
        with open(os.devnull, "rb") as empty:  # noqa: PTH123 - pathlib is not loaded here
            os.dup2(empty.fileno(), 0)
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        doing = "enter the workspace"
        os.chdir(os.fsencode(order.cwd))
        doing = f"start {order.argv[0]}"
        os.execvpe(order.argv[0], order.argv, order.env)  # noqa: S606 - no shell is wanted
    except OSError as error:
        problem = f"cannot {doing}: {os.strerror(error.errno or errno.EIO)}"
    except BaseException as error:  # noqa: BLE001 - whatever it is, a copy of the supervisor must not go on
        problem = f"cannot {doing}: {type(error).__name__}"
    with suppress(OSError):
        os.write(report, problem.encode(errors="replace")[:1000])
    os._exit(127)


def _default_signals() -> None:
    """What the runner's parent or the supervisor ignores is no condition of the trial."""
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals():
        with suppress(OSError, ValueError):  # KILL and STOP have no other action
            signal.signal(number, signal.SIG_DFL)

"""Process trees that do not want to end, and streams that hide secrets: what a supervisor is for."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.running.supervise.channel import Order
from oakbench_core.running.supervise.replacing import Replacer
from tests.running.trials import alive

if TYPE_CHECKING:
    from pathlib import Path

    from oakbench_core.running.supervise.channel import Outcome
    from oakbench_core.running.supervisor import ForkServer

HOSTILE = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(300)
if os.fork() == 0:
    while True:  # forks and ends for ever: its process ID is another at each look
        if os.fork():
            os._exit(0)
time.sleep(0.2)
{end}
"""


def carried_out(server: ForkServer, place: Path, argv: list[str], **changes: Any) -> Outcome:
    facts: dict[str, Any] = {
        "argv": argv,
        "cwd": str(place),
        "env": {"PATH": os.environ["PATH"]},
        "stdout": str(place / "stdout"),
        "stderr": str(place / "stderr"),
        "timeout_s": 20.0,
        "grace_s": 0.2,
        "cap_bytes": 1000,
        "replace": [],
    }
    with server.supervisor() as supervisor:
        return supervisor.run(Order(**facts | changes), threading.Event())


def test_a_hostile_tree_is_gone_when_its_command_has_ended(server: ForkServer, tmp_path: Path) -> None:
    marker = f"# {tmp_path}"

    outcome = carried_out(server, tmp_path, ["python3", "-c", HOSTILE.format(end="os._exit(5)") + marker])

    assert (outcome.cause, outcome.exit_code, outcome.left) == ("exited", 5, 0)
    assert alive(marker) == []


def test_a_hostile_tree_is_gone_after_its_timeout_and_grace(server: ForkServer, tmp_path: Path) -> None:
    marker = f"# {tmp_path}"
    argv = ["python3", "-c", HOSTILE.format(end="time.sleep(300)") + marker]

    outcome = carried_out(server, tmp_path, argv, timeout_s=1.0)

    assert (outcome.cause, outcome.exit_code, outcome.left) == ("timed_out", -9, 0)
    assert alive(marker) == []
    assert 1.2 <= outcome.duration_s < 10


def test_a_stopped_tree_is_told_to_end_and_does(server: ForkServer, tmp_path: Path) -> None:
    outcome = carried_out(server, tmp_path, ["sh", "-c", "kill -STOP $$"], timeout_s=0.3, grace_s=15.0)

    assert (outcome.cause, outcome.exit_code) == ("timed_out", -15)
    assert outcome.duration_s < 10


def test_signals_are_at_their_defaults_and_none_is_blocked(server: ForkServer, tmp_path: Path) -> None:
    carried_out(server, tmp_path, ["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"])

    masks = {line.split()[1] for line in (tmp_path / "stdout").read_text().splitlines()}
    assert masks == {"0" * 16}


def test_bytes_that_are_no_text_pass_through_arguments_and_environment(server: ForkServer, tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff\xfe")

    carried_out(
        server, tmp_path, ["sh", "-c", 'printf %s "$1$X"', "-", odd], env={"PATH": os.environ["PATH"], "X": odd}
    )

    assert (tmp_path / "stdout").read_bytes() == b"\xff\xfe\xff\xfe"


def test_output_files_that_stand_there_already_are_not_written_over(server: ForkServer, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("kept")
    (tmp_path / "stderr").symlink_to(tmp_path / "elsewhere")

    outcome = carried_out(server, tmp_path, ["sh", "-c", "echo x >&2"])

    assert outcome.cause == "failed"
    assert (tmp_path / "elsewhere").read_text() == "kept"


SECRETS = {b"abababab": b"[A]", b"ababababXY": b"[AXY]", b"\xff" * 9: b"[FF]", b"short": b"[SHORT]"}
PIECES = st.sampled_from([*SECRETS, b"ab", b"a", b"X", b"\xff", b"\n", b"other"])


@given(st.lists(PIECES).map(b"".join), st.data())
def test_a_secret_is_replaced_wherever_the_stream_is_cut(stream: bytes, data: st.DataObject) -> None:
    replacer, whole = Replacer(SECRETS), Replacer(SECRETS).whole(stream)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))

    chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    replaced = b"".join([*map(replacer.feed, chunks), replacer.finish()])

    assert replaced == whole
    assert not any(secret in whole for secret in SECRETS if len(secret) >= 8)


def test_a_secret_of_less_than_eight_characters_is_no_word_to_replace() -> None:
    assert Replacer(SECRETS).whole(b"a short text") == b"a short text"

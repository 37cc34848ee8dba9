"""The switch that ends a run: what each signal asks, in which order, and what it leaves as it was."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from oakbench_core.running.stopping import StopSwitch
from tests.running.real_runs import wait_for

INT, TERM, HUP = int(signal.SIGINT), int(signal.SIGTERM), int(signal.SIGHUP)


@pytest.mark.parametrize(
    ("numbers", "ends_now", "decided", "told"),
    [
        ([], False, None, 0),
        ([INT], False, INT, 1),
        ([INT, INT], True, INT, 2),
        ([INT, INT, INT, TERM], True, INT, 2),
        ([TERM], True, TERM, 1),
        ([HUP], True, HUP, 1),
        ([TERM, INT], True, TERM, 1),
        ([INT, TERM], True, TERM, 2),
    ],
)
def test_what_is_asked_and_by_which_signal(numbers: list[int], ends_now: bool, decided: int | None, told: int) -> None:
    heard: list[int | None] = []
    switch = StopSwitch(lambda switch: heard.append(switch.signal))
    for number in numbers:
        switch.ask(number)

    assert switch.no_more.is_set() is bool(numbers)
    assert switch.end_now.is_set() is ends_now
    assert switch.signal == decided
    assert len(heard) == told
    assert None not in heard


def test_signals_ask_in_a_thread_of_their_own_and_handlers_are_put_back() -> None:
    before = [signal.getsignal(number) for number in (INT, TERM, HUP)]
    threads: list[threading.Thread] = []
    switch = StopSwitch(lambda _: threads.append(threading.current_thread()))
    with switch.on_signals():
        os.kill(os.getpid(), INT)
        wait_for(switch.no_more.is_set)
        os.kill(os.getpid(), TERM)
        wait_for(switch.end_now.is_set)

    assert switch.signal == TERM
    assert len(threads) == 2
    assert threading.main_thread() not in threads
    assert not threads[0].is_alive()
    assert [signal.getsignal(number) for number in (INT, TERM, HUP)] == before


def test_a_signal_that_was_ignored_stays_ignored() -> None:
    before = signal.signal(HUP, signal.SIG_IGN)
    try:
        switch = StopSwitch()
        with switch.on_signals():
            os.kill(os.getpid(), HUP)
            assert signal.getsignal(HUP) is signal.SIG_IGN
            os.kill(os.getpid(), INT)
            wait_for(switch.no_more.is_set)
        assert switch.signal == INT
    finally:
        signal.signal(HUP, before)


def test_no_signal_is_lost_between_its_arrival_and_the_end(recwarn: pytest.WarningsRecorder) -> None:
    switch = StopSwitch()
    with switch.on_signals():
        os.kill(os.getpid(), INT)

    assert switch.signal == INT
    assert list(recwarn) == []


def test_another_signal_with_a_handler_asks_nothing() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
    try:
        switch = StopSwitch()
        with switch.on_signals():
            os.kill(os.getpid(), signal.SIGUSR1)
            wait_for(lambda: seen)
        assert switch.signal is None
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_the_end_of_a_pipe_asks_as_one_sigint_does_and_says_why() -> None:
    reading, writing = os.pipe()
    switch = StopSwitch()
    with switch.on_signals(reading):
        os.write(writing, b"more to come")
        os.close(writing)
        wait_for(switch.no_more.is_set)
    os.close(reading)

    assert (switch.signal, switch.end_now.is_set()) == (INT, False)
    assert switch.why == "the program that started this run is gone"


def test_the_end_of_a_pipe_is_never_a_second_request() -> None:
    reading, writing = os.pipe()
    heard: list[str | None] = []
    switch = StopSwitch(lambda switch: heard.append(switch.why))
    with switch.on_signals(reading):
        os.kill(os.getpid(), INT)
        wait_for(switch.no_more.is_set)
        os.close(writing)
        os.kill(os.getpid(), HUP)
        wait_for(switch.end_now.is_set)
    os.close(reading)

    assert (switch.signal, heard) == (HUP, [None, None])


def test_a_signal_after_the_end_of_a_pipe_ends_the_running_trial() -> None:
    reading, writing = os.pipe()
    switch = StopSwitch()
    with switch.on_signals(reading):
        os.close(writing)
        wait_for(switch.no_more.is_set)
        assert not switch.end_now.is_set()
        os.kill(os.getpid(), INT)
        wait_for(switch.end_now.is_set)
    os.close(reading)

    assert (switch.signal, switch.why) == (INT, None)

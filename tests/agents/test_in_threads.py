"""Work shared among threads: all have ended when it ends, whatever comes."""

import signal
import threading
import time

import pytest

from agents.in_threads import in_threads


@pytest.fixture
def interrupts():
    """Ctrl-C is heard, as it is not in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_all_places_are_worked_at_once():
    meeting = threading.Barrier(3, timeout=60)
    places = []

    def work(place):
        meeting.wait()
        places.append(place)

    in_threads(work, 3)
    assert sorted(places) == [0, 1, 2]


@pytest.mark.parametrize("failing", [0, 1])
def test_an_error_comes_when_the_others_have_ended(failing):
    ended = []

    def work(place):
        if place == failing:
            raise ValueError("one")
        time.sleep(0.1)
        ended.append(place)

    with pytest.raises(ValueError, match="one"):
        in_threads(work, 3)
    assert sorted(ended) == [place for place in range(3) if place != failing]


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="POSIX signals")
@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_waits_for_the_others():
    """Python left while a thread was in a network's code, and crashed there."""
    ended = []

    def work(place):
        if place:
            time.sleep(0.2)  # until the first waits
            for _ in range(2):
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
                time.sleep(0.15)
            ended.append(place)

    with pytest.raises(KeyboardInterrupt):
        in_threads(work, 2)
    assert ended == [1]


@pytest.mark.parametrize("began", [False, True])
def test_an_interrupt_while_a_thread_begins(monkeypatch, began):
    """Whether it does its work or not, nothing is done afterwards, and nobody waits for ever."""
    genuine, ended = threading.Thread.start, []

    def start(thread):
        if began:
            genuine(thread)
        raise KeyboardInterrupt

    def work(place):
        time.sleep(0.1)
        ended.append(place)

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(KeyboardInterrupt):
        in_threads(work, 2)
    found = list(ended)
    time.sleep(0.3)
    assert ended == found

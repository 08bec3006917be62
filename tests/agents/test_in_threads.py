"""Work shared among threads: all threads end when the work ends, also after interrupts."""

import _thread
import signal
import threading
import time

import numpy as np
import pytest

import agents
import boardenvs
from agents.in_threads import StoppedError, in_threads


@pytest.fixture
def interrupts():
    """Enable Ctrl-C, which is disabled in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_all_parts_run_at_once():
    meeting = threading.Barrier(3, timeout=60)
    places = []

    def work(place, _):
        meeting.wait()
        places.append(place)

    in_threads(work, 3)
    assert sorted(places) == [0, 1, 2]


def test_a_single_part_runs_in_the_calling_thread():
    found = []
    in_threads(lambda place, stopping: found.append((place, stopping(), threading.get_ident())), 1)
    assert found == [(0, False, threading.get_ident())]


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_an_error_is_raised_after_the_other_threads_end(failing):
    ended = []

    def work(place, stopping):
        if place == failing:
            raise ValueError("one")
        while not stopping():
            time.sleep(0.01)
        ended.append(place)
        raise StoppedError

    with pytest.raises(ValueError, match="one"):
        in_threads(work, 3)
    assert sorted(ended) == [place for place in range(3) if place != failing]


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs POSIX signals")
@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_stops_the_others_and_waits_for_them():
    """An interrupt waits for all threads, because exiting during a network's code would crash."""
    ended = []

    def work(place, stopping):
        if place:
            time.sleep(0.1)  # until all threads have started
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        while not stopping():
            time.sleep(0.01)
        assert place, "the interrupt did not meet the one that works here"
        for _ in range(2):  # further interrupts change nothing
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            time.sleep(0.15)
        ended.append(place)

    with pytest.raises(KeyboardInterrupt):
        in_threads(work, 2)
    assert ended == [1]


@pytest.mark.parametrize("began", [False, True])
@pytest.mark.parametrize("at", [1, 2])
def test_an_interrupt_while_a_thread_starts_ends_all_work(monkeypatch, began, at):
    """An interrupt at a thread's start ends all work, whether or not the thread started."""
    genuine, ended = _thread.start_new_thread, []

    def start(run, given):
        if began or given != (at,):
            genuine(run, given)
        if given == (at,):
            raise KeyboardInterrupt

    def work(place, stopping):
        while not stopping():  # like a thread that waits for another one's turn
            time.sleep(0.01)
        ended.append(place)

    monkeypatch.setattr(_thread, "start_new_thread", start)
    with pytest.raises(KeyboardInterrupt):
        in_threads(work, 3)
    found = list(ended)
    time.sleep(0.3)
    assert ended == found


def interrupt_at_beginning(monkeypatch):
    """Raise KeyboardInterrupt when a thread starts."""

    def start(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_thread, "start_new_thread", start)


@pytest.mark.parametrize("spec", ["puct:400", "puct:10s", "mcts:10s"])
def test_a_search_interrupted_at_its_start_ends(monkeypatch, spec):
    """A search ends even if one of its threads was interrupted before its start."""
    game = boardenvs.make("gekitai")
    agent = agents.make(spec, game, seed=0, threads=2)
    interrupt_at_beginning(monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        agent.act(game.new(1, 0))
    monkeypatch.undo()
    if spec == "puct:400":
        assert_unharmed(agent, spec, game)


def assert_unharmed(agent, spec, game):
    """Check that an interrupted search left nothing in the agent."""
    fresh = agents.make(spec, game, seed=0, threads=1)
    fresh._rng, agent._rng = np.random.default_rng(1), np.random.default_rng(1)
    assert agent.act(game.new(1, 0)) == fresh.act(game.new(1, 0))


def search_until(sent, agent, state):
    sent.start()
    while True:
        agent.act(state)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs POSIX signals")
@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("spec", ["puct:400", "puct:10s", "mcts:10s"])
def test_a_search_interrupted_at_any_time_ends(spec):
    """An interrupt ends a search during a turn, while waiting, or in a network's code."""
    game = boardenvs.make("gekitai")
    agent = agents.make(spec, game, seed=0, threads=2)
    state, main = game.new(1, 0), threading.main_thread().ident
    agents.make(spec.replace("10s", "50ms"), game, seed=0, threads=2).act(state)  # compiles
    for k in range(20):
        sent = threading.Timer(0.001 + 0.0005 * k, signal.pthread_kill, (main, signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            search_until(sent, agent, state)
        sent.join()
    if spec == "puct:400":
        assert_unharmed(agent, spec, game)


def test_an_interrupt_ends_a_batch_after_the_current_search(monkeypatch):
    game = boardenvs.make("gomoku", board_size=9)
    agent = agents.make("threats:20000", game, seed=0, threads=2)
    agent.act(game.new(1, 0))
    searched = []
    genuine = type(agent)._think
    monkeypatch.setattr(type(agent), "_think", lambda *given: searched.append(1) or genuine(*given))
    interrupt_at_beginning(monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        agent.act(game.new(1000, 0))
    assert len(searched) < 20

"""Worker processes: they play the same games as this process, and none is left behind."""

import functools
import multiprocessing
import os
import signal
import threading

import numpy as np
import pytest
from two_games import on_two_games, others_slow

import boardenvs
from agents.arena import round_robin
from agents.arena.workers import local
from agents.arena.workers.batch import Batch, play_batch
from agents.naming.spec import specs_of

SOURCE = """
import os
import signal
import threading
import numpy as np

class First:
    def __init__(self, game, seed):
        self.game = game

    def act(self, states):
        return self.game.legal(states).argmax(1)

class Dies(First):
    def act(self, states):
        os.kill(os.getpid(), signal.SIGKILL)

class Fails(First):
    def act(self, states):
        raise RuntimeError("two\\nlines")
"""


@pytest.fixture
def two_processes():
    """Yield an engine of two worker processes; none of them is left afterwards."""
    yield functools.partial(local.play, workers=2)
    assert multiprocessing.active_children() == []


def collected(finished):
    """Return games by match and number, as plain values."""
    found = {}
    for match, games in finished:
        for k, number in enumerate(games.numbers.tolist()):
            assert (match, number) not in found
            found[match, number] = (
                int(games.streams[k]),
                games.who[k].tolist(),
                games.returns[k].tolist(),
                int(games.plies[k]),
                games.moves[k].tolist(),
            )
    return found


class Fixed:
    """A schedule of a fixed list of batches."""

    def __init__(self, batches):
        self.batches = list(batches)

    @property
    def left(self):
        return sum(len(batch.numbers) for batch in self.batches)

    def take(self, most):
        if not self.batches:
            return None
        batch = self.batches.pop(0)
        self.put_back(local.replace(batch, numbers=batch.numbers[most:]))
        return local.replace(batch, numbers=batch.numbers[:most])

    def put_back(self, batch):
        if len(batch.numbers):
            self.batches.insert(0, batch)


def work(game, num=60):
    names = ["random", "greedy"] if game.num_players > 1 else ["random"]
    specs = tuple(specs_of(names, game))
    return Fixed(
        Batch(k, specs, 5, 0, np.arange(num)) for k, specs in enumerate([specs, specs[::-1]])
    )


@pytest.mark.parametrize("name", others_slow(["gekitai", "goat_race", "pizza_order"], ["gekitai"]))
def test_workers_play_the_same_games(name, two_processes):
    game = boardenvs.make(name)
    here = collected(local.play_here(work(game)))
    assert len(here) == 120
    assert collected(two_processes(work(game))) == here


@on_two_games
def test_the_size_of_batches_does_not_matter(game, monkeypatch):
    here = collected(local.play_here(work(game)))
    monkeypatch.setattr(local, "LARGEST", 7)
    assert collected(local.play_here(work(game))) == here


@pytest.mark.parametrize("patience", [0, 100])
def test_long_work_moves_to_processes(gekitai, monkeypatch, patience):
    here = collected(local.play_here(work(gekitai)))
    started = []
    monkeypatch.setattr(local, "_PATIENCE", patience)
    monkeypatch.setattr(local, "_WORTH_PROCESSES", 0)
    monkeypatch.setattr(local, "cores", lambda: 2)
    begin = local._Worker.__init__
    monkeypatch.setattr(
        local._Worker, "__init__", lambda self: (started.append(self), begin(self))[1]
    )
    assert collected(local.play(work(gekitai))) == here
    assert len(started) == (0 if patience else 2)


def test_games_with_slow_plies_have_small_batches(gekitai, monkeypatch):
    sizes = []
    monkeypatch.setattr(local, "_seconds_a_ply", lambda *_: local._PLY / 4)

    def noted(batch, players):
        sizes.append(len(batch.numbers))
        return play_batch(batch, players)

    monkeypatch.setattr(local, "cores", lambda: 2)
    monkeypatch.setattr(local, "play_batch", noted)
    assert len(collected(local.play(work(gekitai)))) == 120
    assert set(sizes) == {8, 4}  # 60 is seven times 8, and 4


def test_a_match_is_the_same_in_any_order(game):
    specs = specs_of(["random"] * game.num_players, game)
    batch = Batch(0, tuple(specs), 3, 2, np.array([9, 2, 0, 5]))
    mixed = collected((0, games) for games in play_batch(batch) if games is not None)
    whole = local.replace(batch, numbers=np.arange(12))
    in_order = collected((0, games) for games in play_batch(whole) if games is not None)
    assert mixed == {key: in_order[key] for key in mixed}
    assert sorted(number for _, number in mixed) == [0, 2, 5, 9]


@pytest.mark.slow
def test_round_robin_in_processes_has_the_same_results(gekitai, tiny, own_module, two_processes):
    own_module("mine", SOURCE)
    specs = ["random", tiny.spec, "mine:First"]
    here = list(round_robin(gekitai, specs, 20, 1))
    assert list(round_robin(gekitai, specs, 20, 1, engine=two_processes)) == here


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        pytest.param(
            "Fails", "agent mine:Fails failed: RuntimeError: two lines", marks=pytest.mark.slow
        ),
        ("Dies", f"worker process .*status -{signal.SIGKILL.value}"),
    ],
)
def test_the_error_of_an_agent_in_a_worker_is_raised(
    gekitai, refused, own_module, two_processes, agent, said
):
    own_module("mine", SOURCE)
    with refused(said):
        list(round_robin(gekitai, ["random", f"mine:{agent}"], 20, 1, engine=two_processes))


def test_workers_end_when_the_iterator_is_closed(gekitai, two_processes):
    playing = two_processes(work(gekitai, 500))
    next(playing)
    children = multiprocessing.active_children()
    assert len(children) == 2
    playing.close()
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
def test_a_bad_number_of_workers_is_refused(gekitai, refused, workers):
    with refused("workers must be "):
        list(local.play(work(gekitai), workers))


@pytest.mark.parametrize("before", ["2", None])
def test_the_users_number_of_threads_is_restored(monkeypatch, before):
    for name in local.ONE_THREAD:
        if before is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, before)
    with local._one_thread():
        assert {os.environ[name] for name in local.ONE_THREAD} == {"1"}
    assert {os.environ.get(name) for name in local.ONE_THREAD} == {before}


def test_recorded_moves_lead_to_the_result(game):
    specs = specs_of(["random"] * game.num_players, game)
    match = local.Players(0).match(specs, 2)
    games = [part for part in match.play(np.arange(20)) if part is not None]
    for part in games:
        states = game.arrays.new(part.streams)
        for actions in part.moves.T:
            game.play(states, actions)
        np.testing.assert_array_equal(states["returns"], part.returns)
        np.testing.assert_array_equal(states["ply"], part.plies)
        assert game.over(states).all()
    assert sum(map(len, games)) == 20


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_an_interrupt_waits_until_a_process_has_been_started():
    steps = []

    def start():
        with local._without_interrupts():
            thread = threading.Thread(target=interrupt_other_thread)
            # A thread started earlier must not block the interrupt.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            thread.start()
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            thread.join()
            steps.append("started")

    def interrupt_other_thread():
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    # Tests in the background may pass on that SIGINT is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            start()
    finally:
        signal.signal(signal.SIGINT, before)
    assert steps == ["started"]

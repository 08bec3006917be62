"""Playing on a Ray cluster: the same games, even if a node is lost."""

import functools

import pytest

from agents.arena import round_robin
from agents.arena.schedule import Schedule
from agents.arena.workers import ray_tasks

ray = pytest.importorskip("ray")

# Ray leaves closing its sockets and files to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray"),
]

SLOW = """
import time

class Slow:
    deterministic = False

    def __init__(self, game, seed):
        self.game = game

    def choose(self, states, words):
        time.sleep(0.02)
        return self.game.legal(states).argmax(1)

    act = choose

def fails(game, seed):
    agent = Slow(game, seed)
    agent.choose = None
    return agent
"""


def test_two_nodes_play_the_same_games(gekitai, cluster, own_module, refused):
    own_module("slow_agent", SLOW)
    engine = functools.partial(ray_tasks.play, address=cluster[0].address)
    specs = ["random", "greedy", "slow_agent:Slow"]
    here = list(round_robin(gekitai, specs, 12, 1))
    assert list(round_robin(gekitai, specs, 12, 1, engine=engine)) == here
    assert not ray.is_initialized()
    with refused("agent slow_agent:fails failed|agent Slow failed: TypeError"):
        list(round_robin(gekitai, ["random", "slow_agent:fails"], 4, 1, engine=engine))


def test_a_run_survives_the_loss_of_a_node(gekitai, cluster, own_module, tmp_path):
    own_module("slow_agent", SLOW)
    made, node = cluster
    specs = ["random", "slow_agent:Slow"]
    here = list(round_robin(gekitai, specs, 60, 1))
    came = 0

    def engine(schedule: Schedule):
        nonlocal came
        for match, games in ray_tasks.play(schedule, made.address):
            came += len(games)
            if came >= 8 and node in made.list_all_nodes():
                made.remove_node(node, allow_graceful=False)
            yield match, games

    path = tmp_path / "games.db"
    assert list(round_robin(gekitai, specs, 60, 1, engine=engine, store=path)) == here
    assert made.list_all_nodes() == [made.head_node]
    assert came >= 60


@pytest.mark.parametrize("address", ["no such address", "127.0.0.1:1"])
def test_a_missing_cluster_is_refused(gekitai, refused, address):
    engine = functools.partial(ray_tasks.play, address=address)
    with refused(f"Ray cluster at {address}"):
        list(round_robin(gekitai, ["random", "greedy"], 4, 1, engine=engine))

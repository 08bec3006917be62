"""Rating a policy on a Ray cluster gives the same games and card."""

import functools

import pytest

import agents
from agents.arena.workers import ray_tasks

pytest.importorskip("ray")

# Ray leaves closing its sockets and files to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray"),
]


def test_a_cluster_makes_the_same_card(cluster):
    engine = functools.partial(ray_tasks.play, address=cluster[0].address)
    given = {"tasks": ["game112", "goat_race-3"], "minutes": 5.0, "seed": 3, "aim": 80.0}
    cards = [agents.benchmark("greedy", **given, engine=one) for one in (None, engine)]
    here, there = (card.to_dict() for card in cards)
    for told in (here, there):
        for task in told["tasks"]:
            del task["seconds_per_move"]
    assert there == here
    assert all(task["games"] > 0 for task in here["tasks"])

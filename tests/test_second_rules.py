"""Every game plays as its second implementation, which uses no code of the package.

`tests/campaign/test_plies.py` does the same for as long as it is told.
"""

import numpy as np
import pytest
from parameters import OFTEN, parameters
from second_rules import play_round

import boardenvs

ROUNDS = 8
SMALL = [name for name in boardenvs.GAMES if name != "goat_race"]


def no_difference(game, rng, num):
    _, found = play_round(game, rng, num)
    assert found is None, "\n".join(found)


@pytest.mark.parametrize("name", SMALL)
def test_random_games_equal_the_second_implementation(name):
    rng = np.random.default_rng(0)
    for _ in range(ROUNDS):
        no_difference(boardenvs.make(name, **parameters(name, rng)), rng, 40)


# Every size of Goat Race compiles its rules again.
@pytest.mark.parametrize("size", range(len(OFTEN)), ids=lambda size: str(OFTEN[size]))
@pytest.mark.parametrize("draw_rule", ["forward", "jump"])
def test_random_races_equal_the_second_implementation(size, draw_rule):
    rng = np.random.default_rng(0)
    for memory, max_plies in ((False, 2000), (True, 2000), (False, 60)):
        params = {**OFTEN[size], "draw_rule": draw_rule, "memory": memory, "max_plies": max_plies}
        no_difference(boardenvs.make("goat_race", **params), rng, 40)

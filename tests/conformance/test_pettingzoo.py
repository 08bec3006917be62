"""PettingZoo's own suites, over every game.

Left out: `bombardment_test`, which takes what `step` returned, `None`, for the next
observation and so fails on every Dict observation, PettingZoo's own games included;
`performance_benchmark`, which measures for five seconds and asserts nothing; the suites
for parallel environments, which these are not.
"""

import logging

import pettingzoo.test as suites
import pytest
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space

import boardenvs

# Whatever else these suites warn about is an error (see pyproject.toml).
pytestmark = [
    # Said of every Dict with a mask but those of the games on a list inside PettingZoo.
    pytest.mark.filterwarnings(
        "ignore:Observation space for each agent probably should be gymnasium.spaces.box or "
        "gymnasium.spaces.discrete:UserWarning"
    ),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    # Said of every state made of planes: a stack of views, one a seat, of planes of a board.
    pytest.mark.filterwarnings("ignore:State has more than 3 dimensions:UserWarning"),
]


@pytest.fixture
def make_env(game):
    return getattr(boardenvs, f"{game.name}_v0").env


@pytest.fixture(autouse=True)
def _logs_nothing(caplog):
    """PettingZoo also warns through `logging`."""
    with caplog.at_level(logging.WARNING):
        yield
    assert caplog.messages == []


@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_api(make_env, illegal):
    suites.api_test(make_env(illegal=illegal), num_cycles=100)


def test_api_of_truncated_games(make_env, game):
    suites.api_test(make_env(max_plies=game.num_players), num_cycles=20)


def test_seed(make_env):
    suites.seed_test(make_env, num_cycles=100)


def test_save_observations(make_env, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it may write pictures
    suites.test_save_obs(make_env())


def test_render(make_env):
    suites.render_test(make_env)


def test_state(make_env):
    check_state_space(make_env())
    check_state(make_env(), num_cycles=20)

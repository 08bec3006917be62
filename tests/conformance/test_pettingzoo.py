"""PettingZoo's test suites on every game.

Some suites do not apply. `bombardment_test` uses the result of `step`, which is `None`, as the next
observation, so it fails for every Dict observation, even in PettingZoo's own games.
`performance_benchmark` runs for five seconds and asserts nothing. The remaining suites are for
parallel environments.
"""

import logging

import pettingzoo.test as suites
import pytest
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space

import boardenvs

# All other warnings of these suites are errors (see pyproject.toml).
pytestmark = [
    # PettingZoo exempts only its own games from this warning about Dict observations with a mask.
    pytest.mark.filterwarnings(
        "ignore:Observation space for each agent probably should be gymnasium.spaces.box or "
        "gymnasium.spaces.discrete:UserWarning"
    ),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    # A state has a dimension for the seats besides the three of a board's planes.
    pytest.mark.filterwarnings("ignore:State has more than 3 dimensions:UserWarning"),
]


@pytest.fixture
def make_env(game):
    return getattr(boardenvs, f"{game.name}_v0").env


@pytest.fixture(autouse=True)
def _logs_nothing(caplog):
    """Check that PettingZoo logs no warnings."""
    with caplog.at_level(logging.WARNING):
        yield
    assert caplog.messages == []


@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_the_api_test_passes(make_env, illegal):
    suites.api_test(make_env(illegal=illegal), num_cycles=100)


def test_the_api_test_passes_for_truncated_games(make_env, game):
    suites.api_test(make_env(max_plies=game.num_players), num_cycles=20)


def test_the_seed_test_passes(make_env):
    suites.seed_test(make_env, num_cycles=100)


def test_the_save_observation_test_passes(make_env, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the suite may write pictures
    suites.test_save_obs(make_env())


def test_the_render_test_passes(make_env):
    suites.render_test(make_env)


def test_the_state_test_passes(make_env):
    check_state_space(make_env())
    check_state(make_env(), num_cycles=20)

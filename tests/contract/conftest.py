"""The games of the contract: the six games, a user-defined game, and those of `--game`."""

import functools

import numpy as np
import pytest
from contract_own_game import Short112
from variants import VARIANTS

import boardenvs
from agents.naming.user_code import register_game
from boardenvs.registration import game_class


def pytest_configure(config):
    try:
        classes(tuple(config.getoption("game")))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error


@functools.cache
def classes(own):
    """Return all game classes by name. Modules of own games may be in the current folder."""
    names = [*boardenvs.GAMES, *map(register_game, own)]
    found = [*map(game_class, names), Short112]
    return {cls.name: cls for cls in found}


def all_variants(own):
    """Return class and arguments of each game and each variant, by name."""
    defaults = {name: (cls, {}) for name, cls in classes(own).items()}
    return defaults | {
        name: (game_class(game), params) for name, (game, params) in VARIANTS.items()
    }


def pytest_generate_tests(metafunc):
    own = tuple(metafunc.config.getoption("game"))
    for fixture, found in (("cls", classes(own)), ("variant", all_variants(own))):
        if fixture in metafunc.fixturenames:
            metafunc.parametrize(fixture, found.values(), ids=found, indirect=True, scope="session")


@pytest.fixture(scope="session")
def cls(request):
    """Return the class of each game in turn."""
    return request.param


@pytest.fixture(scope="session")
def game(cls):
    """Return each game in turn, with its default parameters."""
    return cls()


@pytest.fixture(scope="session")
def short(cls, game):
    """Return each game, truncated as early as its arguments allow."""
    return cls(max_plies=game.num_players)


@pytest.fixture(scope="session")
def variant(request):
    """Return each game in turn, with its default parameters and with others."""
    cls, params = request.param
    return cls(**params)


def forfeited(game, states):
    """Return the positions with an illegal action, after this action was played."""
    masks = game.legal(states)
    lost = states[~masks.all(1) & masks.any(1)].copy()
    game.play(lost, (~game.legal(lost)).argmax(1))
    return lost


@pytest.fixture(scope="session")
def positions(game, short, random_positions):
    """Return positions of random games from start to end, of forfeited and of truncated games."""
    played = random_positions(game, 12, 0)
    found = {
        "played": (game, played),
        "truncated": (short, random_positions(short, 4, 0)),
    }
    lost = forfeited(game, played)
    return found | {"forfeited": (game, lost)} if len(lost) else found  # all actions may be legal


@pytest.fixture(scope="session")
def variant_positions(variant, random_positions):
    """Return some hundred positions of a variant, from start to end and of forfeited games."""
    played = random_positions(variant, 6, 1)
    played = played[:: 1 + len(played) // 300]
    return np.concatenate([played, forfeited(variant, played)])

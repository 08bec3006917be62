"""The games that the contract is tested with: the six, one of a user's own, and `--game`'s."""

import functools
import pkgutil

import numpy as np
import pytest
from contract_own_game import Short112
from variants import VARIANTS

import boardenvs
from boardenvs.registration import game_class


@functools.cache
def classes(own):
    """All classes by name."""
    found = [*map(game_class, boardenvs.GAMES), Short112, *map(pkgutil.resolve_name, own)]
    return {cls.name: cls for cls in found}


def all_variants(own):
    """Class and arguments of each game and each variant, by name."""
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
    """The class of each game in turn."""
    return request.param


@pytest.fixture(scope="session")
def game(cls):
    """Each game in turn, with its default parameters."""
    return cls()


@pytest.fixture(scope="session")
def short(cls, game):
    """Each game, truncated as early as its arguments allow."""
    return cls(max_plies=game.num_players)


@pytest.fixture(scope="session")
def variant(request):
    """Each game in turn, with its default parameters and with others."""
    cls, params = request.param
    return cls(**params)


def forfeited(game, states):
    """Those of the positions in which some action is illegal, and somebody has played it."""
    masks = game.legal(states)
    lost = states[~masks.all(1) & masks.any(1)].copy()
    game.play(lost, (~game.legal(lost)).argmax(1))
    return lost


@pytest.fixture(scope="session")
def positions(game, short, random_positions):
    """Positions of all kinds: from start to end, truncated, forfeited."""
    played = random_positions(game, 12, 0)
    lost = forfeited(game, played)
    assert len(lost) > 0
    return {
        "played": (game, played),
        "forfeited": (game, lost),
        "truncated": (short, random_positions(short, 4, 0)),
    }


@pytest.fixture(scope="session")
def variant_positions(variant, random_positions):
    """Positions of a variant from start to end, and such as were forfeited; some hundreds."""
    played = random_positions(variant, 6, 1)
    played = played[:: 1 + len(played) // 300]
    return np.concatenate([played, forfeited(variant, played)])

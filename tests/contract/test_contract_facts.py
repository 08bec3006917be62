"""Attributes and construction of games."""

from __future__ import annotations

import copy
import inspect
import json
import pickle

import numpy as np
import pytest

import boardenvs
from boardenvs.game import Game

# -- Facts -----------------------------------------------------------------------------


def test_the_six_games_have_their_names(name):
    game = boardenvs.make(name)
    assert game.name == name
    assert type(game).__name__ == boardenvs.GAMES[name]


def test_the_facts_have_their_types_and_ranges(game):
    assert isinstance(game, Game)
    assert game.num_players >= 1
    assert game.num_actions >= 1
    assert isinstance(game.max_plies, int)
    assert game.params["max_plies"] == game.max_plies
    assert list(game.params) == list(inspect.signature(type(game)).parameters)
    assert game.state_dtype.itemsize <= 4096
    assert isinstance(game.has_chance, bool)
    assert isinstance(game.has_hidden, bool)


def test_the_docstring_of_the_class_describes_the_game(name):
    game = boardenvs.make(name)
    words = game.about
    assert type(game).__doc__.startswith(words)
    for part in ("Rules", "Arguments", "Observation", "Actions", "Rewards", "Start and end"):
        assert f"- {part}: " in words
    for argument, value in game.params.items():
        assert f"`{argument}={value!r}`" in words
    assert "Hidden and random" in words
    assert "Version history" in type(game).__doc__


# -- Construction ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [-1, 2**31, 2**63, 10**30, 1.0, 6.5, np.nan, "6", None, True, [6], (), np.True_]
)
def test_the_error_of_a_bad_value_names_the_parameter(game, value):
    defaults = inspect.signature(type(game)).parameters
    for parameter, usual in game.params.items():
        if value is None and defaults[parameter].default is None:
            assert type(game)(**{parameter: None}) == game
        elif isinstance(usual, bool) and isinstance(value, bool | np.bool_):
            assert type(game)(**{parameter: value}) == type(game)(**{parameter: bool(value)})
        elif isinstance(usual, int):
            expected = "True or False" if isinstance(usual, bool) else "a whole number"
            with pytest.raises(ValueError, match=f"^{parameter} must be {expected}") as error:
                type(game)(**{parameter: value})
            assert repr(value) in str(error.value)
            assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", [0, 1, -1, 1.0, None, "yes", [True]])
def test_the_error_of_a_bad_truth_value_names_the_parameter(game, value):
    for parameter, usual in game.params.items():
        if isinstance(usual, bool):
            with pytest.raises(ValueError, match=f"^{parameter} ") as error:
                type(game)(**{parameter: value})
            assert repr(value) in str(error.value)
            assert "\n" not in str(error.value)


@pytest.mark.parametrize("max_plies", [0, -1, 2**31])
def test_max_plies_out_of_range_is_refused(game, max_plies):
    low = game.num_players
    for value in (max_plies, low - 1):
        said = f"^max_plies must be a whole number from {low} to 2147483647, got {value}"
        with pytest.raises(ValueError, match=said):
            type(game)(max_plies=value)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_parameters_can_be_numpy_integers(game, dtype):
    for parameter, usual in game.params.items():
        if isinstance(usual, int) and not isinstance(usual, bool) and usual < 128:
            made = type(game)(**{parameter: dtype(usual)})
            assert made == game
            assert made.constants == game.constants
            assert type(made.num_actions) is int
            assert all(type(number) is int for number in made.observation_shape)
            json.dumps(made.to_dict(made.new(1, 0)))
    made = type(game)(max_plies=np.int64(game.max_plies))
    json.dumps(made.to_dict(made.new(1, 0)))


# -- Copies of the game itself ---------------------------------------------------------


def test_games_with_equal_parameters_are_equal(game):
    twin, longer = type(game)(), type(game)(max_plies=game.max_plies + 1)
    for other in (twin, copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert other == game
        assert hash(other) == hash(game)
        assert other.params == game.params
        assert np.array_equal(other.new(2, 0), game.new(2, 0))
    assert longer != game
    assert game != game.name
    assert len({game, twin, longer}) == 2
    assert eval(repr(longer), {type(game).__name__: type(game)}) == longer

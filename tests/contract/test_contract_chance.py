"""A game's attributes about chance, players and arguments agree with its rules."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from boardenvs.core import chance
from boardenvs.core.rules import plain_rules
from boardenvs.explicit_chance import chance_class


def draws_of_random_games(game, num):
    """Return the number of outcomes of each draw in random games, if more than one."""
    bounds = []

    def drawn(s, bound):
        if bound > 1:
            bounds.append(int(bound))
        return np.int64(chance.draw(s, bound))

    rules = plain_rules(game.rules, drawn)
    rng = np.random.default_rng(0)
    for seed in range(num):
        states = game.start.copy()
        states["rng"] = chance.make_streams(chance.seed_word(seed), 1)
        rules["deal"](states[0], game.constants[0])
        while not game.over(states)[0]:
            action = int(rng.choice(np.flatnonzero(game.legal(states)[0])))
            rules["play"](states[0], game.constants[0], action)
    return bounds


def test_no_draw_has_more_outcomes_than_declared(variant):
    most = max(draws_of_random_games(variant, 2), default=0)
    announced = chance_class(variant)(variant).most_outcomes
    assert most <= announced
    assert variant.has_chance or announced == 0


def test_player_counts_is_the_range_of_num_players(game):
    params = inspect.signature(type(game)).parameters
    counts = type(game).player_counts
    assert (counts is not None) == ("num_players" in params)
    if counts is None:
        return
    for number in range(counts[0], counts[1] + 1):
        assert type(game)(num_players=number).num_players == number
    for number in (counts[0] - 1, counts[1] + 1):
        with pytest.raises(ValueError, match=f"from {counts[0]} to {counts[1]}"):
            type(game)(num_players=number)


def test_parameters_that_are_not_numbers_or_text_have_readers(game):
    readers = type(game).param_readers
    assert set(readers) <= set(game.params)
    for parameter, value in game.params.items():
        assert parameter in readers or isinstance(value, int | str)

"""The two games on which tests of all games run by default.

These tests are independent of the game. `pytest -m slow` runs them on the other games.
"""

import re

import pytest

TWO = ("game112", "dominoes175")
"""A plain two-player game, and a game with chance and hidden information."""
TWO_WITH_OPPONENTS = ("game112", "goat_race")
"""A plain two-player game, and a three-player game with chance."""
on_two_games = pytest.mark.parametrize("name", TWO, scope="session")
"""Decorator of long tests that would find nothing new on other games."""


def others_slow(cases, by_default=TWO):
    """Return the parameters of a test, where the cases of other games are marked as slow.

    Args:
        cases: each is a name of a game with or without a suffix, or a tuple that starts with one.
        by_default: names of the games that are not slow.
    """
    return [
        case if _game(case) in by_default else pytest.param(case, marks=pytest.mark.slow)
        for case in cases
    ]


def _game(case):
    while not isinstance(case, str):
        case = case[0]
    return re.match(r"\w+", case)[0]

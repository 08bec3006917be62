"""The games that a test of all games runs on by default: two of them.

What is tested so belongs to no game. `pytest -m slow` runs the tests on the other games.
"""

import re

import pytest

TWO = ("game112", "dominoes175")
"""A plain game for two, and one with chance and hidden parts."""
TWO_WITH_OPPONENTS = ("game112", "goat_race")
"""A plain game for two, and one for three with chance."""
on_two_games = pytest.mark.parametrize("name", TWO, scope="session")
"""Marks a test that takes long and would show nothing new on the other games."""


def others_slow(cases, by_default=TWO):
    """Return the cases as parameters of a test: those of other games are slow.

    Args:
        cases: each begins with the name of its game, or is a tuple that does.
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

"""The games for conformance tests: two games, and all games for checkers."""

import pytest
from two_games import TWO, others_slow

import boardenvs


@pytest.fixture(scope="session", params=TWO)
def name(request):
    """Return the name of each of the two games in turn."""
    return request.param


@pytest.fixture(scope="session", params=others_slow(boardenvs.GAMES))
def game(request):
    """Return each game in turn, with its default parameters, for the checkers."""
    return boardenvs.make(request.param)

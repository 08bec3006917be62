"""The games that other libraries meet: two. Their checkers look at all."""

import pytest
from two_games import TWO, others_slow

import boardenvs


@pytest.fixture(scope="session", params=TWO)
def name(request):
    """The name of each of the two games in turn."""
    return request.param


@pytest.fixture(scope="session", params=others_slow(boardenvs.GAMES))
def game(request):
    """Each game in turn, with its default parameters, for the checkers."""
    return boardenvs.make(request.param)

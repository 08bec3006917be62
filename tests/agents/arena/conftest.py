"""Stores of games."""

import pytest

from agents.arena import round_robin


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.db"


@pytest.fixture
def filled(path, gekitai):
    """Return the path of a store with three matches of ten games."""
    list(round_robin(gekitai, ["random", "greedy", "random"], 10, 3, store=path))
    return path

"""Fixtures of the tests of the web page: a served game."""

import pytest
from served import serve


@pytest.fixture(scope="module")
def serving():
    """Return `serve`, used as `with serving(name, opponent, seat, seed, **params) as served:`."""
    return serve

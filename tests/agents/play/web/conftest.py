"""What the tests of the page to play in share: a game that is really served."""

import pytest
from served import serve


@pytest.fixture(scope="module")
def serving():
    """`with serving(name, opponent, seat, seed, **params) as served:`, a `Served`."""
    return serve

"""What the tests of the page to play in share: a game that is really served."""

import contextlib
import socket
import threading

import pytest
from served import Served

import boardenvs


@pytest.fixture(scope="module")
def serving():
    """`with serving(name, opponent, seat, seed, **params) as served:`, a `Served`."""
    from agents.play.web.serve import prepare
    from agents.play.web.session import Session

    @contextlib.contextmanager
    def start(name, opponent="random", seat=0, seed=1, **params):
        session = Session(boardenvs.make(name, **params), opponent, seat, seed)
        with socket.socket() as listening:
            server, address = prepare(session, listening)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
            thread.start()
            try:
                yield Served(address)
            finally:
                server.should_exit = True
                thread.join(60)
            assert not thread.is_alive()

    return start

"""Clients that keep the page's program waiting, or leave it."""

import contextlib
import socket
import struct
import time

import pytest

pytest.importorskip("starlette", reason="needs the extra [web]")
pytest.importorskip("uvicorn", reason="needs the extra [web]")

HALF = b"GET / HTTP/1.1\r\nHost: somebody"


@pytest.fixture(scope="module")
def served(serving):
    with serving("game112", "random", 1) as one:
        yield one


@pytest.fixture
def connect(served):
    """`Served.connect`, all of whose connections are closed after the test."""
    with contextlib.ExitStack() as opened:
        yield lambda sent=b"": opened.enter_context(served.connect(sent))


def test_half_sent_requests_lock_nobody_out(served, connect):
    for sent in (HALF, b"", served.half_an_order()):
        for _ in range(20):
            connect(sent)
        assert served.ask()[0] == 200


@pytest.mark.parametrize("how", ["closed", "reset"])
def test_a_client_that_leaves(served, connect, capsys, how):
    client = connect(served.half_an_order())
    time.sleep(0.2)  # for the order to be waited for
    if how == "reset":
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    assert served.ask()[0] == 200
    time.sleep(0.2)  # for an error to be told
    assert capsys.readouterr().err == ""

"""Clients that keep the server waiting, or disconnect."""

import contextlib
import socket
import struct
import time

import pytest

pytest.importorskip("starlette", reason="needs the extra [web]")
pytest.importorskip("uvicorn", reason="needs the extra [web]")

from agents.play.web import connection

HALF = b"GET / HTTP/1.1\r\nHost: somebody"


@pytest.fixture(scope="module")
def served(serving):
    with serving("game112", "random", 1) as one:
        yield one


@pytest.fixture
def connect(served):
    """Yield `Served.connect`; all of its connections are closed after the test."""
    with contextlib.ExitStack() as opened:
        yield lambda sent=b"": opened.enter_context(served.connect(sent))


def closed(client):
    """Return the remaining data until the server closes the connection."""
    got = b""
    with contextlib.suppress(ConnectionResetError):
        while part := client.recv(65536):
            got += part
    return got


def send_on(client, part, pause=0.0):
    """Send the same data repeatedly until the server closes the connection."""
    begun = time.monotonic()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        while time.monotonic() - begun < 30:
            client.sendall(part)
            time.sleep(pause)


def test_unfinished_requests_do_not_block_other_clients(served, connect):
    # The server notices abandoned requests with a delay, which must not add up either.
    for sent in (HALF, b"", *(served.partial_request() for _ in range(8))):
        for _ in range(100):
            connect(sent)
        assert served.ask()[0] == 200


def test_the_timeout_is_at_most_5_seconds():
    assert connection.PATIENCE <= 5


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(connection, "PATIENCE", 0.3)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("sent", ["", "head", "body", "head, byte by byte", "a second request"])
def test_an_unfinished_request_is_closed_after_the_timeout(served, connect, sent):
    begun = time.monotonic()
    client = connect({"": b"", "body": served.partial_request()}.get(sent, HALF))
    if sent == "head, byte by byte":
        send_on(client, b"x", 0.02)
    elif sent == "a second request":
        client.sendall(b"\r\n\r\n" + HALF)
        assert closed(client).startswith(b"HTTP/1.1 421 ")
    else:
        assert closed(client) == b""
    assert 0.25 < time.monotonic() - begun < 30
    assert served.ask()[0] == 200


@pytest.mark.usefixtures("impatient")
def test_a_client_that_never_reads_is_disconnected(served, connect):
    """A client that never reads fills all buffers, and the server closes its connection."""
    client = connect()
    begun = time.monotonic()
    many = f"GET /{served.token}/ HTTP/1.1\r\nHost: {served.host}\r\n\r\n".encode() * 1000
    send_on(client, many)
    assert time.monotonic() - begun < 30
    assert served.ask()[0] == 200


@pytest.mark.usefixtures("impatient")
def test_a_slow_answer_reaches_the_client(serving, own_module):
    slow = """
import time

class Slow:
    def __init__(self, game, seed):
        self.game = game

    def act(self, states):
        time.sleep(1)
        return self.game.legal(states).argmax(1)
"""
    own_module("slow", slow)
    with serving("game112", "slow:Slow", 1) as served:
        assert served.act({"do": "advance", "version": 1})[0] == 200


@pytest.mark.parametrize("how", ["closed", "reset"])
def test_a_client_that_disconnects_causes_no_error(served, connect, capsys, how):
    client = connect(served.partial_request())
    time.sleep(0.2)  # until the server waits for the rest
    if how == "reset":
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    assert served.ask()[0] == 200
    time.sleep(0.2)  # until an error would be printed
    assert capsys.readouterr().err == ""

"""Attack the server of `boardenvs play --web` with arbitrary clients.

Each round serves a game on a socket. Two tabs play it, start other games and open files. Many
commands arrive at once. Other clients send malformed, incomplete or slow requests, disconnect
early, or act as other sites. Meanwhile, the page is opened again and again.

A failure is

- a response with status 500 or above, or an error that the program reports,
- several executed commands of which only one was possible,
- a game changed by another site, or a game that cannot continue afterwards,
- a page that takes more than 5 seconds. On a busy machine, only seconds count in which this process
  computed or could compute.

Rounds depend on the timing of threads, so a repeated round may end differently.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import re
import socket
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from served import serve
from shrinking import smallest

import boardenvs

pytest.importorskip("starlette", reason="needs the extra [web]")
pytest.importorskip("uvicorn", reason="needs the extra [web]")

from agents.play.web import app

GAMES = list(boardenvs.GAMES)
LOCKED_OUT = 5.0  # seconds
CLIENTS = 6  # in parallel
SMALL = ["advance", "undo", "analyse", "resign"]
EPISODE = re.compile(rb'type="application/json">(.*?)</script>')
_GONE = (ConnectionError, TimeoutError, http.client.HTTPException)


class Clock:
    """A clock of the seconds in which this process computes or could compute."""

    def __init__(self):
        self._ticks = 0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()

    def _run(self):
        while not self._end.wait(0.02):
            self._ticks += 1

    def now(self):
        """Return two readings. Of a duration, the larger difference counts."""
        return np.array([0.02 * self._ticks, time.process_time()])


def status_of(answer):
    """Return the status in a raw response, or 0 if there is none."""
    found = re.match(rb"HTTP/1\.[01] (\d{3}) ", answer)
    return int(found[1]) if found else 0


def send(served, sent, wait=2.0):
    """Send bytes and return the response, until the server closes or pauses for `wait` seconds."""
    got = b""
    with contextlib.suppress(*_GONE, BrokenPipeError, OSError), served.connect() as client:
        client.sendall(sent)
        client.settimeout(wait)
        while part := client.recv(1 << 16):
            got += part
            head, end, rest = got.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: (\d+)", head)
            if end and length and len(rest) >= int(length[1]):
                break
    return got


def order(served, asked):
    """Send a command as the page does; return status and JSON, or 0 and the problem."""
    try:
        return served.act(asked)
    except _GONE as error:
        return 0, {"problem": repr(error)}


def version(served):
    """Return the game's version, from the message for an outdated page."""
    _, told = order(served, {"do": "undo", "version": -1})
    found = re.search(r"version must be (\d+),", told.get("problem", ""))
    return int(found[1]) if found else -1


# -- Clients: each returns what is wrong, or None -------------------------------------------


def plays(served, rng):
    """Play in a tab with the reported legal moves."""
    news = {}
    for _ in range(8):
        number = version(served)
        turn = news.get("turn", {})
        if turn.get("over"):
            asked = {"do": "restart", "version": number}
        elif turn.get("mine") and turn["legal"] and rng.random() < 0.8:
            move = turn["legal"][rng.integers(len(turn["legal"]))]["text"]
            asked = {"do": "move", "move": move, "version": number}
        else:
            asked = {"do": str(rng.choice(SMALL)), "version": number}
            if asked["do"] == "analyse":
                asked["at"] = int(rng.integers(-1, 4))
        status, told = order(served, asked)
        if status not in (0, 200, 400, 409):
            return f"{asked} gives {status} {told}"
        news = told if status == 200 and "turn" in told else {"turn": news.get("turn", {})}
        if status == 400 and asked["do"] in ("advance", "undo"):
            status, news = order(served, {"do": "restart", "version": number})
    return None


def begins(served, rng):
    """Start another game, or open a saved episode, which may be damaged."""
    try:
        status, _, page = served.ask()
        choices = json.loads(EPISODE.search(page)[1])["choices"]
        saved, _, data = served.ask("GET", f"/{served.token}/game.json")
        shown, _, replay = served.ask("GET", f"/{served.token}/replay")
    except _GONE:
        return None
    if (status, saved, shown) != (200,) * 3 or b"</html>" not in replay:
        return f"page, file and replay give {status}, {saved}, {shown}"
    number = version(served)
    if rng.random() < 0.5:
        game = choices["games"][rng.integers(len(choices["games"]))]
        seat = int(rng.integers(-1, len(game["seats"]) + 1))
        spec = str(rng.choice(["random", "greedy", "os:system", "trained:/etc/passwd", ""]))
        values = game["values"] if rng.random() < 0.8 else [int(rng.integers(-9, 99)), "x"]
        others = max(1, len(game["seats"]) - 1)
        asked = {
            "do": "new",
            "version": number,
            "values": values,
            "opponents": [spec] * (others if rng.random() < 0.8 else 5),
            "seat": seat,
        }
        status, told = order(served, asked)
    else:
        asked = bytearray(data)
        for _ in range(rng.integers(0, 3)):
            asked[rng.integers(len(asked))] = rng.integers(256)
        try:
            status, told = served.open(bytes(asked), number)
        except _GONE:
            return None
    return None if status in (0, 200, 400, 409) else f"{asked!r} gives {status} {told}"


def other_site(served, rng):
    """Send requests as another site that knows the token but has another origin."""
    headers = {
        "Origin": rng.choice([None, "null", "http://evil.example", f"https://{served.host}"]),
        "Content_Type": rng.choice(["text/plain", "application/json"]),
        "Sec_Fetch_Site": "cross-site",
    }
    number = version(served)
    asked = json.dumps({"do": "restart", "version": number})
    path = f"/{served.token}/{rng.choice(['act', f'open?version={number}'])}"
    try:
        status, _, told = served.ask("POST", path, asked.encode(), **headers)
    except _GONE:
        return None
    return None if status == 403 else f"{headers} gives {status} {told[:100]!r}"


def other_host(served, rng):
    host = rng.choice(["evil.example", "localhost", "127.0.0.1", "[::1]", "127.0.0.1:1", "a" * 300])
    status = status_of(
        send(served, f"GET /{served.token}/ HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    )
    return None if status in (0, 400, 421) else f"host {host!r} gives {status}"


def leaves(served, rng):
    """Send a request and disconnect before the response."""
    whole = served.partial_request()
    if rng.random() < 0.5:
        body = json.dumps({"do": "advance", "version": 1}).encode()
        whole = whole.partition(b"\r\n\r\n")[0].replace(b": 100", b": %d" % len(body))
        whole += b"\r\n\r\n" + body
    with contextlib.suppress(OSError):
        client = served.connect(whole[: rng.integers(len(whole) + 1)])
        if rng.random() < 0.5:  # immediately, with a reset
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()


def slow(served, rng):
    """Send a request byte by byte."""
    with contextlib.suppress(OSError), served.connect() as client:
        for letter in served.partial_request()[: rng.integers(1, 40)]:
            client.sendall(bytes([letter]))
            time.sleep(0.005)


CRLF = b"\r\n"
METHODS = [b"GET", b"POST", b"PUT", b"DELETE", b"OPTIONS", b"HEAD", b"TRACE", b"CONNECT", b"PRI"]
VERSIONS = [b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2.0", b"HTTP/9.9", b"HTTP/0.9", b"", b"http/1.1"]
HEADERS = [
    b"Content-Length: -1", b"Content-Length: 99999999999999999999", b"Content-Length: 5, 6",
    b"Content-Length: 0x10", b"Content-Length: 3\r\nContent-Length: 4", b"Transfer-Encoding: gzip",
    b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked\r\nContent-Length: 3",
    b"Expect: 100-continue", b"Expect: nonsense", b"Upgrade: websocket\r\nConnection: upgrade",
    b"Upgrade: h2c", b"Connection: close", b"Connection: keep-alive", b"Range: bytes=0-0",
    b"Accept-Encoding: br;q=x", b"Cookie: " + b"a=b;" * 5000, b"X: " + b"y" * 70_000,
    b"X\x00Y: z", b": nothing", b"X : space", b" folded", b"X: \xff\xfe", b"X: a\nY: b",
    b"If-None-Match: *", b"Host: two", b"Forwarded: for=1.2.3.4", b"X-Forwarded-Host: evil",
    b"X-HTTP-Method-Override: DELETE", b"Content-Type: application/json; charset=utf-7",
]  # fmt: skip
BODIES = [
    b"", b"{}", b"[]", b"null", b"0", b"\xff", b'{"do": "move"}', b"[" * 1000,
    b"5\r\nhello\r\n0\r\n\r\n",
    b"ffffffffffffffff\r\n", b"-1\r\n\r\n", b'{"do": "move", "move": "\\ud800", "version": 1}',
    b'{"do": "move", "move": "' + b"9" * 900 + b'", "version": 1}', b'{"do": "__class__"}',
    b'{"do": "undo", "version": 1e400}', b'{"do": "undo", "version": ' + b"9" * 900 + b"}",
    b'{"do": "undo", "version": true}', b'{"do": "undo", "version": NaN}', b"x" * 5000,
    b'{"do": "undo", "do": "advance", "version": 1}',
    b'{"do": "new", "version": 1, "values": [[]], "opponents": ["random"], "seat": 0}',
    b'{"do": "new", "version": 1, "values": {}, "opponents": ["random"], "seat": 0}',
    b'{"do": "analyse", "version": 1, "at": 1e9}', b'{"do": "ready", "version": 1, "at": 1}',
    b'{"format": "boardenvs episode", "version": 3, "actions": [[[]]], "initial": {"game": []}}',
]  # fmt: skip


def malformed(served, rng):
    """Send a malformed or strange request."""
    token = served.token.encode()
    paths = [
        b"/", b"/%s/" % token, b"/%s/act" % token, b"/%s/replay" % token, b"/%s/game.json" % token,
        b"/%s/open" % token, b"/%s/open?version=1" % token, b"/%s/open?version=-1" % token,
        b"/%s/open?version=9&version=%%00" % token, b"*", b"//", b"/%00", b"/%ff/act",
        b"/" + b"a" * 9000,
        b"http://evil.example/%s/" % token, b"/%s/../%s/" % (token, token), b"/%s/act?x=%%" % token,
        b"/%s/#x" % token, b"", b"\xff", b"/a b",
    ]  # fmt: skip
    if rng.random() < 0.2:
        raw = rng.bytes(int(rng.integers(1, 400)))
    else:
        pick = lambda some: some[rng.integers(len(some))]  # noqa: E731
        lines = [b" ".join([pick(METHODS), pick(paths), pick(VERSIONS)])]
        lines += [b"Host: " + served.host.encode()] * (rng.random() < 0.9)
        lines += [b"Origin: " + served.origin.encode(), b"Content-Type: application/json"]
        lines += [pick(HEADERS) for _ in range(rng.integers(0, 4))]
        body = pick(BODIES)
        lines += [b"Content-Length: %d" % len(body)] * (rng.random() < 0.7)
        raw = b"\r\n".join([*lines, b"", body])
        if rng.random() < 0.2:
            raw = raw.replace(b"\r\n", b"\n")
        if rng.random() < 0.2:
            spoiled = bytearray(raw)
            spoiled[rng.integers(len(raw))] = rng.integers(256)
            raw = bytes(spoiled)

    def fails(lines):
        return status_of(send(served, CRLF.join(lines), 0.3)) >= 500

    if status_of(send(served, raw, 0.3)) < 500:
        return None
    return f"{smallest(raw.split(CRLF), fails)} give 500 or above"


WAYS = [
    (plays, 8),
    (begins, 5),
    (other_site, 2),
    (other_host, 1),
    (leaves, 1),
    (slow, 1),
    (malformed, 1),
]
"""Clients and their approximate numbers of requests."""


def at_once(served):
    """Send many commands for one position at once; return what is wrong and their number."""
    number = version(served)
    many = [{"do": do, "version": number} for do in ("advance", "undo", "restart", "resign")] * 3
    with ThreadPoolExecutor(len(many)) as pool:
        answers = list(pool.map(lambda asked: order(served, asked), many))
    done = [asked["do"] for asked, (status, _) in zip(many, answers, strict=True) if status == 200]
    if len(done) > 1:
        return f"of the orders for version {number} all of {done} were carried out", len(many)
    bad = [status for status, _ in answers if status not in (200, 400, 409)]
    return (f"orders at once give {bad}" if bad else None), len(many)


def watch(served, clock, end, told):
    """Open the page repeatedly and report if it takes too long.

    The server may drop unread connections during a burst, so failed requests are repeated.
    """
    while not end.is_set():
        begin, status = clock.now(), 0
        while status == 0:
            try:
                status = served.ask()[0]
            except _GONE:
                time.sleep(0.01)
            took = (clock.now() - begin).max()
            if took > LOCKED_OUT:
                break
        if took > LOCKED_OUT or status != 200:
            told.append(f"the page comes with {status} after {took:.1f} s")
            return
        end.wait(0.05)


def storm(served, rng, clock):
    """Run clients of all kinds at once; return what is wrong and the number of requests."""
    told, end = [], threading.Event()
    chosen = rng.choice(len(WAYS), size=40, p=[0.2, 0.1, 0.1, 0.05, 0.15, 0.1, 0.3])
    seeds = rng.integers(2**32, size=len(chosen))
    with contextlib.ExitStack() as kept, ThreadPoolExecutor(CLIENTS + 1) as pool:
        watching = pool.submit(watch, served, clock, end, told)
        for _ in range(rng.integers(0, 60)):
            half = served.partial_request()
            with contextlib.suppress(OSError):
                kept.enter_context(served.connect(half[: rng.integers(len(half))]))
        done = [
            pool.submit(WAYS[k][0], served, np.random.default_rng(seed))
            for k, seed in zip(chosen, seeds, strict=True)
        ]
        told += [wrong for one in done if (wrong := one.result())]
        end.set()
        watching.result()
    return told, sum(WAYS[k][1] for k in chosen)


def game_errors(served):
    """Return what is wrong with the game afterwards; empty if nothing."""
    served.until_ready(version(served))
    status, told = order(served, {"do": "restart", "version": version(served)})
    if status != 200:
        return f"a new game gives {status} {told}"
    turn = told["turn"]
    asked = {"do": "advance", "version": told["version"]}
    if turn["mine"]:
        asked["do"], asked["move"] = "move", turn["legal"][0]["text"]
    status, told = order(served, asked)
    return "" if status == 200 else f"the first move gives {status} {told}"


@contextlib.contextmanager
def reported_errors():
    """Yield the list of errors that the program or its log reports."""
    told = []

    class Log(logging.Handler):
        def emit(self, record):
            told.append(record.getMessage())

    log = Log(logging.ERROR)
    failure = app._failure
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "_failure", lambda r, e: told.append(repr(e)) or failure(r, e))
        logging.getLogger().addHandler(log)
        try:
            yield told
        finally:
            logging.getLogger().removeHandler(log)


@pytest.mark.attack("the server of a page to play in", "requests", share=3)
def test_the_server_survives_random_requests(attack):
    for seed in attack.rounds():
        rng = np.random.default_rng(seed)
        name = GAMES[rng.integers(len(GAMES))]
        seat = int(rng.integers(boardenvs.make(name).num_players))
        told = []
        with (
            reported_errors() as errors,
            Clock() as clock,
            serve(name, "random", seat, seed) as served,
        ):
            for _ in range(3):
                wrong, number = at_once(served)
                told += [wrong] if wrong else []
                attack.count(number)
                wrong, number = storm(served, rng, clock)
                told += wrong
                attack.count(number)
            if wrong := game_errors(served):
                told.append(wrong)
        told += errors
        if told:
            attack.failed(seed, f"{name}, seat {seat}", "; ".join(told))


def test_the_attack_finds_planted_faults(monkeypatch):
    def broken(body):
        if b"__class__" in body or b"null" in body:
            raise KeyError("planted")
        return read(body)

    read = app.read_order
    monkeypatch.setattr(app, "read_order", broken)
    monkeypatch.setattr(app._Endpoints, "_check_token", lambda *_: None)
    with reported_errors() as errors, serve("game112", "random", 1) as served:
        body = b"null"
        head = served.partial_request().partition(b"\r\n\r\n")[0].replace(b": 100", b": 4")
        assert status_of(send(served, head + b"\r\n\r\n" + body)) == 500
        assert errors == ["KeyError('planted')"]
        assert order(served, {"do": "advance", "version": 1})[0] == 200
    # Outdated pages are accepted.
    from agents.play.web.room import Room

    monkeypatch.setattr(Room, "_require", lambda *_: None)
    with serve("game112", "random", 1) as served:
        assert served.act({"do": "advance", "version": 1})[0] == 200
        monkeypatch.setitem(globals(), "version", lambda _: 2)
        assert at_once(served)[0]

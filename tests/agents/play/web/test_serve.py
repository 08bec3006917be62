"""Permissions of the web server: real requests to a real server."""

import base64
import contextlib
import gc
import hashlib
import http.client
import itertools
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from served import Served

pytest.importorskip("starlette", reason="needs the extra [web]")
pytest.importorskip("uvicorn", reason="needs the extra [web]")

START = {"do": "move", "move": "b2", "version": 1}
NEW = {"do": "new", "version": 1, "values": [6], "opponents": ["random"], "seat": 0}


@pytest.fixture(scope="module")
def served(serving):
    with serving("gekitai") as one:
        yield one


@pytest.fixture
def untouched(served):
    """Check that the game does not change."""
    _, _, before = served.ask()
    yield
    assert served.ask()[2] == before


def test_the_page_is_served(served):
    status, headers, body = served.ask()
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Server"] is None
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy.pop("connect-src") == "'self'"
    page = body.decode()
    for kind in ("script", "style"):
        [text] = re.findall(rf"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert policy.pop(f"{kind}-src") == f"'sha256-{digest}'"
    assert policy == dict.fromkeys(
        ("default-src", "base-uri", "form-action", "frame-ancestors"), "'none'"
    )
    assert set(re.findall(r"https?:[^\s\"'\\]*", page)) == {"http://www.w3.org/2000/svg"}
    assert served.token not in page


def test_the_files_of_the_page_are_read_once(served, monkeypatch):
    """The page's files are read only once, so they may be missing later."""
    _, _, before = served.ask()

    def away(path, *_, **__):
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "open", away)
    monkeypatch.setattr(Path, "read_text", away)
    status, _, page = served.ask()
    assert (status, page) == (200, before)


def test_the_server_listens_only_on_this_machine(served):
    assert served.host.startswith("127.0.0.1:")
    assert len(served.token) >= 40


@pytest.mark.parametrize("wrong", ["", "x", "%C3%A4", "token"])
@pytest.mark.usefixtures("untouched")
def test_a_wrong_token_is_refused(served, wrong):
    wrong = served.token[:-1] if wrong == "token" else wrong
    for path, method in (
        (f"/{wrong}/", "GET"),
        (f"/{wrong}", "GET"),
        (f"/{wrong}/replay", "GET"),
        (f"/{wrong}/game.json", "GET"),
        (f"/{wrong}/act", "POST"),
        (f"/{wrong}/open?version=1", "POST"),
    ):
        headers = {"Origin": served.origin, "Content_Type": "application/json"}
        status, headers, body = served.ask(
            method, path, b"{}" if method == "POST" else None, **headers
        )
        assert status in (404, 405)
        assert b"Gekitai" not in body
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")


@pytest.mark.parametrize("path", ["/", f"/{'x' * 43}/act/", "//", "/../etc/passwd", "/favicon.ico"])
def test_other_paths_are_not_found(served, path):
    assert served.ask("GET", path)[0] == 404
    assert served.ask("GET", f"/{served.token}{path}x")[0] == 404
    assert served.ask("GET", f"/{served.token}")[0] == 404


@pytest.mark.parametrize("host", ["evil.example", "localhost", "", "evil.example:80", "127.0.0.1"])
@pytest.mark.usefixtures("untouched")
def test_a_foreign_host_is_refused(served, host):
    """Foreign host names are refused, as after DNS rebinding."""
    status, _, body = served.ask(Host=host)
    assert status in (400, 421)
    assert b"Gekitai" not in body
    port = served.host.partition(":")[2]
    assert served.ask(Host=f"{host}:{port}")[0] in ((400, 421) if host != "127.0.0.1" else (200,))


@pytest.mark.parametrize(
    "origin", [None, "null", "https://evil.example", "http://127.0.0.1", "http://127.0.0.1:1", ""]
)
@pytest.mark.usefixtures("untouched")
def test_a_foreign_origin_is_refused(served, origin):
    refused = (403, {"problem": "only the game's own page may do this"})
    assert served.act(START, Origin=origin) == refused
    assert served.open(b"{}", 1, Origin=origin) == refused


@pytest.mark.usefixtures("untouched")
def test_no_request_is_allowed_across_origins(served):
    asked = {
        "Origin": "https://evil.example",
        "Access_Control_Request_Method": "POST",
        "Access_Control_Request_Headers": "content-type",
    }
    read = [("GET", ""), ("GET", "replay"), ("GET", "game.json")]
    others = [("OPTIONS", "act"), ("OPTIONS", ""), ("GET", "act"), ("OPTIONS", "open")]
    for method, path in read + others:
        status, headers, _ = served.ask(method, f"/{served.token}/{path}", **asked)
        assert status == (200 if (method, path) in read else 405)
        assert not [name for name in headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize(
    "kind",
    [None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
     "text/plain; application/json"],
)  # fmt: skip
@pytest.mark.usefixtures("untouched")
def test_a_form_of_another_site_is_refused(served, kind):
    """Content types that other sites may send without permission are refused."""
    assert served.act(START, Content_Type=kind)[0] == 415
    assert served.open(b"{}", 1, Content_Type=kind)[0] == 415


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (b"", "must be JSON"),
        (b"{", "must be JSON"),
        (b"\xff", "must be JSON"),
        (b"[" * 1000, "must be JSON"),
        ([], "^do must be one of"),
        ({}, "^do must be one of"),
        ({"do": "page"}, "^do must be one of"),
        ({"do": ["move"]}, "^do must be one of"),
        ({"do": "__init__", "version": 1}, "^do must be one of"),
        ({"do": "undo"}, "keys do, version"),
        ({"do": "undo", "version": 1, "move": "b2"}, "keys do, version"),
        ({"do": "move", "version": 1}, "keys do, move, version"),
        ({"do": "move", "version": 1, "move": 7}, "move must be a text"),
        ({"do": "move", "version": True, "move": "b2"}, "a whole number"),
        ({"do": "move", "version": 1.0, "move": "b2"}, "a whole number"),
        ({"do": "move", "version": 1, "move": "z9"}, "z9"),
        ({"do": "move", "version": 1, "move": "\ud800\n<b>"}, "UTF-8"),
        ({"do": "advance", "version": 1}, "no agent is to move"),
        ({"do": "undo", "version": 1}, "not moved yet"),
        ({"do": "analyse", "version": 1}, "keys at, do, version"),
        ({"do": "analyse", "version": 1, "at": "0"}, "at must be a whole number"),
        ({"do": "analyse", "version": 1, "at": 10**30}, "^at must"),
        ({**NEW, "values": {}}, "values must be a list"),
        ({**NEW, "values": [[6]]}, "values must be a list of whole numbers"),
        ({**NEW, "values": [True]}, "values must be a list of whole numbers"),
        ({**NEW, "values": ["\ud800"]}, "UTF-8"),
        ({**NEW, "values": [10**400]}, "^values must"),
        ({**NEW, "seat": 0.0}, "seat must be a whole number"),
        ({**NEW, "opponents": None}, "opponents must be a list"),
        ({**NEW, "opponents": [1]}, "opponents must be a list of texts"),
        ({**NEW, "opponents": []}, "^opponents must.*got 0"),
        ({**NEW, "opponents": ["random"] * 2}, "^opponents must.*got 2"),
        ({**NEW, "opponents": ["os:system"]}, "^opponents must.*os:system"),
        ({**NEW, "adviser": "random"}, "must have the keys"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("untouched")
def test_bad_orders_are_refused(served, order, said):
    status, told = served.act(order)
    assert status == 400
    assert list(told) == ["problem"]
    assert re.search(said, told["problem"])
    assert "\n" not in told["problem"]


@pytest.mark.usefixtures("untouched")
def test_an_endless_body_is_refused(served):
    assert served.act({**START, "move": " " * 2000})[0] == 413
    assert served.open(b" " * (2**22 + 1), 1)[0] == 413
    headers = {"Origin": served.origin, "Content-Type": "application/json"}
    for path in ("act", "open?version=1"):
        connection = http.client.HTTPConnection(served.host, timeout=60)
        endless = itertools.repeat(b" " * 65536, 10_000)
        asked = "POST", f"/{served.token}/{path}", endless, headers
        with pytest.raises((OSError, http.client.HTTPException)):  # closed before all is sent
            connection.request(*asked, encode_chunked=True)
        connection.close()


@pytest.mark.parametrize("version", ["", "x", "-1", "1.0", "%D9%A1", "9" * 20])
@pytest.mark.usefixtures("untouched")
def test_an_invalid_version_is_refused(served, version):
    status, told = served.open(b"{}", version)
    assert status == 400
    assert told["problem"].startswith("version must be")


@pytest.mark.usefixtures("untouched")
def test_a_file_for_another_version_is_refused(served):
    status, told = served.open(b"{}", 7)
    assert status == 409
    assert told["problem"].startswith("version must be 1, got 7")


def test_a_new_game_can_be_requested(serving):
    with serving("game112", "random", 1, board_size=5) as served:
        assert served.act({"do": "advance", "version": 1})[0] == 200
        status, headers, saved = served.ask("GET", f"/{served.token}/game.json")
        assert (status, headers["Content-Type"]) == (200, "application/json")
        assert headers["Content-Disposition"] == 'attachment; filename="game112.json"'
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        status, headers, replay = served.ask("GET", f"/{served.token}/replay")
        assert status == 200
        assert "connect-src" not in headers["Content-Security-Policy"]
        assert headers["Content-Security-Policy"].count("'sha256-") == 2
        assert served.token not in replay.decode()
        status, told = served.act({**NEW, "values": [7], "version": 2})
        assert (status, told) == (200, {"preparing": True})
        assert served.until_ready(2) == {"preparing": False, "problem": ""}
        assert served.shown()["choices"]["values"] == [7]
        assert served.act({"do": "resign", "version": 2})[0] == 409
        assert served.open(saved, 3) == (200, {"preparing": True})
        assert served.until_ready(3)["problem"] == ""
        assert len(served.shown()["moves"]) == 1
        assert served.open(b"[1, 2]", 4)[0] == 200
        assert "not an episode" in served.until_ready(4)["problem"]


def test_a_game_can_be_played_by_requests(serving):
    with serving("game112", "random", 1, board_size=5) as served:
        assert served.act({"do": "undo", "version": 1})[0] == 400
        status, news = served.act({"do": "advance", "version": 1})
        assert (status, news["turn"]["mine"]) == (200, True)
        stale, told = served.act({"do": "move", "move": "1 1", "version": 1})
        assert stale == 409
        assert told["problem"].startswith("version must be 2, got 1")
        status, hint = served.act({"do": "analyse", "at": 1, "version": 2})
        assert status == 200
        version = 2
        while not news["turn"]["over"]:
            mine = news["turn"]["mine"]
            order = (
                {"do": "move", "move": news["turn"]["legal"][0]["text"]}
                if mine
                else {"do": "advance"}
            )
            status, news = served.act({**order, "version": version})
            assert status == 200
            version += 1
            assert news["keep"] == version - 1
            assert news["version"] == version
        assert news["result"]
        assert served.act({"do": "undo", "version": version})[1]["turn"]["mine"]
        assert served.act({"do": "restart", "version": version - 1})[0] in (200, 409)
        assert hint["hint"] in [f"{k} {v}" for k in range(1, 6) for v in (1, 2)]


@pytest.fixture
def enabled_ctrl_c():
    """Restore Ctrl-C, which shells disable for programs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def advancing(served, version):
    """Request the agent's move and run the context without waiting for the response."""
    body = json.dumps({"do": "advance", "version": version})
    headers = {"Origin": served.origin, "Content-Type": "application/json"}
    connection = http.client.HTTPConnection(served.host, timeout=60)
    with contextlib.closing(connection):
        connection.request("POST", f"/{served.token}/act", body, headers)
        yield


@pytest.mark.usefixtures("enabled_ctrl_c")
def test_the_command_serves_the_page(own_module, tmp_path):
    """Ctrl-C ends the command with one line, even while an agent is thinking."""
    slow = """
import time

class Slow:
    def act(self, states):
        time.sleep(600)

def make(game, seed):
    return Slow()
"""
    own_module("slow", slow)
    script = Path(sys.executable).with_name("boardenvs")
    command = [script, "play", "game112", "--web", "--no-browser", "--opponent", "slow:make"]
    with subprocess.Popen(
        [*command, "--seat", "1"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        first = running.stdout.readline()
        assert re.fullmatch(r"Play at http://127\.0\.0\.1:\d+/[\w-]{43}/\n", first)
        assert running.stdout.readline() == "Ctrl-C ends it.\n"
        served = Served(first.split()[-1])
        assert served.ask()[0] == 200
        with advancing(served, 1):
            time.sleep(0.3)  # until the agent starts
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, "", "\nboardenvs: stopped\n")


@pytest.mark.usefixtures("enabled_ctrl_c")
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_the_server_ends_while_a_network_runs(own_module, tmp_path, number):
    """The program ends without a crash while a thread is in ONNX Runtime."""
    endless = """
import agents

class Endless:
    def __init__(self, game, seed):
        self.network = agents.make("trained", game)
        self.many = game.new(4096, 0)

    def act(self, states):
        while True:
            self.network.act(self.many)
"""
    own_module("endless", endless)
    script = Path(sys.executable).with_name("boardenvs")
    command = [script, "play", "gekitai", "--web", "--no-browser", "--opponent", "endless:Endless"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            served = Served(running.stdout.readline().split()[-1])
            assert served.act({"do": "move", "version": 1, "move": "A1"})[0] == 200
            with advancing(served, 2):
                time.sleep(1)  # until the agent starts
                running.send_signal(number)
                _, err = running.communicate(timeout=60)
        finally:
            running.kill()
    assert (running.returncode, err) == (128 + number, "\nboardenvs: stopped\n")


@pytest.mark.usefixtures("enabled_ctrl_c")
@pytest.mark.parametrize("late", ["get_loop_factory", "load"])
def test_ctrl_c_during_the_start_ends_the_server(game112, monkeypatch, capsys, late):
    """An early interrupt ends the server without warnings, and restores the signal handler."""
    from uvicorn import Config

    from agents.naming.spec import specs_of
    from agents.play.web.serve import serve

    genuine = getattr(Config, late)

    def interrupted(config):
        monkeypatch.setattr(Config, late, genuine)
        signal.raise_signal(signal.SIGINT)
        return genuine(config)

    monkeypatch.setattr(Config, late, interrupted)
    with pytest.raises(KeyboardInterrupt):
        serve(game112, specs_of(["random"], game112), 0, 1, browser=False)
    gc.collect()  # finds coroutines that were not awaited
    assert getattr(Config, late) is genuine
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert capsys.readouterr().err == ""


def test_invalid_arguments_are_refused(capsys, monkeypatch):
    from agents.command import main

    for arguments, said in (
        (["--web", "--opponent", "nobody"], "there is no agent 'nobody'"),
        (["--web", "--seat", "2"], "seat must be a whole number from 0 to 1, got 2"),
        (["--no-browser"], "--no-browser"),
        (["--web", "--seat", "0", "--seat", "1"], "--seat"),
    ):
        assert main(["play", "game112", *arguments]) == 2
        assert said in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["play", "game112", "--web"]) == 2
    assert "--web needs the extra [web], such as pip" in capsys.readouterr().err


def test_every_game_has_a_page(serving, name):
    with serving(name, "random") as served:
        assert served.ask()[0] == 200

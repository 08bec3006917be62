"""The page on text agents: its clients work with a server of chat completions."""

import re
import types
from pathlib import Path

import pytest
from chat_server import served

import agents
import agents.players.text
import boardenvs

PAGE = Path(agents.players.text.__file__).with_name("README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def in_turn(*answers):
    """Serve these answers in turn."""
    left = list(answers)
    return served(lambda _: left.pop(0))


@pytest.fixture
def ask(monkeypatch):
    """Return the page's function, and the list of its waits between tries in seconds."""
    names = {}
    (block,) = [block for block in BLOCKS if "urllib" in block]
    exec(block, names)
    waited = []
    names["time"] = types.SimpleNamespace(sleep=waited.append)
    monkeypatch.setenv("CHAT_MODEL", "small")
    monkeypatch.setenv("CHAT_KEY", "secret")
    return names["ask"], waited


@pytest.mark.filterwarnings("ignore:text.corner gave no legal move in 2 tries")
def test_the_examples_of_the_page_run():
    names = {}
    for block in BLOCKS[:2]:
        exec(block, names)
    assert len(names["episode"]) == 4


def test_the_client_of_the_page_plays(ask, monkeypatch):
    function, waited = ask
    with in_turn("Hm.\nMove: 5 1", "Move: 3 2") as (url, asked):
        monkeypatch.setenv("CHAT_URL", url)
        game = boardenvs.make("game112")
        states = game.new(2, 0)
        assert sorted(agents.from_text(function, game, workers=2).act(states)) == [5, 8]
    assert not waited
    path, headers, body = asked[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer secret"
    assert body["model"] == "small"
    (message,) = body["messages"]
    assert message["role"] == "user"
    assert message["content"].startswith("You play game112 as Player 1.")


def test_the_client_retries_temporary_errors(ask, monkeypatch, refused):
    function, waited = ask
    with in_turn(503, None, 429, "Move: 5 1") as (url, asked):
        monkeypatch.setenv("CHAT_URL", url)
        game = boardenvs.make("game112")
        player = agents.from_text(function, game)
        assert player.act(game.new(1, 0)).tolist() == [8]
        assert len(asked) == 4
    assert waited == [1, 5, 25]
    with refused("text:ask failed: URLError: .*refused"):  # the server is closed
        player.act(game.new(1, 0))
    assert waited == [1, 5, 25] * 2


@pytest.mark.parametrize("status", [400, 401, 404])
def test_the_client_does_not_retry_permanent_errors(status, ask, monkeypatch, refused):
    function, waited = ask
    with in_turn(status, "Move: 5 1") as (url, asked):
        monkeypatch.setenv("CHAT_URL", url)
        game = boardenvs.make("game112")
        with refused(f"text:ask failed: HTTPError: HTTP Error {status}"):
            agents.from_text(function, game).act(game.new(1, 0))
        assert len(asked) == 1
    assert not waited


def test_the_client_with_openai_plays():
    openai = pytest.importorskip("openai", reason="needs the package openai")
    names = {}
    (block,) = [block for block in BLOCKS if "ask_client" in block]
    exec(block, names)
    with in_turn(500, "Move: 5 1") as (url, asked):
        client = openai.OpenAI(base_url=url, api_key="secret", max_retries=2)
        game = boardenvs.make("game112")
        player = agents.from_text(lambda p: names["ask_client"](client, "small", p), game)
        assert player.act(game.new(1, 0)).tolist() == [8]
        assert len(asked) == 2
        client.close()

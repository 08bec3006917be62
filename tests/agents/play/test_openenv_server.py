"""Games on an OpenEnv server, with OpenEnv's own client."""

import contextlib
import json
import random
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import agents.players.text
import boardenvs
from agents.naming import user_code
from agents.players.text.dialogue import Dialogue

pytest.importorskip("openenv", reason="needs the extra [openenv]")

from openenv import GenericEnvClient
from openenv.cli._validation import validate_running_environment
from openenv.validation import Level, Verdict, run_validation
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from agents.play.openenv_server import (
    Answer,
    GameEnvironment,
    make_app,
    make_server,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
GEKITAI = boardenvs.make("gekitai")
PAGE = Path(agents.players.text.__file__).with_name("OPENENV.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
WAIT = 20
"""Seconds that a test waits for the server."""


@contextlib.contextmanager
def running(server):
    """Run a server in another thread; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(WAIT)
            assert not thread.is_alive()


def served(game, **settings):
    """Serve a game in another thread; yield the address."""
    return running(make_server(make_app(game, **settings)))


@pytest.fixture(scope="module")
def gekitai_url():
    with served(GEKITAI, list_moves=True) as url:
        yield url


@pytest.fixture
def client(gekitai_url):
    with GenericEnvClient(base_url=gekitai_url).sync() as found:
        yield found


@contextlib.contextmanager
def opened(url):
    """Connect without OpenEnv's client; yield the function that sends and receives JSON."""
    with connect(f"{url.replace('http', 'ws')}/ws") as socket_:

        def ask(kind, **data):
            socket_.send(json.dumps({"type": kind, **({"data": data} if data else {})}))
            return json.loads(socket_.recv(WAIT))

        ask.socket = socket_
        yield ask


def chosen(message, seat=0):
    """Return a legal move that depends only on the message and the seat."""
    moves = re.search("^Legal moves: (.*)$", message, re.MULTILINE)[1].split("; ")
    return random.Random(f"{message}{seat}").choice(moves)


def alone(game, **settings):
    """Play a game without a server; return its messages and each seat's reward."""
    dialogue = Dialogue(game, list_moves=True, **settings)
    told = []
    while not dialogue.over:
        told.append((dialogue.seat, dialogue.message))
        dialogue.answer(chosen(dialogue.message, dialogue.seat))
    return told, dialogue.results


def remote(url, **settings):
    """Play a game on a server; return its messages and each seat's reward."""
    told = []
    with GenericEnvClient(base_url=url, connect_timeout_s=60).sync() as env:
        step = env.reset(list_moves=True, **settings)
        while not step.done:
            seen = step.observation
            assert step.reward == 0
            assert seen["rewards"] == [0] * len(seen["rewards"])
            told.append((seen["seat"], seen["message"]))
            step = env.step({"answer": chosen(seen["message"], seen["seat"])})
        seen = step.observation
        assert seen["message"] == ""
        assert step.reward == seen["rewards"][seen["seat"]]
        return told, seen["rewards"]


def test_games_at_the_same_time_equal_the_games_alone(name):
    game = boardenvs.make(name)
    games = [{"seed": seed, "seat": seed % game.num_players} for seed in range(7)]
    games.append({"seed": 7, "seat": "all"})
    with served(game) as url, ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda settings: remote(url, **settings), games))
    assert found == [alone(game, **settings) for settings in games]


def test_64_sessions_at_once_equal_the_games_alone(gekitai_url):
    with ThreadPoolExecutor(64) as threads:
        found = list(threads.map(lambda seed: remote(gekitai_url, seed=seed), range(64)))
    assert found == [alone(GEKITAI, seed=seed) for seed in range(64)]


def test_observations_are_lists_and_text(name):
    """OpenEnv plays the step before it finds out that it cannot send a NumPy array."""
    game = boardenvs.make(name)
    environment = GameEnvironment(game, list_moves=True)
    seen = environment.reset(seed=1)
    while True:
        kept = seen.model_dump()
        assert json.loads(json.dumps(kept, allow_nan=False)) == kept
        assert {type(one) for one in kept["rewards"]} == {float}
        assert type(seen.reward) is float
        json.dumps(environment.state.model_dump())
        if seen.done:
            break
        seen = environment.step(Answer(answer=chosen(seen.message)))


@pytest.mark.parametrize(
    ("answer", "read"),
    [(3, "3"), (3.5, "3.5"), (True, "true"), (None, "null"), ([3, 1], "3, 1"), ("\ud800", "ud800")],
)
def test_an_answer_that_was_read_as_json_is_text_again(answer, read):
    with served(boardenvs.make("goat_race"), tries=2) as url, opened(url) as ask:
        ask("reset", seed=1)
        seen = ask("step", answer=answer)["data"]
        refused = "Your answer was refused" in seen["observation"]["message"]
        assert refused == (answer != 3)
        if refused:
            assert read in seen["observation"]["message"]
        assert ask("state")["data"]["wrong"] == refused


def test_illegal_moves_are_answered_and_cost_a_try(client):
    step = client.reset(seed=1, tries=3)
    for answer in ("A9", "I do not know\nwhat to do"):
        step = client.step({"answer": answer})
        assert step.observation["message"].startswith("Your answer was refused: ")
        assert (step.reward, step.done) == (0, False)
    step = client.step({"answer": "pass"})
    assert (step.reward, step.done, step.observation["rewards"]) == (-1, True, [-1, 1])
    state = client.state()
    assert (state["wrong"], state["forfeited"], state["plies"]) == (3, True, 0)
    with pytest.raises(RuntimeError, match="after the game is over"):
        client.step({"answer": "A1"})
    assert not client.reset(seed=1).done


def test_unknown_and_invalid_settings_are_refused_and_the_game_continues(client):
    with pytest.raises(RuntimeError, match="step must be called after reset"):
        client.step({"answer": "A1"})
    client.reset(seed=1)
    for settings, said in (
        ({"sede": 1}, "reset has no setting 'sede'"),
        ({"list_move": True}, "did you mean list_moves?"),
        ({"game": "gomoku"}, "reset has no setting 'game'"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"seed": "1"}, "seed must be a whole number"),
        ({"seat": 2}, "seat must be a whole number from 0 to 1, got 2"),
        ({"tries": 0}, "tries must be"),
        ({"opponent": "nobody"}, "agent 'nobody'"),
        ({"opponent": ["greedy"]}, "an agent's spec must be"),
    ):
        with pytest.raises(RuntimeError, match=re.escape(said)):
            client.reset(**settings)
    assert client.step({"answer": "A1"}).observation["message"].startswith("Player O played")
    assert client.state()["plies"] == 2


def test_state_has_the_settings_and_the_course(client):
    client.reset(episode_id="one", opponent="greedy")
    state = client.state()
    assert state["opponent"] == "greedy"
    assert 0 <= state["seed"] < 2**31
    message = client.reset(seed=state["seed"], opponent="greedy").observation["message"]
    assert message == Dialogue(GEKITAI, "greedy", seed=state["seed"], list_moves=True).message
    client.step({"answer": "A1"})
    assert client.state() == {
        "episode_id": None,
        "step_count": 1,
        "game": "gekitai",
        "opponent": "greedy",
        "seed": state["seed"],
        "plies": 2,
        "wrong": 0,
        "forfeited": False,
    }


def test_the_seed_of_the_server_is_that_of_every_game_without_one():
    game = boardenvs.make("pizza_order")
    with served(game, seed=5) as url, opened(url) as ask:
        told = [ask("reset")["data"]["observation"]["message"] for _ in range(2)]
        assert told == [Dialogue(game, seed=5).message] * 2
        assert ask("reset", seed=6)["data"]["observation"]["message"] != told[0]


def test_user_code_plays_only_if_it_is_allowed(client, monkeypatch):
    monkeypatch.setattr(user_code, "_allowed", set())
    for spec in ("text:string:capwords", "engine:true", "string:capwords", "mixed:1:sb3:a.zip"):
        with pytest.raises(RuntimeError, match="is an agent of your own"):
            client.reset(opponent=spec)
    user_code.allow("text:string:capwords")
    client.reset(opponent="text:string:capwords")
    assert client.state()["opponent"] == "text:string:capwords"


def test_sessions_are_limited_and_a_vanished_client_ends_its_own():
    with served(GEKITAI, max_sessions=2) as url, opened(url) as first, opened(url) as second:
        first("reset", seed=1)
        second("reset", seed=1)
        with opened(url) as third:
            assert json.loads(third.socket.recv(WAIT))["data"]["code"] == "CAPACITY_REACHED"
        first.socket.socket.shutdown(socket.SHUT_RDWR)  # without a word of WebSocket
        assert second("step", answer="A1")["type"] == "observation"
        for _ in range(100):
            with opened(url) as third, contextlib.suppress(ConnectionClosed):
                if third("reset", seed=1)["type"] == "observation":
                    break
            time.sleep(0.1)
        else:
            pytest.fail("the vanished client still has a session")


def test_a_long_message_ends_only_its_session(gekitai_url):
    with opened(gekitai_url) as other, opened(gekitai_url) as ask:
        other("reset", seed=1)
        ask("reset", seed=1)
        assert "refused" in ask("step", answer="x" * 60000)["data"]["observation"]["message"]
        with pytest.raises(ConnectionClosed) as closed:
            ask("step", answer="x" * 2**20)
        assert closed.value.rcvd is None or closed.value.rcvd.code == 1009
        assert other("step", answer="A1")["type"] == "observation"


@pytest.mark.parametrize("sent", ["", "{", "[1]", '{"type": 1}', "[" * 60000, "9" * 60000, "null"])
def test_nonsense_ends_at_most_its_session(gekitai_url, sent):
    with opened(gekitai_url) as other, opened(gekitai_url) as ask:
        other("reset", seed=1)
        ask.socket.send(sent)
        assert json.loads(ask.socket.recv(WAIT))["type"] == "error"
        assert other("step", answer="A1")["type"] == "observation"


def test_only_websockets_play(gekitai_url):
    """OpenEnv's other routes make an environment for each request, or sessions without an end."""
    for path in ("/health", "/metadata", "/schema", "/openapi.json"):
        with urllib.request.urlopen(f"{gekitai_url}{path}", timeout=WAIT) as found:
            assert json.load(found)
    for path in ("/reset", "/step", "/mcp"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{gekitai_url}{path}", data=b"{}", timeout=WAIT)
        refused.value.close()
        assert refused.value.code == 404
    with pytest.raises(InvalidStatus):
        connect(f"{gekitai_url.replace('http', 'ws')}/mcp")


def test_pages_of_other_sites_cannot_connect(gekitai_url):
    with pytest.raises(InvalidStatus):
        connect(f"{gekitai_url.replace('http', 'ws')}/ws", origin="http://example.com")


def test_the_schema_has_one_required_field(gekitai_url):
    """Clients of models put a plain reply into the only required field."""
    with urllib.request.urlopen(f"{gekitai_url}/schema", timeout=WAIT) as found:
        schema = json.load(found)["action"]
    assert schema["required"] == ["answer"]
    assert schema["properties"]["answer"]["type"] == ["string", "number"]


def test_the_page_plays_both_seats(gekitai_url):
    names = {}
    (block,) = [block for block in BLOCKS if "def play(" in block]
    exec(block, names)
    with GenericEnvClient(base_url=gekitai_url).sync() as env:
        talks = names["play"](env, lambda talk: chosen(talk[-1]["content"]), seed=3)
    assert sorted(reward for _, reward in talks) == [-1, 1]
    for seat, (talk, _) in enumerate(talks):
        assert talk[0]["content"].startswith(f"You play gekitai as Player {'XO'[seat]}.")
        others = "".join(one["content"] for one in talk if one["role"] == "user")
        moves = [one["content"] for one in talks[1 - seat][0] if one["role"] == "assistant"]
        told = re.findall(f"^Player {'OX'[seat]} played (.*)\\.$", others, re.MULTILINE)
        assert told == moves[: len(told)]
        assert len(moves) - len(told) <= 1


def test_openenv_validates_the_folder_of_the_page(tmp_path):
    files = re.findall(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for name, text in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert len(files) == 4
    report = run_validation(tmp_path, max_level=Level.STATIC, skip_build=True)
    assert report.verdict is Verdict.PASS, report
    names = {"__name__": "app"}
    exec((tmp_path / "server/app.py").read_text(encoding="utf-8"), names)
    server = make_server(names["app"])
    with running(server) as url:
        found = validate_running_environment(url, timeout_s=WAIT)
        assert found["passed"], found["summary"]
        with opened(url) as ask:
            told = ask("reset", seed=2)["data"]["observation"]["message"]
            assert told == Dialogue(GEKITAI, "greedy", seed=2).message

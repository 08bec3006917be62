"""Successive games in a room: choices, files, and preparation of the next game."""

import json
import re
import threading

import numpy as np
import pytest

import boardenvs
from agents.naming.spec import specs_of
from agents.play.web.room import MOST_ACTIONS, OutdatedError, Room
from agents.play.web.session import Session
from boardenvs import Episode
from boardenvs.episode import _digest


def room_of(name, opponent="random", seat=0, seed=1, **params):
    game = boardenvs.make(name, **params)
    return Room(Session(game, specs_of([opponent], game), seat, seed))


def told(room):
    return json.loads(re.search(r'type="application/json">(.*?)</script>', room.page())[1])


def order(room, do, **more):
    return room.carry_out({"do": do, "version": room._version, **more})


def wait(room):
    """Wait for the next game and return its problem."""
    while room.carry_out({"do": "ready", "version": 0})["preparing"]:
        for thread in threading.enumerate():
            if thread.name.endswith("(_make)"):
                thread.join()
    return room.carry_out({"do": "ready", "version": 0})["problem"]


def new(room, values, opponent="random", seat=0):
    assert order(room, "new", values=values, opponents=[opponent], seat=seat) == {"preparing": True}
    return wait(room)


def play_on(room, moves=1000):
    """Play at most `moves` plies, randomly for the person, and return the last news."""
    rng = np.random.default_rng(5)
    news = told(room)
    while moves and not news["turn"]["over"]:
        turn = news["turn"]
        if turn["mine"]:
            news = order(room, "move", move=rng.choice([one["text"] for one in turn["legal"]]))
        else:
            news = order(room, "advance")
        moves -= 1
    return news


def test_a_new_game_of_each_kind_can_be_started(name):
    room = room_of(name)
    page = told(room)
    choices = page["choices"]
    game = choices["games"][0]
    seat = len(game["seats"]) - 1
    assert choices["values"] in [one["values"] for one in choices["games"]]
    assert new(room, game["values"], "random", seat) == ""
    after = told(room)
    assert after["version"] == page["version"] + 1
    assert after["seat"] == after["choices"]["seat"] == seat
    assert after["choices"]["values"] == game["values"]
    assert after["players"][seat]["name"] == "You"
    assert len(after["texts"]["frames"]) == 1
    assert play_on(room, 6)["version"] > after["version"]


def test_each_other_seat_has_its_own_opponent():
    room = room_of("goat_race")
    assert told(room)["choices"]["against"] == ["random", "random"]
    order(room, "new", values=[3], opponents=["greedy", "random"], seat=1)
    assert wait(room) == ""
    page = told(room)
    names = ["Greedy (White)", "You", "Random (Red)"]
    assert [one["name"] for one in page["players"]] == names
    assert page["choices"]["against"] == ["greedy", "random"]
    # A game with as many seats keeps the agents. A game for two keeps the first one.
    saved = room.saved()[1].encode()
    room.open(room._version, saved)
    assert wait(room) == ""
    assert told(room)["choices"]["against"] == ["greedy", "random"]
    room.open(room._version, room_of("goat_race", num_players=2).saved()[1].encode())
    assert wait(room) == ""
    assert told(room)["choices"]["against"] == ["greedy"]


def test_size_opponent_and_seat_can_be_chosen():
    room = room_of("gekitai")
    assert new(room, [7], "greedy", 1) == ""
    page = told(room)
    assert [one["name"] for one in page["players"]] == ["Greedy", "You"]
    assert (page["choices"]["against"], page["turn"]["mine"]) == (["greedy"], False)
    assert len(play_on(room, 1)["turn"]["legal"]) == 48
    assert new(room, [6], "random", 0) == ""
    assert told(room)["players"][1]["name"] == "Random"


def test_the_commands_opponent_is_offered_in_every_game(own_module):
    own_module("mine", "class A:\n    act = None\n\ndef make(game, seed):\n    return A()\n")
    room = room_of("game112", "mcts:7", 0)
    choices = told(room)["choices"]
    assert choices["against"] == ["mcts:7"]
    for game in choices["games"]:
        assert [one["place"] for one in game["opponents"]] == [*range(1, len(game["opponents"])), 0]
        assert game["opponents"][-1]["spec"] == "mcts:7"
    assert new(room, [9], "greedy") == ""
    assert new(room, [5], "mcts:7") == ""


@pytest.mark.parametrize(
    ("values", "opponent", "seat", "said"),
    [
        ([6], "mine:make", 0, "^opponents must"),
        ([6], "trained:/tmp/x.onnx", 0, "^opponents must"),
        ([6], "engine:touch x", 0, "^opponents must"),
        ([6], "mcts:5", 0, "^opponents must"),
        ([6], "", 0, "^opponents must"),
        ([6], "random", 2, "^seat must"),
        ([6], "random", -1, "^seat must"),
        ([5], "random", 0, "^values must"),
        ([], "random", 0, "^values must"),
        ([6, 6], "random", 0, "^values must"),
        (["6"], "random", 0, "^values must"),
    ],
)
def test_invalid_choices_are_refused(own_module, values, opponent, seat, said):
    own_module("mine", "raise SystemExit('it is run')\n")
    room = room_of("gekitai")
    before = room.page()
    with pytest.raises(ValueError, match=said):
        order(room, "new", values=values, opponents=[opponent], seat=seat)
    assert room.page() == before


def test_the_game_continues_while_the_next_is_prepared(own_module):
    """The current game continues while the next agent takes long to create."""
    slow = """
import threading

go_on = threading.Event()
made = [0]

class Slow:
    def __init__(self, game, seed):
        made[0] += 1
        if made[0] > 1:
            assert go_on.wait(60)
        self.game = game

    def act(self, states):
        return self.game.legal(states).argmax(1)
"""
    own_module("slow", slow)
    room = room_of("game112", "slow:Slow")
    assert order(room, "new", values=[5], opponents=["slow:Slow"], seat=0) == {"preparing": True}
    assert order(room, "ready")["preparing"]
    assert told(room)["preparing"]
    order(room, "move", move="1 1")
    order(room, "advance")
    with pytest.raises(ValueError, match="another game is being prepared"):
        order(room, "new", values=[5], opponents=["random"], seat=0)
    with pytest.raises(ValueError, match="another game is being prepared"):
        room.open(room._version, b"")
    version = room._version
    __import__("slow").go_on.set()
    assert wait(room) == ""
    assert room._version == version + 1
    with pytest.raises(OutdatedError):
        room.carry_out({"do": "undo", "version": version})
    assert told(room)["choices"]["values"] == [5]


def test_an_opponent_that_cannot_be_made_is_reported(own_module):
    """The problem is reported, and the game stays unchanged."""
    failing = """
made = [0]

class Failing:
    def __init__(self, game, seed):
        made[0] += 1
        if made[0] > 1:
            raise RuntimeError("no\\nmore")
        self.game = game

    def act(self, states):
        return self.game.legal(states).argmax(1)
"""
    own_module("failing", failing)
    room = room_of("game112", "failing:Failing")
    before = room.page()
    assert "RuntimeError: no more" in new(room, [5], "failing:Failing")
    assert room.page() == before
    assert new(room, [5], "random") == ""
    assert order(room, "ready") == {"preparing": False, "problem": ""}


def test_a_saved_game_can_be_opened(name, tmp_path):
    room = room_of(name, seat=-1 % boardenvs.make(name).num_players)
    play_on(room, 5)
    file, text = room.saved()
    assert file == f"{name}.json"
    path = tmp_path / file
    path.write_text(text)
    episode = Episode.load(path)
    before = told(room)
    assert len(episode) == len(before["moves"])
    # In another program, from another seat.
    other = room_of(name, "greedy")
    other.open(1, text.encode())
    assert wait(other) == ""
    after = told(other)
    assert after["seat"] == before["seat"]
    assert after["turn"]["legal"] == before["turn"]["legal"]
    assert (after["texts"], after["pictures"]) == (before["texts"], before["pictures"])
    assert play_on(other)["turn"]["over"]
    assert Episode.from_json(other.saved()[1].encode()).result != "unfinished"


def test_a_position_is_drawn_once(monkeypatch):
    """Positions are drawn once, even if a long game's page is requested again."""
    room = room_of("gekitai")
    play_on(room, 6)
    game, drawn = type(room._session.game), []
    picture = game.picture
    monkeypatch.setattr(game, "picture", lambda *told: drawn.append(1) or picture(*told))
    page = room.page()
    assert drawn == []
    play_on(room, 1)
    order(room, "undo")
    assert len(drawn) == 1
    assert page.count("<svg") == room.page().count("<svg")
    order(room, "restart")
    assert len(drawn) == 2


def test_a_saved_game_of_another_kind_can_be_opened():
    room = room_of("gekitai", "puct:400")
    play_on(room, 1)
    other = room_of("goat_race", num_players=2)
    other.open(1, room.saved()[1].encode())
    assert wait(other) == ""
    page = told(other)
    assert page["choices"]["against"] == ["random"]
    assert page["choices"]["parameters"][0]["label"] == "Board"


def won():
    game = boardenvs.make("game112", board_size=5)
    return Episode(game, game.new(1, seed=3), [7, 1, 4, 2], ["mine:make", "trained:/etc/passwd"])


def test_names_in_a_file_run_no_code(own_module):
    own_module("mine", "raise SystemExit('it is run')\n")
    room = room_of("game112")
    room.open(1, won().to_json().encode())
    assert wait(room) == ""
    page = told(room)
    assert page["choices"]["against"] == ["random"]
    assert page["seat"] == 0
    assert [one["name"] for one in page["players"]] == ["You", "Random"]
    assert page["turn"]["over"]


def changed(**changes):
    content = {k: v for k, v in json.loads(won().to_json()).items() if k != "sha256"}
    content.update(changes)
    return json.dumps({**content, "sha256": _digest(content)}).encode()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "JSON"),
        (b"\xff\xfe", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b"[]", "not an episode"),
        (won().to_json().encode().replace(b"[7, 1", b"[7, 0"), "damaged or edited"),
        (changed(actions=[0] * (MOST_ACTIONS + 1)), "2001"),
        (changed(actions=[7, 1, 4, 3]), "final must be"),
        (changed(initial={"game": "os", "params": {}}), "game must be"),
        (changed(initial={"game": "mine:Game", "params": {}}), "game must be"),
        (changed(initial={"game": ["gekitai"], "params": {}}), "game must be"),
        (changed(players=["a\nb", "c"]), "printable"),
    ],
)
def test_bad_files_are_refused(own_module, data, said):
    own_module("mine", "raise SystemExit('it is run')\n")
    room = room_of("game112")
    before = room.page()
    room.open(1, data)
    problem = wait(room)
    assert said in problem
    assert "\n" not in problem
    assert room.page() == before


def test_resigning_ends_the_game():
    room = room_of("gekitai", "mcts:20", 1)
    play_on(room, 4)
    before = told(room)
    news = order(room, "resign")
    assert news["result"] == "You resigned."
    assert news["turn"]["over"]
    assert news["keep"] == 5
    assert news["texts"] == []
    assert news["analysis"][0]["kind"] == "visits"
    for do, more in (("move", {"move": "a1"}), ("advance", {}), ("resign", {})):
        with pytest.raises(ValueError, match=r"over|no agent"):
            order(room, do, **more)
    assert Episode.from_json(room.saved()[1].encode()).result == "unfinished"
    news = order(room, "undo")
    assert news["analysis"] is None
    assert {**told(room), "version": 0} == {**before, "version": 0}


def test_the_turn_says_what_to_type():
    room = room_of("gekitai", "random", 1)
    assert told(room)["turn"]["asks"] == ""  # it is the opponent's turn
    assert re.fullmatch("an empty cell such as [A-F][1-6]", play_on(room, 1)["turn"]["asks"])


def test_any_position_can_be_analysed():
    room = room_of("game112", "random", 1, board_size=5)
    play_on(room, 3)
    for at in range(4):
        said = order(room, "analyse", at=at)
        assert said["at"] == at
        assert said["by"] == "Perfect"
        assert len(said["thought"]["values"]) == 2
        assert said["thought"]["actions"][0]["text"]
    for at, why in ((-1, "^at must.*-1"), (4, "^at must.*4")):
        with pytest.raises(ValueError, match=why):
            order(room, "analyse", at=at)
    play_on(room)
    with pytest.raises(ValueError, match=r"^at must be a position before"):
        order(room, "analyse", at=len(told(room)["moves"]))
    assert order(room, "analyse", at=0)["hint"]


def test_positions_of_other_seats_with_hidden_information_are_not_analysed(monkeypatch):
    room = room_of("gekitai", "random", 1)
    monkeypatch.setattr(type(room._session.game), "has_hidden", True)
    with pytest.raises(ValueError, match=r"^at must.*you are to move"):
        order(room, "analyse", at=0)
    play_on(room, 1)
    assert order(room, "analyse", at=1)["hint"]
    order(room, "resign")
    assert order(room, "analyse", at=0)["hint"]


def test_the_replay_has_no_panel():
    room = room_of("dominoes175")
    play_on(room, 5)
    replay = room.replay()
    assert '"version"' not in replay
    assert 'id="panel"' not in replay
    assert '"You"' in replay
    told = json.loads(re.search(r'type="application/json">(.*?)</script>', replay)[1])
    assert len(told["moves"]) == 5
    assert told["analysis"] is None
    # Face-down tiles stay hidden.
    lines, frames = told["pictures"].values()
    assert sum(len(re.findall(r">\?<", lines[line])) for line in frames[-1]) >= 20

"""Episodes: recorded, played, kept in files, shown as text and as a page."""

import copy
import json
import pickle
import re
import types
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardenvs
from boardenvs import Episode
from boardenvs.analysis import Analysis
from boardenvs.episode import _digest
from boardenvs.page.in_words import end_in_words
from boardenvs.single import SeatEnv

GAME112 = boardenvs.make("game112", board_size=5)
WON = [7, 1, 4, 2]  # 4 2, 1 2, 3 1, 2 1: the second player makes 1, 1, 2
ASKED = {"prompt": "Your move?", "answer": "1 1", "error": ""}
THOUGHT = {"kind": "visits", "actions": [7, 2], "weights": [30, 10], "values": [0.25, -0.25]}
EVIL = ["</script><script>alert(1)</script>", "<img src=x onerror='a()'> {{title}} \"'&amp;"]


class First:
    """Plays the first legal action; remembers what it was shown."""

    def __init__(self, game):
        self.game = game
        self.shown = []

    def act(self, states):
        self.shown.append(states.copy())
        return self.game.legal(states).argmax(1)


class Chooser(First):
    """Prefers `choose`; `act` must not be called."""

    def act(self, states):
        raise AssertionError

    def choose(self, states, words):
        self.shown.append(words.copy())
        legal = [np.flatnonzero(mask) for mask in self.game.legal(states)]
        return np.array([a[int(w) % len(a)] for a, w in zip(legal, words, strict=True)])


class Fixed:
    """Answers the same, whatever the state."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, states):
        return self.answer


def won(**kwargs):
    return Episode(GAME112, GAME112.new(1, seed=3), WON, **kwargs)


# -- Recording ------------------------------------------------------------------------------


def test_what_an_episode_holds():
    episode = won()
    assert len(episode) == 4
    assert episode.actions == WON
    assert episode.players == ["player_0", "player_1"]
    assert episode.game == GAME112
    states = episode.states()
    assert states.shape == (5,)
    assert states.dtype == GAME112.state_dtype
    assert states["last_action"].tolist() == [-1, *WON]
    assert states[0] == GAME112.new(1, seed=3)[0]
    assert episode.returns.tolist() == [-1.0, 1.0]
    assert episode.terminated is True
    assert episode.truncated is False
    assert episode.result == "player_1 wins"
    assert repr(episode) == f"<episode of {GAME112!r}: 4 actions, player_1 wins>"


def test_states_are_fresh():
    episode = won()
    episode.states()["ply"] = 9
    episode.returns[:] = 9
    assert episode.states()["ply"].tolist() == [0, 1, 2, 3, 4]
    assert episode.returns.tolist() == [-1.0, 1.0]


def test_actions_and_start_of_many_kinds():
    start = GAME112.new(1, seed=3)
    expected = won()
    for initial in (start, start[0], GAME112.to_dict(start[0])):
        for actions in (WON, tuple(WON), np.array(WON), np.array(WON, np.uint8)):
            episode = Episode(GAME112, initial, actions)
            assert episode == expected
            assert all(type(action) is int for action in episode.actions)
    assert start["ply"].tolist() == [0]


def test_start_in_mid_game():
    start = GAME112.from_dict({"board": [2, 0, 1, 2, 0]})
    episode = Episode(GAME112, start, [2])
    assert episode.result == "player_1 wins"
    assert "\n4. player_1: 2 1\n" in episode.to_text()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([10], "action 1 of 1 must be a whole number from 0 to 9, got 10"),
        ([0, -1], "action 2 of 2 must be .* got -1"),
        ([0, 1.0], "action 2 of 2 must be .* got 1.0"),
        ([True], "action 1 of 1 must be .* got True"),
        (["0"], "action 1 of 1 must be .* got '0'"),
        ([10**30], "action 1 of 1 must be .* got 10+"),
        ([*WON, 8], "over after 4 actions, but there are 5"),
        ([0, 0, 2], "over after 2 actions, but there are 3"),
        ("01", "actions must be a list of whole numbers, got '01'"),
        (None, "actions must be a list of whole numbers, got None"),
        ({0: 1}, "actions must be a list of whole numbers"),
    ],
)
def test_actions_refused(actions, message):
    with pytest.raises(ValueError, match=message):
        Episode(GAME112, GAME112.new(1, 0), actions)


@pytest.mark.parametrize(
    "players",
    [["a"], ["a", "b", "c"], ["a", 1], "ab", ["a", ""], ["a", "b\nc"], ["a", "\ud800"], 2],
)
def test_names_refused(players):
    with pytest.raises(ValueError, match="players must be 2 names of printable characters, got"):
        won(players=players)
    with pytest.raises(ValueError, match="players must be 2 names of printable characters, got"):
        Episode.play(GAME112, ["random", "random"], names=players)


def test_start_refused():
    with pytest.raises(ValueError, match="a game112 position needs the field 'board'"):
        Episode(GAME112, {}, [])
    with pytest.raises(ValueError, match="expected game112 records"):
        Episode(GAME112, boardenvs.make("gekitai").new(1, 0), [])


def test_results():
    gekitai = boardenvs.make("gekitai", max_plies=2)
    truncated = Episode(gekitai, gekitai.new(1, 0), [0, 14])
    assert (truncated.truncated, truncated.terminated) == (True, False)
    assert truncated.result == "stopped after 2 plies"
    unfinished = Episode(GAME112, GAME112.new(1, 0), [0])
    assert (unfinished.truncated, unfinished.terminated) == (False, False)
    assert unfinished.returns.tolist() == [0.0, 0.0]
    assert unfinished.result == "unfinished"
    assert Episode(GAME112, GAME112.new(1, 0), []).result == "unfinished"
    assert Episode(GAME112, GAME112.new(1, 0), [0, 2, 4, 6, 8]).result == "draw"
    forfeit = Episode(GAME112, GAME112.new(1, 0), [0, 1], ["ann", "bob"])
    assert forfeit.result == "bob loses by an illegal action"
    assert forfeit.returns.tolist() == [1.0, -1.0]
    alone = won(players=["ann", "bob"])
    alone.game = types.SimpleNamespace(num_players=1)
    assert alone.result == "ann gets -1"


def test_equality_copies_and_pickles():
    episode = won()
    assert copy.deepcopy(episode) == episode == pickle.loads(pickle.dumps(episode))
    assert episode != Episode(GAME112, GAME112.new(1, seed=4), WON)
    assert episode != Episode(GAME112, GAME112.new(1, seed=3), WON[:-1])
    assert episode != won(players=["a", "b"])
    assert episode != "episode"


def test_recorded_from_the_pettingzoo_environment(name, game):
    env = getattr(boardenvs, f"{name}_v0").env()
    env.reset(seed=5)
    actions, rewards = [], {}
    for k, agent in enumerate(env.agent_iter()):
        observation, reward, termination, truncation, _ = env.last()
        if termination or truncation:
            rewards[agent] = reward
            env.step(None)
        else:
            legal = np.flatnonzero(observation["action_mask"])
            actions.append(legal[7 * k % len(legal)])
            env.step(actions[-1])
    episode = Episode(game, game.new(1, seed=5), actions)
    assert episode.terminated or episode.truncated
    assert dict(zip(env.possible_agents, episode.returns.tolist(), strict=True)) == rewards


@pytest.mark.one_game
@pytest.mark.parametrize("opponent", ["random", "first"])
def test_recorded_from_the_gymnasium_environment(game, opponent, tmp_path):
    if opponent == "first":
        opponent = First(game)
    env = SeatEnv(game, opponent, seat=game.num_players - 1, record_episode=True)
    for seed in (5, 6):
        observation, info = env.reset(seed=seed)
        over, reward = False, 0.0
        while not over:
            action = np.flatnonzero(info["action_mask"])[-1]
            observation, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        episode = env.episode
        assert episode.states()[-1] == env.position
        assert np.array_equal(game.observe(episode.states()[-1], info["seat"])[0], observation)
        assert episode.returns[info["seat"]] == reward
        assert (episode.terminated, episode.truncated) == (terminated, truncated)
        episode.save(tmp_path / "episode.json")
        assert Episode.load(tmp_path / "episode.json") == episode


# -- Playing --------------------------------------------------------------------------------


def test_play_follows_the_seed(game):
    players = ["random"] * game.num_players
    first = Episode.play(game, players, seed=1)
    assert first.terminated or first.truncated
    assert first.states()[0] == game.new(1, seed=1)[0]
    assert Episode.play(game, players, seed=1) == first
    assert len({tuple(Episode.play(game, players, s).actions) for s in range(8)}) > 4
    assert Episode.play(game, players) != Episode.play(game, players)


def test_random_players_draw_every_legal_action():
    players = ["random", "random"]
    openings = [Episode.play(GAME112, players, seed).actions[:2] for seed in range(300)]
    assert {first for first, _ in openings} == set(range(10))
    assert {second for _, second in openings} == set(range(10))


def test_players_are_told_what_they_may_know():
    one, two = First(GAME112), First(GAME112)
    episode = Episode.play(GAME112, [one, two], seed=1)
    # 1, 1, 1, ...: every position gets a 1.
    assert episode.actions == [0, 2, 4, 6, 8]
    true = episode.states()
    for k, shown in enumerate([one.shown[0], two.shown[0], one.shown[1], two.shown[1]]):
        assert shown.shape == (1,)
        assert shown["rng"][0] != true["rng"][k]
        assert shown["cells"].tolist() == [true["cells"][k].tolist()]
        assert shown["to_move"] == k % 2


def test_choose_comes_first_and_follows_the_seed():
    one, two = Chooser(GAME112), Chooser(GAME112)
    first = Episode.play(GAME112, [one, "random"], seed=1)
    assert Episode.play(GAME112, [two, "random"], seed=1) == first
    assert np.array_equal(one.shown, two.shown)
    assert len(np.unique(one.shown)) == len(one.shown)


def test_players_have_streams_of_their_own():
    """What one player draws does not depend on how much the other one draws."""
    one, two = Chooser(GAME112), Chooser(GAME112)
    Episode.play(GAME112, [one, "random"], seed=1)
    Episode.play(GAME112, [two, First(GAME112)], seed=1)
    shared = min(len(one.shown), len(two.shown))
    assert shared >= 2
    assert np.array_equal(one.shown[:shared], two.shown[:shared])


def test_an_illegal_answer_is_recorded_as_a_forfeit():
    episode = Episode.play(GAME112, [Fixed([4]), Fixed(np.array([4]))], names=["ann", "bob"])
    assert episode.actions == [4, 4]
    assert episode.result == "bob loses by an illegal action"


@pytest.mark.parametrize("answer", [[10], [-1], 1.0, [1, 2], None, "1", []])
def test_an_answer_that_is_no_action(answer):
    with pytest.raises(ValueError, match="action"):
        Episode.play(GAME112, [Fixed(answer), "random"])


@pytest.mark.parametrize("players", ["random", ["random"], ["random"] * 3, []])
def test_number_of_players(players):
    with pytest.raises(ValueError, match="game112 needs 2 players, got"):
        Episode.play(GAME112, players)


@pytest.mark.parametrize("player", [None, 3, object()])
def test_what_is_no_player(player):
    with pytest.raises(
        ValueError, match=r"must be an agent's spec or an object with act\(states\)"
    ):
        Episode.play(GAME112, [player, "random"])


def test_play_from_a_position():
    position = {"board": [2, 0, 1, 2, 0]}
    episode = Episode.play(GAME112, ["random", Fixed([2])], seed=1, state=position)
    assert episode.actions == [2]
    first = episode.states()[0]
    assert first == GAME112.from_dict({**position, "rng": int(first["rng"])})
    again = Episode.play(GAME112, ["random", Fixed([2])], state=episode.states()[0])
    assert again == episode
    with pytest.raises(ValueError, match="the state is over"):
        Episode.play(GAME112, ["random", "random"], state=episode.states()[-1])


@pytest.mark.parametrize("seed", [-1, 1.5, "1"])
def test_bad_seed(seed):
    with pytest.raises(ValueError, match="seed must be"):
        Episode.play(GAME112, ["random", "random"], seed)


# -- As text --------------------------------------------------------------------------------


def test_text():
    assert won(players=["ann", "bob"]).to_text() == (
        "Game112(board_size=5, max_plies=9): ann, bob\n"
        "| - - - - - |\n"
        "\n"
        "1. ann: 4 2\n"
        "| - - - 2 - |\n"
        "\n"
        "2. bob: 1 2\n"
        "| 2 - - 2 - |\n"
        "\n"
        "3. ann: 3 1\n"
        "| 2 - 1 2 - |\n"
        "\n"
        "4. bob: 2 1\n"
        "| 2 1 1 2 - |\n"
        "\n"
        "Result: bob wins\n"
    )


def test_text_of_a_forfeit():
    episode = Episode(GAME112, GAME112.new(1, 0), [0, 1])
    assert episode.to_text().endswith(
        "1. player_0: 1 1\n"
        "| 1 - - - - |\n"
        "\n"
        "2. player_1: 1 2 (illegal)\n"
        "| 1 - - - - |\n"
        "\n"
        "Result: player_1 loses by an illegal action\n"
    )


def shown_text(game, state):
    """The position, and below it what only its player to move has still to be told."""
    over = state["terminated"] or state["truncated"]
    aside = "" if over else game.aside(state)
    return game.to_text(state) + (aside and f"{aside}\n")


def test_text_of_random_games(game):
    players = [f"p{k}" for k in range(game.num_players)]
    episode = Episode.play(game, ["random"] * game.num_players, seed=2, names=players)
    shown = [shown_text(game, state) for state in episode.states()]
    expected = [f"{game!r}: {', '.join(players)}\n{shown[0]}"]
    for k, (action, state) in enumerate(zip(episode.actions, episode.states(), strict=False)):
        move = game.action_to_text(action, state)
        expected.append(f"{k + 1}. p{state['to_move']}: {move}\n{shown[k + 1]}")
    assert episode.to_text() == "\n".join([*expected, f"Result: {episode.result}\n"])


# -- Files ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("episodes") / "episode.json"


def assert_refused(path, *words):
    with pytest.raises(ValueError, match=re.escape(path.name)) as caught:
        Episode.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1
    for word in words:
        assert word in message


def changed(path, **changes):
    """Rewrite an episode's file with these changes and the checksum that fits them."""
    won().save(path)
    content = {**json.loads(path.read_text(encoding="utf-8")), **changes}
    content.pop("sha256")
    path.write_text(json.dumps({**content, "sha256": _digest(content)}), encoding="utf-8")


def test_round_trip(game, tmp_path):
    path = tmp_path / "episode.json"
    for seed in range(5):
        episode = Episode.play(game, ["random"] * game.num_players, seed)
        episode.save(path)
        loaded = Episode.load(str(path))
        assert loaded == episode
        assert np.array_equal(loaded.states(), episode.states())


def test_round_trip_of_forfeits_names_and_parameters(tmp_path):
    game = boardenvs.make("gekitai", board_size=8, pieces=12, line_length=5, max_plies=30)
    path = tmp_path / "an episode ä.json"
    episode = Episode(game, game.new(1, 0), [63, 63], ["Žofia 😀", EVIL[0]])
    episode.save(path)
    assert Episode.load(path) == episode
    assert Episode.load(path).game == game
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["format"] == "boardenvs episode"
    assert content["version"] == 1
    assert content["actions"] == [63, 63]


def test_saving_replaces_the_file_or_leaves_it(tmp_path, monkeypatch):
    path = tmp_path / "episode.json"
    won(players=["ann", "bob"]).save(path)
    won().save(path)
    assert Episode.load(path) == won()

    def fail(*args):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        won(players=["ann", "bob"]).save(path)
    with pytest.raises(OSError, match="disk full"):
        won().save_html(path)
    assert Episode.load(path) == won()
    assert [p.name for p in tmp_path.iterdir()] == ["episode.json"]


def test_places_that_cannot_be_read_or_written(tmp_path):
    for call in (Episode.load, won().save, won().save_html):
        with pytest.raises(OSError, match="nowhere") as caught:
            call(tmp_path / "nowhere" / "episode")
        assert len(str(caught.value).splitlines()) == 1
        with pytest.raises(OSError, match=re.escape(tmp_path.name)):
            call(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "no JSON"),
        (b"\x08\x07\x12\x07pytorch\xff", "no JSON"),
        (b"\xff\xfe{\x00}\x00", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"1" * 5000, "no JSON"),
        (b"[]", "format is 'boardenvs episode'"),
        (b"null", "format is 'boardenvs episode'"),
        (b'{"game": "gekitai"}', "format is 'boardenvs episode'"),
        (b'{"format": "boardenvs episode"}', "version None; expected 1, 2 or 3"),
        (b'{"format": "boardenvs episode", "version": 1}', "keys should be"),
    ],
)
def test_foreign_files(file, data, word):
    file.write_bytes(data)
    assert_refused(file, "no episode" if "JSON" in word else "", word)


def test_as_text(file):
    won().save(file)
    assert file.read_text(encoding="utf-8") == won().to_json()
    assert Episode.from_json(file.read_bytes()) == Episode.from_json(won().to_json()) == won()
    for wrong, said in ((b"[]", "^no episode"), ("[\ud800]", "^no"), (1, "^data must be text or")):
        with pytest.raises(ValueError, match=said):
            Episode.from_json(wrong)


def test_a_file_cut_short_anywhere(file):
    won().save(file)
    data = file.read_bytes()
    for size in range(len(data) - 2):
        file.write_bytes(data[:size])
        assert_refused(file, "cut short")


def test_any_single_edit_is_noticed(file):
    won().save(file)
    text = file.read_text(encoding="utf-8")
    for old, new in (
        ('"actions": [7, 1, 4, 2]', '"actions": [7, 1, 4, 8]'),
        ('"actions": [7, 1, 4, 2]', '"actions": [7, 1, 4]'),
        ("player_0", "player_9"),
        ('"ply": 4', '"ply": 3'),
        ('"board_size": 5', '"board_size": 6'),
    ):
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
        assert_refused(file, "damaged or edited")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"version": 4}, "an episode of version 4; expected 1, 2 or 3"),
        ({"version": True}, "an episode of version True; expected 1, 2 or 3"),
        ({"version": 2}, "the keys should be"),
        ({"analysis": [None] * 4}, "the keys should be"),
        *(
            ({"version": 2, "analysis": analysis}, word)
            for analysis, word in [
                ({}, "analysis must be a list"),
                ([None] * 3, "analysis must be a list of 4"),
                ([None, None, 1, None], "an analysis must have the keys"),
                ([{**THOUGHT, "kind": "guesses"}, *[None] * 3], "the kind of an analysis"),
                ([{**THOUGHT, "actions": [7, 7]}, *[None] * 3], "names an action twice"),
                ([{**THOUGHT, "actions": [7]}, *[None] * 3], "as many weights"),
                ([{**THOUGHT, "actions": [7, 10]}, *[None] * 3], "from 0 to 9, got 10"),
                ([None, {**THOUGHT, "actions": [6, 2]}, None, None], "action 6, which is illegal"),
                ([{**THOUGHT, "weights": [7, 0]}, *[None] * 3], "visits must be"),
                ([{**THOUGHT, "weights": [7, 0.5]}, *[None] * 3], "visits must be"),
                ([{**THOUGHT, "line": [7, 10]}, *[None] * 3], "from 0 to 9, got 10"),
                ([{**THOUGHT, "line": 7}, *[None] * 3], "an analysis has lists"),
                ([{**THOUGHT, "depth": -1}, *[None] * 3], "the depth of an analysis must be"),
                ([{**THOUGHT, "proven": 1}, *[None] * 3], "proven must be"),
                ([{**THOUGHT, "tries": [1]}, *[None] * 3], "tries must be a list of dictionaries"),
                ([{**THOUGHT, "tries": {}}, *[None] * 3], "tries must be a list of dictionaries"),
                ([{**THOUGHT, "tries": [{"prompt": ""}]}, *[None] * 3], "tries must be a list of"),
                ([{**THOUGHT, "tries": [ASKED | {"answer": 1}]}, *[None] * 3], "must be text"),
                ([{**THOUGHT, "length": 1}, *[None] * 3], "an analysis must have the keys"),
                ([{**THOUGHT, "actions": [], "weights": []}, *[None] * 3], "at least one action"),
                ([{**THOUGHT, "values": [1]}, *[None] * 3], "for each of 2 seats"),
                ([{**THOUGHT, "values": [1, "x"]}, *[None] * 3], "for each of 2 seats"),
                ([{**THOUGHT, "values": [1, float("nan")]}, *[None] * 3], "for each of 2 seats"),
                ([{**THOUGHT, "kind": "probabilities"}, *[None] * 3], "above 0 and at most 1"),
            ]
        ),
        ({"more": 1}, "the keys should be"),
        ({"actions": [7, 7, 4, 2]}, "over after 2 actions, but there are 4"),
        ({"actions": [*WON, 8]}, "over after 4 actions, but there are 5"),
        ({"actions": [7, 1, 4, 8]}, "do not lead to the final position"),
        ({"actions": WON[:-1]}, "do not lead to the final position"),
        ({"actions": [7, 1, 4, 10]}, "action 4 of 4 must be a whole number from 0 to 9, got 10"),
        ({"actions": [7, 1, 4, 2.0]}, "action 4 of 4"),
        ({"actions": [[7], 1, 4, 2]}, "action 1 of 4"),
        ({"actions": {"0": 7}}, "actions must be a list"),
        ({"actions": "7142"}, "actions must be a list"),
        ({"players": ["a"]}, "players must be 2 names"),
        ({"players": "ab"}, "players must be a list"),
        ({"players": ["a", "b\nc"]}, "players must be 2 names"),
        ({"initial": None}, "initial must be a position"),
        ({"initial": {"board": [0] * 5}}, "initial must be a position"),
        ({"initial": {"game": [], "params": {}}}, "the game must be a name, got []"),
        ({"initial": {"game": "chess", "params": {}}}, "there is no game 'chess'"),
        ({"initial": {"game": "game112", "params": {"deck": 1}}}, "no parameter 'deck'"),
        ({"initial": {"game": "game112", "params": {"board_size": 10}}}, "board_size must be"),
        ({"initial": {"game": "game112", "params": {}}}, "needs the field 'board'"),
        ({"final": None}, "do not lead to the final position"),
        ({"players": ["a", "x" * 10_000, "c"]}, " ..."),
    ],
)
def test_wrong_content_with_a_fitting_checksum(file, changes, word):
    changed(file, **changes)
    assert_refused(file, word)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-2, 40)
    | st.just(10**400)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["game112", "gekitai", "board", "returns"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def loads_or_refuses(path):
    """Nothing but ValueError comes out of `load`, and what loads is whole."""
    try:
        episode = Episode.load(path)
    except ValueError as error:
        refusal = str(error)
    else:
        assert len(episode.states()) == len(episode) + 1
        return
    assert refusal.startswith(f"{path}: ")
    assert len(refusal.splitlines()) == 1


@given(st.binary(max_size=200))
def test_any_bytes(file, data):
    file.write_bytes(data)
    loads_or_refuses(file)


@given(st.data())
def test_any_damage(file, data):
    won().save(file)
    original = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        original[data.draw(st.integers(0, len(original) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(original)
    loads_or_refuses(file)


@given(st.data())
def test_any_value_anywhere(file, data):
    """Some value of the content, at any depth, replaced, removed or added to."""
    won().save(file)
    content = json.loads(file.read_text(encoding="utf-8"))
    content.pop("sha256")
    place, key = content, data.draw(st.sampled_from(sorted(content)))
    while isinstance(place[key], dict) and data.draw(st.booleans()):
        place = place[key]
        key = data.draw(st.sampled_from(sorted(place)) | st.text(max_size=5))
        if key not in place:
            break
    place[key] = data.draw(JSON_VALUES)
    if data.draw(st.integers(0, 9)) == 0:
        del place[key]
    file.write_text(json.dumps({**content, "sha256": _digest(content)}), encoding="utf-8")
    loads_or_refuses(file)


# -- As a page ------------------------------------------------------------------------------


class Thinker(First):
    """Tells what it thinks, beside the same choice."""

    def consider(self, states, words):
        analyses = [
            Analysis.of_visits(np.where(mask, np.arange(1, len(mask) + 1), 0), [0.5, -0.5])
            for mask in self.game.legal(states)
        ]
        return self.act(states), analyses


def test_analysis_of_a_game():
    players = [Thinker(GAME112), First(GAME112)]
    episode = Episode.play(GAME112, players, seed=1, analysis=True)
    plain = Episode.play(GAME112, players, seed=1)
    assert episode.actions == plain.actions
    assert plain.analysis == [None] * len(plain)
    assert [one is not None for one in episode.analysis] == [k % 2 == 0 for k in range(len(plain))]
    for one, mask in zip(episode.analysis[::2], GAME112.legal(episode.states())[::2], strict=False):
        assert one.kind == "visits"
        assert list(one.weights) == np.flatnonzero(mask).tolist()
        assert one.values == (0.5, -0.5)


def test_analysis_in_a_file(tmp_path):
    told = Analysis("probabilities", {4: 0.5}, (None, 1), line=(4, 2), depth=3, proven=True)
    analysis = [Analysis.from_dict(THOUGHT), None, told]
    episode = won(analysis=[*analysis, None])
    path = tmp_path / "episode.json"
    episode.save(path)
    assert json.loads(path.read_text(encoding="utf-8"))["version"] == 2
    loaded = Episode.load(path)
    assert loaded == episode != won()
    assert loaded.analysis == [*analysis, None]


def test_analysis_refused():
    for analysis in ([None] * 3, "abcd", [None, None, None, THOUGHT]):
        with pytest.raises(ValueError, match="analysis must"):
            won(analysis=analysis)

    class Liar(Thinker):
        def consider(self, states, words):
            return self.act(states), [Analysis("visits", {0: 0}, (0, 0))]

    with pytest.raises(ValueError, match=r"action 1 of .* visits must be"):
        Episode.play(GAME112, [Liar(GAME112), "random"], seed=1, analysis=True)


def test_page_shows_the_analysis():
    assert Page(won().to_html()).episode["analysis"] is None
    analysis = [Analysis("visits", {2 * k: k + 1 for k in range(5)}, (0.5, None)), None, None, None]
    start = GAME112.from_dict({"board": [0] * 5})
    page = Page(Episode(GAME112, start, WON, analysis=analysis).to_html())
    [shown, *others] = page.episode["analysis"]
    assert others == [None] * 3
    assert (shown["seat"], shown["kind"], shown["values"]) == (0, "visits", [0.5, None])
    assert [one["text"] for one in shown["actions"]] == ["5 1", "4 1", "3 1", "2 1", "1 1"]
    assert [one["weight"] for one in shown["actions"]] == [5, 4, 3, 2, 1]
    assert sum(one["share"] for one in shown["actions"]) == pytest.approx(1, abs=1e-3)


def test_remarks_are_of_actions():
    assert Page(won().to_html()).episode["remarks"] == {}
    remarks = {0: "One.", len(WON): "Two."}
    assert Page(won().to_html(remarks)).episode["remarks"] == {"0": "One.", str(len(WON)): "Two."}
    for number in (-1, len(WON) + 1, "1"):
        with pytest.raises(ValueError, match="the number of a remark's action must be a whole"):
            won().to_html({number: "One."})
    for remark in ("", None):
        with pytest.raises(ValueError, match=f"a remark must be text, got {remark!r}"):
            won().to_html({1: remark})


def test_page_shows_the_best_actions_and_the_one_played():
    game = boardenvs.make("gekitai")
    weights = {action: action + 1 for action in range(36)}
    episode = Episode(game, game.new(1, 0), [3], analysis=[Analysis("visits", weights, (0, 0))])
    [shown] = Page(episode.to_html()).episode["analysis"]
    assert len(shown["actions"]) == 8
    assert shown["more"] == 28
    assert [one["text"] for one in shown["actions"] if one["chosen"]] == ["D1"]
    assert shown["actions"][0]["text"] == "F6"


def test_every_action_that_has_an_area_has_it_in_the_picture(game):
    """And no two cells of a picture overlap."""
    episode = Episode.play(game, ["random"] * game.num_players, seed=4)
    for state, mask in zip(episode.states(), game.legal(episode.states()), strict=True):
        box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', game.picture(state))
        areas = {game.action_area(action, state) for action in np.flatnonzero(mask).tolist()}
        areas = sorted(areas - {None})
        assert areas or not mask.any()
        for k, (x, y, width, height) in enumerate(areas):
            assert 0 <= x < x + width <= float(box[1])
            assert 0 <= y < y + height <= float(box[2])
            for left, top, wide, high in areas[:k]:
                apart = (x - left - wide, left - x - width, y - top - high, top - y - height)
                assert max(apart) >= 0


class Page(HTMLParser):
    """What a browser would make of a page: its elements, title and scripts."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.scripts = []
        self.texts = {}
        self._open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        tag = self._open[-1] if self._open else None
        if tag == "script":
            self.scripts[-1] += data
        self.texts[tag] = self.texts.get(tag, "") + data

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def episode(self):
        return json.loads(self.scripts[0])


def frames(packed):
    return ["\n".join(packed["lines"][i] for i in frame) for frame in packed["frames"]]


def test_page_holds_the_game(game):
    players = [f"player {k} & <co>" for k in range(game.num_players)]
    episode = Episode.play(game, ["random"] * game.num_players, seed=2, names=players)
    page = Page(episode.to_html())
    data = page.episode
    states = episode.states()
    assert frames(data["texts"]) == [shown_text(game, state) for state in states]
    assert frames(data["pictures"]) == [game.picture(state) for state in states]
    assert [move["text"] for move in data["moves"]] == [
        game.action_to_text(action, state)
        for action, state in zip(episode.actions, states, strict=False)
    ]
    assert [move["ply"] for move in data["moves"]] == list(range(1, len(episode) + 1))
    assert [move["player"] for move in data["moves"]] == [
        players[s] for s in states["to_move"][:-1]
    ]
    assert [player["name"] for player in data["players"]] == players
    assert data["result"] == end_in_words(game, states[-1], players) != ""
    assert page.texts["title"] == f"{game.title}: {', '.join(players)}"
    assert page.texts["h1"] == game.title


def test_page_says_who_won():
    results = [player["result"] for player in Page(won().to_html()).episode["players"]]
    assert results == ["-1", "+1"]
    tie = Episode(GAME112, GAME112.new(1, 0), [0, 2, 4, 6, 8])
    assert [p["result"] for p in Page(tie.to_html()).episode["players"]] == ["0", "0"]
    unfinished = Episode(GAME112, GAME112.new(1, 0), [0])
    assert [p["result"] for p in Page(unfinished.to_html()).episode["players"]] == ["", ""]


def test_page_needs_nothing_from_outside():
    text = won().to_html()
    assert set(re.findall(r"https?:[^\s\"'\\]*", text)) == {"http://www.w3.org/2000/svg"}
    page = Page(text)
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert not {"src", "href", "action", "srcset"} & set(attributes)
        assert tag != "form" or attributes == {"method": "dialog"}  # closes the rules
        assert not [key for key in attributes if key.startswith("on")]
    assert "@import" not in text
    assert "url(" not in text


def test_page_is_whole():
    text = won().to_html()
    assert text.startswith("<!DOCTYPE html>\n")
    assert "{{" not in text
    page = Page(text)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    code = page.scripts[1]
    asked = set(re.findall(r'getElementById\("(\w+)"\)', code))
    for named in re.findall(r"=\s+(\[[^\]]*\])\s+\.map\(\(id\) => document\.getElementById", code):
        asked |= set(json.loads(named))
    wanted = {"episode", "picture", "slider", "moves", "play", "rules", "bars", "curve"}
    assert wanted <= asked <= set(ids)
    steps = set(re.findall(r"(\w+): \(\) =>", code)) | {"last"}
    assert {button.get("data-to") for button in page.all("button")} - {None} == steps
    for control in page.all("button") + page.all("input"):
        assert control.get("aria-label") or control.get("title") or control == {}  # "Close"
    assert len(page.all("button")) == 7
    assert [slider["type"] for slider in page.all("input")] == ["range"]
    assert page.all("html")[0]["lang"] == "en"
    assert "prefers-color-scheme: dark" in page.texts["style"]
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.all(
        "meta"
    )


NAMES = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.isprintable)


@given(NAMES | st.sampled_from(EVIL), NAMES | st.sampled_from([*EVIL, "<!--", "{{episode}}"]))
def test_names_stay_names(one, two):
    plain = Page(won().to_html())
    episode = won(players=[one, two])
    page = Page(episode.to_html())
    assert page.elements == plain.elements
    assert page.scripts[1] == plain.scripts[1]
    assert [player["name"] for player in page.episode["players"]] == [one, two]
    assert page.texts["title"] == f"The 112 game: {one}, {two}"
    assert "<" not in page.scripts[0]


def test_page_of_no_actions_at_all():
    data = Page(Episode(GAME112, GAME112.new(1, 0), []).to_html()).episode
    assert data["moves"] == []
    assert len(frames(data["texts"])) == 1


def test_page_shares_lines_between_positions():
    game = boardenvs.make("gekitai")
    played = [Episode.play(game, ["random", "random"], seed) for seed in range(10)]
    episode = max(played, key=len)
    whole = sum(len(game.picture(state)) for state in episode.states())
    assert len(episode.to_html()) < whole / 2


def test_page_in_a_file(tmp_path):
    path = tmp_path / "episode.html"
    episode = won(players=["Žofia 😀", "bob"])
    episode.save_html(path)
    assert path.read_text(encoding="utf-8") == episode.to_html()


def test_notebooks_show_the_page_in_a_frame_of_its_own():
    episode = won(players=EVIL)
    page = Page(episode._repr_html_())
    [(tag, attributes)] = page.elements
    assert tag == "iframe"
    assert attributes["srcdoc"] == episode.to_html()
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["title"] == repr(episode)

"""Saving and loading of episodes, and refusal of damaged files."""

import json
import re

import numpy as np
import pytest
from episodes import EVIL, THOUGHT, WON, won
from hypothesis import given
from hypothesis import strategies as st

import boardenvs
from boardenvs import Episode
from boardenvs.episode import _digest

ASKED = {"prompt": "Your move?", "answer": "1 1", "error": ""}


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
    """Rewrite an episode's file with these changes and a matching checksum."""
    won().save(path)
    content = {**json.loads(path.read_text(encoding="utf-8")), **changes}
    content.pop("sha256")
    path.write_text(json.dumps({**content, "sha256": _digest(content)}), encoding="utf-8")


def test_episodes_round_trip(game, tmp_path):
    path = tmp_path / "episode.json"
    for seed in range(5):
        episode = Episode.play(game, ["random"] * game.num_players, seed)
        episode.save(path)
        loaded = Episode.load(str(path))
        assert loaded == episode
        assert np.array_equal(loaded.states(), episode.states())


def test_forfeits_names_and_parameters_round_trip(tmp_path):
    game = boardenvs.make("gekitai", board_size=8, pieces=12, line_length=5, max_plies=30)
    path = tmp_path / "an episode ä.json"
    episode = Episode(game, game.new(1, 0), [63, 63], ["Žofia 😀", EVIL[0]])
    episode.save(path)
    assert Episode.load(path) == episode
    assert Episode.load(path).game == game
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["format"] == "boardenvs episode"
    assert content["version"] == 3
    assert content["actions"] == [63, 63]


def test_saving_replaces_the_file_or_does_not_change_it(tmp_path, monkeypatch):
    path = tmp_path / "episode"
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
    assert [p.name for p in tmp_path.iterdir()] == ["episode"]


def test_unreadable_and_unwritable_paths_are_refused(tmp_path):
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
        (b"", "JSON"),
        (b"\x08\x07\x12\x07pytorch\xff", "JSON"),
        (b"\xff\xfe{\x00}\x00", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b"1" * 5000, "JSON"),
        (b"[]", "format 'boardenvs episode'"),
        (b"null", "format 'boardenvs episode'"),
        (b'{"game": "gekitai"}', "format 'boardenvs episode'"),
        (b'{"format": "boardenvs episode"}', "version must be 3, got None"),
        (b'{"format": "boardenvs episode", "version": 3}', "keys must be"),
    ],
)
def test_files_of_other_kinds_are_refused(file, data, word):
    file.write_bytes(data)
    assert_refused(file, "not an episode" if "JSON" in word else "", word)


def test_episodes_convert_to_json_text(file):
    won().save(file)
    assert file.read_text(encoding="utf-8") == won().to_json()
    assert Episode.from_json(file.read_bytes()) == Episode.from_json(won().to_json()) == won()
    for wrong, said in ((b"[]", "^not an"), ("[\ud800]", "^not an"), (1, "^data ")):
        with pytest.raises(ValueError, match=said):
            Episode.from_json(wrong)


def test_a_truncated_file_is_refused(file):
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
        ({"version": 4}, "version must be 3, got 4"),
        *(
            ({"analysis": analysis}, word)
            for analysis, word in [
                ({}, "analysis must be a list"),
                ([None] * 3, "analysis must be a list of 4"),
                ([None, None, 1, None], "analysis must have the keys"),
                ([{**THOUGHT, "kind": "guesses"}, *[None] * 3], "kind must be"),
                ([{**THOUGHT, "actions": [7, 7]}, *[None] * 3], "[7, 7]"),
                ([{**THOUGHT, "actions": [7]}, *[None] * 3], "weights"),
                ([{**THOUGHT, "actions": [7, 10]}, *[None] * 3], "from 0 to 9, got 10"),
                ([None, {**THOUGHT, "actions": [6, 2]}, None, None], "action 6"),
                ([{**THOUGHT, "weights": [7, 0]}, *[None] * 3], "visits must be"),
                ([{**THOUGHT, "weights": [7, 0.5]}, *[None] * 3], "visits must be"),
                ([{**THOUGHT, "line": [7, 10]}, *[None] * 3], "from 0 to 9, got 10"),
                ([{**THOUGHT, "line": 7}, *[None] * 3], "analysis must have lists"),
                ([{**THOUGHT, "depth": -1}, *[None] * 3], "depth must be"),
                ([{**THOUGHT, "proven": 1}, *[None] * 3], "proven must be"),
                ([{**THOUGHT, "tries": [1]}, *[None] * 3], "tries must be a list of dictionaries"),
                ([{**THOUGHT, "tries": {}}, *[None] * 3], "tries must be a list of dictionaries"),
                ([{**THOUGHT, "tries": [{"prompt": ""}]}, *[None] * 3], "tries must be a list of"),
                ([{**THOUGHT, "tries": [ASKED | {"answer": 1}]}, *[None] * 3], "must be text"),
                ([{**THOUGHT, "length": 1}, *[None] * 3], "analysis must have the keys"),
                ([{**THOUGHT, "actions": [], "weights": []}, *[None] * 3], "at least one action"),
                ([{**THOUGHT, "values": [1]}, *[None] * 3], "for each of 2 seats"),
                ([{**THOUGHT, "values": [1, "x"]}, *[None] * 3], "for each of 2 seats"),
                ([{**THOUGHT, "values": [1, float("nan")]}, *[None] * 3], "for each of 2 seats"),
                ([{**THOUGHT, "kind": "probabilities"}, *[None] * 3], "above 0 and at most 1"),
            ]
        ),
        ({"more": 1}, "keys must be"),
        ({"actions": [7, 7, 4, 2]}, "after 2 actions, got 4"),
        ({"actions": [*WON, 8]}, "after 4 actions, got 5"),
        ({"actions": [7, 1, 4, 8]}, "final must be"),
        ({"actions": WON[:-1], "analysis": [None] * 3}, "final must be"),
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
        ({"initial": {"game": [], "params": {}}}, "initial.game must be text, got []"),
        ({"initial": {"game": "chess", "params": {}}}, "got 'chess'"),
        ({"initial": {"game": "game112", "params": {"deck": 1}}}, "no parameter 'deck'"),
        ({"initial": {"game": "game112", "params": {"board_size": 10}}}, "board_size must be"),
        ({"initial": {"game": "game112", "params": {}}}, "field 'board'"),
        ({"final": None}, "final must be"),
        ({"players": ["a", "x" * 10_000, "c"]}, " ..."),
    ],
)
@pytest.mark.usefixtures("temporary_games")  # a long list of games would be cut off
def test_wrong_content_with_a_valid_checksum_is_refused(file, changes, word):
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
    """Check that `load` raises only ValueError, or returns a complete episode."""
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
def test_arbitrary_bytes_are_loaded_or_refused(file, data):
    file.write_bytes(data)
    loads_or_refuses(file)


@given(st.data())
def test_damaged_files_are_loaded_or_refused(file, data):
    won().save(file)
    original = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        original[data.draw(st.integers(0, len(original) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(original)
    loads_or_refuses(file)


@given(st.data())
def test_arbitrary_values_are_loaded_or_refused(file, data):
    """Files load or are refused if any value, at any depth, is replaced, removed or added to."""
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

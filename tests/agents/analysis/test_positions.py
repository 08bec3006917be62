"""Positions given by users: all supported formats, and errors for others."""

import io
import json
import re

import numpy as np
import pytest

import boardenvs
from agents.analysis.positions import read_position
from agents.play.screen import marked
from boardenvs.episode import Episode


def shown(game, state):
    """Return a position as `boardenvs play` prints it, with marks and the line below the board."""
    turn_line = game.presentation.turn_line(state)
    text = marked(game.to_text(state), game.presentation.spans(state))
    return text + (f"{turn_line}\n" if turn_line else "")


def test_positions_printed_by_play_can_be_read(name, random_positions):
    game = boardenvs.make(name)
    states = random_positions(game, 2, 5)
    for state in states[~game.over(states)][:: max(1, len(states) // 40)]:
        needed = name == "gekitai" and game.owners(state).max() >= 0
        to_move = int(state["to_move"]) if needed else None
        found = read_position(shown(game, state), game, to_move=to_move)
        again = found.state[0]
        assert game.to_text(again) == game.to_text(state)
        assert game.presentation.turn_line(again) == game.presentation.turn_line(state)
        assert game.to_move(found.state) == state["to_move"]
        if name != "goat_race":  # texts do not show covered goats
            assert np.array_equal(game.legal(found.state), game.legal(game.arrays.batch(state)))


def test_positions_and_episodes_are_read_from_json(name, tmp_path, monkeypatch):
    game = boardenvs.make(name, max_plies=9)
    episode = Episode.play(game, ["random"] * game.num_players, 3)
    path = tmp_path / "game.json"
    episode.save(path)
    typed = boardenvs.make(name)  # other parameters than the file, but none given by the user
    for ply in (0, 3, None):
        found = read_position(str(path), typed, ply=ply)
        assert found.game == game
        assert found.state[0] == episode.states()[len(episode) if ply is None else ply]
    text = json.dumps(game.to_dict(episode.states()[2]))
    assert read_position(text, typed).state[0] == episode.states()[2]
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert read_position("-", typed).state[0] == episode.states()[2]
    if typed != game:
        with pytest.raises(ValueError, match=r"episode .*max_plies=9"):
            read_position(str(path), typed, params_given=True)


BOARD = "| 1 - - - - - - 2 - |"


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("", {}, "'' .*board"),
        ("no.json", {}, "'no.json' .*board"),
        ("| 1 1 |", {}, "board"),
        (f"{BOARD}\n{BOARD}\n", {}, "the text: .*board"),
        (BOARD, {"to_move": 1}, "to_move must be .*1"),
        (BOARD, {"ply": 1}, "--ply "),
        ("{", {}, "JSON"),
        ('{"board": [1]}', {}, "board must be "),
        ('{"game": "chess"}', {}, "position .*'chess'"),
        ('{"board": [], "params": {"size": 3}}', {}, "'size'"),
        ('{"format": "boardenvs episode"}', {}, "version .*None"),
        ('{"format": 1}', {}, "episode.* format"),
        ('{"board": []}', {"to_move": 0}, "--to-move "),
        ("{" * 100_000, {}, "JSON|recursion"),
        ('{"a": ' + "[" * 100_000, {}, "recursion|JSON"),
        ("\x1b[2J\n\0", {}, "board"),
    ],
)
def test_invalid_positions_are_refused_in_one_line(text, options, said):
    with pytest.raises(ValueError, match=said) as refused:
        read_position(text, boardenvs.make("game112"), **options)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 1000


def test_a_file_that_is_not_utf_8_is_refused(tmp_path):
    game = boardenvs.make("game112")
    path = tmp_path / "board.txt"
    path.write_bytes(BOARD.encode("utf-8-sig"))
    assert read_position(str(path), game).state[0] == game.from_text(BOARD)
    path.write_bytes(BOARD.encode("utf-16"))
    with pytest.raises(ValueError, match=f"{re.escape(str(path))} must be UTF-8 text: .* 0xff"):
        read_position(str(path), game)


def test_episodes_of_another_game_and_plies_out_of_range_are_refused(tmp_path):
    game = boardenvs.make("game112")
    path = tmp_path / "e.json"
    episode = Episode.play(game, ["random"] * 2, 1)
    episode.save(path)
    with pytest.raises(ValueError, match=r"episode of gekitai.* game112"):
        read_position(str(path), boardenvs.make("gekitai"))
    for ply in (-1, len(episode) + 1, 10**30):
        with pytest.raises(ValueError, match=f"ply must be .* {len(episode)} .* {ply}"):
            read_position(str(path), game, ply=ply)
    path.write_text(path.read_text().replace('"actions": [', '"actions": [1, '))
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}: damaged"):
        read_position(str(path), game)


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("goat_race", "Order: WHITE; die: 3; move sideways", "Order: WHITE, "),
        ("goat_race", "die", "line"),
        ("dominoes175", "Tile in hand: [7|7]", "Tile in hand: "),
        ("pizza_order", "Wanted: 1. Custom (Snow)", "ingredients"),
        ("pizza_order", "Wanted: nothing", "Wanted: "),
        ("gekitai", "die: 3", "below the board"),
    ],
)
def test_invalid_lines_below_a_board_are_refused(name, line, said):
    with pytest.raises(ValueError, match=said):
        boardenvs.make(name).presentation.from_turn_line(line)

"""Boards of several sizes: their syntax, and which network plays a size."""

import json

import numpy as np
import pytest

import agents
import boardenvs
from agents.command import info
from agents.networks import card as cards
from agents.networks.card import read_card, scores_on, shipped
from agents.networks.sizes import (
    common_params,
    covered_sizes,
    games_of_card,
    make_sizes,
    several_values,
    shared_out,
    shares_of,
    size_parameter,
    sizes_of_card,
)

GAME = {"win_length": 4}


def sizes(*values, **params):
    return make_sizes("gomoku", {**GAME, **params}, "board_size", values)


def typed(name, params):
    return make_sizes(name, params, *several_values(params))


# -- Syntax -----------------------------------------------------------------------------


def test_numbers_with_commas_mean_several_sizes():
    several = typed("gomoku", {"board_size": "9, 7,15", "win_length": 4})
    assert several == sizes(7, 9, 15)
    assert size_parameter(several) == "board_size"
    assert [game.observation_shape[-1] for game in several] == [7, 9, 15]
    # By default, each board allows as many plies as it has cells.
    assert [game.max_plies for game in several] == [49, 81, 225]
    assert common_params(several) == {
        "board_size": [7, 9, 15], "win_length": 4, "exact": False, "max_plies": None
    }  # fmt: skip
    assert several_values({"board_size": 9}) is None
    assert common_params(sizes(7, 9, max_plies=30))["max_plies"] == 30


@pytest.mark.parametrize(
    ("name", "params", "said"),
    [
        ("gomoku", {"board_size": "7,7"}, r"board_size .*got \[7, 7\]"),
        ("gekitai", {"board_size": "5,6"}, "board_size .*got 5"),
        ("gekitai", {"bord_size": "6,7"}, "bord_size.* did you mean board_size"),
        (
            "gomoku",
            {"board_size": "7,9", "win_length": "4,5"},
            "several values.* board_size, win_length$",
        ),
        (
            "gomoku",
            {"win_length": "4,5"},
            r"win_length=4,5: .*\(3, 15, 15\), \(3, 15, 15\)$",
        ),
        (
            "goat_race",
            {"num_players": "2,3"},
            r"num_players=2,3: .*GoatRace\(.*GoatRace\(",
        ),
    ],
)
def test_invalid_sizes_are_refused(name, params, said, refused):
    with refused(said):
        typed(name, params)


def test_a_one_dimensional_game_has_several_sizes():
    row = make_sizes("game112", {}, "board_size", [5, 9])
    assert covered_sizes(row) == [5, 6, 7, 8, 9]


def test_shares_are_normalised_and_checked(refused):
    assert shares_of(sizes(7, 9)) == (0.5, 0.5)
    assert shares_of(sizes(7, 9), {"7": 3, "9": 1}) == (0.75, 0.25)
    for bad, said in (({"8": 1}, "shares .*board_size=7,9.*'8'"), ({"7": 0}, "shares.*'7'.*got 0")):
        with refused(said):
            shares_of(sizes(7, 9), bad)


def test_whole_numbers_are_divided_by_shares(refused):
    assert shared_out("games", 10, [0.75, 0.25]) == [8, 2]
    assert shared_out("games", 3, [0.98, 0.01, 0.01]) == [1, 1, 1]
    assert shared_out("games", 5, [1.0]) == [5]
    with refused("games .*3.* got 2$"):
        shared_out("games", 2, [0.5, 0.25, 0.25])


# -- Cards and the choice of a network --------------------------------------------------


def card(several):
    return {
        "game": several[0].name,
        "params": {**common_params(several), size_parameter(several): covered_sizes(several)},
        "sizes": {size_parameter(several): [game.params["board_size"] for game in several]},
        "scores": [
            {"params": {"board_size": value}, "against": "random", "score": value / 10}
            for value in (game.params["board_size"] for game in several)
        ],
    }


def test_a_card_lists_trained_and_supported_sizes():
    several = sizes(7, 9)
    assert card(several)["params"]["board_size"] == [7, 8, 9]
    assert sizes_of_card(card(several)) == ("board_size", [7, 9])
    assert games_of_card(card(several)) == several
    one = boardenvs.make("gomoku", board_size=9)
    assert games_of_card({"game": "gomoku", "params": one.params}) == (one,)
    assert [e["score"] for e in scores_on(card(several), several[1])] == [0.9]


@pytest.mark.parametrize(
    ("size", "said"), [(9, "0.900 against random"), (8, "not measured on this size")]
)
def test_info_prints_the_score_on_each_size(size, said, monkeypatch):
    told = card(sizes(7, 9))
    monkeypatch.setattr(info, "names_for", lambda game: ["trained"])
    monkeypatch.setattr(info, "shipped", lambda game: None)
    monkeypatch.setattr(info, "read_card", lambda path: told)
    assert info._names(gomoku(size))["Trained"] == said


@pytest.fixture
def folder(tmp_path, monkeypatch, network_file):
    """Return the function `(name, game or sizes)` that puts a network into the game's folder."""
    monkeypatch.setattr(cards, "files", lambda game, pattern: sorted(tmp_path.glob("*/*.onnx")))

    def put(name, game):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        several = not isinstance(game, boardenvs.Game)
        told = card(game) if several else {"game": game.name, "params": game.params, "scores": []}
        made = network_file(game[0] if several else game, card=told)
        made.with_suffix(".json").rename(path.with_suffix(".json"))
        return made.rename(path)

    return put


def gomoku(size, **params):
    return boardenvs.make("gomoku", board_size=size, **{**GAME, **params})


def test_a_network_for_one_size_is_preferred_to_one_for_several(folder, refused):
    mixed, exact = folder("a/all.onnx", sizes(7, 9)), folder("a/nine.onnx", gomoku(9))
    assert shipped(gomoku(9)) == exact
    assert shipped(gomoku(7)) == shipped(gomoku(8)) == shipped(gomoku(8, max_plies=20)) == mixed
    for other in (gomoku(10), gomoku(6), gomoku(7, win_length=5), gomoku(7, exact=True)):
        with refused(r"trained agent .*Gomoku\("):
            shipped(other)
    # An earlier folder wins, even if its network fits several sizes.
    folder("b/nine.onnx", gomoku(8))
    assert shipped(gomoku(8)) == mixed


def test_a_size_that_the_card_does_not_list_is_refused(folder, refused):
    path = folder("a/all.onnx", sizes(7, 9))
    with refused(r"all.onnx plays gomoku with .*\[7, 8, 9\].*, not gomoku with .*'board_size': 11"):
        agents.make(f"trained:{path}", gomoku(11))


def test_a_network_with_fixed_axes_is_refused_for_other_sizes(folder, refused):
    path = folder("a/all.onnx", sizes(7, 9))
    assert agents.make(f"trained:{path}", gomoku(7)).act(gomoku(7).new(1)).shape == (1,)
    with refused(r"all.onnx .*3, 9, 9.*, got .*3, 7, 7"):
        agents.make(f"trained:{path}", gomoku(9))


@pytest.mark.parametrize(
    "changes",
    [
        {"sizes": [7]}, {"sizes": {}}, {"sizes": {"size": [7]}}, {"sizes": {"exact": [7]}},
        {"sizes": {"board_size": 7}}, {"params": None},
    ],
    ids=str,
)  # fmt: skip
def test_a_damaged_card_is_refused(folder, refused, changes):
    path = folder("a/all.onnx", sizes(7, 9))
    told = {**read_card(path), **changes}
    path.with_suffix(".json").write_text(json.dumps(told), encoding="utf-8")
    with refused("all.onnx plays gomoku with "):
        agents.make(f"trained:{path}", gomoku(7))


def test_settings_for_several_sizes_are_read(tmp_path):
    pytest.importorskip("torch")
    from agents.training.settings_files import read_settings, settings_for

    file = tmp_path / "own.toml"
    file.write_text(
        'ppo_steps = 7\n["board_size=9"]\nppo_steps = 9\n["board_size=several"]\nppo_steps = 0\n'
        "shares = { 7 = 2 }\n",
        encoding="utf-8",
    )
    assert [read_settings(file, game).ppo_steps for game in (gomoku(7), gomoku(9))] == [7, 9]
    settings = read_settings(file, sizes(7, 9))
    assert (settings.ppo_steps, settings.shares) == (0, {"7": 2})
    for name, values in (("gekitai", [6, 7, 8]), ("gomoku", range(7, 20, 2))):
        committed = settings_for(make_sizes(name, {}, "board_size", list(values)))
        assert (committed.ppo_steps, committed.network) == (0, "convolutional")
        assert committed.clone
        assert committed.guided.games >= 10 * len(values)
    assert np.isclose(sum(shares_of(sizes(7, 9))), 1)

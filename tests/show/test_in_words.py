"""Texts for people: titles, settings, results and rules of games."""

import numpy as np
import pytest
from variants import VARIANTS

import boardenvs
from boardenvs.game112 import Game112
from boardenvs.show.page import end_in_words, title_of
from boardenvs.show.page.rules import rules_html
from boardenvs.show.presentation import Presentation

NAMES = ["You", "Greedy", "Cleo"]


def after(game, *moves):
    states = game.new(1, 0)
    for move in moves:
        game.play(states, [game.action_from_text(move, states[0])])
    return states[0]


def end(game, state):
    return end_in_words(game, state, NAMES[: game.num_players])


def whole_games(game, num):
    """Return the final positions of random games."""
    rng = np.random.default_rng(0)
    states = game.new(num, 0)
    over = game.over(states)
    while not over.all():
        left = states[~over]
        actions = np.argmax(rng.random((len(left), game.num_actions)) * game.legal(left), 1)
        game.play(left, actions)
        states[~over] = left
        over = game.over(states)
    return states


@pytest.mark.parametrize(
    ("name", "params", "title", "setting"),
    [
        ("gekitai", {}, "Gekitai", "6 by 6 cells, 8 pieces each, 3 in a row win"),
        ("gomoku", {"exact": True}, "Gomoku", "15 by 15 lines, just 5 in a row win"),
        (
            "game112",
            {"board_size": 5},
            "The 112 game",
            "a row of 5; 1, 1, 2 from left to right wins",
        ),
        (
            "goat_race",
            {"width": 5, "draw_rule": "jump"},
            "Goat Race",
            "3 players, 6 rows and 5 columns, 3 goats in column E win, "
            "drawn when no goat can move at all",
        ),
        (
            "dominoes175",
            {},
            "Dominoes 175",
            "28 tiles face down, 3 stacks, 6 tiles in one win",
        ),
        ("pizza_order", {"max_pizzas": 1}, "Pizza order", "one pizza"),
    ],
)
def test_title_and_setting_describe_the_game(name, params, title, setting):
    game = boardenvs.make(name, **params)
    assert title_of(game) == title
    assert game.presentation.setting() == setting


def test_gekitai_describes_its_ends():
    game = boardenvs.make("gekitai")
    won = after(game, "a1", "a6", "c3", "d4", "c3")
    assert end(game, won) == "You won by a line of 3."
    rows = ["X.X.X.", "......", "X.X.X.", "......", "X.X...", "......"]
    won = game.from_dict({"board": rows, "to_move": 1})
    assert end(game, won) == "You won by having all 8 pieces on the board."
    assert end(game, after(game, "a1", "c3")) == ""
    assert end(game, after(game, "a1", "a1")) == "Greedy lost by an illegal move."
    short = boardenvs.make("gekitai", max_plies=2)
    stopped = "Nobody won: the game was stopped after 2 moves, as long as it may last."
    assert end(short, after(short, "a1", "c3")) == stopped


def test_gomoku_describes_its_ends():
    game = boardenvs.make("gomoku", board_size=5)
    moves = [f"{row} {column}" for column in "ABCD" for row in (0, 1)]
    assert end(game, after(game, *moves, "0 E")) == "You won by a line of 5."
    exact = boardenvs.make("gomoku", board_size=5, win_length=3, exact=True)
    assert end(exact, after(exact, *moves[:4], "0 C")) == "You won by a line of just 3."
    full = game.from_dict({"board": ["XXOXX", "OOXOO", "XXOXX", "OOXOO", "XXOXO"]})
    assert end(game, full) == "Drawn: the board is full."


def test_game112_describes_its_ends():
    game = boardenvs.make("game112", board_size=3)
    assert end(game, after(game, "1 1", "3 2", "2 1")) == "You won by 1, 1, 2 in a row."
    assert end(game, after(game, "1 1", "3 1", "2 1")) == "Drawn: the row is full."


@pytest.mark.parametrize(
    ("rule", "drawn"),
    [("forward", "Drawn: no goat can move forward."), ("jump", "Drawn: no goat can move.")],
)
def test_goat_race_describes_its_ends(rule, drawn):
    game = boardenvs.make("goat_race", num_players=2, draw_rule=rule, width=5, height=3)
    states = whole_games(game, 400)
    told = set()
    for state in states[states["terminated"]]:
        told.add(end(game, state))
        returns = state["returns"][:2]
        winner = NAMES[returns.argmax()]
        won = f"{winner} won by 3 goats in the Destination."
        assert end(game, state) == (won if returns.any() else drawn)
    assert len(told) == 3


def test_dominoes_describes_its_ends():
    game = boardenvs.make("dominoes175")
    states = whole_games(game, 400)
    for state in states:
        if state["returns"][0] > 0:
            assert end(game, state) == "Won: a stack of 6 tiles."
        else:
            tile = "-".join(map(str, game.info(state)["hand"]))
            assert end(game, state) == f"Lost: the tile {tile} fits on no stack."
    assert len({end(game, state) for state in states}) > 5


def test_pizza_order_describes_its_ends():
    game = boardenvs.make("pizza_order")
    [right] = game.restore({"wanted": [[1, 13]], "answers": [0, 22]})
    assert end(game, right) == "The order is right: it has the pizzas wanted."
    [wrong] = game.restore({"wanted": [[1, 13]], "answers": [3, 22]})
    assert end(game, wrong) == "The order is wrong: these are not the pizzas wanted."


@pytest.mark.parametrize("called", VARIANTS)
def test_every_end_has_a_description(called):
    name, params = VARIANTS[called]
    game = boardenvs.make(name, **params)
    assert game.presentation.setting()
    for state in whole_games(game, 20):
        said = end_in_words(game, state, ["Someone"] * game.num_players)
        assert said[-1] == "."
        assert said[0].isupper()
        assert said.isprintable()
        assert "_" not in said


class OwnWordlessGame(Game112):
    about = """
    A game of one's own, of which nothing is said.

    - Rules: whoever makes
      1, 1, 2 wins.
    """
    title = ""
    presentation_class = Presentation


def test_a_game_without_descriptions_has_defaults():
    """A game without texts shows its `about` as rules, and its arguments by name."""
    game = OwnWordlessGame(board_size=3)
    assert title_of(game) == "Own Wordless Game"
    assert game.presentation.setting() == "board size 3, max plies 9"
    assert end(game, after(game, "1 1", "3 2", "2 1")) == "You won."
    assert end(game, after(game, "1 1", "3 1", "2 1")) == "Drawn."
    assert rules_html(game) == "<ul><li>whoever makes 1, 1, 2 wins.</li></ul>"


def test_a_game_without_docstring_has_no_rules(monkeypatch):
    monkeypatch.setattr(OwnWordlessGame, "about", "")
    assert OwnWordlessGame(board_size=3).presentation.rules_in_short() == []


def test_rules_mention_the_parameters_of_the_game():
    rules = rules_html(boardenvs.make("gekitai", pieces=7, line_length=4))
    short, full = rules.split("<details>")
    assert "one of their 7 pieces" in short
    assert "4 pieces in an unbroken row" in short
    assert "<li>In each turn a player places one of their pieces" in full
    assert "<code>X</code>" in full

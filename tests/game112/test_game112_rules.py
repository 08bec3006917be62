"""The 112 game's rules: games of the document, and all positions."""

from __future__ import annotations

import numpy as np
import pytest
from reachable_game112 import reachable

import boardenvs

ENDS = {
    None: (False, [0, 0]),
    "Tie!": (True, [0, 0]),
    "Player 1 wins!": (True, [1, -1]),
    "Player 2 wins!": (True, [-1, 1]),
}


def board_of(game, state):
    """Return the board as in the document, with 8 for an empty position."""
    return "".join("812"[cell] for cell in game.to_dict(state)["board"])


def number(position, value):
    return 2 * (position - 1) + (value - 1)


def run(size, moves):
    """Play moves given as positions and values in a string, as in the document."""
    game = boardenvs.make("game112", board_size=size)
    states = game.new(1, 0)
    for position, value in zip(moves[::2], moves[1::2], strict=True):
        game.play(states, [number(int(position), int(value))])
    return game, states


# -- Games of the document, and other games -------------------------------------------

GAMES = [
    (5, "", "88888", None),
    (5, "21", "81888", None),
    (5, "21123142", "21128", "Player 2 wins!"),
    (5, "42123121", "21128", "Player 2 wins!"),
    (5, "1122324152", "12212", "Tie!"),
    (3, "112132", "112", "Player 1 wins!"),
    (3, "321121", "112", "Player 1 wins!"),
    (3, "2232", "822", None),
    (3, "112231", "121", "Tie!"),
    (4, "11213142", "1112", "Player 2 wins!"),
    (4, "42112131", "1112", "Player 2 wins!"),
    (4, "41322111", "1121", "Player 2 wins!"),
    (9, "718192", "888888112", "Player 1 wins!"),
    (9, "9182", "888888821", None),
    (1, "11", "1", "Tie!"),
    (1, "12", "2", "Tie!"),
    (2, "1122", "12", "Tie!"),
    (2, "1121", "11", "Tie!"),
    (6, "112142516231", "111212", "Player 2 wins!"),
]


@pytest.mark.parametrize(("size", "moves", "board", "result"), GAMES)
def test_known_games_follow_the_rules(size, moves, board, result):
    game, states = run(size, moves)
    terminated, returns = ENDS[result]
    assert board_of(game, states[0]) == board
    assert game.terminated(states).tolist() == [terminated]
    assert game.returns(states)[0].tolist() == returns
    assert not game.truncated(states).any()
    assert states["ply"][0] == len(moves) // 2
    assert game.legal(states).sum() == (0 if terminated else 2 * board.count("8"))


def test_an_occupied_position_loses():
    game, states = run(5, "1211")
    assert board_of(game, states[0]) == "28888"
    assert game.returns(states)[0].tolist() == [1, -1]
    assert game.terminated(states)[0]
    assert states["offender"][0] == 1


@pytest.mark.parametrize("cut", range(2, 9))
def test_a_game_beyond_max_plies_is_truncated(cut):
    game = boardenvs.make("game112", max_plies=cut)
    states = game.new(1, 0)
    for ply in range(cut):
        assert not game.truncated(states)[0]
        game.play(states, [number(ply + 1, 2)])
    assert game.truncated(states)[0]
    assert not game.terminated(states)[0]
    assert game.returns(states)[0].tolist() == [0, 0]
    assert not game.legal(states).any()


def test_a_win_on_the_last_ply_is_a_win():
    game = boardenvs.make("game112", max_plies=3)
    states = game.new(2, 0)
    for moves in (["1 1", "1 1"], ["2 1", "2 1"], ["3 2", "3 1"]):
        game.play(states, [game.action_from_text(move) for move in moves])
    assert game.terminated(states).tolist() == [True, False]
    assert game.truncated(states).tolist() == [False, True]
    assert game.returns(states).tolist() == [[1, -1], [0, 0]]


def test_observation_shows_ones_twos_and_empty_positions():
    game, states = run(5, "1142")
    expected = [[1, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 1, 1, 0, 1]]
    for seat in (0, 1):
        assert game.observe(states, seat)[0].tolist() == expected


# -- Every position -------------------------------------------------------------------

# Numbers of boards reachable by legal play, including the empty and finished ones, and among them
# won boards and full boards without a winner. The board determines the player to move. Up to five
# positions, all 3^N boards are reachable. From six on, all boards are except those with 1, 1, 2
# twice.
REACHABLE = {
    1: (3, 0, 2),
    2: (9, 0, 4),
    3: (27, 1, 7),
    4: (81, 6, 12),
    5: (243, 27, 20),
    6: (728, 106, 33),
    7: (2178, 387, 54),
    8: (6507, 1350, 88),
    9: (19415, 4566, 143),
}


@pytest.mark.parametrize("size", REACHABLE)
def test_the_number_of_reachable_positions_is_known(size):
    game = boardenvs.make("game112", board_size=size)
    states = game.new(1, 0)
    boards, won, tied = set(), 0, 0
    while len(states):
        boards.update(board_of(game, state) for state in states)
        ended = game.terminated(states)
        winners = game.returns(states).any(1)
        won += winners.sum()
        tied += (ended & ~winners).sum()
        which, actions = np.nonzero(game.legal(states))
        states = states[which]
        game.play(states, actions, illegal="raise")
        _, first = np.unique(states["cells"], axis=0, return_index=True)
        states = states[first]
    assert (len(boards), won, tied) == REACHABLE[size]
    assert boards == reachable(size)


@pytest.mark.parametrize("size", [5, 6, 7])
def test_dictionaries_accept_exactly_the_reachable_boards(size):
    game = boardenvs.make("game112", board_size=size)
    boards = reachable(size)
    for code in range(3**size):
        cells = [code // 3**k % 3 for k in range(size)]
        board = "".join("812"[cell] for cell in cells)
        if board in boards:
            assert board_of(game, game.from_dict({"board": cells})) == board
        else:
            with pytest.raises(ValueError, match="board"):
                game.from_dict({"board": cells})

"""The agent `neighbour`, the computer player of Gomoku's console program."""

import numpy as np
import pytest

import agents
import boardenvs
from boardenvs.gomoku.console import create_board, place_on_board, random_computer_player


@pytest.fixture(scope="module")
def gomoku():
    return boardenvs.make("gomoku", board_size=9)


def after(game, *moves):
    states = game.new(1, 0)
    for move in moves:
        game.play(states, [game.action_from_text(move)], illegal="raise")
    return states


def counts(game, states, times):
    """Return how often each action is chosen in a position."""
    chosen = agents.make("neighbour", game, seed=0).act(np.repeat(states, times))
    return np.bincount(chosen, minlength=game.num_actions)


@pytest.mark.parametrize(
    ("moves", "num"),
    [
        ([], 81),  # anywhere, without a last stone
        (["4 E"], 8),
        (["0 A"], 3),
        (["8 A", "2 A"], 5),
        (["4 D", "4 E"], 7),
        (["0 B", "1 A", "1 B", "5 F", "0 A"], 76),  # anywhere, because the square is full
    ],
)
def test_neighbour_plays_uniformly_next_to_the_last_stone(gomoku, moves, num):
    states = after(gomoku, *moves)
    found = counts(gomoku, states, 200 * num)
    expected = gomoku.near_last(states)[0]
    assert expected.sum() == num
    assert ((found > 0) == expected).all()
    assert np.abs(found[expected] - 200).max() < 5 * 200**0.5


def test_neighbour_plays_the_moves_of_the_console_program(gomoku):
    board = create_board(9)
    moves = ["4 E", "4 F", "3 E"]
    for k, move in enumerate(moves):
        place_on_board(board, "●○"[k % 2], tuple(move.split()))
    rng = np.random.default_rng(0)
    console = {" ".join(random_computer_player(board, ("3", "E"), rng)) for _ in range(300)}
    found = np.flatnonzero(counts(gomoku, after(gomoku, *moves), 300))
    assert {gomoku.action_to_text(int(action)) for action in found} == console


def test_a_position_set_up_by_hand_has_no_last_stone(gomoku):
    states = np.array([gomoku.from_dict({"board": ["X........"] + ["." * 9] * 8})])
    assert (counts(gomoku, states, 4000) > 0).sum() == 80


@pytest.mark.parametrize("name_", [name for name in boardenvs.GAMES if name != "gomoku"])
def test_neighbour_refuses_other_games(name_, refused):
    with refused(f"agent 'neighbour' .*{name_}$"):
        agents.make("neighbour", name_)


def test_neighbour_refuses_arguments_and_options(refused):
    with refused("there is no agent 'neighbour:3'"):
        agents.make("neighbour:3", "gomoku")
    with refused("agent 'neighbour' has no option 'depth'"):
        agents.make("neighbour", "gomoku", depth=3)

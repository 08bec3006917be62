"""Proven values of Gomoku on small boards, compared with an exhaustive search."""

import numpy as np
import pytest
from gomoku_positions import late_positions

import agents
import boardenvs
from agents.games.gomoku.lines.open_lines import can_pair, winning_cells
from agents.games.gomoku.proofs.proof import Solver
from agents.search.proofs.bitboards import canonical
from boardenvs.gomoku import Gomoku

VARIANTS = [(5, 3, False), (5, 3, True), (5, 4, False), (5, 4, True), (6, 4, True)]


def value(solver, state):
    """Return the value for the player to move, by whether either player forces a win."""
    mine, theirs = (solver.search(state, attack=attack).won for attack in (True, False))
    assert mine is not None
    assert theirs is not None
    assert not (mine and theirs)
    return int(mine) - int(theirs)


@pytest.mark.parametrize(("size", "length", "exact"), VARIANTS)
def test_the_solver_agrees_with_an_exhaustive_search(size, length, exact):
    game = Gomoku(board_size=size, win_length=length, exact=exact)
    states = late_positions(game, 60, 11 if length == 4 else 14, 5)
    solver = Solver(game, 14)
    expected = agents.make("exact", game).values(states)
    found = [value(solver, state) for state in states]
    assert found == expected[np.arange(len(states)), states["to_move"]].tolist()
    assert len(set(found)) > 1


def test_the_action_of_the_solver_keeps_the_win():
    game = Gomoku(board_size=5, win_length=4)
    states = late_positions(game, 300, 12, 1)
    solver = Solver(game, 14)
    kept = 0
    for state in states:
        found = solver.search(state)
        if found.won and found.plies > 1:
            after = state.copy().reshape(1)
            game.play(after, [found.action], illegal="raise")
            rest = solver.search(after[0], attack=False)
            assert rest.won
            assert rest.plies < found.plies
            kept += 1
    assert kept > 3


@pytest.mark.parametrize(
    ("size", "length", "exact", "won"),
    [
        (5, 2, False, True),
        (5, 3, False, True),
        (7, 3, True, True),
        (5, 4, False, False),
        (5, 4, True, False),
        (6, 4, False, True),
        (5, 5, False, False),
        (6, 5, True, False),
        (7, 6, False, False),
        (8, 7, True, False),
    ],
)
def test_proofs_of_small_boards_are_reproduced(size, length, exact, won):
    game = Gomoku(board_size=size, win_length=length, exact=exact)
    start = game.new(1)[0]
    solver = Solver(game, 18)
    assert solver.search(start, 100_000).won is won
    assert solver.search(start, 100_000, attack=False).won is False


def words(game, state):
    owners = game.owners(state)[0]
    return [
        np.uint64(sum(1 << int(8 * r + c) for r, c in np.argwhere(owners == seat)))
        for seat in (int(state["to_move"]), 1 - int(state["to_move"]))
    ]


@pytest.mark.parametrize("exact", [False, True])
def test_winning_cells_are_those_that_win_by_the_rules(exact):
    game = Gomoku(board_size=7, win_length=4, exact=exact)
    states = late_positions(game, 100, 25, 3)
    legal = game.legal(states)
    won = 0
    for state, mask in zip(states, legal, strict=True):
        found = int(winning_cells(game.constants[0], *words(game, state)))
        actions = np.flatnonzero(mask)
        after = np.repeat(state, len(actions))
        game.play(after, actions)
        for action, wins in zip(actions, after["returns"].any(axis=1), strict=True):
            assert (found >> int(action // 7 * 8 + action % 7) & 1) == wins
            won += wins
    assert won > 20


def test_won_positions_have_no_pairing():
    game = Gomoku(board_size=5, win_length=4)
    states = late_positions(game, 400, 12, 2)
    values = agents.make("exact", game).values(states)
    won = values[np.arange(len(states)), states["to_move"]] == 1
    paired = np.array([can_pair(game.constants[0], *words(game, state)) for state in states])
    assert not (won & paired).any()
    assert won.sum() > 5
    assert paired.sum() > 50
    one = words(game, states[0])
    turned = canonical(game.constants[0], *one)[:2]
    assert paired[0] == can_pair(game.constants[0], *map(np.uint64, turned))


def test_the_solver_refuses_other_games(game112, refused):
    with refused("proof-number search .*gomoku.* game112$"):
        Solver(game112)
    assert boardenvs.make("gomoku", board_size=8).board_size == 8

"""Gomoku compared with OpenSpiel's, where five or more win: the same games, ply by ply."""

from __future__ import annotations

import numpy as np
import pytest

import boardenvs

pyspiel = pytest.importorskip("pyspiel")

VARIANTS = {
    "gomoku": ({}, 3),
    "gomoku(size=9)": ({"board_size": 9}, 40),
    "gomoku(size=5)": ({"board_size": 5}, 60),  # mostly draws
    "gomoku(size=6,connect=4)": ({"board_size": 6, "win_length": 4}, 60),
    "gomoku(size=26,connect=6)": ({"board_size": 26, "win_length": 6}, 1),
}


@pytest.mark.parametrize(("theirs", "ours"), VARIANTS.items(), ids=VARIANTS)
def test_games_agree_with_open_spiel(theirs, ours):
    params, games = ours
    other = pyspiel.load_game(theirs)
    game = boardenvs.make("gomoku", **params)
    assert other.num_distinct_actions() == game.num_actions
    assert other.max_game_length() == game.max_plies
    size = game.board_size
    rng = np.random.default_rng(size)
    ends = set()
    for seed in range(games):
        states, state = game.new(1, seed), other.new_initial_state()
        while not state.is_terminal():
            legal = np.flatnonzero(game.legal(states)[0])
            assert state.legal_actions() == legal.tolist()
            assert state.current_player() == game.to_move(states)[0]
            mine, yours, _ = game.observe(states, 0)[0]
            seen = np.reshape(state.observation_tensor(0), (3, size, size))
            assert np.array_equal(seen[:2], [mine, yours])
            assert not game.terminated(states)[0]
            action = int(rng.choice(legal))
            row, column = (int(part) for part in state.action_to_string(0, action).split(","))
            assert game.action_from_text(f"{row} {chr(ord('A') + column)}") == action
            state.apply_action(action)
            game.play(states, [action])
        assert game.terminated(states)[0]
        assert state.returns() == game.returns(states)[0].tolist()
        ends.add(state.returns()[0])
    if games >= 40:
        assert ends >= ({0} if size == 5 else {1, -1})

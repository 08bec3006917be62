"""Positions with a single move that does not lose at once, and how often agents find it."""

import numpy as np
import pytest

import agents
import boardenvs
from agents.analysis.decisions import decisions
from agents.dev.__main__ import main
from agents.dev.only_moves import only_moves
from boardenvs.envs.playout import playout


def plain_only_move(game, state):
    """Return the only move of a position, by trying every move."""
    mover = int(state["to_move"])

    def after(before, action):
        states = game.arrays.batch(before).copy()
        game.play(states, [action], illegal="raise")
        return states

    def won_by(states, seat):
        return bool(game.terminated(states)[0]) and game.returns(states)[0, seat] > 0

    safe = []
    for action in np.flatnonzero(game.legal(game.arrays.batch(state))[0]):
        states = after(state, action)
        if won_by(states, mover):
            return -1
        if won_by(states, 1 - mover):
            continue
        replies = [] if game.over(states)[0] else np.flatnonzero(game.legal(states)[0])
        if not any(won_by(after(states[0], reply), 1 - mover) for reply in replies):
            safe.append(action)
    return safe[0] if len(safe) == 1 else -1


@pytest.mark.parametrize(
    ("name", "params"),
    [("gomoku", {"board_size": 6, "win_length": 4}), ("gekitai", {}), ("game112", {})],
)
def test_only_moves_agree_with_an_exhaustive_search(name, params):
    game = boardenvs.make(name, **params)
    rng = np.random.default_rng(5)
    states = game.new(12, 5)
    seen = []

    def choose(live, places):
        seen.append(live.copy())
        return (rng.random((len(live), game.num_actions)) * game.legal(live)).argmax(1)

    playout(game, states, choose)
    positions = np.concatenate(seen)
    positions = positions[rng.permutation(len(positions))[:60]]
    found = only_moves(game, positions)
    assert found.tolist() == [plain_only_move(game, state) for state in positions]
    assert name == "game112" or (found >= 0).any()
    assert (found < 0).any()


@pytest.mark.parametrize(
    ("moves", "wanted"),
    [
        (["1 A", "2 A", "1 B", "2 B", "1 C", "6 G", "1 D"], "1 E"),  # a four at the edge
        (["1 B", "2 A", "1 C", "2 B", "1 D", "6 G", "1 E"], None),  # an open four
        (["1 A", "2 A", "1 B", "2 B", "1 C", "2 C", "6 G", "2 D", "1 D"], None),  # an own four
    ],
)
def test_fours_of_gomoku_have_only_moves(moves, wanted):
    game = boardenvs.make("gomoku", board_size=7)
    states = game.new(1, 0)
    for move in moves:
        game.play(states, [game.action_from_text(move)], illegal="raise")
    (found,) = only_moves(game, states)
    assert found == (-1 if wanted is None else game.action_from_text(wanted))


def test_greedy_finds_all_only_moves_and_random_does_not(capsys):
    words = "only_moves gomoku -p board_size=7 random greedy --games 30 --seed 3"
    assert main(words.split()) == 0
    random, greedy = capsys.readouterr().out.splitlines()
    assert random.startswith("random: played ")
    assert ": 1.0000" not in random
    assert greedy.startswith("greedy: played ")
    assert ": 1.0000 (" in greedy


def test_decisions_are_those_of_the_first_agent():
    game = boardenvs.make("gekitai")
    agent, opponent = agents.make("greedy", game, 1), agents.make("random", game, 2)
    states, actions = decisions(game, agent, opponent, 6, 4, opening_plies=3)
    assert len(states) == len(actions)
    assert (states["ply"] >= 3).all()
    # The first agent has the first seat in games 0, 2, 4, where the other one moves after three
    # random plies.
    assert set(states["ply"][states["to_move"] == 0] % 2) == {0}
    again = decisions(game, agents.make("greedy", game, 1), agents.make("random", game, 2), 6, 4, 3)
    np.testing.assert_array_equal(states, again[0])
    np.testing.assert_array_equal(actions, again[1])

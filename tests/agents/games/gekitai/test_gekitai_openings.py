"""Gekitai's balanced openings."""

import numpy as np
import pytest
from plain_wins import forced

import agents
from agents.arena import play_match
from agents.arena.named_openings import named_openings
from agents.games.gekitai.balance import PLIES, is_balanced
from agents.games.gekitai.proofs.solving import Solver
from agents.games.gekitai.proofs.strategy import known_wins


@pytest.fixture(scope="module")
def shipped(gekitai):
    """Return the positions after the package's openings."""
    moves = named_openings(gekitai, "balanced").moves
    states = gekitai.new(len(moves), 0)
    for actions in moves.T:
        gekitai.play(states, actions, illegal="raise")
    return states


def test_no_two_openings_are_symmetric(gekitai, shipped):
    assert len(shipped) >= 100
    assert not gekitai.over(shipped).any()
    assert len(set(shipped["to_move"].tolist())) == 1
    seen = set()
    for planes in gekitai.observe(shipped, int(shipped["to_move"][0])):
        turns = [
            np.rot90(one, k, (1, 2))
            for one in (planes, planes.transpose(0, 2, 1))
            for k in range(4)
        ]
        seen.add(frozenset(turn.tobytes() for turn in turns))
    assert len(seen) == len(shipped)


def test_no_seat_wins_an_opening_within_three_plies(gekitai, shipped):
    """No seat can force a win within three plies; every line of play is tried."""
    states = shipped[::20]
    for seat in range(2):
        assert not forced(gekitai, states, np.full(len(states), seat), 3).any()


def test_exact_does_not_settle_a_sample_of_openings(gekitai, shipped):
    exact = agents.make("exact", gekitai, 0, budget=20_000)
    assert np.isnan(exact.values(shipped[::50])).all()


@pytest.mark.slow
def test_openings_have_no_known_winner(gekitai, shipped):
    solver = Solver(gekitai, 20, known_wins(gekitai))
    for state in shipped[1::90]:
        assert is_balanced(solver, state, 300_000)
        for attack in (True, False):
            found = solver.search(state, 10**9, attack=attack, plies=PLIES + 1 - attack)
            assert found.won is False


def test_won_positions_are_not_balanced(gekitai):
    states = gekitai.new(1)
    known = Solver(gekitai, 12, known_wins(gekitai))
    assert not is_balanced(known, states[0], 1)  # the stored strategy wins
    for move in ("E5", "A5", "D6", "C4", "D4"):  # then O wins at once
        gekitai.play(states, [gekitai.action_from_text(move)])
    assert not is_balanced(known, states[0], 1)
    states = gekitai.new(1)
    for move in ("C3", "A3", "E4", "D5", "B5", "D2", "D4"):  # X wins after any move of O
        gekitai.play(states, [gekitai.action_from_text(move)])
    assert not forced(gekitai, states, states["to_move"], 1).any()
    assert not is_balanced(known, states[0], 1000)


def test_matches_start_from_the_openings(gekitai):
    scores = play_match("gekitai", ["greedy", "random"], 8, seed=0, openings="balanced")
    assert scores.games == 8
    assert scores.plies.min() > 4

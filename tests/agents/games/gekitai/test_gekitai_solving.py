"""Proof-number search in Gekitai, compared with all lines of play."""

import numpy as np
import pytest
from plain_wins import fewest_plies, forced

from agents.games.gekitai.proofs.check_strategy import read_strategy, shipped_files
from agents.games.gekitai.proofs.solving import Solver
from boardenvs.gekitai import Gekitai

VARIANTS = {
    "default": {},
    "8 x 8, lines of four": {"board_size": 8, "line_length": 4},
    "six pieces": {"pieces": 6, "line_length": 6},
}


@pytest.fixture(
    scope="module",
    params=[pytest.param(k, marks=pytest.mark.slow if VARIANTS[k] else []) for k in VARIANTS],
)
def variant(request):
    return Gekitai(**VARIANTS[request.param])


def mixed(game, live_positions, plies, num):
    """Return positions of random games with and without a forced win in 1, 3, ... plies."""
    states = live_positions(game, 120, 3)
    fewest = fewest_plies(Solver(game, 16), states, plies)
    chosen = [np.flatnonzero(fewest == few)[:num] for few in np.unique(fewest)]
    chosen = np.concatenate(chosen)
    return states[chosen], fewest[chosen]


def test_bounded_searches_agree_with_an_exhaustive_search(variant, live_positions):
    states, fewest = mixed(variant, live_positions, 3, 15)
    assert set(fewest.tolist()) == {0, 1, 3}
    solver = Solver(variant, 12)
    for plies in (1, 3):
        wins = forced(variant, states, states["to_move"], plies)
        for state, won in zip(states, wins.tolist(), strict=True):
            found = solver.search(state, 10**6, plies=plies)
            assert found.won is won
            assert found.settled
            assert found.plies <= plies
            assert (found.action >= 0) is won


def test_the_action_of_the_solver_keeps_the_win(gekitai, live_positions):
    states, fewest = mixed(gekitai, live_positions, 5, 25)
    solver = Solver(gekitai, 14)
    for state in states[fewest > 1]:
        found = solver.search(state, 10**6)
        assert found.won
        after = state.copy().reshape(1)
        gekitai.play(after, [found.action], illegal="raise")
        assert not gekitai.over(after)[0]
        # The other player is to move and defends as long as possible.
        rest = solver.search(after[0], 10**6, attack=False)
        assert rest.won
        assert rest.plies <= found.plies - 1
        proofs, plies = solver.replies(after[0])
        assert (proofs[gekitai.legal(after)[0]] == 0).all()
        assert (proofs[~gekitai.legal(after)[0]] == -1).all()
        assert plies.max() == rest.plies - 1


def test_unbounded_wins_hold_within_the_reported_plies(gekitai):
    (file,) = (file for file in shipped_files() if file.stem == "first_player_6x6_8")
    records = read_strategy(file).records
    records = records[records["rank"] == 7]
    records = records[:: len(records) // 25]
    cells = np.arange(36, dtype=np.uint64)
    mine, theirs = (records[k][:, None] >> cells & np.uint64(1) for k in ("mine", "theirs"))
    solver = Solver(gekitai, 14)
    lengths = set()
    for digits in (mine + 2 * theirs).reshape(-1, 6, 6):
        rows = ["".join(".XO"[digit] for digit in row) for row in digits.astype(int)]
        state = gekitai.from_dict({"board": rows, "to_move": 0})
        found = solver.search(state, 10**6)
        assert found.won
        lengths.add(found.plies)
        (fewest,) = fewest_plies(Solver(gekitai, 14), [state], 7)
        assert 1 < fewest <= min(found.plies, 7)
    assert len(lengths) > 1


def test_the_solver_answers_for_the_defender(gekitai, live_positions):
    states, fewest = mixed(gekitai, live_positions, 3, 30)
    solver = Solver(gekitai, 12)
    won = states[fewest == 3]
    gekitai.play(won, [solver.search(state, 10**6, plies=3).action for state in won])
    states = np.concatenate([states, won])
    loses = forced(gekitai, states, 1 - states["to_move"], 2)
    found = [solver.search(state, 10**6, attack=False, plies=2).won for state in states]
    assert found == loses.tolist()
    assert set(found) == {True, False}


def test_a_search_continues_after_its_limit(gekitai):
    whole = Solver(gekitai, 14).search(gekitai.new(1)[0], 10**6, plies=9)
    assert whole.won is False
    parts = Solver(gekitai, 14)
    spent = []
    while True:
        found = parts.search(gekitai.new(1)[0], 20_000, plies=9)
        spent.append(found.positions)
        assert found.positions < 20_100
        if found.settled:
            break
        assert found.won is None
    assert found.won is False
    assert len(spent) > 2
    assert sum(spent) < 1.5 * whole.positions


def test_the_table_can_be_tiny(gekitai, live_positions):
    states, fewest = mixed(gekitai, live_positions, 5, 10)
    for state, few in zip(states, fewest.tolist(), strict=True):
        found = Solver(gekitai, 4).search(state, 10**6, plies=5)
        assert found.won is (few > 0)


def test_invalid_arguments_of_the_solver_are_refused(gekitai, game112, refused):
    with refused("proof-number search .*game112$"):
        Solver(game112)
    with refused("^table_bits "):
        Solver(gekitai, 3)
    solver = Solver(gekitai, 4)
    for plies in (0, 200, "3"):
        with refused("^plies "):
            solver.search(gekitai.new(1)[0], 1, plies=plies)
    with refused("^limit "):
        solver.search(gekitai.new(1)[0], -1)

"""Tree search in a small Goat Race, compared with exact values of `small_race`."""

import itertools

import numpy as np
import pytest
import small_race
from small_race import Solution, choices, distances, regret

from agents.search import PuctAgent


@pytest.fixture(scope="module")
def solution():
    return Solution(small_race.small_race())


def test_the_value_iteration_converges(solution):
    assert solution.residual <= 1e-12
    assert solution.sweeps > 20  # longer than any way to the Destination
    assert solution.turn.min() < -0.9
    assert solution.turn.max() > 0.9
    assert len(solution.records) > 1000


def test_values_are_means_over_the_dice_that_the_rules_throw(solution):
    game = solution.game
    states, values = choices(solution, 60, 1)
    rows, actions = np.nonzero(~np.isnan(values))
    assert (game.legal(states)[rows, actions]).all()
    assert game.legal(states).sum() == len(rows)
    throws = 600
    after = np.repeat(states[rows], throws)
    after["rng"] = np.random.default_rng(0).integers(0, 2**64, len(after), np.uint64)
    game.play(after, np.repeat(actions, throws))
    movers = np.repeat(states["to_move"][rows], throws)
    sampled = solution.values(after)[np.arange(len(after)), movers].reshape(len(rows), throws)
    error = sampled.mean(1) - values[rows, actions]
    deviation = np.sqrt(sampled.var(1) / throws)
    assert (np.abs(error) <= 5 * deviation + 1e-9).all()
    assert (deviation > 0).sum() > 50
    assert (error**2).sum() == pytest.approx((deviation**2).sum(), rel=0.5)


def test_perfect_play_scores_its_computed_value(solution):
    game = solution.game
    states, _ = choices(solution, 200, 2)
    expected = solution.values(states)[:, 0].mean()
    played = np.repeat(states, 20)
    played["rng"] = np.random.default_rng(1).integers(0, 2**64, len(played), np.uint64)
    while not game.over(played).all():
        live = np.flatnonzero(~game.over(played))
        part = played[live]
        game.play(part, np.nanargmax(solution.action_values(part), 1))
        played[live] = part
    results = game.returns(played)[:, 0].astype(np.float64)
    assert results.mean() == pytest.approx(expected, abs=4 * results.std() / len(results) ** 0.5)


@pytest.mark.slow  # compiles tree search for this board
def test_more_simulations_reduce_the_error_of_mcts(solution):
    found = [distances(solution, simulations, 150, 0) for simulations in (10, 100, 1000, 10_000)]
    losses, errors = zip(*found, strict=True)
    assert list(losses) == sorted(losses, reverse=True)
    assert list(errors) == sorted(errors, reverse=True)
    assert losses[0] > 4 * losses[2]
    assert losses[3] < 0.01


class Guide:
    """Guides a search by the solution: equal priors, and true values with errors."""

    def __init__(self, solution, *, every_seat, error=0.0):
        self.solution = solution
        self.every_seat = every_seat
        self.error = error
        self.rng = np.random.default_rng(0)

    def evaluate(self, states):
        values = self.solution.values(states)
        values += self.error * self.rng.normal(size=values.shape)
        if not self.every_seat:
            values = values[np.arange(len(states)), states["to_move"]]
        logits = np.zeros((len(states), self.solution.game.num_actions), np.float32)
        return logits, values.astype(np.float32)


def searched(solution, states, **guide):
    agent = PuctAgent(solution.game, 0, 100, evaluator=Guide(solution, **guide))
    return agent.search(states).actions


@pytest.mark.parametrize("seats", [2, 3])
def test_search_improves_its_policy(seats):
    solution = Solution(small_race.small_race(3, seats, goats=1))
    states, values = choices(solution, 200, 3)
    by_policy = float(np.mean(np.nanmax(values, 1) - np.nanmean(values, 1)))  # equal priors
    found = {
        (every_seat, error): regret(
            values, searched(solution, states, every_seat=every_seat, error=error)
        )
        for every_seat in (True, False)
        for error in (0.0, 0.3)
    }
    assert max(found.values()) < by_policy / 2
    assert found[True, 0.0] < by_policy / 8
    if seats > 2:  # the value of the seat to move alone does not say who gains
        assert found[True, 0.0] < 0.7 * found[False, 0.0]


@pytest.mark.parametrize(("width", "passes"), [(3, False), (4, False), (5, True)])
def test_obstacles_on_too_few_columns_close_the_board(width, passes):
    found = []
    for walls in itertools.product(range(1, width - 1), repeat=3):  # column of each row
        reached = {(row, 0) for row in range(3)}
        while True:
            steps = {(r + d, c) for r, c in reached for d in (-1, 1)}
            steps |= {(r, c + 1) for r, c in reached}
            new = {(r, c) for r, c in steps if 0 <= r < 3 and c < width and walls[r] != c} - reached
            if not new:
                break
            reached |= new
        found.append(any(c == width - 1 for _, c in reached))
    assert any(found) is passes

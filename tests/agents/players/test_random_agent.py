"""The random agent is uniform over the legal actions."""

import numpy as np
import pytest

import agents


@pytest.mark.parametrize("plies", [0, 1, 7])
def test_random_is_uniform_over_the_legal_actions(game, plies):
    states = game.new(20, seed=3)
    for _ in range(plies):
        live = states[~game.over(states)]
        game.play(live, agents.make("random", game, seed=9).act(live))
        states = live
    state = states[~game.over(states)][:1]
    legal = game.legal(state)[0]
    draws = 1000 * legal.sum()
    counts = np.bincount(
        agents.make("random", game, seed=12).act(np.repeat(state, draws)),
        minlength=game.num_actions,
    )
    assert counts[~legal].sum() == 0
    # For a uniform distribution, Pearson's statistic has mean `degrees`, variance `2 * degrees`.
    degrees = legal.sum() - 1
    statistic = ((counts[legal] - 1000) ** 2 / 1000).sum()
    assert statistic < degrees + 4 * np.sqrt(2 * degrees)


def test_random_plays_the_only_legal_action():
    game = agents.make("random", "game112").game
    state = np.repeat(game.from_text("| 2 2 2 2 2 2 2 2 - |\n"), 100)
    actions = agents.make("random", game, seed=0).act(state)
    assert set(actions.tolist()) == {16, 17}

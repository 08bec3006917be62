"""Head starts: positions from the middle of an agent's games."""

import numpy as np
import pytest

import agents
import boardenvs
from agents.training.head_starts import HeadStarts
from agents.training.vec_env import SB3VecEnv
from boardenvs.vector import SeatVectorEnv


@pytest.fixture(scope="module")
def pizza():
    return boardenvs.make("pizza_order")


def starts(game, seed=0):
    return HeadStarts(game, agents.make("greedy", game, 0), seed)


def test_positions_that_greedy_comes_to(pizza):
    states = starts(pizza).draw(500)
    assert states.dtype == pizza.state_dtype
    assert states.shape == (500,)
    assert not (pizza.terminated(states) | pizza.truncated(states)).any()
    assert (states["ply"] == 0).any()
    assert (states["ply"] > 8).any()
    greedy = agents.make("greedy", pizza, 1)
    for _ in range(pizza.max_plies):
        live = np.flatnonzero(~(pizza.terminated(states) | pizza.truncated(states)))
        if not len(live):
            break
        part = states[live]
        pizza.play(part, greedy.act(part))
        states[live] = part
    assert (pizza.returns(states) == 1).all()  # greedy never errs, so nor did it before


def test_every_ply_of_a_game_is_as_likely(pizza):
    """A custom pizza and no other: a flavour, its ingredients, "that is all", and "no"."""
    one = boardenvs.make("pizza_order", max_pizzas=1)
    states = starts(one).draw(20_000)
    sizes = np.array([len(order[0]) for order in one.infos(states)["wanted"]])
    menu = {2: 1, 4: 1, 5: 1}  # sizes of the menu's pizzas, too
    for size in set(sizes.tolist()) - menu.keys():
        counts = np.bincount(states["ply"][sizes == size], minlength=size + 2)
        share = counts / counts.sum()
        assert len(counts) == size + 2
        error = 4 * np.sqrt(1 / (size + 2) / counts.sum())
        assert np.abs(share - 1 / (size + 2)).max() < error


def test_the_seed_decides(pizza):
    states = starts(pizza).draw(1500)
    np.testing.assert_array_equal(starts(pizza).draw(1500), states)
    assert (starts(pizza, 1).draw(1500) != states).any()


def test_only_for_one_player(refused):
    with refused("head starts are for games of one player"):
        starts(boardenvs.make("gekitai"))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_share_of_games(pizza, share):
    env = SB3VecEnv([SeatVectorEnv(64, pizza)], 0, None, None, starts(pizza), share)
    env.reset()
    rng = np.random.default_rng(0)
    begun = ahead = 0
    for _ in range(120):
        masks = env.action_masks()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        seen, _, done, infos = env.step(actions)
        states = env.envs[0].positions
        np.testing.assert_array_equal(seen, pizza.observe(states, states["to_move"]))
        np.testing.assert_array_equal(env.action_masks(), pizza.legal(states))
        begun += int(done.sum())
        ahead += int((states["ply"][done] > 0).sum())
        assert all("terminal_observation" in infos[i] for i in np.flatnonzero(done))
    assert begun > 500
    if share == 0:
        assert ahead == 0
    else:
        # A position at ply 0 is no head start, though it was drawn as one.
        assert 0.6 * share < ahead / begun < share

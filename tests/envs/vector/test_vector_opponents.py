"""Opponents of the vector environment, and invalid actions of either side."""

import copy
import itertools

import numpy as np
import pytest
from players import Last
from random_play import equal, position
from two_games import others_slow
from vector_play import choose, rollout

import boardenvs
from boardenvs.core.arrays import OutOfBoundsError
from boardenvs.envs.vector import SeatVectorEnv


def test_opponents_are_asked_in_batches_of_their_own_states(versus):
    opponents = [Last(versus) for _ in range(versus.num_players - 1)]
    envs = SeatVectorEnv(20, versus, opponents, seat=0)
    returned = rollout(envs, envs.reset(seed=0), 20)
    for seat, opponent in enumerate(opponents, 1):
        assert max(map(len, opponent.shown)) > 10
        assert len(opponent.shown) < 20 * versus.max_plies // 4
        shown = np.concatenate(opponent.shown)
        assert (shown["to_move"] == seat).all()
        assert versus.legal(shown).any(1).all()
        assert len(np.unique(shown["rng"])) == len(shown)
        assert all(states.dtype == versus.state_dtype for states in opponent.shown)
    assert len(returned) == 21


def test_opponents_do_not_receive_the_true_stream(versus):
    opponent = Last(versus)
    envs = SeatVectorEnv(20, versus, opponent)
    _, infos = envs.reset(seed=0)
    streams = {*envs.positions["rng"].tolist()}
    for k in range(20):
        infos = envs.step(choose(infos["action_mask"], k))[4]
        streams |= {*envs.positions["rng"].tolist()}
    assert not streams & {*np.concatenate(opponent.shown)["rng"].tolist()}


@pytest.mark.parametrize("name", others_slow(["gekitai", "gomoku", "game112"]))
def test_openings_of_random_opponents_are_uniform(name):
    """Openings are uniform, independent of the sampled seat and of action numbers."""
    versus = boardenvs.make(name)
    num = 200 * versus.num_actions
    envs = SeatVectorEnv(num, versus)
    seats = envs.reset(seed=0)[1]["seat"]
    opened = envs.positions["last_action"][(seats > 0) & (envs.positions["ply"] == 1)]
    legal = versus.legal(versus.new(1, 0))[0]
    counts = np.bincount(opened, minlength=versus.num_actions)
    assert counts.sum() > num / 4
    expected = counts.sum() / legal.sum()
    assert (counts[~legal] == 0).all()
    assert (abs(counts[legal] - expected) < 5 * np.sqrt(expected)).all()
    halves = np.bincount(seats) / num
    np.testing.assert_allclose(halves, 1 / versus.num_players, atol=5 / np.sqrt(num))


def test_an_opponent_cannot_change_the_games(versus):
    class Vandal(Last):
        def act(self, states):
            actions = super().act(states)
            states.view(np.uint8)[:] = 0
            return actions

    envs, twin = SeatVectorEnv(5, versus, Vandal(versus)), SeatVectorEnv(5, versus, Last(versus))
    returned = [rollout(e, e.reset(seed=0), 30) for e in (envs, twin)]
    assert all(map(equal, *returned))


def test_an_opponent_loses_by_its_illegal_action(versus):
    class Illegal(Last):
        def act(self, states):
            return self.game.legal(states).argmin(1)

    options = {"state": position(versus, 2 * versus.num_players, seat=0)}
    envs = SeatVectorEnv(6, versus, Illegal(versus), seat=0, autoreset_mode="Disabled")
    _, infos = envs.reset(options=options)
    over = np.zeros(6, bool)
    for k in itertools.count():
        if over.any():
            break
        _, rewards, terminated, truncated, infos = envs.step(choose(infos["action_mask"], k))
        over = terminated | truncated
    np.testing.assert_allclose(rewards[over], 1 / (versus.num_players - 1))
    assert terminated[over].all()
    envs = SeatVectorEnv(6, versus, Illegal(versus), seat=0, illegal="raise")
    start = envs.reset(options=options)
    with pytest.raises(ValueError, match="illegal"):
        rollout(envs, start, 50)
    # Half-finished turns accept no actions.
    with pytest.raises(ValueError, match="reset"):
        envs.step(envs.action_masks().argmax(1))
    assert envs.reset(options=options)[1]["action_mask"].any(1).all()


@pytest.mark.parametrize("wrong", [None, 3, object()])
def test_invalid_opponents_are_refused(versus, wrong):
    with pytest.raises(ValueError, match="opponent"):
        SeatVectorEnv(2, versus, wrong)
    with pytest.raises(ValueError, match=f"opponent.*{versus.num_players - 1}"):
        SeatVectorEnv(2, versus, ["random"] * versus.num_players)


def with_illegal(envs, infos):
    """Step until a game has an illegal action; return masks, the game's index and the action."""
    masks = infos["action_mask"]
    for k in itertools.count():
        if not masks.all():
            break
        masks = envs.step(choose(masks, k))[4]["action_mask"]
    place = int((masks == 0).any(1).argmax())
    return masks, place, int(masks[place].argmin())


def test_an_illegal_action_loses_only_its_game(game):
    envs = SeatVectorEnv(5, game)
    masks, place, action = with_illegal(envs, envs.reset(seed=0)[1])
    twin = copy.deepcopy(envs)
    actions = choose(masks, 2)
    expected = twin.step(actions)
    actions[place] = action
    step = envs.step(actions)
    assert (step[1][place], step[2][place], step[3][place]) == (-1, True, False)
    assert not step[4]["final_info"]["action_mask"][place].any()
    assert step[4]["action_mask"][place].any()
    rest = np.arange(5) != place
    for one, other in zip(step[:4], expected[:4], strict=True):
        np.testing.assert_array_equal(one[rest], other[rest])


def test_an_illegal_action_raises_if_requested(game):
    envs = SeatVectorEnv(5, game, illegal="raise")
    masks, place, action = with_illegal(envs, envs.reset(seed=0)[1])
    twin = copy.deepcopy(envs)
    actions = choose(masks, 2)
    good = actions.copy()
    actions[place] = action
    with pytest.raises(ValueError, match=f"action {action}.*game {place}"):
        envs.step(actions)
    assert equal(envs.step(good), twin.step(good))


def test_invalid_actions_change_nothing(game):
    envs = SeatVectorEnv(3, game)
    _, infos = envs.reset(seed=0)
    twin = copy.deepcopy(envs)
    legal = choose(infos["action_mask"], 0)
    for actions in (
        [*legal[:2], game.num_actions],
        [-1, *legal[1:]],
        legal[:2],
        legal[:, None],
        int(legal[0]),
        legal.astype(float),
        ["0", "0", "0"],
        None,
    ):
        with pytest.raises(OutOfBoundsError, match="action"):
            envs.step(actions)
    assert equal(envs.step(legal), twin.step(legal))

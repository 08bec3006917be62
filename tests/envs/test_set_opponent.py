"""Changing the opponent between games, as for self-play."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode

import agents
import boardenvs
from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv


class Counting:
    """A player of the first legal action that counts its states."""

    def __init__(self, game):
        self.game = game
        self.asked = 0

    def act(self, states):
        self.asked += len(states)
        return self.game.legal(states).argmax(1)


def step(env):
    """Play the first legal action."""
    return env.step(int(env.unwrapped.action_masks().argmax()))


def test_the_running_game_keeps_its_opponent():
    game = boardenvs.make("gekitai")
    first, second = Counting(game), Counting(game)
    env = gymnasium.make("boardenvs/Gekitai-v0", opponent=first, seat=0)
    env.reset(seed=0)
    env.unwrapped.set_opponent(second)
    step(env)
    assert (first.asked, second.asked) == (1, 0)
    env.reset(seed=0)
    step(env)
    assert (first.asked, second.asked) == (1, 1)


def test_an_invalid_opponent_changes_nothing():
    game = boardenvs.make("gekitai")
    opponent = Counting(game)
    for env in (SeatEnv(game, opponent, seat=0), SeatVectorEnv(1, game, opponent, seat=0)):
        before = opponent.asked
        with pytest.raises(ValueError, match="opponent"):
            env.set_opponent(None)
        with pytest.raises(ValueError, match="nobody"):
            env.set_opponent("nobody")
        with pytest.raises(ValueError, match=r"opponent.*got 2"):
            env.set_opponent(["random", "random"])
        _, info = env.reset(seed=0)
        env.step(info["action_mask"].argmax(-1))
        assert opponent.asked == before + 1


CHANGES = [
    ("random", "greedy"),
    ("greedy", "random"),
    pytest.param("mcts:8", "mcts:9", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("before", "after"), CHANGES)
@pytest.mark.parametrize("record", [False, True])
def test_after_a_change_games_are_those_of_the_new_opponent(versus, before, after, record):
    env = SeatEnv(versus, before, record_episode=record)
    for opponent, seed in ((before, 1), (after, 5), (after, None)):
        if opponent == before or seed is not None:
            twin = SeatEnv(versus, opponent)
        assert data_equivalence(env.reset(seed=seed), twin.reset(seed=seed), exact=True)
        env.set_opponent(after)
        done = False
        while not done:
            returned = step(env)
            assert data_equivalence(returned, step(twin), exact=True)
            done = returned[2] or returned[3]


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("change", [("random", "one"), ("one", "random"), ("one", "other")])
def test_each_game_of_a_vector_changes_at_its_next_start(versus, mode, change):
    players = {
        "random": "random",
        "one": agents.make("random", versus),
        "other": agents.make("greedy", versus),
    }
    before, after = (players[name] for name in change)
    envs, plain = (SeatVectorEnv(6, versus, before, autoreset_mode=mode) for _ in range(2))
    infos = envs.reset(seed=range(6))[1]
    plain.reset(seed=range(6))
    envs.set_opponent(after)
    changed = np.zeros(6, np.bool_)
    over = changed.copy()
    while not changed.all():
        table = envs._batch
        sitting = [table._lineups[number][0] for number in table._sitting]
        assert sitting == [after if new else before for new in changed]
        actions = infos["action_mask"].argmax(1)
        untouched = not changed.any() and not over.any()
        returned = envs.step(actions)
        if mode is AutoresetMode.NEXT_STEP:
            changed |= over
        infos, over = returned[4], returned[2] | returned[3]
        if untouched:  # games in progress are unchanged up to their ends
            same = plain.step(actions)
            for mine, its in zip(returned[:4], same[:4], strict=True):
                np.testing.assert_array_equal(mine[~over], its[~over])
            np.testing.assert_array_equal(returned[1], same[1])
        if mode is AutoresetMode.SAME_STEP:
            changed |= over
        elif mode is AutoresetMode.DISABLED and over.any():
            infos = envs.reset(options={"reset_mask": over})[1]
            changed |= over
            over = np.zeros(6, np.bool_)
    assert envs._batch._in_one_loop == (after == "random")
    assert envs._batch._lineups == [[after] * (versus.num_players - 1)]


def test_replaced_opponents_are_released():
    envs = SeatVectorEnv(4, "gekitai")
    envs.reset(seed=0)
    for number in range(20):
        envs.set_opponent(f"mcts:{8 + number}")
        envs.step(envs.action_masks().argmax(1))
    assert len(envs._batch._lineups) <= 5  # one per game, and the latest one
    envs.reset(seed=0)
    assert [one.spec for (one,) in envs._batch._lineups] == ["mcts:27"]

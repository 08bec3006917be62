"""Opponents of the single-seat environment, and illegal actions of either side."""

import copy

import numpy as np
import pytest
from players import Last
from random_play import equal, pick
from single_play import Answers, Illegal, play_out, position_with_illegal, reach_illegal

from boardenvs.core.arrays import OutOfBoundsError
from boardenvs.envs.single import SeatEnv


@pytest.mark.parametrize("wrong", [len, None])
def test_lists_of_invalid_opponents_are_refused(versus, wrong):
    others = versus.num_players - 1
    with pytest.raises(ValueError, match="opponent"):
        SeatEnv(versus, ["random"] * (others - 1) + [wrong])


def test_a_list_has_one_opponent_for_each_other_seat(versus):
    others = versus.num_players - 1
    for number in (others - 1, others + 1):
        if number >= 0:
            with pytest.raises(ValueError, match=f"opponent.*{others}.*got {number}"):
                SeatEnv(versus, ["random"] * number)
    env = SeatEnv(versus, ["random"] * others)
    assert play_out(env, env.reset(seed=0)[1]["action_mask"])


def test_a_list_of_opponents_plays_in_order_of_seats(versus):
    for seat in range(versus.num_players):
        opponents = [Last(versus) for _ in range(versus.num_players - 1)]
        env = SeatEnv(versus, opponents, seat)
        for seed in range(5):
            play_out(env, env.reset(seed=seed)[1]["action_mask"])
        seats = [k for k in range(versus.num_players) if k != seat]
        for opponent, its in zip(opponents, seats, strict=True):
            assert opponent.shown
            assert {int(s["to_move"][0]) for s in opponent.shown} == {its}


def test_random_opponents_play_various_legal_actions(versus):
    env = SeatEnv(versus, seat=0)
    replies = set()
    for seed in range(30):
        _, info = env.reset(seed=seed)
        for step in play_out(env, info["action_mask"]):
            assert env.position["offender"] == -1
            replies.add(step[0].tobytes())
    assert len(replies) > 30


def test_opponents_receive_concealed_states(versus):
    opponent = Last(versus)
    env = SeatEnv(versus, opponent)
    streams = []
    for seed in range(10):
        _, info = env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        over = False
        while not over:
            before = versus.new(1, 0)
            before[0] = env.position
            action = pick(info["action_mask"], rng)
            versus.play(before, [action])
            opponent.shown.clear()
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            if opponent.shown and not versus.has_chance:
                shown = opponent.shown[0].copy()
                assert shown.dtype == versus.state_dtype
                assert shown.shape == (1,)
                # Except for the stream and hidden information, the state is unchanged.
                assert shown["rng"] != before["rng"]
                if not versus.has_hidden:
                    shown["rng"] = before["rng"]
                    assert shown[0] == before[0]
            for shown in opponent.shown:
                assert shown["to_move"][0] != info["seat"]
                assert versus.legal(shown).any()
                streams.append(int(shown["rng"][0]))
                assert shown["rng"][0] != env.position["rng"]
    assert len(set(streams)) > 1


def test_an_opponent_cannot_change_the_game(versus):
    def vandal(states):
        actions = Last(versus).act(states)
        states.view(np.uint8)[:] = 0
        return actions

    env, twin = SeatEnv(versus, Answers(vandal)), SeatEnv(versus, Last(versus))
    start, other = env.reset(seed=0), twin.reset(seed=0)
    assert equal(start, other)
    mask = start[1]["action_mask"]
    assert all(map(equal, play_out(env, mask), play_out(twin, mask)))


def test_an_illegal_action_loses(game):
    for seat in range(game.num_players):
        env = SeatEnv(game, seat=seat)
        action = reach_illegal(env, env.reset(seed=0)[1]["action_mask"])
        ply = env.position["ply"]
        _, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert not info["action_mask"].any()
        assert env.position["offender"] == seat
        assert env.position["ply"] == ply
        with pytest.raises(ValueError, match="call reset"):
            env.step(action)


def test_an_illegal_action_raises_if_requested(game):
    env = SeatEnv(game, illegal="raise")
    action = reach_illegal(env, env.reset(seed=0)[1]["action_mask"])
    before, twin = env.position, copy.deepcopy(env)
    with pytest.raises(ValueError, match=f"action {action}"):
        env.step(action)
    assert env.position == before
    mask = env.action_masks()
    assert all(map(equal, play_out(env, mask), play_out(twin, mask)))


def test_an_opponent_loses_by_its_illegal_action(versus):
    env = SeatEnv(versus, Illegal(versus), seat=0)
    start = position_with_illegal(versus)
    steps = play_out(env, env.reset(options={"state": start})[1]["action_mask"])
    assert steps[-1][1] == pytest.approx(1 / (versus.num_players - 1))
    assert steps[-1][2:4] == (True, False)
    assert env.position["offender"] > 0
    assert not steps[-1][4]["action_mask"].any()


def test_an_opponents_illegal_action_raises_if_requested(versus):
    env = SeatEnv(versus, Illegal(versus), seat=0, illegal="raise")
    options = {"state": position_with_illegal(versus)}
    mask = env.reset(options=options)[1]["action_mask"]
    with pytest.raises(ValueError, match="illegal"):
        play_out(env, mask)
    # The half-finished turn accepts no actions.
    before = env.position
    for action in range(versus.num_actions):
        with pytest.raises(ValueError, match="reset"):
            env.step(action)
    assert env.position == before
    assert env.reset(options=options)[1]["action_mask"].any()


@pytest.mark.parametrize(
    "answer",
    [
        lambda states: np.full(len(states), -1),
        lambda states: np.full(len(states), 10**6),
        lambda states: np.zeros(len(states)),
        lambda states: np.zeros(len(states) + 1, int),
        lambda states: None,
        lambda states: "0",
    ],
)
@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_an_invalid_action_of_an_opponent_raises(versus, answer, illegal):
    env = SeatEnv(versus, Answers(answer), seat=0, illegal=illegal)
    with pytest.raises(ValueError, match="action"):
        play_out(env, env.reset(seed=0)[1]["action_mask"])


@pytest.mark.parametrize("shape", [lambda a: a.tolist(), lambda a: a.astype(np.int16), tuple])
def test_actions_of_opponents_can_have_any_integer_type(versus, shape):
    opponent = Last(versus)
    env = SeatEnv(versus, Answers(lambda states: shape(opponent.act(states))))
    twin = SeatEnv(versus, Last(versus))
    mask = env.reset(seed=0)[1]["action_mask"]
    twin.reset(seed=0)
    assert all(map(equal, play_out(env, mask), play_out(twin, mask)))


OUT_OF_BOUNDS = [-1, 10**6, 2**70, 0.0, 1.5, np.float64(1), "0", None, [0], {}]


@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_out_of_bounds_always_raises(game, illegal):
    env = SeatEnv(game, illegal=illegal)
    env.reset(seed=0)
    before = env.position
    for action in [*OUT_OF_BOUNDS, game.num_actions]:
        with pytest.raises(OutOfBoundsError, match="action"):
            env.step(action)
        assert env.position == before

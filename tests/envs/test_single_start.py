"""Games of the single-seat environment that start from a position."""

import copy
import json

import gymnasium
import numpy as np
import pytest
from players import Last, other_seats
from random_play import equal, position
from single_play import play_out

import boardenvs
from boardenvs.envs.single import SeatEnv
from boardenvs.registration import env_id


@pytest.mark.parametrize("form", ["record", "array", "dictionary", "JSON"])
def test_a_game_can_be_restarted_from_its_state(game, form):
    env = gymnasium.make(env_id(game.name), opponent=other_seats(game, Last(game)), seat=0)
    env.reset(seed=4)
    action = int(env.unwrapped.action_masks().argmax())
    observation, _, _, _, info = env.step(action)
    state = env.unwrapped.position
    given = {
        "record": lambda: state,
        "array": lambda: np.array([state], game.state_dtype),
        "dictionary": lambda: game.to_dict(state),
        "JSON": lambda: json.loads(json.dumps(game.to_dict(state))),
    }[form]()
    returned = play_out(env, info["action_mask"])
    again, info = env.reset(options={"state": given})
    np.testing.assert_array_equal(again, observation)
    assert env.unwrapped.position == state
    assert all(map(equal, play_out(env, info["action_mask"]), returned))


def test_the_state_is_a_copy(game):
    env = SeatEnv(game)
    env.reset(seed=0)
    before = env.position
    state = env.position
    state["rng"] += np.uint64(1)
    assert env.position == before
    env.reset(seed=1)
    assert env.position != before


def test_opponents_move_first_if_it_is_their_turn(versus):
    states = position(versus, 2)
    for seat in range(versus.num_players):
        opponent = Last(versus)
        env = SeatEnv(versus, opponent, seat)
        _, info = env.reset(options={"state": states[0]})
        assert info["seat"] == seat
        assert bool(opponent.shown) == (states["to_move"][0] != seat)
        assert env.position["to_move"] == seat


def test_a_position_that_ends_before_the_learners_turn_is_refused(versus):
    game = boardenvs.make(versus.name, max_plies=versus.num_players)
    states = position(game, game.num_players - 1)
    last = int(states["to_move"][0])
    for seat in set(range(game.num_players)) - {last}:
        env = SeatEnv(game, other_seats(game, Last(game)), seat)
        env.reset(seed=0)
        with pytest.raises(ValueError, match="state"):
            env.reset(options={"state": states})
        # The finished game accepts no step.
        with pytest.raises(ValueError, match="reset"):
            env.step(0)
        assert env.reset(seed=0)[1]["action_mask"].any()
    assert SeatEnv(game, seat=last).reset(options={"state": states})[1]["action_mask"].any()


def test_a_bad_position_is_refused_and_the_game_continues(game):
    env = SeatEnv(game)
    mask = env.reset(seed=0)[1]["action_mask"]
    twin = copy.deepcopy(env)
    over = copy.deepcopy(env)
    play_out(over, mask)
    bent = game.new(1, 0)
    bent["ply"] = -5
    fields = game.to_dict(env.position)
    for state in (
        over.position,
        game.to_dict(over.position),
        bent,
        game.new(2, 0),
        np.zeros(1),
        3,
        "start",
        {},
        {**fields, "colour": "red"},
    ):
        with pytest.raises(ValueError, match=r"."):
            env.reset(seed=9, options={"state": state})
    assert env.position == twin.position
    assert all(map(equal, play_out(env, mask), play_out(twin, mask)))
    env.reset()
    twin.reset()
    assert env.position == twin.position


def test_games_that_always_end_before_the_learners_turn_are_refused():
    """Environments raise if the other seat ends every game with its first ply."""
    game = boardenvs.make("game112")
    game.constants["max_plies"] = 1
    env = SeatEnv(game, seat=1)
    for _ in range(2):
        with pytest.raises(ValueError, match="1000 games in a row"):
            env.reset(seed=0)

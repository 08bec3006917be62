"""All environments start from positions by one rule: a seed restarts the random stream."""

import gymnasium
import numpy as np
import pytest

import boardenvs
from boardenvs import BatchEnv, Episode
from boardenvs.core.chance import make_streams, seed_word
from boardenvs.envs.aec import GameAECEnv
from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv
from boardenvs.registration import env_id

NUM = 3


def seat_of(game, state):
    """Return the seat to move, so that no opponent moves first."""
    return int((game.from_dict(state) if isinstance(state, dict) else state)["to_move"])


def from_aec(game, state, seed):
    env = GameAECEnv(game)
    env.reset(seed=seed, options={"state": state})
    return [env.position]


def from_single(game, state, seed):
    env = SeatEnv(game, seat=seat_of(game, state))
    env.reset(seed=seed, options={"state": state})
    return [env.position]


def from_vector(game, state, seed):
    env = SeatVectorEnv(NUM, game, seat=seat_of(game, state))
    env.reset(seed=seed, options={"state": state})
    return list(env.positions)


def from_vector_of_seeds(game, state, seed):
    env = SeatVectorEnv(NUM, game, seat=seat_of(game, state))
    env.reset(seed=None if seed is None else [seed] * NUM, options={"state": state})
    return list(env.positions)


def from_batch(game, state, seed):
    batch = BatchEnv(game, NUM, 0)
    batch.reset(seed, states=state)
    return list(batch.states.copy())


def from_episode(game, state, seed):
    return [Episode.play(game, ["random"] * game.num_players, seed, state=state).states()[0]]


STARTS = [from_aec, from_single, from_vector, from_vector_of_seeds, from_batch, from_episode]


@pytest.fixture(scope="module")
def state(game, random_positions):
    """Return a position from the middle of a game."""
    played = random_positions(game, 1, 5)
    return played[len(played) // 2]


def streams(positions):
    return [int(one["rng"]) for one in positions]


def new_streams(start, seed):
    """Return the streams of new games with a seed."""
    num = NUM if start in (from_vector, from_batch) else 1
    words = make_streams(seed_word(seed), num).tolist()
    return words * NUM if start is from_vector_of_seeds else words


@pytest.mark.parametrize("start", STARTS)
def test_a_seed_restarts_the_stream(game, state, start):
    for given in (state, game.to_dict(state)):
        for seed in (1, 2):
            found = start(game, given, seed)
            assert streams(found) == new_streams(start, seed)
            for one in found:
                one["rng"] = state["rng"]
                assert one == state  # nothing else has changed


@pytest.mark.parametrize("start", STARTS)
def test_without_a_seed_the_stream_of_the_position_continues(game, state, start):
    for given in (state, game.to_dict(state)):
        assert all(one == state for one in start(game, given, None))
    unseeded = {key: value for key, value in game.to_dict(state).items() if key != "rng"}
    found = streams(start(game, unseeded, None))
    assert 0 not in found
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("start", STARTS)
def test_each_seed_throws_its_own_dice(start, random_positions):
    game = boardenvs.make("goat_race")
    played = random_positions(game, 1, 0)
    state = played[np.flatnonzero(played["decision"] == 2)[20]]  # a forward move ends the turn
    dice = {}
    for seed in range(8):
        after = game.arrays.batch(np.array(start(game, state, seed), game.state_dtype))
        game.play(after, game.legal(after).argmax(1))
        dice[seed] = tuple(after["die"].tolist())
        again = game.arrays.batch(np.array(start(game, state, seed), game.state_dtype))
        game.play(again, game.legal(again).argmax(1))
        assert np.array_equal(again, after)
    assert len(set(dice.values())) > 2


def test_a_batch_starts_from_positions(game, random_positions):
    played = random_positions(game, 3, 0)
    states = played[~(played["terminated"] | played["truncated"])][:NUM]
    batch = BatchEnv(game, NUM, 0)
    batch.reset(states=states)
    twin = states.copy()
    for _ in range(3):
        assert np.array_equal(batch.states, twin)
        assert np.array_equal(batch.action_mask, game.legal(twin))
        assert np.array_equal(batch.to_move, twin["to_move"])
        assert np.array_equal(batch.observation, game.observe(twin, twin["to_move"]))
        actions = game.legal(twin).argmax(1)
        _, terminated, truncated = batch.step(actions)
        game.play(twin, actions)
        if (terminated | truncated).any():
            break


BAD = {
    "over": (lambda game, over: over, "state must"),
    "too many": (lambda game, over: game.new(NUM + 1, 0), "record"),
    "no position": (lambda game, over: "start", "records"),
    "an empty dictionary": (lambda game, over: {}, "field"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_batch_refuses_bad_positions_and_continues(game, bad, random_positions):
    make, said = BAD[bad]
    batch, twin = BatchEnv(game, NUM, 0), BatchEnv(game, NUM, 0)
    with pytest.raises(ValueError, match=said):
        batch.reset(1, states=make(game, random_positions(game, 1, 0)[-1]))
    assert np.array_equal(batch.states, twin.states)
    batch.reset()
    twin.reset()
    assert np.array_equal(batch.states, twin.states)


def environments(game):
    """Yield every environment that accepts `options`, made as users make them."""
    name = env_id(game.name)
    yield "state", getattr(boardenvs, f"{game.name}_v0").env()
    yield "state", gymnasium.make(name)
    yield "state or reset_mask", gymnasium.make_vec(name, 2)


def test_unknown_options_are_refused(game):
    for known, env in environments(game):
        with pytest.raises(ValueError, match=f"options.*{known}.*'sate'"):
            env.reset(seed=0, options={"sate": None})
        for options in ("x", 3, ["state"]):
            with pytest.raises(ValueError, match="options"):
                env.reset(seed=0, options=options)
        env.reset(seed=0, options={})
        env.reset(seed=0, options={"state": None})
        env.close()

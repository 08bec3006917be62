"""Records of new games, their shapes, copies and bytes."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from contract_positions import legal_actions, middle, start

import boardenvs
from boardenvs.core.outcome import end_alone
from boardenvs.game import Game
from boardenvs.game112 import Game112

# -- New games -------------------------------------------------------------------------


def test_records_do_not_depend_on_the_batch_size(game):
    most = start(game, 100, 7)
    assert most.dtype == game.state_dtype
    for num in (0, 1, 2, 33):
        assert np.array_equal(start(game, num, 7), most[:num])
        assert start(game, num, 7).tobytes() == most[:num].tobytes()


def test_different_seeds_give_different_games(game):
    words = np.concatenate([start(game, 50, seed)["rng"] for seed in (0, 1, 2, 2**70)])
    assert len(np.unique(words)) == 200
    assert not np.array_equal(game.new(3), game.new(3))
    assert np.array_equal(game.new(3, np.int64(5)), game.new(3, 5))


def test_a_new_game_has_not_ended(game):
    states = start(game)
    assert not game.terminated(states).any()
    assert not game.truncated(states).any()
    assert not game.returns(states).any()
    assert not states["ply"].any()
    assert (states["last_action"] == -1).all()
    assert (states["offender"] == -1).all()
    assert game.legal(states).any(1).all()


@pytest.mark.parametrize("num", [-1, 1.0, "1", None, True, [1]])
def test_a_bad_number_of_games_is_refused(game, num):
    with pytest.raises(ValueError, match=r"^num "):
        game.new(num, 0)


@pytest.mark.parametrize("seed", [-1, 1.0, "1", True, [1], np.float32(1)])
def test_a_bad_seed_is_refused(game, seed):
    with pytest.raises(ValueError, match=r"^seed "):
        game.new(1, seed)


# -- Shapes ----------------------------------------------------------------------------


@pytest.mark.parametrize("num", [0, 1, 5])
def test_operations_return_the_documented_shapes_and_dtypes(game, num):
    states = start(game, num)
    shapes = {
        "legal": (game.legal(states), np.bool_, (num, game.num_actions)),
        "observe": (game.observe(states, 0), np.int8, (num, *game.observation_shape)),
        "to_move": (game.to_move(states), np.int8, (num,)),
        "returns": (game.returns(states), np.float32, (num, game.num_players)),
        "terminated": (game.terminated(states), np.bool_, (num,)),
        "truncated": (game.truncated(states), np.bool_, (num,)),
        "conceal": (
            game.conceal(states, 0, np.random.default_rng(0)),
            game.state_dtype,
            (num,),
        ),
    }
    for array, dtype, shape in shapes.values():
        assert array.dtype == dtype
        assert array.shape == shape
        assert array.flags.writeable
        assert array.flags.owndata or not np.shares_memory(array, states)
    before = states.copy()
    for array, _, _ in shapes.values():
        array.view(np.uint8)[...] = 1
    assert np.array_equal(states, before)


def test_empty_batches_are_accepted(game):
    none = start(game, 0)
    game.play(none, [])
    game.play(none, np.zeros(0, np.int64), illegal="raise")
    assert game.observe(none, game.to_move(none)).shape == (0, *game.observation_shape)
    assert len(game.conceal(none, game.to_move(none), np.random.default_rng(0))) == 0


def test_a_single_record_is_a_batch_of_one(game):
    states = middle(game, 3)
    record = states[1]
    assert np.array_equal(game.legal(record), game.legal(states)[1:2])
    assert np.array_equal(game.observe(record, 0), game.observe(states, 0)[1:2])
    assert game.returns(record).shape == (1, game.num_players)
    assert game.to_text(record) == game.to_text(states[1:2])


FOREIGN = [np.zeros(3), np.zeros(3, np.uint8), [1, 2], None, "text", np.zeros(2, [("rng", "u8")])]


@pytest.mark.parametrize("states", FOREIGN, ids=repr)
def test_invalid_records_are_refused(game, states):
    rng = np.random.default_rng(0)
    for operation in (
        lambda: game.legal(states),
        lambda: game.play(states, [0, 0]),
        lambda: game.observe(states, 0),
        lambda: game.observe_to_move(states),
        lambda: game.conceal(states, 0, rng),
        lambda: game.to_move(states),
        lambda: game.returns(states),
        lambda: game.to_text(states),
        lambda: game.to_dict(states),
        lambda: game.restore(states),
    ):
        with pytest.raises(ValueError, match=f"^states .*{game.name} records"):
            operation()


def test_arrays_of_more_dimensions_are_refused(game):
    with pytest.raises(ValueError, match=r"shape \(2, 2\)"):
        game.legal(start(game, 4).reshape(2, 2))


def test_functions_of_one_position_refuse_other_numbers(game):
    for num in (0, 2):
        with pytest.raises(ValueError, match=rf"^state .*{game.name} record.* {num}\b"):
            game.to_text(start(game, num))
        with pytest.raises(ValueError, match=rf"^state .*{game.name} record.* {num}\b"):
            game.to_dict(start(game, num))


# -- Copies ----------------------------------------------------------------------------


def test_a_copy_is_independent(game):
    states = middle(game)
    copies = [
        states.copy(),
        copy.deepcopy(states),
        pickle.loads(pickle.dumps(states)),
        np.frombuffer(states.tobytes(), game.state_dtype).copy(),
    ]
    before = states.copy()
    for other in copies:
        assert np.array_equal(other, states)
        game.play(other, legal_actions(game, other))
        assert np.array_equal(states, before)
        assert np.array_equal(other, copies[0])
        assert not (other == states).any()


class Awkward(Game112):
    """The 112 game with fields that need padding in C."""

    name = "awkward112"

    def __init__(self, board_size=9, max_plies=9):
        super().__init__(board_size, max_plies)
        inner = np.dtype([("small", np.int8), ("wide", np.float64)], align=True)
        Game.__init__(
            self,
            params=self.params,
            num_players=2,
            num_actions=self.num_actions,
            observation_shape=self.observation_shape,
            fields=[
                ("odd", np.int8, (3,)),
                ("within", inner, (2,)),
                ("mark", np.bool_),
                ("middle", np.int16),
                ("cells", np.int8, (9,)),
                ("last", np.uint32),
            ],
            constants={"positions": (np.int64, board_size)},
        )


def soiled(num):
    """Leave memory filled with ones, which the next array of this size may reuse."""
    np.full(num, 0xFF, np.uint8)


def ways_to_copy(game, states):
    """Yield the same position, copied in every possible way."""
    soiled(states.nbytes)
    yield states.copy()[0]
    soiled(states.itemsize)
    yield states[0].copy()
    soiled(states.nbytes)
    yield states[[0, 1]][0]
    yield states[np.arange(len(states)) < 2][1]
    yield np.repeat(states[:1], 3)[2]
    yield np.concatenate([states[1:], states[:1]])[-1]
    yield np.array([states[0]], game.state_dtype)[0]
    yield np.stack([states[1]])[0]
    yield np.resize(states, 5)[3]
    yield np.where(np.zeros(len(states), bool), game.start, states)[0]
    yield game.arrays.batch(states[::-1])[0]
    yield game.restore(states[0])[0]
    yield pickle.loads(pickle.dumps(states[0]))
    yield copy.deepcopy(states)[0]
    filled = np.full(states.nbytes, 0xFF, np.uint8).view(game.state_dtype)
    filled[:] = states
    yield filled[0]
    filled = np.full(states.nbytes, 0xFF, np.uint8).view(game.state_dtype)
    filled[0] = states[0]
    yield filled[0]


def assert_one_byte_string(game, states):
    seen = {one.tobytes() for _ in range(12) for one in ways_to_copy(game, states)}
    assert seen == {states[0].tobytes()}


@pytest.mark.parametrize("which", [*boardenvs.GAMES, "awkward112"])
def test_equal_positions_have_the_same_bytes(which):
    game = Awkward() if which == Awkward.name else boardenvs.make(which)
    states = np.repeat(game.new(1, 3), 4)
    covered = np.zeros(game.state_dtype.itemsize, np.bool_)
    for dtype, offset, *_ in game.state_dtype.fields.values():
        covered[offset : offset + dtype.itemsize] = True
    assert covered.all()
    assert_one_byte_string(game, states)
    for _ in range(5):
        for i in range(len(states)):  # play each game alone, in dirty memory
            after = np.full(states.itemsize, 0xFF, np.uint8).view(game.state_dtype)
            after[0] = states[i]
            game.play(after, [game.legal(after)[0].argmax()])
            states[i] = after[0]
        assert_one_byte_string(game, states)


def test_rewards_of_zero_have_the_same_bytes():
    state = np.zeros(1, boardenvs.make("pizza_order").state_dtype)
    ends = [state.copy(), state.copy()]
    for after, reward in zip(ends, (0.0, -0.0), strict=True):
        end_alone(after[0], reward)
        assert after["terminated"][0]
    assert ends[0].tobytes() == ends[1].tobytes()

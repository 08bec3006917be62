"""`BatchEnv`: many games in parallel, where the caller plays every seat."""

import copy
import itertools
import pickle

import numpy as np
import pytest

import boardenvs
from boardenvs import BatchEnv
from boardenvs.core.arrays import OutOfBoundsError
from boardenvs.core.chance import next_bits

VIEWS = ("observation", "action_mask", "to_move", "states")


def choose(masks, k):
    """Return a legal action of each row, determined by the row and `k`."""
    wanted = (7 * k + 3) % masks.sum(1)
    return (masks.cumsum(1) > wanted[:, None]).argmax(1)


def everything(batch, rows=None):
    """Return the arrays of the first `rows` games, as bytes."""
    views = [batch.observation, batch.action_mask, batch.to_move, batch.states]
    return [view[:rows].tobytes() for view in views]


def rollout(batch, plies, rows):
    """Return the arrays and results of the first `rows` games over `plies` plies."""
    seen = []
    for k in range(plies):
        shown = everything(batch, rows)
        returned = batch.step(choose(batch.action_mask, k))
        seen.append(shown + [array[:rows].tobytes() for array in returned])
    return seen


# -- Play ---------------------------------------------------------------------------------


@pytest.mark.parametrize("plies", [None, "few"])
def test_the_batch_agrees_with_the_game(game, plies):
    if plies == "few":
        game = boardenvs.make(game.name, max_plies=game.num_players)
    batch = BatchEnv(game, 64, 5)
    states = game.new(64, 5)
    ended = np.zeros(64, int)
    for k in itertools.count():
        if k >= 250 and ended.sum() > 64:
            break
        masks = game.legal(states)
        np.testing.assert_array_equal(batch.states, states)
        np.testing.assert_array_equal(batch.action_mask, masks)
        np.testing.assert_array_equal(batch.to_move, states["to_move"])
        np.testing.assert_array_equal(batch.observation, game.observe(states, states["to_move"]))
        assert masks.any(1).all()  # every game is unfinished
        actions = choose(masks, k)
        rewards, terminated, truncated = batch.step(actions)
        game.play(states, actions)
        np.testing.assert_array_equal(rewards, states["returns"])
        np.testing.assert_array_equal(terminated, states["terminated"])
        np.testing.assert_array_equal(truncated, states["truncated"])
        over = terminated | truncated
        assert not rewards[~over].any()
        if game.num_players > 1:
            np.testing.assert_allclose(rewards.sum(1), 0, atol=1e-6)
        # A finished game restarts with the next words of its stream.
        states[over] = game.arrays.new(next_bits(states["rng"][over]))
        ended += over


@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_games_do_not_depend_on_the_batch_size(game, threads):
    expected = {rows: rollout(BatchEnv(game, 64, 11), 60, rows) for rows in (1, 3, 64)}
    for num in (1, 3, 64, 2048):
        rows = min(num, 64)
        assert rollout(BatchEnv(game, num, 11, threads=threads), 60, rows) == expected[rows]


def test_threads_do_not_change_any_game(game):
    one = rollout(BatchEnv(game, 1500, 3, threads=1), 40, 1500)
    assert rollout(BatchEnv(game, 1500, 3, threads=2), 40, 1500) == one


def test_games_differ_and_seeds_differ(game):
    batch = BatchEnv(game, 1000, 0)
    assert len(np.unique(batch.states["rng"])) == 1000
    other = BatchEnv(game, 1000, 1)
    assert not np.intersect1d(batch.states["rng"], other.states["rng"]).size
    # Without a seed, seeds are random.
    fresh = [BatchEnv(game, 1).states["rng"][0] for _ in range(2)]
    assert fresh[0] != fresh[1]
    # A restarted game differs from the previous one.
    for k in range(250):
        batch.step(choose(batch.action_mask, k))
    assert len(np.unique(batch.states["rng"])) == 1000


def test_the_game_can_be_a_name(game):
    batch = BatchEnv(game.name, 2, 0)
    assert batch.game == game
    assert batch.num_envs == 2


# -- The arrays ---------------------------------------------------------------------------


@pytest.mark.parametrize("num", [1, 7])
def test_arrays_have_the_documented_shapes_and_dtypes(game, num):
    batch = BatchEnv(game, num, 0)
    assert batch.observation.shape == (num, *game.observation_shape)
    assert batch.observation.dtype == np.int8
    assert batch.action_mask.shape == (num, game.num_actions)
    assert batch.action_mask.dtype == np.bool_
    assert batch.to_move.shape == (num,)
    assert batch.to_move.dtype == np.int8
    assert batch.states.shape == (num,)
    assert batch.states.dtype == game.state_dtype
    rewards, terminated, truncated = batch.step(batch.action_mask.argmax(1))
    assert rewards.shape == (num, game.num_players)
    assert rewards.dtype == np.float32
    assert terminated.shape == truncated.shape == (num,)
    assert terminated.dtype == truncated.dtype == np.bool_


def test_arrays_are_read_only_and_reused(game):
    batch = BatchEnv(game, 3, 0)
    views = {name: getattr(batch, name) for name in VIEWS}
    returned = batch.step(choose(batch.action_mask, 0))
    before = views["states"].copy()
    for k in range(1, 4):
        again = batch.step(choose(batch.action_mask, k))
        assert all(a is b for a, b in zip(again, returned, strict=True))
    batch.reset(1)
    for name, view in views.items():
        assert getattr(batch, name) is view
        with pytest.raises(ValueError, match="read-only"):
            view[0] = view[1]
    assert (views["states"] != before).any()


@pytest.mark.parametrize("kind", [list, tuple, np.int8, np.uint8, np.int64, np.uint64])
def test_actions_can_have_any_integer_type(game, kind):
    batch, twin = BatchEnv(game, 4, 0), BatchEnv(game, 4, 0)
    actions = choose(batch.action_mask, 0)
    twin.step(actions)
    batch.step(kind(actions.tolist()) if kind in (list, tuple) else actions.astype(kind))
    assert everything(batch) == everything(twin)
    actions = choose(batch.action_mask, 1)
    twin.step(actions)
    batch.step(np.repeat(actions, 2)[::2])  # not contiguous
    assert everything(batch) == everything(twin)


# -- Invalid actions ----------------------------------------------------------------------


def with_illegal(batch):
    """Step until a game has an illegal action; return the game's index and the action."""
    k = 0
    while batch.action_mask.all():
        batch.step(choose(batch.action_mask, k))
        k += 1
    place = int((~batch.action_mask).any(1).argmax())
    return place, int(batch.action_mask[place].argmin())


def test_an_illegal_action_loses_only_its_game(game):
    batch = BatchEnv(game, 5, 0)
    place, action = with_illegal(batch)
    twin = copy.deepcopy(batch)
    actions = choose(batch.action_mask, 1)
    expected = [array.copy() for array in twin.step(actions)]
    offender = batch.to_move[place]
    stream = batch.states["rng"][place]
    actions[place] = action
    rewards, terminated, truncated = batch.step(actions)
    assert terminated[place]
    assert not truncated[place]
    share = 1 / (game.num_players - 1) if game.num_players > 1 else 0
    for seat in range(game.num_players):
        assert rewards[place, seat] == pytest.approx(-1 if seat == offender else share)
    # The game has restarted, and the others are unaffected.
    assert batch.states[place] == game.arrays.new(next_bits(np.array([stream])))[0]
    assert batch.action_mask[place].any()
    rest = np.arange(5) != place
    for name in VIEWS:
        np.testing.assert_array_equal(getattr(batch, name)[rest], getattr(twin, name)[rest])
    for array, other in zip((rewards, terminated, truncated), expected, strict=True):
        np.testing.assert_array_equal(array[rest], other[rest])


def test_an_illegal_action_raises_if_requested(game):
    batch = BatchEnv(game, 5, 0, illegal="raise")
    place, action = with_illegal(batch)
    actions = choose(batch.action_mask, 1)
    actions[place] = action
    before = everything(batch)
    with pytest.raises(ValueError, match=f"action {action}.*game {place}"):
        batch.step(actions)
    assert everything(batch) == before
    batch.step(choose(batch.action_mask, 1))
    assert everything(batch) != before


@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_invalid_actions_change_nothing(game, illegal):
    batch = BatchEnv(game, 3, 0, illegal=illegal)
    batch.step(choose(batch.action_mask, 0))
    legal = choose(batch.action_mask, 1)
    before = everything(batch)
    wrong = [
        [*legal[:2], game.num_actions],
        [*legal[:2], -1],
        [*legal[:2], 2**40],
        legal[:2],
        [*legal, 0],
        legal[:, None],
        int(legal[0]),
        legal.astype(float),
        legal.astype(bool),
        ["0", "0", "0"],
        None,
    ]
    for actions in wrong:
        with pytest.raises(OutOfBoundsError, match="action"):
            batch.step(actions)
        assert everything(batch) == before


# -- Copies and resets --------------------------------------------------------------------


def pickled(batch):
    return pickle.loads(pickle.dumps(batch))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
def test_a_copy_of_running_games_continues_identically(game, duplicate):
    batch = BatchEnv(game, 6, 0)
    rollout(batch, 5, 6)
    before = everything(batch)
    twin = duplicate(batch)
    assert everything(twin) == before
    returned = rollout(twin, 100, 6)
    assert everything(batch) == before
    # The copy has its own arrays, with current read-only views.
    for name in VIEWS:
        assert not np.shares_memory(getattr(twin, name), getattr(batch, name))
        with pytest.raises(ValueError, match="read-only"):
            getattr(twin, name)[0] = getattr(twin, name)[1]
    np.testing.assert_array_equal(twin.action_mask, game.legal(twin.states))
    np.testing.assert_array_equal(twin.observation, game.observe(twin.states, twin.to_move))
    assert rollout(batch, 100, 6) == returned


def test_reset_starts_new_games(game):
    batch = BatchEnv(game, 4, 0)
    start = everything(batch)
    rollout(batch, 5, 4)
    batch.reset(0)
    assert everything(batch) == start
    batch.reset(1)
    assert everything(batch) == everything(BatchEnv(game, 4, 1))
    rewards, terminated, truncated = batch.step(choose(batch.action_mask, 0))
    twin = BatchEnv(game, 4, 1)
    for array, other in zip(
        (rewards, terminated, truncated), twin.step(choose(twin.action_mask, 0)), strict=True
    ):
        np.testing.assert_array_equal(array, other)


# -- Arguments ----------------------------------------------------------------------------


def test_a_bad_seed_of_a_reset_changes_nothing(game):
    batch = BatchEnv(game, 2, 0)
    rollout(batch, 3, 2)
    before = everything(batch)
    with pytest.raises(ValueError, match="seed"):
        batch.reset(-1)
    assert everything(batch) == before

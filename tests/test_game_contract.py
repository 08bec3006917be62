"""What every game must keep to, whatever its rules: see `boardenvs.game.Game`."""

from __future__ import annotations

import copy
import inspect
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardenvs
from boardenvs.choice import tried_action
from boardenvs.game import Game
from boardenvs.game112 import Game112
from boardenvs.outcome import end_alone

NUM = 40


@pytest.fixture(scope="session")
def short(name):
    """Each game, truncated as early as its arguments allow."""
    num_players = boardenvs.make(name).num_players
    return boardenvs.make(name, max_plies=num_players)


@pytest.fixture(scope="session")
def positions(game, short, random_positions):
    """Positions of all kinds: from start to end, truncated, forfeited."""
    played = random_positions(game, 12, 0)
    forfeited = played[~game.legal(played).all(1) & game.legal(played).any(1)].copy()
    assert len(forfeited) > 0
    game.play(forfeited, (~game.legal(forfeited)).argmax(1))
    return {
        "played": (game, played),
        "forfeited": (game, forfeited),
        "truncated": (short, random_positions(short, 4, 0)),
    }


def start(game, num=NUM, seed=0):
    return game.new(num, seed)


def middle(game, num=NUM, seed=0):
    """Games after two plies, with legal actions chosen by chance; all still on."""
    states = game.new(num, seed)
    for ply in range(2):
        before = states.copy()
        game.play(states, legal_actions(game, states, seed))
        for retry in range(100):  # games that ended too soon are played otherwise
            over = game.terminated(states) | game.truncated(states)
            if not over.any():
                break
            again = before[over]
            game.play(again, legal_actions(game, again, (seed, ply, retry)))
            states[over] = again
    assert not (game.terminated(states) | game.truncated(states)).any()
    return states


def legal_actions(game, states, seed=0):
    scores = np.random.default_rng(seed).random((len(states), game.num_actions))
    return np.argmax(scores * game.legal(states), 1)


def with_illegal(game, num=NUM):
    """Games in each of which some action is illegal, and such an action for each."""
    states = middle(game, num)
    masks = game.legal(states)
    assert not masks.all(1).any()
    return states, (~masks).argmax(1)


# -- Facts ----------------------------------------------------------------------------


def test_facts(name, game):
    assert isinstance(game, Game)
    assert game.name == name
    assert type(game).__name__ == boardenvs.GAMES[name]
    assert game.num_players >= 1
    assert game.num_actions >= 1
    assert isinstance(game.max_plies, int)
    assert game.params["max_plies"] == game.max_plies
    assert list(game.params) == list(inspect.signature(type(game)).parameters)
    assert game.state_dtype.itemsize <= 4096
    assert isinstance(game.has_chance, bool)
    assert isinstance(game.has_hidden, bool)


def test_the_page_of_the_class_says_what_the_game_is(game):
    words = type(game).__doc__
    for part in ("Rules", "Arguments", "Observation", "Actions", "Rewards", "Start and end"):
        assert f"- {part}: " in words
    for argument, value in game.params.items():
        assert f"`{argument}={value!r}`" in words
    assert "Hidden and random" in words
    assert "Version history" in words


# -- New games ------------------------------------------------------------------------


def test_every_record_is_the_same_whatever_the_number(game):
    most = start(game, 100, 7)
    assert most.dtype == game.state_dtype
    for num in (0, 1, 2, 33):
        assert np.array_equal(start(game, num, 7), most[:num])
        assert start(game, num, 7).tobytes() == most[:num].tobytes()


def test_seeds_tell_games_apart(game):
    words = np.concatenate([start(game, 50, seed)["rng"] for seed in (0, 1, 2, 2**70)])
    assert len(np.unique(words)) == 200
    assert not np.array_equal(game.new(3), game.new(3))
    assert np.array_equal(game.new(3, np.int64(5)), game.new(3, 5))


def test_a_new_game_is_on(game):
    states = start(game)
    assert not game.terminated(states).any()
    assert not game.truncated(states).any()
    assert not game.returns(states).any()
    assert not states["ply"].any()
    assert (states["last_action"] == -1).all()
    assert (states["offender"] == -1).all()
    assert game.legal(states).any(1).all()


@pytest.mark.parametrize("num", [-1, 1.0, "1", None, True, [1]])
def test_a_bad_number_of_games(game, num):
    with pytest.raises(ValueError, match="num must be a whole number of at least 0, got"):
        game.new(num, 0)


@pytest.mark.parametrize("seed", [-1, 1.0, "1", True, [1], np.float32(1)])
def test_a_bad_seed(game, seed):
    with pytest.raises(ValueError, match="seed must be a whole number of at least 0 or None"):
        game.new(1, seed)


# -- Shapes ---------------------------------------------------------------------------


@pytest.mark.parametrize("num", [0, 1, 5])
def test_shapes_and_dtypes(game, num):
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


def test_empty_batches(game):
    none = start(game, 0)
    game.play(none, [])
    game.play(none, np.zeros(0, np.int64), illegal="raise")
    assert game.observe(none, game.to_move(none)).shape == (0, *game.observation_shape)
    assert len(game.conceal(none, game.to_move(none), np.random.default_rng(0))) == 0


def test_a_single_record_counts_as_one(game):
    states = middle(game, 3)
    record = states[1]
    assert np.array_equal(game.legal(record), game.legal(states)[1:2])
    assert np.array_equal(game.observe(record, 0), game.observe(states, 0)[1:2])
    assert game.returns(record).shape == (1, game.num_players)
    assert game.to_text(record) == game.to_text(states[1:2])


FOREIGN = [np.zeros(3), np.zeros(3, np.uint8), [1, 2], None, "text", np.zeros(2, [("rng", "u8")])]


@pytest.mark.parametrize("states", FOREIGN, ids=repr)
def test_what_is_no_record_is_refused(game, states):
    rng = np.random.default_rng(0)
    for operation in (
        lambda: game.legal(states),
        lambda: game.play(states, [0, 0]),
        lambda: game.observe(states, 0),
        lambda: game.conceal(states, 0, rng),
        lambda: game.to_move(states),
        lambda: game.returns(states),
        lambda: game.to_text(states),
        lambda: game.to_dict(states),
        lambda: game.restore(states),
    ):
        with pytest.raises(ValueError, match=f"expected {game.name} records, shape"):
            operation()


def test_records_of_more_dimensions_are_refused(game):
    with pytest.raises(ValueError, match=r"shape \(2, 2\)"):
        game.legal(start(game, 4).reshape(2, 2))


def test_one_position_is_one(game):
    for num in (0, 2):
        with pytest.raises(ValueError, match=f"expected one {game.name} record, got {num}"):
            game.to_text(start(game, num))
        with pytest.raises(ValueError, match=f"expected one {game.name} record, got {num}"):
            game.to_dict(start(game, num))


# -- Play -----------------------------------------------------------------------------


def test_a_batch_plays_as_each_game_alone(game):
    states = start(game)
    alone = [start(game)[i : i + 1] for i in range(NUM)]
    places = np.arange(NUM)
    while len(places):
        actions = legal_actions(game, states[places], len(places))
        part = states[places]
        game.play(part, actions)
        states[places] = part
        for i, action in zip(places, actions, strict=True):
            game.play(alone[i], [action])
        assert np.array_equal(states, np.concatenate(alone))
        places = np.flatnonzero(~(game.terminated(states) | game.truncated(states)))
    assert (states["ply"] > 0).all()
    assert (states["ply"] <= game.max_plies).all()


def test_a_copy_goes_its_own_way(game):
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
    """The 112 game with fields that C would not lay side by side."""

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
    """Leaves memory of all ones behind, for the next array of so many bytes to lie in."""
    np.full(num, 0xFF, np.uint8)


def ways_to_copy(game, states):
    """One position, got in every way there is."""
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
    yield game.batch(states[::-1])[0]
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
        for i in range(len(states)):  # each played by itself, in memory that was in use
            after = np.full(states.itemsize, 0xFF, np.uint8).view(game.state_dtype)
            after[0] = states[i]
            game.play(after, [game.legal(after)[0].argmax()])
            states[i] = after[0]
        assert_one_byte_string(game, states)


def test_rewards_of_nothing_have_the_same_bytes():
    state = np.zeros(1, boardenvs.make("pizza_order").state_dtype)
    ends = [state.copy(), state.copy()]
    for after, reward in zip(ends, (0.0, -0.0), strict=True):
        end_alone(after[0], reward)
        assert after["terminated"][0]
    assert ends[0].tobytes() == ends[1].tobytes()


@pytest.mark.parametrize("cut", [slice(None, None, 2), slice(None, None, -1), slice(3, 4)])
def test_play_reaches_through_slices(game, cut):
    states = middle(game)
    actions = legal_actions(game, states)
    expected = states.copy()
    part = expected[cut].copy()
    game.play(part, actions[cut])
    expected[cut] = part
    game.play(states[cut], actions[cut])
    assert np.array_equal(states, expected)


def test_observation_params_change_observations_alone(game):
    assert game.observation_params <= set(game.params)
    states = middle(game)
    actions = legal_actions(game, states)
    for key in game.observation_params:
        other = type(game)(**{**game.params, key: not game.params[key]})
        assert other.observation_shape != game.observation_shape
        assert other.state_dtype == game.state_dtype
        assert np.array_equal(other.new(NUM, 3), game.new(NUM, 3))
        assert np.array_equal(other.legal(states), game.legal(states))
        after, wanted = states.copy(), states.copy()
        other.play(after, actions)
        game.play(wanted, actions)
        assert np.array_equal(after, wanted)
        assert other.to_text(after[0]) == game.to_text(wanted[0])


def test_play_reaches_through_records_fields_and_odd_memory(game):
    states = middle(game, 3)
    expected = states.copy()
    action = legal_actions(game, states)[1]
    game.play(expected[1:2], [action])

    single = states.copy()
    game.play(single[1], action)
    assert np.array_equal(single, expected)

    no_axis = states.copy()
    game.play(no_axis[1:2].reshape(()), [action])
    assert np.array_equal(no_axis, expected)

    inside = np.zeros(3, [("x", np.int8), ("state", game.state_dtype)])
    inside["state"] = states
    assert inside["state"].ctypes.data % 8 == 1
    game.play(inside["state"][1:2], [action])
    assert np.array_equal(inside["state"], expected)

    void = states.view(np.dtype((np.void, game.state_dtype))).copy()
    assert void.dtype.type is np.void
    game.play(void[1:2], [action])
    assert np.array_equal(void.view(game.state_dtype), expected)


@pytest.mark.parametrize("cut", [slice(None), slice(None, None, 2)])
def test_play_refuses_to_write_where_it_may_not(game, cut):
    states = middle(game)
    before = states.copy()
    fixed = states.view()
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        game.play(fixed[cut], legal_actions(game, fixed[cut]))
    with pytest.raises(ValueError, match="read-only"):
        game.play(fixed[0], legal_actions(game, fixed[:1]))
    assert np.array_equal(states, before)
    assert game.legal(fixed).any()


def test_play_never_plays_on_a_copy_in_silence(game):
    """Whatever numpy would have to copy cannot be played in place, and is refused."""
    states = middle(game, 3)
    actions = legal_actions(game, states)
    with pytest.raises(ValueError, match="array"):
        game.play(list(states), actions)
    owner = pickle.loads(pickle.dumps(states[0]))  # a scalar that numpy copies when asked
    with pytest.raises(ValueError, match="array"):
        game.play(owner, actions[0])


def test_play_refuses_finished_games(game, positions):
    for game_, states in positions.values():
        over = states[game_.terminated(states) | game_.truncated(states)]
        live = states[~(game_.terminated(states) | game_.truncated(states))][:1]
        assert len(over)
        assert not game_.legal(over).any()
        for one in over:
            mixed = np.concatenate([live, np.array([one])])
            before = mixed.copy()
            with pytest.raises(ValueError, match=f"game {len(live)} of the batch is over"):
                game_.play(mixed, np.zeros(len(mixed), int))
            assert np.array_equal(mixed, before)
    assert game is positions["played"][0]


def bad_actions(game, actions):
    """What is no batch of actions, made from one that is."""
    return {
        "negative": np.where(np.arange(NUM) == 3, -1, actions),
        "too high": np.where(np.arange(NUM) == 3, game.num_actions, actions),
        "very high": np.full(NUM, 2**63, np.uint64),
        "too high for any word": [2**80] * NUM,
        "too few": actions[1:],
        "too many": [*actions, 0],
        "one for all": actions[0],
        "a column": actions[:, None],
        "floats": actions.astype(float),
        "bools": actions.astype(bool),
        "strings": [str(action) for action in actions],
        "None": None,
        "Nones": [None] * NUM,
        "not a number": np.full(NUM, np.nan),
        "a ragged list": [[1], [2, 3]] * (NUM // 2),
        "a dictionary": {"action": 0},
    }


@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_play_refuses_what_is_no_action(game, illegal):
    states = middle(game)
    before = states.copy()
    for what, actions in bad_actions(game, legal_actions(game, states)).items():
        with pytest.raises(ValueError, match=r"action|inhomogeneous"):
            game.play(states, actions, illegal=illegal)
        assert np.array_equal(states, before), what


def test_an_action_outside_is_named(game):
    states = middle(game)
    with pytest.raises(
        ValueError, match=f"action {game.num_actions} .* 0 to {game.num_actions - 1}"
    ):
        game.play(states, [game.num_actions] * NUM)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint64, ">i4"])
def test_actions_may_be_whole_numbers_of_any_width(game, dtype):
    states, expected = middle(game), middle(game)
    # Each game's first legal action: a narrow dtype may not hold the highest ones.
    actions = game.legal(states).argmax(1)
    assert actions.max() <= np.iinfo(dtype).max
    game.play(expected, actions)
    game.play(states, actions.astype(dtype))
    assert np.array_equal(states, expected)


def test_an_illegal_action_loses(game):
    states, actions = with_illegal(game)
    before = states.copy()
    offenders = game.to_move(states)
    game.play(states, actions)
    assert game.terminated(states).all()
    assert not game.truncated(states).any()
    assert not game.legal(states).any()
    assert np.array_equal(states["offender"], offenders)
    for field in game.state_dtype.names:
        if field not in ("offender", "terminated", "returns"):
            assert np.array_equal(states[field], before[field]), field
    if game.num_players > 1:
        others = 1 / (game.num_players - 1)
        for returns, offender in zip(game.returns(states), offenders, strict=True):
            assert returns[offender] == -1
            assert np.delete(returns, offender) == pytest.approx(others)
    else:
        assert (game.returns(states) == -1).all()


def test_an_illegal_action_raises_if_it_shall(game):
    states, actions = with_illegal(game)
    actions[:-1] = legal_actions(game, states)[:-1]
    before = states.copy()
    with pytest.raises(ValueError, match=f"action {actions[-1]} is illegal in game {NUM - 1}"):
        game.play(states, actions, illegal="raise")
    assert np.array_equal(states, before)


@pytest.mark.parametrize("illegal", ["", "Lose", None, 0, True, ["lose"]])
def test_a_bad_way_to_treat_illegal_actions(game, illegal):
    states = start(game)
    with pytest.raises(ValueError, match="illegal must be 'lose' or 'raise'"):
        game.play(states, legal_actions(game, states), illegal=illegal)
    assert np.array_equal(states, start(game))


# -- The course of a game -------------------------------------------------------------


def test_masks_flags_and_rewards_all_through(positions):
    for game, states in positions.values():
        terminated, truncated = game.terminated(states), game.truncated(states)
        returns, masks = game.returns(states), game.legal(states)
        assert not (terminated & truncated).any()
        over = terminated | truncated
        assert np.array_equal(masks.any(1), ~over)
        assert not returns[~over].any()
        assert not returns[truncated].any() or game.num_players == 1
        assert np.isfinite(returns).all()
        if game.num_players > 1:
            assert np.abs(returns.sum(1)).max() < 1e-6
            assert set(np.round(returns.max(1), 5)) <= {
                0.0,
                1.0,
                round(1 / (game.num_players - 1), 5),
            }
        assert ((game.to_move(states) >= 0) & (game.to_move(states) < game.num_players)).all()
        assert (states["ply"] <= game.max_plies).all()
        assert (truncated <= (states["ply"] == game.max_plies)).all()
        assert np.array_equal(states["last_action"] == -1, states["ply"] == 0)


def test_truncation_and_forfeit_occur(positions):
    assert positions["truncated"][1]["truncated"].any()
    assert positions["forfeited"][1]["terminated"].all()
    game, played = positions["played"]
    assert game.terminated(played).any()


def test_the_mask_is_what_play_accepts(positions):
    """Each action of a few positions: legal if and only if nobody is blamed for it."""
    game, states = positions["played"]
    live = states[~(game.terminated(states) | game.truncated(states))][::7]
    for state in live:
        tried = np.repeat(np.array([state]), game.num_actions)
        game.play(tried, np.arange(game.num_actions))
        assert np.array_equal(tried["offender"] == -1, game.legal(state)[0])


# -- Observation ----------------------------------------------------------------------


def test_observations_are_fresh_and_within_their_space(positions):
    for game, states in positions.values():
        for seat in range(game.num_players):
            before = states.copy()
            first, second = game.observe(states, seat), game.observe(states, seat)
            assert not np.shares_memory(first, second)
            assert np.array_equal(first, second)
            assert first.min() >= 0
            assert first.max() <= game.observation_high
            first[...] = -1
            assert np.array_equal(states, before)
            assert np.array_equal(game.observe(states, seat), second)


def test_a_seat_for_each_state(positions):
    game, states = positions["played"]
    seats = np.arange(len(states)) % game.num_players
    together = game.observe(states, seats)
    for seat in range(game.num_players):
        here = seats == seat
        assert np.array_equal(together[here], game.observe(states, seat)[here])


@pytest.mark.parametrize("seat", [-1, 5, 0.0, "0", None, True, [0], [0] * (NUM + 1), np.nan])
def test_a_bad_seat(game, seat):
    states = start(game)
    for operation in (
        lambda: game.observe(states, seat),
        lambda: game.conceal(states, seat, np.random.default_rng(0)),
    ):
        with pytest.raises(ValueError, match="seat must be"):
            operation()


# -- Hidden things --------------------------------------------------------------------


def test_conceal_gives_copies_with_the_stream_drawn_afresh(positions):
    for game, states in positions.values():
        before = states.copy()
        for seat in range(game.num_players):
            known = game.conceal(states, seat, np.random.default_rng(seat))
            assert not np.shares_memory(known, states)
            assert np.array_equal(states, before)
            assert np.array_equal(known, game.conceal(states, seat, np.random.default_rng(seat)))
            assert not np.array_equal(known, game.conceal(states, seat, np.random.default_rng(9)))
            assert len(np.unique(known["rng"])) == len(known)
            assert not np.isin(known["rng"], states["rng"]).any()
            assert np.array_equal(game.observe(known, seat), game.observe(states, seat))
            moving = game.to_move(states) == seat
            assert np.array_equal(game.legal(known)[moving], game.legal(states)[moving])
            if not game.has_hidden:
                known["rng"] = states["rng"]
                assert np.array_equal(known, states)


def test_conceal_depends_on_the_generator_alone(game):
    states = start(game)
    rng = np.random.default_rng(0)
    first, second = game.conceal(states, 0, rng), game.conceal(states, 0, rng)
    assert not np.isin(first["rng"], second["rng"]).any()
    other = states.copy()
    other["rng"] += np.uint64(1)
    if not game.has_hidden:
        again = game.conceal(other, 0, np.random.default_rng(0))
        assert np.array_equal(again["rng"], first["rng"])


# -- The loops behind the environments ------------------------------------------------


def test_advancing_leaves_the_next_legal_actions_in_the_masks(game):
    states = start(game)
    masks = game.legal(states)
    for ply in range(game.max_plies):
        over = game.terminated(states) | game.truncated(states)
        if over.all():
            break
        actions = np.where(over, -1, legal_actions(game, states, ply))
        if ply == 3:  # some illegal ones too, where there are any
            actions = np.where(over | (np.arange(NUM) % 4 > 0), actions, (~masks).argmax(1))
        expected = states.copy()
        part = expected[~over]
        game.play(part, actions[~over])
        expected[~over] = part
        game.kernels.advance_games(states, game.constants, actions, masks)
        assert np.array_equal(states, expected)
        assert np.array_equal(masks, game.legal(states))


def test_restarting_begins_anew_where_told_and_goes_on_with_the_stream(game):
    states = middle(game)
    before = states.copy()
    which = np.arange(NUM) % 3 == 0
    game.kernels.restart_games(states, game.constants, game.start, which)
    assert np.array_equal(states[~which], before[~which])
    assert not states["ply"][which].any()
    assert (states["last_action"][which] == -1).all()
    assert not np.isin(states["rng"][which], before["rng"]).any()
    again = before.copy()
    game.kernels.restart_games(again, game.constants, game.start, which)
    assert np.array_equal(again, states)
    if not game.has_chance:
        states["rng"][which] = start(game)["rng"][which]
        assert np.array_equal(states[which], start(game)[which])


def test_random_actions_are_legal_and_uniform(game):
    num = 20_000
    masks = np.repeat(game.legal(middle(game, 1)), num, 0)
    masks[0] = False
    bits = np.random.default_rng(0).integers(0, 2**64, num, np.uint64)
    actions = np.empty(num, np.int64)
    game.kernels.random_actions(masks, bits, actions)
    assert actions[0] == -1
    counts = np.bincount(actions[1:], minlength=game.num_actions)
    legal = masks[1]
    assert not counts[~legal].any()
    mean = (num - 1) / legal.sum()
    assert np.abs(counts[legal] - mean).max() < 4.5 * mean**0.5


@pytest.mark.parametrize("marked", [1, 3, 60])
def test_an_action_found_by_trying_is_marked_and_uniform(marked):
    num, size = 20_000, 64
    mask = np.zeros(size, np.bool_)
    mask[np.random.default_rng(1).permutation(size)[:marked]] = True
    bits = np.random.default_rng(0).integers(0, 2**64, num, np.uint64)
    counts = np.bincount([tried_action(mask, word) for word in bits], minlength=size)
    assert not counts[~mask].any()
    mean = num / marked
    assert np.abs(counts[mask] - mean).max() < 4.5 * mean**0.5
    assert tried_action(np.zeros(size, np.bool_), bits[0]) == -1


def test_playing_out_ends_every_game_and_depends_on_the_words_alone(game):
    states = middle(game)
    alone = states.copy()
    words = np.arange(NUM, dtype=np.uint64)
    scratch = np.zeros(game.num_actions, np.bool_)
    game.kernels.play_out(states, game.constants, words, scratch)
    assert (game.terminated(states) | game.truncated(states)).all()
    assert (states["offender"] == -1).all()
    for i in range(NUM):
        word = np.array([i], np.uint64)
        game.kernels.play_out(alone[i : i + 1], game.constants, word, scratch)
        assert word[0] == words[i]
    assert np.array_equal(alone, states)


# -- Copies of the game itself --------------------------------------------------------


def test_a_game_is_what_it_was_made_with(game, short):
    twin = boardenvs.make(game.name)
    for other in (twin, copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert other == game
        assert hash(other) == hash(game)
        assert other.params == game.params
        assert np.array_equal(other.new(2, 0), game.new(2, 0))
    assert short != game
    assert game != game.name
    assert len({game, twin, short}) == 2
    assert eval(repr(short), {type(game).__name__: type(game)}) == short


# -- Making ---------------------------------------------------------------------------


@pytest.mark.parametrize("name_", ["", "Gekitai", "chess", None, 1, ["gekitai"], b"gekitai"])
def test_an_unknown_game(name_):
    with pytest.raises(ValueError, match=r"there is no game .*; the games are gekitai") as error:
        boardenvs.make(name_)
    assert repr(name_) in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_parameter(game):
    with pytest.raises(
        ValueError, match=f"{game.name} has no parameter 'colour'; its parameters are .*max_plies"
    ):
        boardenvs.make(game.name, colour=1)


@pytest.mark.parametrize(
    "value", [-1, 2**31, 2**63, 10**30, 1.0, 6.5, np.nan, "6", None, True, [6], (), np.True_]
)
def test_a_bad_value_is_named(game, value):
    defaults = inspect.signature(type(game)).parameters
    for parameter, usual in game.params.items():
        if value is None and defaults[parameter].default is None:
            assert boardenvs.make(game.name, **{parameter: None}) == game
        elif isinstance(usual, int) and not isinstance(usual, bool):
            with pytest.raises(ValueError, match=f"^{parameter} must be a whole number") as error:
                boardenvs.make(game.name, **{parameter: value})
            assert repr(value) in str(error.value)
            assert "\n" not in str(error.value)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_numbers_of_numpy_are_numbers(game, dtype):
    for parameter, usual in game.params.items():
        if isinstance(usual, int) and not isinstance(usual, bool) and usual < 128:
            made = boardenvs.make(game.name, **{parameter: dtype(usual)})
            assert made == game
            assert made.constants == game.constants
            assert type(made.num_actions) is int
            assert all(type(number) is int for number in made.observation_shape)
            json.dumps(made.to_dict(made.new(1, 0)))
    made = boardenvs.make(game.name, max_plies=np.int64(game.max_plies))
    json.dumps(made.to_dict(made.new(1, 0)))


# -- Text -----------------------------------------------------------------------------


def test_action_texts_round_trip(positions):
    game, states = positions["played"]
    live = states[~(game.terminated(states) | game.truncated(states))]
    for state in live[::5]:
        texts = {}
        for action in np.flatnonzero(game.legal(state)[0]).tolist():
            texts[action] = game.action_to_text(action, state)
            assert game.action_from_text(texts[action], state) == action
        assert len(set(texts.values())) == len(texts)


def test_a_text_ends_its_lines(positions):
    for game, states in positions.values():
        for state in states[::3]:
            text = game.to_text(state)
            assert text.endswith("\n")
            assert text.isprintable() or "\n" in text


@given(text=st.text())
def test_texts_raise_nothing_but_value_errors(game, attempt, text):
    attempt(game.from_text, text)
    attempt(game.action_from_text, text)


# -- JSON -----------------------------------------------------------------------------


def test_dictionaries_round_trip(positions):
    for game, states in positions.values():
        for state in states[:: 1 + len(states) // 1000]:  # of long games not every one
            data = game.to_dict(state)
            again = game.from_dict(data)
            assert again == state
            assert again.dtype == game.state_dtype
            assert game.to_dict(again) == data
            assert game.from_dict(json.loads(json.dumps(data))) == state
            assert json.dumps(data, allow_nan=False)
            assert np.array_equal(game.restore(state), game.restore(data))
            assert game.restore(state)[0] == state


def test_a_dictionary_is_the_callers_own(name):
    game = boardenvs.make(name)
    data = game.to_dict(start(game, 1))
    kept = copy.deepcopy(data)
    record = game.from_dict(data)
    assert data == kept
    data["params"]["max_plies"] = 3
    data["returns"].append(1)
    assert game.to_dict(record) == kept


def test_a_restored_position_is_a_fresh_array(game):
    states = start(game, 1)
    restored = game.restore(states)
    assert not np.shares_memory(restored, states)
    game.play(restored, legal_actions(game, restored))
    assert np.array_equal(states, start(game, 1))


BAD_VALUES = {
    "game": ["chess", None, 1],
    "params": [None, {}, {"max_plies": 1}, []],
    "to_move": [-1, 9, 0.0, True, None, "0", 2**70],
    "ply": [-1, 0.0, True, None, "0", 2**31, 2**70, 10**9],
    "last_action": [-2, 10**6, 2**70, 0.0, True, None, "0"],
    "offender": [-2, 9, 0.0, True, None],
    "terminated": [True, None, 1, "False", "0", [False], {}, 1j],
    "truncated": [True, None, 1, "False", "0", [False], {}, 1j],
    "returns": [None, [], 0, "0", [1, -1], ["0", "0"], [float("nan")] * 2, [10**400, 0], {}],
    "rng": [-1, 2**64, 0.0, True, None, "0", float("nan"), float("inf")],
}
BAD = [(field, value) for field, values in BAD_VALUES.items() for value in values]


@pytest.mark.parametrize(("field", "value"), BAD, ids=lambda part: str(part)[:20])
def test_a_bad_field_is_named(game, field, value):
    data = game.to_dict(start(game, 1))
    with pytest.raises(ValueError, match=field) as error:
        game.from_dict({**data, field: value})
    assert "\n" not in str(error.value)


def test_fields_too_many_or_missing(game):
    data = game.to_dict(start(game, 1))
    with pytest.raises(ValueError, match="no field 'colour'"):
        game.from_dict({**data, "colour": 1})
    shared = {"game", "params", *BAD_VALUES}
    own = [key for key in data if key not in shared]
    assert own
    for key in own:
        with pytest.raises(ValueError, match=f"needs the field '{key}'"):
            game.from_dict({k: v for k, v in data.items() if k != key})
        for value in (None, "x", float("nan"), [None], [[]], [10**30], [float("nan")]):
            with pytest.raises(ValueError, match=key):
                game.from_dict({**data, key: value})
    for key in shared:
        assert game.from_dict({k: v for k, v in data.items() if k != key})


@pytest.mark.parametrize("data", [None, 1, "{}", [], [("board", 1)], np.zeros(2)])
def test_what_is_no_dictionary(game, data):
    with pytest.raises(ValueError, match=f"a {game.name} position must be a dictionary"):
        game.from_dict(data)


def test_records_that_are_no_positions_are_not_restored(game):
    for field, value in [("to_move", 9), ("ply", -1), ("last_action", 10**6), ("returns", np.nan)]:
        states = start(game, 1)
        states[field] = value
        with pytest.raises(ValueError, match=field):
            game.restore(states)


def test_records_of_any_bytes_raise_nothing_but_value_errors(game, attempt, random_positions):
    rng = np.random.default_rng(0)
    states = random_positions(game, 3, 0)
    refused = 0
    for _ in range(300):
        spoilt = states[rng.integers(len(states))].tobytes()
        spoilt = np.frombuffer(spoilt, np.uint8).copy()
        places = rng.integers(0, len(spoilt), rng.integers(1, 4))
        spoilt[places] = rng.integers(0, 256, len(places))
        refused += attempt(game.restore, spoilt.view(game.state_dtype)) is None
    assert refused > 50


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
small_values = st.one_of(
    st.integers(-2, 20),
    st.booleans(),
    st.lists(st.integers(-1, 3), max_size=9),
    st.lists(st.sampled_from([-1.0, 0.0, 1.0, 1, -1]), min_size=1, max_size=5),
    st.sampled_from([2**31, 2**32, 2**63, 2**64, 1e300, -1e300, 10**400, float("inf"), b"", 1j]),
)


@given(data=st.data())
def test_from_dict_raises_nothing_but_value_errors(game, attempt, data):
    position = game.to_dict(middle(game, 1, data.draw(st.integers(0, 20))))
    for key in data.draw(st.lists(st.sampled_from([*position, "colour"]), max_size=3)):
        if data.draw(st.booleans()):
            position[key] = data.draw(json_values | small_values)
        else:
            position.pop(key, None)
    record = attempt(game.from_dict, position)
    if record is not None:
        assert game.from_dict(game.to_dict(record)) == record
        over = record["terminated"] or record["truncated"]
        assert game.legal(record).any() == (not over)


@given(data=st.data())
def test_an_own_field_spoilt_inside_raises_nothing_but_value_errors(game, attempt, data):
    """As above, but deep inside of the game's own lists and strings."""
    position = game.to_dict(middle(game, 1, data.draw(st.integers(0, 20))))
    own = [key for key in position if key not in {"game", "params", *BAD_VALUES}]
    spoilt_position = {key: spoilt(position[key], data) for key in own}
    record = attempt(game.from_dict, spoilt_position)
    assert record is None or game.from_dict(game.to_dict(record)) == record


def spoilt(value, data):
    if isinstance(value, list | str) and value and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(value) - 1))
        if isinstance(value, str):
            other = data.draw(st.text(max_size=2) | st.sampled_from(value))
            return value[:place] + other + value[place + 1 :]
        return [*value[:place], spoilt(value[place], data), *value[place + 1 :]]
    return data.draw(st.one_of(st.just(value), json_values, small_values))


@pytest.mark.parametrize("fixed", [n for n in boardenvs.GAMES if boardenvs.make(n).info_is_fixed])
def test_a_fixed_info_stays_the_same(fixed):
    game = boardenvs.make(fixed)
    states = game.new(20, 0)
    before = [game.info(state) for state in states]
    assert len({repr(info) for info in before}) > 1
    while not (over := states["terminated"] | states["truncated"]).all():
        live = states[~over]
        game.play(live, game.legal(live).argmax(axis=1))
        states[~over] = live
        assert [game.info(state) for state in states] == before

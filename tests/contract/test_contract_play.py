"""Playing in place and in batches, invalid actions, and the course of a game."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from contract_positions import NUM, legal_actions, middle, start, with_illegal

from boardenvs.core.arrays import OutOfBoundsError

# -- Play ------------------------------------------------------------------------------


def test_a_batch_plays_like_its_single_games(game):
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


@pytest.mark.parametrize("cut", [slice(None, None, 2), slice(None, None, -1), slice(3, 4)])
def test_play_changes_slices_in_place(game, cut):
    states = middle(game)
    actions = legal_actions(game, states)
    expected = states.copy()
    part = expected[cut].copy()
    game.play(part, actions[cut])
    expected[cut] = part
    game.play(states[cut], actions[cut])
    assert np.array_equal(states, expected)


def test_play_changes_records_and_unusual_memory_in_place(game):
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
def test_play_refuses_read_only_arrays(game, cut):
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


def test_play_refuses_values_that_numpy_would_copy(game):
    """Values that numpy would copy are refused, because they cannot be played in place."""
    states = middle(game, 3)
    actions = legal_actions(game, states)
    with pytest.raises(ValueError, match="array"):
        game.play(list(states), actions)
    owner = pickle.loads(pickle.dumps(states[0]))  # numpy copies this scalar if converted
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
            with pytest.raises(ValueError, match=rf"^states .*game {len(live)}\b"):
                game_.play(mixed, np.zeros(len(mixed), int))
            assert np.array_equal(mixed, before)
    assert game is positions["played"][0]


def bad_actions(game, actions):
    """Return invalid batches of actions, derived from a valid one."""
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
def test_play_refuses_invalid_actions(game, illegal):
    states = middle(game)
    before = states.copy()
    for what, actions in bad_actions(game, legal_actions(game, states)).items():
        with pytest.raises(OutOfBoundsError, match=r"^actions? must be "):
            game.play(states, actions, illegal=illegal)
        assert np.array_equal(states, before), what


def test_the_error_of_an_action_out_of_range_names_it(game):
    states = middle(game)
    with pytest.raises(
        ValueError, match=f"^action .*0 to {game.num_actions - 1}.* {game.num_actions}$"
    ):
        game.play(states, [game.num_actions] * NUM)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint64, ">i4"])
def test_actions_can_have_any_integer_type(game, dtype):
    states, expected = middle(game), middle(game)
    # The first legal action of each game fits into narrow dtypes.
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


def test_an_illegal_action_raises_if_requested(game):
    states, actions = with_illegal(game)
    actions[:-1] = legal_actions(game, states)[:-1]
    before = states.copy()
    with pytest.raises(ValueError, match=rf"action {actions[-1]}\b.*game {NUM - 1}\b"):
        game.play(states, actions, illegal="raise")
    assert np.array_equal(states, before)


@pytest.mark.parametrize("illegal", ["", "Lose", None, 0, True, ["lose"]])
def test_a_bad_value_of_illegal_is_refused(game, illegal):
    states = start(game)
    with pytest.raises(ValueError, match=r"^illegal "):
        game.play(states, legal_actions(game, states), illegal=illegal)
    assert np.array_equal(states, start(game))


# -- The course of a game --------------------------------------------------------------


def test_masks_flags_and_rewards_are_consistent(positions):
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


def test_the_tested_positions_include_truncations_and_forfeits(positions):
    game, played = positions["played"]
    always_short = played["ply"].max() <= game.num_players
    assert positions["truncated"][1]["truncated"].any() or always_short
    always_legal = game.legal(played)[~game.over(played)].all()
    assert always_legal or positions["forfeited"][1]["terminated"].all()
    assert game.terminated(played).any()


def test_masks_agree_with_the_actions_that_play_accepts(positions):
    """An action is legal if and only if playing it does not set `offender`."""
    game, states = positions["played"]
    live = states[~(game.terminated(states) | game.truncated(states))][::7]
    for state in live:
        tried = np.repeat(np.array([state]), game.num_actions)
        game.play(tried, np.arange(game.num_actions))
        assert np.array_equal(tried["offender"] == -1, game.legal(state)[0])

"""Observations, hidden information and info of a seat."""

from __future__ import annotations

import numpy as np
import pytest
from contract_positions import NUM, legal_actions, middle, start
from gymnasium.utils.env_checker import data_equivalence

# -- Observation -----------------------------------------------------------------------


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


def test_observe_accepts_a_seat_for_each_state(positions):
    game, states = positions["played"]
    seats = np.arange(len(states)) % game.num_players
    together = game.observe(states, seats)
    for seat in range(game.num_players):
        here = seats == seat
        assert np.array_equal(together[here], game.observe(states, seat)[here])


def test_observe_to_move_agrees_with_observe(positions):
    for game, states in positions.values():
        seen = game.observe_to_move(states)
        assert np.array_equal(seen, game.observe(states, game.to_move(states)))
        assert seen.dtype == np.int8


@pytest.mark.parametrize("seat", [-1, 5, 0.0, "0", None, True, [0], [0] * (NUM + 1), np.nan])
def test_a_bad_seat_is_refused(game, seat):
    states = start(game)
    for operation in (
        lambda: game.observe(states, seat),
        lambda: game.conceal(states, seat, np.random.default_rng(0)),
    ):
        with pytest.raises(ValueError, match=r"^seat "):
            operation()


def test_observation_params_change_only_observations(game):
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


# -- Hidden information ----------------------------------------------------------------


def test_conceal_returns_copies_with_new_streams(positions):
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


def test_conceal_depends_only_on_the_generator(game):
    states = start(game)
    rng = np.random.default_rng(0)
    first, second = game.conceal(states, 0, rng), game.conceal(states, 0, rng)
    assert not np.isin(first["rng"], second["rng"]).any()
    other = states.copy()
    other["rng"] += np.uint64(1)
    if not game.has_hidden:
        again = game.conceal(other, 0, np.random.default_rng(0))
        assert np.array_equal(again["rng"], first["rng"])


# -- Info ------------------------------------------------------------------------------


def test_info_is_fixed_says_whether_infos_change(game):
    states = game.new(20, 0)
    before = game.infos(states)
    assert not game.info_is_fixed or any(
        len(np.unique(rows, axis=0)) > 1 for rows in before.values()
    )
    changed = False
    while not (over := states["terminated"] | states["truncated"]).all():
        live = states[~over]
        game.play(live, game.legal(live).argmax(axis=1))
        states[~over] = live
        changed |= not data_equivalence(game.infos(states), before)
    assert changed == (game.has_info and not game.info_is_fixed)


def test_every_info_has_the_same_keys_dtypes_and_shapes(variant, variant_positions):
    states = variant_positions.copy()
    columns, before = variant.infos(states), variant.infos(states)
    assert bool(columns) == variant.has_info
    for i, state in enumerate(states):
        info = variant.info(state)
        assert info.keys() == columns.keys()
        for key, rows in columns.items():
            assert isinstance(info[key], np.generic | np.ndarray)
            assert (info[key].dtype, info[key].shape) == (rows.dtype, rows.shape[1:])
            assert np.array_equal(info[key], rows[i])
    for told in (columns, variant.info(states[0])):
        for value in told.values():
            if isinstance(value, np.ndarray):
                value[...] = 1  # the caller may change what is returned
    assert np.array_equal(states, variant_positions)
    assert data_equivalence(variant.infos(states), before)

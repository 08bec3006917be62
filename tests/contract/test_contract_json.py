"""Positions from outside: dictionaries and invalid records."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from contract_positions import legal_actions, middle, start
from hypothesis import given
from hypothesis import strategies as st

from boardenvs.core.hooks import judge


def check_round_trip(game, state):
    data = game.to_dict(state)
    again = game.from_dict(data)
    assert again == state
    assert again.dtype == game.state_dtype
    assert game.to_dict(again) == data
    assert game.from_dict(json.loads(json.dumps(data, allow_nan=False))) == state
    assert np.array_equal(game.restore(state), game.restore(data))
    assert game.restore(state)[0] == state


def test_dictionaries_round_trip(variant, variant_positions):
    for state in variant_positions:
        check_round_trip(variant, state)


def test_dictionaries_of_truncated_games_round_trip(positions):
    game, states = positions["truncated"]
    for state in states:
        check_round_trip(game, state)


def test_changing_a_dictionary_does_not_change_the_game(cls):
    game = cls()
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
def test_the_error_of_a_bad_field_names_it(game, field, value):
    if field == "terminated" and value is True and not judge.is_in(game.rules):
        return  # only the dictionary defines whether the game is over
    data = game.to_dict(start(game, 1))
    with pytest.raises(ValueError, match=field) as error:
        game.from_dict({**data, field: value})
    assert "\n" not in str(error.value)


def test_unknown_and_missing_fields_are_refused(game):
    data = game.to_dict(start(game, 1))
    with pytest.raises(ValueError, match="'colour'"):
        game.from_dict({**data, "colour": 1})
    shared = {"game", "params", *BAD_VALUES}
    own = [key for key in data if key not in shared]
    assert own
    for key in own:
        with pytest.raises(ValueError, match=f"'{key}'"):
            game.from_dict({k: v for k, v in data.items() if k != key})
        for value in (None, "x", float("nan"), [None], [[]], [10**30], [float("nan")]):
            with pytest.raises(ValueError, match=key):
                game.from_dict({**data, key: value})
    for key in shared:
        assert game.from_dict({k: v for k, v in data.items() if k != key})


@pytest.mark.parametrize("data", [None, 1, "{}", [], [("board", 1)], np.zeros(2)])
def test_values_that_are_not_dictionaries_are_refused(game, data):
    with pytest.raises(ValueError, match=f"{game.name} .*dictionary"):
        game.from_dict(data)


def test_invalid_records_are_not_restored(game):
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
def test_a_damaged_field_of_the_game_raises_nothing_but_value_errors(game, attempt, data):
    """Damage inside the game's own lists and strings raises at most ValueError."""
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

"""Texts of positions and actions are read as written, and other texts are refused."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import given, settings
from hypothesis import strategies as st

# -- Positions ------------------------------------------------------------------------


def unshown(game, state):
    """Return the arguments of `from_text` that a text does not show: those with default `None`.

    Their names are the keys of the dictionary or the info.
    """
    known = {**game.info(state), **game.to_dict(state)}
    arguments = inspect.signature(game.from_text).parameters.values()
    return {one.name: known[one.name] for one in arguments if one.default is None}


def assumed(game):
    """Return the fields that `from_text` assumes."""
    arguments = inspect.signature(game.from_text).parameters.values()
    other = {one.name for one in arguments if one.default not in (None, inspect.Parameter.empty)}
    return {"rng", "last_action"} | other


def test_every_line_of_a_text_ends_with_a_newline(variant, variant_positions):
    for state in variant_positions[::3]:
        text = variant.to_text(state)
        assert text.endswith("\n")
        assert all(line.isprintable() for line in text.splitlines())


def test_a_text_is_read_as_its_position(variant, variant_positions):
    for state in variant_positions:
        if state["offender"] >= 0:
            continue
        text = variant.to_text(state)
        again = variant.from_text(text, **unshown(variant, state))
        assert variant.to_text(again) == text
        for field in assumed(variant):
            again[field] = state[field]
        if not variant.has_hidden:
            assert again == state
        for field in ("to_move", "ply", "terminated", "truncated", "returns"):
            assert np.array_equal(again[field], state[field])
        assert np.array_equal(variant.legal(again), variant.legal(state))
        assert data_equivalence(variant.info(again), variant.info(state))
        for seat in range(variant.num_players):
            assert np.array_equal(variant.observe(again, seat), variant.observe(state, seat))


def test_trailing_blanks_and_newlines_can_be_omitted(variant, variant_positions):
    for state in variant_positions[::20]:
        if state["offender"] >= 0:
            continue
        text, rest = variant.to_text(state), unshown(variant, state)
        assert variant.from_text(text.removesuffix("\n"), **rest) == variant.from_text(text, **rest)


def test_an_impossible_turn_or_ply_is_refused(variant, variant_positions):
    most = variant.num_players
    for state in variant_positions[::40]:
        if state["offender"] >= 0:
            continue
        text, rest = variant.to_text(state), unshown(variant, state)
        wrong = [("to_move", value) for value in (-1, most, 2**70, True, 0.0, "0", [0])]
        wrong += [("to_move", seat) for seat in range(most) if seat != state["to_move"]]
        wrong += [("ply", value) for value in (-1, variant.max_plies + 1, 2**70, True, 1.0, "1")]
        for field, value in wrong:
            with pytest.raises(ValueError, match=r"to_move|ply") as error:
                variant.from_text(text, **{**rest, field: value})
            assert "\n" not in str(error.value)


ODD = ["", "", "\n", "\r", "\x85", "\0", " ", "\t", "é", "²", "\u0661", "\uff11", "9" * 30, "-1"]


def spoilt(text, data):
    """Return a text with some characters or lines replaced, removed, inserted or duplicated."""
    for _ in range(data.draw(st.integers(1, 3))):
        if data.draw(st.integers(0, 4)):
            cut = data.draw(st.integers(0, len(text)))
            gone = data.draw(st.sampled_from([0, 0, 1, 1, 2, 3, 4, 6, 27]))
            put = data.draw(st.sampled_from([*ODD, *sorted(set(text))]))
            text = text[:cut] + put + text[cut + gone :]
        else:
            lines = text.splitlines(keepends=True) or [""]
            here = data.draw(st.integers(0, len(lines)))
            there = data.draw(st.integers(0, len(lines) - 1))
            text = "".join([*lines[:here], lines[there], *lines[here + data.draw(st.booleans()) :]])
    return text


def shows(text, whole):
    """Return whether a text shows a position, apart from optional parts.

    These are blanks at line ends, frames of lines and final lines. Empty lines may follow.
    """
    lines, expected = text.rstrip("\n").splitlines(), whole.splitlines()
    return len(lines) <= len(expected) and all(
        line.strip() in shown and bool(line.strip()) == bool(shown.strip())
        for line, shown in zip(lines, expected, strict=False)
    )


@settings(max_examples=80)  # for each variant
@given(data=st.data())
def test_a_damaged_text_is_refused_or_read_as_another_position(
    variant, variant_positions, attempt, data
):
    state = variant_positions[data.draw(st.integers(0, len(variant_positions) - 1))]
    whole = variant.to_text(state)
    alphabet = sorted({*whole, *"09AaXx|"})
    other = data.draw(st.sampled_from([None] * 6 + [st.text(), st.text(alphabet, max_size=80)]))
    text = spoilt(whole if other is None else data.draw(other), data)
    rest = unshown(variant, state) if data.draw(st.integers(0, 3)) else {}
    again = attempt(lambda given: variant.from_text(given, **rest), text)
    if again is not None:
        assert shows(text, variant.to_text(again))
        assert variant.from_dict(variant.to_dict(again)) == again


# -- Actions --------------------------------------------------------------------------


def test_every_action_has_its_own_text(variant, variant_positions):
    for state in (None, *variant_positions[:: 1 + len(variant_positions) // 6]):
        texts = [variant.action_to_text(action, state) for action in range(variant.num_actions)]
        assert len(set(texts)) == variant.num_actions
        for action, text in enumerate(texts):
            assert text == text.strip()
            assert text.isprintable()
            for typed in (text, f"  {text}\t\n"):
                assert variant.action_from_text(typed, state) == action


def test_texts_of_legal_actions_round_trip(variant, variant_positions):
    masks = variant.legal(variant_positions)
    for state, mask in zip(variant_positions[::5], masks[::5], strict=True):
        for action in np.flatnonzero(mask).tolist():
            text = variant.action_to_text(action, state)
            assert variant.action_from_text(text, state) == action


@pytest.mark.parametrize("number", [-1, 2**70, 0.0, 1.0, np.nan, "0", "1 1", None, True, [0]])
def test_an_action_out_of_range_has_no_text(game, number):
    for state in (None, game.new(1, 0)[0]):
        for action in (number, game.num_actions):
            with pytest.raises(ValueError, match="action") as error:
                game.action_to_text(action, state)
            assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", " ", "\n", "\0", "?", "-1", "1" * 5000, "1, 2, 3, 4, 5"])
def test_invalid_actions_are_refused(game, text):
    for state in (None, game.new(1, 0)[0]):
        with pytest.raises(ValueError, match=r".") as error:
            game.action_from_text(text, state)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("zero", ["\u0660", "\uff10"])  # Arabic-Indic and full-width digits
def test_only_ascii_digits_are_accepted(variant, zero):
    foreign = str.maketrans({str(digit): chr(ord(zero) + digit) for digit in range(10)})
    state = variant.new(1, 0)[0]
    for action in range(variant.num_actions):
        text = variant.action_to_text(action, state)
        if text.translate(foreign) != text:
            with pytest.raises(ValueError, match=r"."):
                variant.action_from_text(text.translate(foreign), state)


@settings(max_examples=40)  # for each variant
@given(data=st.data())
def test_a_damaged_text_of_an_action_is_refused_or_read_as_another(
    variant, variant_positions, attempt, data
):
    state = variant_positions[data.draw(st.integers(0, len(variant_positions) - 1))]
    state = state if data.draw(st.booleans()) else None
    action = data.draw(st.integers(0, variant.num_actions - 1))
    text = data.draw(st.just(variant.action_to_text(action, state)) | st.text())
    read = attempt(lambda given: variant.action_from_text(given, state), spoilt(text, data))
    if read is not None:
        assert type(read) is int
        assert variant.action_from_text(variant.action_to_text(read, state), state) == read

"""Gekitai's threats and symmetries, on which its proofs rely."""

import numpy as np
import pytest
from numba import njit

from agents.games.gekitai.threats import preventing_cells, winning_cells, wins_at_once
from agents.search.proofs.bitboards import canonical, turned, turned_back
from boardenvs.gekitai import Gekitai

VARIANTS = {
    "default": {},
    "8 x 8": {"board_size": 8},
    "six pieces, lines of four": {"pieces": 6, "line_length": 4},
    "7 x 7, lines of five": {"board_size": 7, "pieces": 12, "line_length": 5},
}


@pytest.fixture(scope="module", params=VARIANTS)
def variant(request):
    return Gekitai(**VARIANTS[request.param])


# -- Threats. -------------------------------------------------------------------------------


@njit
def threats_of(states, params, words, flags):
    for i in range(len(states)):
        mine = states[i].pieces[states[i].to_move]
        theirs = states[i].pieces[1 - states[i].to_move]
        words[i] = winning_cells(params[0], mine, theirs)
        flags[i] = wins_at_once(params[0], mine, theirs)


def test_winning_cells_are_those_that_win_by_the_rules(variant, live_positions):
    states = live_positions(variant, 60, 8)
    words = np.zeros(len(states), np.uint64)
    flags = np.zeros(len(states), np.bool_)
    threats_of(states, variant.constants, words, flags)
    bits = variant.constants["bits"][0, : variant.num_actions]
    found = (words[:, None] >> bits & np.uint64(1)).astype(np.bool_)
    rows, actions = np.nonzero(variant.legal(states))
    after = states[rows]
    variant.play(after, actions)
    expected = np.zeros_like(found)
    expected[rows, actions] = after["returns"][np.arange(len(rows)), states["to_move"][rows]] > 0
    assert expected.any()
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(flags, expected.any(axis=1))


@njit
def preventing_of(states, params, words):
    for i in range(len(states)):
        mine = states[i].pieces[1 - states[i].to_move]
        theirs = states[i].pieces[states[i].to_move]
        wins = winning_cells(params[0], mine, theirs)
        words[i] = preventing_cells(params[0], mine, theirs, wins)


def test_only_preventing_cells_can_prevent_a_win(variant, live_positions):
    """After any other placement, the other player still has a winning cell."""
    states = live_positions(variant, 60, 8)
    words = np.zeros(len(states), np.uint64)
    preventing_of(states, variant.constants, words)
    bits = variant.constants["bits"][0, : variant.num_actions]
    listed = (words[:, None] >> bits & np.uint64(1)).astype(np.bool_)
    legal = variant.legal(states).astype(np.bool_)
    assert not (listed & ~legal).any()
    rows, actions = np.nonzero(legal & ~listed)
    assert len(rows) > 100
    after = states[rows]
    variant.play(after, actions)
    after = after[~variant.over(after)]
    flags = np.zeros(len(after), np.bool_)
    threats_of(after, variant.constants, np.zeros(len(after), np.uint64), flags)
    assert len(after) > 50
    assert flags.all()


# -- Symmetries. ----------------------------------------------------------------------------


@njit
def turns_of(params, words, out, back):
    for i in range(len(words)):
        for k in range(8):
            out[i, k] = turned(params[0], words[i], k)
            back[i, k] = turned_back(params[0], out[i, k], k)


def cells_of(words, side):
    """Return words as arrays of the board's cells."""
    bits = np.array([8 * r + c for r in range(side) for c in range(side)], np.uint64)
    return (words[..., None] >> bits & np.uint64(1)).reshape(*words.shape, side, side)


def test_symmetries_are_those_of_the_square(variant, live_positions):
    words = live_positions(variant, 30, 9)["pieces"].ravel()
    out, back = np.zeros((2, len(words), 8), np.uint64)
    turns_of(variant.constants, words, out, back)
    boards, turns = cells_of(words, variant.board_size), cells_of(out, variant.board_size)
    for k in range(8):
        expected = boards.swapaxes(1, 2) if k & 1 else boards
        expected = expected[:, ::-1] if k & 2 else expected
        expected = expected[:, :, ::-1] if k & 4 else expected
        np.testing.assert_array_equal(turns[:, k], expected)
    np.testing.assert_array_equal(back, np.repeat(words[:, None], 8, axis=1))
    assert not (out & ~variant.constants["board"]).any()


@njit
def canonicals_of(params, pairs, out, by):
    for i in range(len(pairs)):
        one, two, k = canonical(params[0], pairs[i, 0], pairs[i, 1])
        out[i, 0] = one
        out[i, 1] = two
        by[i, 0] = turned(params[0], pairs[i, 0], k)
        by[i, 1] = turned(params[0], pairs[i, 1], k)


def test_all_turns_of_a_position_have_one_canonical_form(variant, live_positions):
    pairs = live_positions(variant, 30, 10)["pieces"]
    turns, back = np.zeros((2, pairs.size, 8), np.uint64)
    turns_of(variant.constants, pairs.ravel(), turns, back)
    turns = turns.reshape(len(pairs), 2, 8).transpose(2, 0, 1).copy()
    out, by = np.zeros((2, 8, *pairs.shape), np.uint64)
    for k in range(8):
        canonicals_of(variant.constants, turns[k], out[k], by[k])
        np.testing.assert_array_equal(out[k], out[0])
    np.testing.assert_array_equal(by, out)
    assert len(np.unique(out[0], axis=0)) > len(np.unique(pairs, axis=0)) / 9

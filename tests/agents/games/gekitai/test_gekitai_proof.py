"""Gekitai's proof search, and the threats and symmetries it stands on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from agents.games.gekitai.proofs.proof import ProofSearch
from agents.games.gekitai.threats import winning_cells, wins_at_once
from agents.search.exact import ExactAgent
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


@pytest.fixture(scope="module")
def small():
    """The game on 4 x 4 cells, fewer than the game itself allows."""
    game = Gekitai()
    game.constants["side"] = 4
    game.constants["board"] = 0x0F0F0F0F
    game.constants["bits"][0, :16] = [8 * r + c for r in range(4) for c in range(4)]
    return game


def masks_of(game, states):
    """The empty cells, whatever the size of the board."""
    cells = game.constants["bits"][0, : game.constants["side"][0] ** 2]
    masks = np.zeros((len(states), game.num_actions), np.bool_)
    occupied = states["pieces"].sum(axis=1, dtype=np.uint64)
    masks[:, : len(cells)] = occupied[:, None] >> cells & np.uint64(1) == 0
    return masks


def random_live(game, num, seed):
    """Every live position of random games, whatever the size of the board."""
    rng = np.random.default_rng(seed)
    states = game.new(num, seed)
    seen = []
    while len(states):
        seen.append(states.copy())
        masks = masks_of(game, states)
        actions = np.argmax(rng.random(masks.shape) * masks, axis=1)
        game.kernels.play_games(states, game.constants, actions, masks)
        states = states[~(states["terminated"] | states["truncated"])]
    return rng.permutation(np.concatenate(seen))


# -- Exhaustive search: every line of play, by the rules alone. -----------------------------


def forced(game, states, seats, plies):
    """Whether the seats can force wins within so many plies."""
    masks = masks_of(game, states)
    rows, actions = np.nonzero(masks)
    after = states[rows]
    game.kernels.play_games(after, game.constants, actions, masks[rows])
    won = after["returns"][np.arange(len(rows)), seats[rows]] > 0
    live = np.flatnonzero(~after["terminated"]) if plies > 1 else []
    if len(live):
        won[live] = forced(game, after[live], seats[rows][live], plies - 1)
    some = np.zeros(len(states), np.int64)
    np.add.at(some, rows, won)
    attack = states["to_move"] == seats
    return np.where(attack, some > 0, some == masks.sum(axis=1))


def exhaustive(game, states, plies):
    """What `ProofSearch.fewest_plies` should say."""
    fewest = np.zeros(len(states), np.int64)
    for within in range(1, plies + 1, 2):
        for i in np.flatnonzero(fewest == 0):
            one = states[i : i + 1]
            fewest[i] = within * forced(game, one, one["to_move"], within)[0]
    return fewest


def a_few_of_each(states, fewest, num):
    """Positions of which the search says different things."""
    return np.concatenate([states[fewest == plies][:num] for plies in np.unique(fewest)])


@pytest.mark.slow
def test_small_boards_are_as_exhaustive_search_says(small):
    states = random_live(small, 300, 1)
    # All lines of five plies are few enough to try only where the board is rather full. And
    # the rule of `max_plies`, which proofs leave out, must not spoil the comparison.
    states = states[(masks_of(small, states).sum(axis=1) <= 10) & (states["ply"] < 100)]
    states = a_few_of_each(states, ProofSearch(small, 16).fewest_plies(states, 5), 4)
    found = ProofSearch(small, 16).fewest_plies(states, 5)
    assert set(found.tolist()) == {0, 1, 3, 5}
    np.testing.assert_array_equal(found, exhaustive(small, states, 5))


def test_random_positions_are_as_exhaustive_search_says(variant):
    states = random_live(variant, 200, 2)
    states = states[states["ply"] < 100]
    states = a_few_of_each(states, ProofSearch(variant, 16).fewest_plies(states, 3), 15)
    found = ProofSearch(variant, 16).fewest_plies(states, 3)
    assert set(found.tolist()) == {0, 1, 3}
    np.testing.assert_array_equal(found, exhaustive(variant, states, 3))


def test_it_agrees_with_the_search_for_any_game(gekitai):
    states = random_live(gekitai, 100, 4)[:400]
    fewest = ProofSearch(gekitai, 18).fewest_plies(states, 5)
    won = (fewest > 1) & (states["ply"] < 100)
    assert won.sum() > 10
    exact = ExactAgent(gekitai)
    plies = exact.plies(states[won])
    # The last of five plies may be spared: a defender may have to line up the attacker.
    assert ((plies == fewest[won]) | (plies == fewest[won] - 1)).all()
    values = exact.values(states[won])
    assert (values[np.arange(len(values)), states["to_move"][won]] == 1).all()


# -- What it promises of its own accord. ----------------------------------------------------


def test_nobody_forces_a_win_from_the_empty_board_within_nine_plies(gekitai):
    search = ProofSearch(gekitai, 16)
    assert search.fewest_plies(gekitai.new(1, 0), 9).tolist() == [0]
    assert search.positions > 1000


def test_neither_the_table_nor_the_order_matters(gekitai):
    states = random_live(gekitai, 40, 5)[:120]
    expected = ProofSearch(gekitai, 18).fewest_plies(states, 5)
    tiny = ProofSearch(gekitai, 4)
    np.testing.assert_array_equal(tiny.fewest_plies(states[::-1], 5), expected[::-1])
    np.testing.assert_array_equal(tiny.fewest_plies(states, 5), expected)
    alone = [ProofSearch(gekitai, 10).fewest_plies(state, 5)[0] for state in states[:20]]
    np.testing.assert_array_equal(alone, expected[:20])


def test_both_players_can_be_asked_about(gekitai):
    # What is remembered of a position as the attacker's is no answer for the defender.
    states = random_live(gekitai, 40, 6)[:60]
    swapped = states.copy()
    swapped["to_move"] = 1 - states["to_move"]
    swapped["pieces"] = states["pieces"][:, ::-1]
    search = ProofSearch(gekitai, 14)
    np.testing.assert_array_equal(search.fewest_plies(states, 5), search.fewest_plies(swapped, 5))


def test_a_forcing_action_keeps_the_win(variant):
    states = random_live(variant, 60, 12)
    search = ProofSearch(variant, 16)
    fewest = search.fewest_plies(states, 3)
    states = a_few_of_each(states, fewest, 20)
    fewest = search.fewest_plies(states, 5)
    for proof in (search, ProofSearch(variant, 4)):
        actions = proof.forcing_actions(states, 5)
        np.testing.assert_array_equal(actions < 0, fewest == 0)
        for plies in (1, 3, 5):
            chosen = np.flatnonzero(fewest == plies)
            after = states[chosen]
            variant.play(after, actions[chosen], illegal="raise")
            mover = states["to_move"][chosen]
            won = after["returns"][np.arange(len(after)), mover] > 0
            if plies == 1:
                assert won.all()
                continue
            # Whatever the other player does, the rest of the win is forced.
            rows, replies = np.nonzero(variant.legal(after))
            then = after[rows]
            variant.play(then, replies)
            left = then["returns"][np.arange(len(then)), mover[rows]] <= 0
            assert (ProofSearch(variant, 16).fewest_plies(then[left], plies - 2) > 0).all()


def test_a_limit_is_kept_and_told(gekitai):
    states = random_live(gekitai, 40, 7)[:60]
    expected = ProofSearch(gekitai, 16).fewest_plies(states, 5)
    search = ProofSearch(gekitai, 16)
    found = search.fewest_plies(states, 5, limit=300)
    assert search.positions <= 300 * len(states)
    unknown = found == -1
    assert 0 < unknown.sum() < len(states)
    np.testing.assert_array_equal(found[~unknown], expected[~unknown])
    np.testing.assert_array_equal(search.fewest_plies(states, 5), expected)


# -- Threats. -------------------------------------------------------------------------------


@njit
def threats_of(states, params, words, flags):
    for i in range(len(states)):
        mine = states[i].pieces[states[i].to_move]
        theirs = states[i].pieces[1 - states[i].to_move]
        words[i] = winning_cells(params[0], mine, theirs)
        flags[i] = wins_at_once(params[0], mine, theirs)


def test_winning_cells_are_those_that_win(variant, live_positions):
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


# -- Symmetries. ----------------------------------------------------------------------------


@njit
def turns_of(params, words, out, back):
    for i in range(len(words)):
        for k in range(8):
            out[i, k] = turned(params[0], words[i], k)
            back[i, k] = turned_back(params[0], out[i, k], k)


def cells_of(words, side):
    """Words as arrays of the board's cells."""
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


SEARCH = ProofSearch(Gekitai(), 16)


@settings(max_examples=60)
@given(st.lists(st.integers(0, 35), max_size=16), st.integers(0, 7))
def test_a_turned_position_has_the_same_answer(moves, k):
    game = SEARCH.game
    states = game.new(1, 0)
    for action in moves:
        if game.legal(states)[0, action]:
            before = states.copy()
            game.play(states, [action])
            if states["terminated"][0]:
                states = before
                break
    turn = states.copy()
    for seat in range(2):
        board = cells_of(states["pieces"][:, seat], 6)[0]
        board = board.T if k & 1 else board
        board = board[::-1] if k & 2 else board
        board = board[:, ::-1] if k & 4 else board
        turn["pieces"][0, seat] = sum(1 << int(8 * r + c) for r, c in np.argwhere(board))
    fresh = ProofSearch(game, 12)
    assert SEARCH.fewest_plies(turn, 5) == fresh.fewest_plies(states, 5)


# -- Errors. --------------------------------------------------------------------------------


def test_it_refuses_another_game(game112, refused):
    with refused("the proof search plays gekitai alone, not game112$"):
        ProofSearch(game112)


@pytest.mark.parametrize("bits", [3, 33, "20", 20.0, None])
def test_it_refuses_a_bad_table(gekitai, bits, refused):
    with refused("table_bits must be a whole number from 4 to 32"):
        ProofSearch(gekitai, bits)


@pytest.mark.parametrize("plies", [0, -1, 101, 2.0, "3", None])
def test_it_refuses_bad_plies(gekitai, plies, refused):
    with refused("plies must be a whole number from 1 to 99"):
        ProofSearch(gekitai, 4).fewest_plies(gekitai.new(1), plies)


def test_it_refuses_even_plies(gekitai, refused):
    with refused("plies must be odd, since the winner plays the last, got 4$"):
        ProofSearch(gekitai, 4).fewest_plies(gekitai.new(1), 4)


def test_it_refuses_a_bad_limit(gekitai, refused):
    with refused("limit must be a whole number from 0"):
        ProofSearch(gekitai, 4).fewest_plies(gekitai.new(1), 3, limit=-1)


def test_it_refuses_what_is_no_live_position(gekitai, game112, random_positions, refused):
    search = ProofSearch(gekitai, 4)
    states = random_positions(gekitai, 5, 1)
    with refused(f"state {states['terminated'].argmax()} is over: there is nothing to prove"):
        search.fewest_plies(states, 1)
    with refused("expected gekitai records"):
        search.fewest_plies(game112.new(1), 1)

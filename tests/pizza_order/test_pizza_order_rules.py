"""The pizza order's rules: single orders and wanted orders."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardenvs

PRESETS = [[1, 13], [6, 7, 8, 9, 10], [2, 3, 4, 5], [3, 12]]
CUSTOM, DONE, YES, NO = 4, 20, 21, 22
GAMES = {most: boardenvs.make("pizza_order", max_pizzas=most) for most in range(1, 10)}


def position(wanted, answers=(), most=3):
    game = GAMES[most]
    return game, game.restore({"wanted": wanted, "answers": list(answers)})


def told(game, states):
    """Return the orders in the infos: for each pizza a list of ingredient ids."""
    return [
        [(np.flatnonzero(row) + 1).tolist() for row in rows if row[0] >= 0]
        for rows in game.infos(states)["wanted"]
    ]


def custom(*ids):
    """Return the answers that order a custom pizza."""
    return [CUSTOM, *(4 + i for i in ids), DONE]


def legal(game, states):
    return np.flatnonzero(game.legal(states)[0]).tolist()


# -- Single orders --------------------------------------------------------------------

ENDS = [
    ([[1, 13]], [0, NO], 1),
    ([[1, 13]], [1, NO], 0),
    ([[1, 13]], [0, YES, 0, NO], 0),  # one pizza too many
    ([[1, 13], [1, 13]], [0, NO], 0),  # one pizza too few
    ([[1, 13], [1, 13]], [0, YES, 0, NO], 1),
    ([[6, 7, 8, 9, 10]], [1, NO], 1),
    ([[2, 3, 4, 5]], [2, NO], 1),
    ([[3, 12]], [3, NO], 1),
    ([[3, 12]], [*custom(3, 12), NO], 1),  # equals the preset
    ([[3, 12]], [*custom(12, 3), NO], 1),
    ([[3, 12]], [*custom(3), NO], 0),
    ([[3, 12]], [*custom(3, 12, 15), NO], 0),
    ([[12]], [*custom(12), NO], 1),
    ([list(range(1, 16))], [*custom(*range(15, 0, -1)), NO], 1),
    # Orders compare as multisets: two of one kind do not replace two of another.
    ([[1, 13], [1, 13], [3, 12]], [0, YES, 3, YES, 3], 0),
    ([[1, 13], [1, 13], [3, 12]], [0, YES, 3, YES, 0], 1),
    ([[1, 13], [3, 12], [2, 3, 4, 5]], [2, YES, 3, YES, *custom(13, 1)], 1),
    ([[3, 12]], [3, YES, 3, YES, 3], 0),
]


@pytest.mark.parametrize(("wanted", "answers", "reward"), ENDS)
def test_known_dialogues_end_as_expected(wanted, answers, reward):
    game, states = position(wanted)
    for answer in answers:
        assert not game.terminated(states)[0]
        assert game.returns(states)[0].tolist() == [0]
        game.play(states, [answer], illegal="raise")
    assert game.terminated(states)[0]
    assert game.returns(states)[0].tolist() == [reward]
    assert legal(game, states) == []


@pytest.mark.parametrize("most", range(1, 10))
def test_the_order_ends_by_itself_after_the_last_pizza(most):
    game, states = position([[3, 12]] * most, most=most)
    for k in range(most):
        assert not game.terminated(states)[0]
        game.play(states, [3], illegal="raise")
        if k < most - 1:
            assert legal(game, states) == [YES, NO]
            game.play(states, [YES])
    assert game.terminated(states)[0]
    assert game.returns(states)[0, 0] == 1
    assert states["ply"][0] == 2 * most - 1


@pytest.mark.parametrize("most", [1, 2, 3, 9])
def test_the_default_max_plies_is_the_longest_dialogue(most):
    game, states = position([list(range(1, 16))] * most, most=most)
    answers = [YES, *custom(*range(1, 16))] * most
    assert len(answers) - 1 == game.max_plies == 18 * most - 1
    for answer in answers[1:]:
        game.play(states, [answer], illegal="raise")
    assert game.terminated(states)[0]
    assert not game.truncated(states)[0]
    assert game.returns(states)[0, 0] == 1
    assert boardenvs.make("pizza_order", max_pizzas=most, max_plies=None) == game


MASKS = [
    ([], range(5)),
    ([0], [YES, NO]),
    ([CUSTOM], range(5, 20)),
    ([CUSTOM, 7], [5, 6, *range(8, 20), DONE]),
    ([CUSTOM, 19, 5], [*range(6, 19), DONE]),
    ([CUSTOM, *range(5, 20)], [DONE]),
    ([*custom(3)], [YES, NO]),
    ([0, YES], range(5)),
    ([0, NO], []),
]


@pytest.mark.parametrize(("answers", "expected"), MASKS)
def test_known_positions_have_their_masks(answers, expected):
    game, states = position([[1]], answers)
    assert legal(game, states) == list(expected)


@pytest.mark.parametrize(
    ("answers", "wrong"),
    [([], YES), ([], 7), ([], DONE), ([CUSTOM], DONE), ([CUSTOM], 0), ([CUSTOM, 7], 7), ([0], 0)],
)
def test_illegal_answers_lose_or_raise(answers, wrong):
    game, states = position([[1, 13]], answers)
    before = states.copy()
    with pytest.raises(ValueError, match=f"action {wrong}"):
        game.play(states, [wrong], illegal="raise")
    assert states == before
    game.play(states, [wrong])
    assert game.terminated(states)[0]
    assert game.returns(states)[0].tolist() == [-1]
    assert states["offender"][0] == 0
    assert states["ply"][0] == len(answers)
    assert game.to_dict(states[0])["answers"] == answers


def test_a_dialogue_beyond_max_plies_is_truncated():
    game = boardenvs.make("pizza_order", max_plies=4)
    states = game.restore({"wanted": [[3, 5]], "answers": []})
    for answer in (CUSTOM, 7, 9):
        game.play(states, [answer])
        assert not game.truncated(states)[0]
    game.play(states, [DONE])
    assert game.truncated(states)[0]
    assert not game.terminated(states)[0]
    assert game.returns(states)[0].tolist() == [0]


def test_an_order_complete_with_the_last_ply_is_judged():
    game = boardenvs.make("pizza_order", max_plies=2)
    states = game.restore({"wanted": [[3, 12]], "answers": [3]})
    game.play(states, [NO])
    assert game.terminated(states)[0]
    assert not game.truncated(states)[0]
    assert game.returns(states)[0].tolist() == [1]


@pytest.mark.parametrize("names", [*permutations(["Hawaiian", "Carbonara", "Custom"])])
def test_pizzas_can_be_ordered_in_any_order(names):
    said = {"Hawaiian": [0], "Carbonara": [3], "Custom": custom(9, 2)}
    wanted = [[1, 13], [2, 9], [3, 12]]
    answers = [answer for name in names for answer in (YES, *said[name])][1:]
    game, states = position(wanted, answers)
    assert game.returns(states)[0, 0] == 1


def test_a_known_position_has_its_observation():
    wanted = [[1, 13], [15]]
    game, states = position(wanted, [3, YES, CUSTOM, 5 + 14])
    rows = game.observe(states, 0)[0]
    ones = [np.flatnonzero(row).tolist() for row in rows]
    assert ones == [[0, 12, 15], [14, 15], [], [2, 11, 15], [], [], [14, 15], [1]]
    questions = {(): 0, (CUSTOM,): 1, (0,): 2, (0, YES): 0, (0, NO): 3}
    for answers, question in questions.items():
        game, states = position(wanted, answers)
        assert np.flatnonzero(game.observe(states, 0)[0, -1]).tolist() == [question]


def test_a_position_is_small():
    for game in GAMES.values():
        assert game.state_dtype == GAMES[3].state_dtype
        assert game.state_dtype.itemsize <= 160


# -- Whole games ------------------------------------------------------------------------


@st.composite
def orders(draw, most):
    pizza = st.sets(st.integers(1, 15), min_size=1).map(sorted) | st.sampled_from(PRESETS)
    return draw(st.lists(pizza, min_size=1, max_size=most))


@given(st.data())
def test_answering_the_wanted_order_wins(data):
    """Pizzas and ingredients may come in any order, and presets as custom pizzas."""
    wanted = data.draw(orders(4))
    game, states = position(wanted, most=4)
    answers = []
    for ids in data.draw(st.permutations(wanted)):
        if ids in PRESETS and data.draw(st.booleans()):
            answers += [PRESETS.index(ids)]
        else:
            answers += custom(*data.draw(st.permutations(ids)))
        answers += [YES]
    answers[-1] = NO
    for answer in answers[: -1 if len(wanted) == 4 else None]:
        game.play(states, [answer], illegal="raise")
    assert game.terminated(states)[0]
    assert game.returns(states)[0, 0] == 1


# -- Wanted orders --------------------------------------------------------------------


def near(count, num, chance):
    """Return whether a count is within four and a half standard errors."""
    return abs(count - num * chance) < 4.5 * np.sqrt(num * chance * (1 - chance))


def test_wanted_orders_have_the_documented_distribution():
    game, num = GAMES[3], 60_000
    wanted = told(game, game.new(num, 5))
    for pizzas in (1, 2, 3):
        assert near(sum(len(order) == pizzas for order in wanted), num, 1 / 3)
    first = Counter(tuple(order[0]) for order in wanted)
    # A custom pizza may equal a preset: its size has probability 1/15, divided by the number of
    # pizzas of this size.
    sizes = {2: 105, 5: 3003, 4: 1365}
    for ids in PRESETS:
        chance = 1 / 5 + 1 / 5 / 15 / sizes[len(ids)]
        assert near(first[tuple(ids)], num, chance)
    rest = {ids: count for ids, count in first.items() if list(ids) not in PRESETS}
    for size in range(1, 16):
        count = sum(count for ids, count in rest.items() if len(ids) == size)
        presets = sum(len(ids) == size for ids in PRESETS)
        assert near(count, num, 1 / 75 * (1 - presets / sizes.get(size, 1)))
    for ingredient in range(1, 16):
        # Ingredients of a given size are equally likely: 8 of 15 on average.
        count = sum(c for ids, c in first.items() if len(ids) not in sizes and ingredient in ids)
        mean = sum(s for s in range(1, 16) if s not in sizes) / 75 / 15
        assert near(count, num, mean)
    for other in (1, 2):  # later pizzas have the same distribution
        later = [tuple(order[other]) for order in wanted if len(order) > other]
        assert near(later.count((1, 13)), len(later), 1 / 5 + 1 / 5 / 15 / 105)


def test_all_pairs_of_ingredients_are_equally_likely():
    game, num = GAMES[1], 400_000
    words = game.new(num, 6)["wanted"][:, 0]
    counts = Counter(w for w in words.tolist() if w.bit_count() == 2)
    rest = [c for w, c in counts.items() if w not in (1 | 1 << 12, 1 << 2 | 1 << 11)]
    assert len(rest) == 103
    mean = num / 75 / 105
    assert ((np.array(rest) - mean) ** 2 / mean).sum() < 103 + 4.5 * np.sqrt(2 * 103)


def test_random_answers_are_right_in_about_three_percent():
    game, num = GAMES[3], 100_000
    states = game.new(num, 0)
    words = np.random.default_rng(0).integers(0, 2**64, num, np.uint64)
    game.kernels.play_out(states, game.constants, words, np.zeros(game.num_actions, np.bool_))
    assert game.terminated(states).all()
    # 31,660 of a million games in one measurement.
    assert near((game.returns(states)[:, 0] == 1).sum(), num, 0.03166)
    assert set(game.returns(states)[:, 0].tolist()) == {0.0, 1.0}


def test_the_seed_determines_the_wanted_order():
    game = GAMES[3]
    wanted = game.infos(game.new(20, 3))["wanted"].tolist()
    assert game.infos(game.new(20, 3))["wanted"].tolist() == wanted
    assert game.infos(game.new(20, 4))["wanted"].tolist() != wanted


def test_infos_contain_the_order_and_minus_one_for_missing_pizzas():
    for most, game in GAMES.items():
        states = game.new(50, 1)
        rows = game.infos(states)["wanted"]
        assert rows.shape == (50, most, 15)
        assert set(np.unique(rows)) == ({0, 1} if most == 1 else {-1, 0, 1})
        assert told(game, states) == [game.to_dict(state)["wanted"] for state in states]
        ordered = np.arange(most) < states["num_wanted"][:, None]
        np.testing.assert_array_equal((rows >= 0).all(2), ordered)
        np.testing.assert_array_equal((rows == -1).all(2), ~ordered)


def test_conceal_keeps_the_order_wanted():
    game = GAMES[3]
    states = game.new(50, 2)
    told = game.conceal(states, 0, np.random.default_rng(0))
    assert game.infos(told)["wanted"].tolist() == game.infos(states)["wanted"].tolist()
    assert not np.isin(told["rng"], states["rng"]).any()

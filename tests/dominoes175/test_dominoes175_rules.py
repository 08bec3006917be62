"""The rules of Dominoes 175: drawn tables, all tiles on all tops."""

from __future__ import annotations

import itertools
import json
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core import config

import boardenvs

GAME = boardenvs.make("dominoes175")
TILES = [(low, high) for high in range(7) for low in range(high + 1)]
# When the sixteenth tile comes, three stacks of five show 2, 5 and 6.
LONGEST = [
    *[(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)],
    *[(3, 3), (3, 4), (4, 4), (4, 5), (5, 5)],
    *[(6, 6), (0, 6), (0, 2), (2, 3), (3, 6)],
]


def full(first):
    """Return a deck that begins with these tiles, followed by the others in order."""
    first = [tuple(sorted(tile)) for tile in first]
    return [*first, *(tile for tile in TILES if tile not in first)]


def set_up(drawing, hand=None, game=GAME, deck=None):
    """Return a position, shape (1,), with stacks such as `[0|1]-[1|1] / / [2|2]`."""
    stacks = [
        [(int(a), int(b)) for a, b in re.findall(r"\[(\d)\|(\d)\]", part)]
        for part in drawing.split("/")
    ]
    used = [tile for stack in stacks for tile in stack] + ([hand] if hand else [])
    data = {"grid": deck or full(used), "taken": list(range(len(used))), "stacks": stacks}
    return np.array([game.from_dict(data)])


def turn_over(game, states, *tiles):
    """Turn over these tiles, wherever they lie."""
    grid = game.to_dict(states[0])["grid"]
    for tile in tiles:
        game.play(states, [grid.index(list(tile))], illegal="raise")


def play(game, states, *texts):
    for text in texts:
        game.play(states, [game.action_from_text(text, states[0])], illegal="raise")


def legal(game, states):
    return {game.action_to_text(int(a), states[0]) for a in np.flatnonzero(game.legal(states)[0])}


def stacks(game, states):
    lines = game.to_text(states[0]).splitlines()[-4:-1]
    return " / ".join(line[4:].removesuffix("-") for line in lines)


def outcome(states):
    return (
        float(states["returns"][0, 0]),
        bool(states["terminated"][0]),
        bool(states["truncated"][0]),
    )


# -- Drawn tables ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drawing", "hand", "expected"),
    [
        ("/ /", (2, 5), {"0 2", "0 5", "1 2", "1 5", "2 2", "2 5"}),
        ("/ /", (4, 4), {"0 4", "1 4", "2 4"}),
        ("[0|1] / /", (1, 6), {"0 6", "1 1", "1 6", "2 1", "2 6"}),
        ("[1|0] / /", (1, 6), {"1 1", "1 6", "2 1", "2 6"}),
        ("[0|1] / [3|6] / ", (1, 6), {"0 6", "1 1", "2 1", "2 6"}),
        ("[0|1] / [3|6] / [2|2]", (1, 6), {"0 6", "1 1"}),
        ("[0|1] / [3|6] / [2|2]", (1, 1), {"0 1"}),
        ("[0|1] / [1|6] / [2|2]", (2, 5), {"2 5"}),
        ("[0|1]-[1|5] / [1|2]-[2|5] / [5|5]", (3, 5), {"0 3", "1 3", "2 3"}),
        ("[0|1]-[1|5] / [1|2]-[2|5] / [6|3]", (3, 5), {"0 3", "1 3", "2 5"}),
    ],
)
def test_a_tile_can_be_played_on_matching_ends(drawing, hand, expected):
    states = set_up(drawing, hand)
    assert legal(GAME, states) == expected
    assert not GAME.legal(states)[0, :28].any()
    for text in expected:
        after = states.copy()
        play(GAME, after, text)
        played = stacks(GAME, after).split(" / ")[int(text[0])]
        assert played.endswith(f"|{text[2]}]")
        assert after["hand"][0] == -1
        assert after["ply"][0] == states["ply"][0] + 1


def test_every_tile_on_every_stack_follows_the_rules():
    """Whether a tile may be placed depends only on the dots below, the tile and the end on top."""
    for under, tile in itertools.product(range(7), TILES):
        below = next(t for t in TILES if under in t and t != tile)
        other = below[0] if below[1] == under else below[1]
        away = next(t for t in TILES if not set(t) & {*tile} and t not in (tile, below))
        third = next(t for t in TILES if not set(t) & {*tile} and t not in (below, away))
        drawing = f"[{other}|{under}] / [{away[0]}|{away[1]}] / [{third[0]}|{third[1]}]"
        states = set_up(drawing, tile)
        tops = {tile[1 - k] for k in range(2) if tile[k] == under}
        assert legal(GAME, states) == {f"0 {top}" for top in tops}
        assert outcome(states) == ((0, False, False) if tops else (-1, True, False))
        assert [bool(GAME.legal(states)[0, 28 + k]) for k in range(2)] == [
            tile[0] == under,
            tile[1] == under != tile[0],
        ]


def test_a_won_game_follows_the_rules():
    game = boardenvs.make(
        "dominoes175", deck=full([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)])
    )
    states = game.new(1, 0)
    for cell in range(6):
        play(game, states, f"0,{cell}")
        assert game.info(states[0])["hand"].tolist() == [cell, cell + 1]
        assert outcome(states) == (0, False, False)
        play(game, states, f"0 {cell + 1}")
        assert game.info(states[0])["hand"].tolist() == [-1, -1]
    assert stacks(game, states) == "[0|1]-[1|2]-[2|3]-[3|4]-[4|5]-[5|6] /  / "
    assert outcome(states) == (1, True, False)
    assert states["ply"][0] == 12
    assert not game.legal(states).any()


@pytest.mark.parametrize("stack", range(3))
def test_six_dots_on_any_stack_win(stack):
    parts = ["[4|4]", "[5|5]"]
    parts.insert(stack, "[0|1]-[1|2]-[2|3]-[3|0]-[0|6]")
    states = set_up(" / ".join(parts), (6, 6))
    assert outcome(states) == (0, False, False)
    play(GAME, states, f"{stack} 6")
    assert outcome(states) == (1, True, False)


def test_five_tiles_do_not_win():
    states = set_up("[0|1]-[1|2]-[2|3]-[3|0] / /", (0, 6))
    play(GAME, states, "0 6")
    assert outcome(states) == (0, False, False)
    assert len(legal(GAME, states)) == 23


def test_a_tile_that_fits_nowhere_loses_at_once():
    states = set_up("[0|1] / [2|3] / [4|4]")
    before = states.copy()
    turn_over(GAME, states, (5, 6))
    assert outcome(states) == (-1, True, False)
    assert states["ply"][0] == before["ply"][0] + 1
    assert GAME.info(states[0])["hand"].tolist() == [5, 6]
    assert not GAME.legal(states).any()
    turn_over(GAME, before, (3, 6))
    assert outcome(before) == (0, False, False)


def test_no_tile_loses_with_an_empty_stack():
    for tile in TILES:
        if tile not in {(0, 1), (2, 3)}:
            states = set_up("[0|1] / [2|3] /")
            turn_over(GAME, states, tile)
            assert outcome(states) == (0, False, False)


@pytest.mark.parametrize(("last", "result"), [((2, 5), 1), ((1, 3), -1)])
def test_the_longest_game_has_its_number_of_plies(last, result):
    """Fifteen tiles make three stacks of five, so the sixteenth tile is always the last one."""
    game = boardenvs.make("dominoes175", deck=full([*LONGEST, last]))
    states = game.new(1, 0)
    tops = [0, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 0, 2, 3, 6]
    for cell, top in enumerate(tops):
        play(game, states, f"{cell // 7},{cell % 7}", f"{cell // 5} {top}")
    assert states["heights"][0].tolist() == [5, 5, 5]
    assert outcome(states) == (0, False, False)
    play(game, states, "2,1")
    if result > 0:
        play(game, states, "0 5")
    assert outcome(states) == (result, True, False)
    assert states["ply"][0] == (32 if result > 0 else 31)
    assert game.max_plies == 32


# -- The end by length, and illegal actions ---------------------------------------------


@pytest.mark.parametrize("max_plies", [1, 2, 11, 12, 13, 40])
def test_a_win_on_the_last_ply_is_not_truncated(max_plies):
    deck = full([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)])
    game = boardenvs.make("dominoes175", deck=deck, max_plies=max_plies)
    states = game.new(1, 0)
    for ply in range(min(max_plies, 12)):
        assert outcome(states) == (0, False, False)
        play(game, states, f"0 {ply // 2 + 1}" if ply % 2 else f"0,{ply // 2}")
    assert outcome(states) == ((1, True, False) if max_plies >= 12 else (0, False, True))
    assert not game.legal(states).any()


def test_a_loss_on_the_last_ply_is_not_truncated():
    game = boardenvs.make("dominoes175", max_plies=7)
    states = set_up("[0|1] / [2|3] / [4|4]", game=game)
    other = states.copy()
    turn_over(game, states, (5, 6))
    assert outcome(states) == (-1, True, False)
    turn_over(game, other, (3, 6))
    assert outcome(other) == (0, False, True)


@pytest.mark.parametrize(
    ("drawing", "hand", "action"),
    [
        ("[0|1] / /", None, "0,0"),  # already taken
        ("[0|1] / /", None, "0 larger"),  # no tile in hand
        ("[0|1] / /", (1, 2), "3,6"),  # a tile is in hand
        ("[0|1] / /", (1, 2), "0 1"),  # the wrong end on top
        ("[0|1] / [3|3] / ", (1, 2), "1 2"),  # no match
        ("[0|1] / /", (2, 2), "1 smaller"),  # a double has only the even number
    ],
)
def test_illegal_actions_lose_or_raise(drawing, hand, action):
    states = set_up(drawing, hand)
    number = GAME.action_from_text(action, states[0])
    before = states.copy()
    with pytest.raises(ValueError, match=f"action {number}"):
        GAME.play(states, [number], illegal="raise")
    assert states == before
    GAME.play(states, [number])
    assert outcome(states) == (-1, True, False)
    assert states["offender"][0] == 0
    for field in ("grid", "taken", "hand", "heights", "dots", "ply", "last_action"):
        assert np.array_equal(states[field], before[field])
    assert GAME.from_dict(GAME.to_dict(states[0])) == states[0]


# -- Hidden information and chance ----------------------------------------------------


def chi_square_is_fine(counts):
    """Return whether counts are uniform, by Pearson's statistic at five standard deviations."""
    counts = np.asarray(counts).ravel()
    degrees = len(counts) - 1
    statistic = ((counts - counts.mean()) ** 2 / counts.mean()).sum()
    return abs(statistic - degrees) < 5 * np.sqrt(2 * degrees)


def test_every_deal_is_shuffled():
    num = 2_000 if config.DISABLE_JIT else 28_000
    grids = GAME.new(num, 0)["grid"]
    assert (np.sort(grids, 1) == np.arange(28)).all()
    for cell in range(28):
        assert chi_square_is_fine(np.bincount(grids[:, cell], minlength=28))
    for a, b in ((0, 1), (3, 20), (26, 27)):  # two cells at once
        pairs = np.bincount(28 * grids[:, a].astype(int) + grids[:, b], minlength=784)
        assert not pairs[::29].any()
        assert chi_square_is_fine(np.delete(pairs, np.arange(28) * 29))


def test_restarted_games_are_dealt_afresh():
    states = GAME.new(50, 0)
    before = states.copy()
    GAME.kernels.restart_games(states, GAME.constants, GAME.start, np.ones(50, np.bool_))
    assert (states["grid"] != before["grid"]).any(1).all()


@pytest.mark.parametrize("deck", [None, full(LONGEST)])
def test_conceal_resamples_the_unseen_tiles(deck, random_positions):
    game = boardenvs.make("dominoes175", deck=deck)
    states = random_positions(game, 40, 1)
    known = game.conceal(states, 0, np.random.default_rng(0))
    for state, other in zip(states, known, strict=True):
        taken = state["taken"] == 1
        assert np.array_equal(state["grid"][taken], other["grid"][taken])
        assert sorted(other["grid"]) == list(range(28))
        assert (state["grid"] != other["grid"]).any()
        assert game.to_text(state) == game.to_text(other)
        assert game.from_dict(game.to_dict(other)) == other
    for field in game.state_dtype.names:
        if field not in ("grid", "rng"):
            assert np.array_equal(states[field], known[field])


def test_concealed_deals_are_uniform_and_independent_of_the_true_deal():
    num = 1_000 if config.DISABLE_JIT else 20_000
    states = set_up("[0|1]-[1|1] / [3|2] / [4|4]", (2, 6))
    taken = np.flatnonzero(states["taken"][0])
    unseen = [tile for tile in range(28) if tile not in states["grid"][0, taken]]
    known = GAME.conceal(np.repeat(states, num), 0, np.random.default_rng(0))["grid"]
    for cell in np.flatnonzero(states["taken"][0] == 0):
        counts = np.bincount(known[:, cell], minlength=28)
        assert counts.sum() == counts[unseen].sum()
        assert chi_square_is_fine(counts[unseen])


def test_concealed_games_continue_with_new_streams():
    states = GAME.new(100, 0)
    words = np.full(100, 7, np.uint64)
    first = GAME.arrays.conceal(states[:1], 0, words[:1])
    assert not np.isin(first["rng"], states["rng"]).any()
    assert np.array_equal(first, GAME.arrays.conceal(states[:1], 0, words[:1]))


# -- The deck -------------------------------------------------------------------------


def test_a_given_deck_is_dealt_in_order_for_any_seed():
    deck = [(b, a) for a, b in reversed(full(LONGEST))]
    game = boardenvs.make("dominoes175", deck=deck)
    for seed in (0, 1):
        data = game.to_dict(game.new(1, seed)[0])
        assert data["grid"] == [[min(tile), max(tile)] for tile in deck]
    assert game.params["deck"] == [[min(tile), max(tile)] for tile in deck]
    assert all(type(dots) is int for tile in game.params["deck"] for dots in tile)


def test_equal_decks_give_equal_games():
    deck = full(LONGEST)
    games = [
        boardenvs.make("dominoes175", deck=given)
        for given in (deck, tuple(deck), [list(t) for t in deck], np.array(deck, np.uint8))
    ]
    games.append(boardenvs.make("dominoes175", **json.loads(json.dumps(games[0].params))))
    games.append(pickle.loads(pickle.dumps(games[0])))
    games.append(boardenvs.make("dominoes175", deck=[np.array(tile) for tile in deck]))
    assert len(set(games)) == 1
    assert games[0] != boardenvs.make("dominoes175", deck=deck[::-1])
    assert games[0] != GAME


@pytest.mark.parametrize(
    "deck",
    [
        [],
        TILES[:27],
        [*TILES, (0, 0)],
        [*TILES[:27], (0, 0)],
        [*TILES[:27], (6, 7)],
        [*TILES[:27], (-1, 6)],
        [*TILES[:27], (6, 6, 6)],
        [*TILES[:27], (6,)],
        [*TILES[:27], (6, 6.0)],
        [*TILES[:27], ("6", "6")],
        [*TILES[:27], "66"],
        [*TILES[:27], None],
        [*TILES[:27], (True, 6)],
        "a deck",
        5,
        dict.fromkeys(TILES, 1),
        np.zeros((28, 2)),
        np.zeros((28, 2), int),
        np.array(5),
        True,
    ],
    ids=lambda deck: str(deck)[-20:],
)
def test_a_bad_deck_is_refused(deck):
    with pytest.raises(ValueError, match=r"^deck ") as error:
        boardenvs.make("dominoes175", deck=deck)
    assert "\n" not in str(error.value)


def test_max_plies_none_is_the_bound_of_the_rules():
    assert boardenvs.make("dominoes175", max_plies=None) == GAME
    assert GAME.params == {"deck": None, "max_plies": 32}


# -- Observation ----------------------------------------------------------------------


@given(st.lists(st.integers(0, 27), min_size=1, max_size=40), st.integers(0, 2**32))
def test_tiles_are_conserved(choices, seed):
    states = GAME.new(1, seed)
    for choice in choices:
        mask = np.flatnonzero(GAME.legal(states)[0])
        GAME.play(states, [mask[choice % len(mask)]])
        data = GAME.to_dict(states[0])
        on_stacks = [tuple(sorted(tile)) for stack in data["stacks"] for tile in stack]
        hand = tuple(GAME.info(states[0])["hand"].tolist())
        taken = [tuple(data["grid"][cell]) for cell in data["taken"]]
        assert sorted([*on_stacks, *([] if hand == (-1, -1) else [hand])]) == sorted(taken)
        assert sorted(map(tuple, data["grid"])) == sorted(TILES)
        for stack in data["stacks"]:
            assert all(a[1] == b[0] for a, b in itertools.pairwise(stack))
        assert states["ply"][0] == len(taken) + len(on_stacks)
        if GAME.terminated(states)[0]:
            won = max(map(len, data["stacks"])) == 6
            assert states["returns"][0, 0] == (1 if won else -1)
            return
        assert states["returns"][0, 0] == 0


# -- Infos --------------------------------------------------------------------------------


def test_the_turn_line_shows_the_tile_in_hand(random_positions):
    for state in random_positions(GAME, 5, 0):
        low, high = GAME.info(state)["hand"]
        expected = "" if low < 0 else f"Tile in hand: [{low}|{high}]"
        assert GAME.presentation.turn_line(state) == expected


# -- Random play ----------------------------------------------------------------------


def test_random_play_wins_its_known_share():
    """Random play wins about 0.78% of games, after 9.9 plies."""
    num = 2_000 if config.DISABLE_JIT else 200_000
    states = GAME.new(num, 0)
    words = np.random.default_rng(0).integers(0, 2**64, num, np.uint64)
    GAME.kernels.play_out(states, GAME.constants, words, np.zeros(34, np.bool_))
    assert states["terminated"].all()
    assert states["ply"].min() >= 7
    # Five standard errors; the standard deviation of plies is 3.4.
    assert states["ply"].mean() == pytest.approx(9.905, abs=5 * 3.4 / num**0.5)
    won = states["returns"][:, 0] > 0
    assert won.mean() == pytest.approx(0.0078, abs=5 * (0.0078 / num) ** 0.5)
    assert np.array_equal(won, states["heights"].max(1) == 6)

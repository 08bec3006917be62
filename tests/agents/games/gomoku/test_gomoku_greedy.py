"""Gomoku's greedy agent: a second version of its formula, and single positions."""

import itertools

import numpy as np
import pytest

import agents
import boardenvs

VARIANTS = {
    "9": {"board_size": 9},
    "15": {},
    "exact": {"board_size": 8, "win_length": 4, "exact": True},
    "three in a row": {"board_size": 5, "win_length": 3},
    "all across": {"board_size": 6, "win_length": 6, "exact": True},
}


def the_formula(game, state):
    """Return the cells it may choose, by the definition in the class's docstring."""
    n, length, exact = game.board_size, game.win_length, game.exact
    board = game.to_dict(state)["board"]
    own, rival = "XO" if state["to_move"] == 0 else "OX"
    stones = {(r, c): board[r][c] for r, c in itertools.product(range(n), range(n))}
    weight = {cell: 0 for cell, stone in stones.items() if stone == "."}
    case = dict.fromkeys(weight, 3)
    for (r, c), (down, right) in itertools.product(stones, [(0, 1), (1, 0), (1, 1), (1, -1)]):
        line = [(r + k * down, c + k * right) for k in range(length)]
        if line[-1] not in stones:
            continue
        past = {(r - down, c - right), (r + length * down, c + length * right)}
        held = [stones[cell] for cell in line]
        for colour, other, factor, completed in ((own, rival, 2, 1), (rival, own, 1, 2)):
            if other in held or (exact and any(stones.get(cell) == colour for cell in past)):
                continue
            for cell in line:
                if cell in weight:
                    weight[cell] += factor * 5 ** held.count(colour)
                    if held.count(colour) == length - 1:
                        case[cell] = min(case[cell], completed)
    most = min((case[cell], -weight[cell]) for cell in weight)
    return {r * n + c for r, c in weight if (case[r, c], -weight[r, c]) == most}


def chosen_actions(game, state, times, seed=0):
    """Return how often each action is chosen."""
    words = np.random.default_rng(seed).integers(0, 2**64, times, np.uint64)
    chosen = agents.make("greedy", game).choose(np.repeat(game.arrays.batch(state), times), words)
    return np.bincount(chosen, minlength=game.num_actions)


def choices(drawing, **params):
    """Return the cells it chooses among on a drawn board, as a player types them."""
    rows = drawing.split()
    game = boardenvs.make("gomoku", board_size=len(rows), **params)
    state = game.from_dict({"board": rows})
    assert not state["terminated"]
    counts = chosen_actions(game, state, 1000)
    return {game.action_to_text(int(a)) for a in np.flatnonzero(counts)}


# -- The formula ----------------------------------------------------------------------------


@pytest.mark.parametrize("params", VARIANTS.values(), ids=VARIANTS)
def test_greedy_follows_its_formula(params, live_positions):
    game = boardenvs.make("gomoku", **params)
    states = np.random.default_rng(0).permutation(live_positions(game, 40, 5))[:200]
    chosen = agents.make("greedy", game, seed=1).act(states)
    for state, action in zip(states, chosen.tolist(), strict=True):
        assert action in the_formula(game, state), game.to_text(state)


def test_greedy_follows_its_formula_in_its_own_games():
    game = boardenvs.make("gomoku", board_size=9)
    greedy = agents.make("greedy", game, seed=3)
    states = game.new(4, 0)
    while len(states):
        actions = greedy.act(states)
        for state, action in zip(states, actions.tolist(), strict=True):
            assert action in the_formula(game, state), game.to_text(state)
        game.play(states, actions, illegal="raise")
        states = states[~game.terminated(states)]


@pytest.mark.parametrize("params", VARIANTS.values(), ids=VARIANTS)
def test_greedy_takes_every_win_in_one(params, live_positions):
    game = boardenvs.make("gomoku", **params)
    greedy = agents.make("greedy", game, seed=0)
    possible = 0
    for state in np.random.default_rng(1).permutation(live_positions(game, 60, 2))[:150]:
        actions = np.flatnonzero(game.legal(state)[0])
        after = np.repeat(game.arrays.batch(state), len(actions))
        game.play(after, actions)
        wins = actions[after["returns"][:, state["to_move"]] > 0]
        if len(wins):
            possible += 1
            assert greedy.act(state)[0] in wins, game.to_text(state)
    assert possible >= (1 if params.get("win_length") == 6 else 5)


def test_ties_are_broken_uniformly():
    game = boardenvs.make("gomoku", board_size=6)
    # Equally many lines contain the four cells in the middle.
    best = the_formula(game, game.new(1, 0)[0])
    assert sorted(best) == [14, 15, 20, 21]
    counts = chosen_actions(game, game.new(1, 0)[0], 4000)
    assert np.flatnonzero(counts).tolist() == sorted(best)
    assert np.abs(counts[sorted(best)] - 1000).max() < 5 * 750**0.5


def test_the_largest_board_causes_no_overflow():
    game = boardenvs.make("gomoku", board_size=26, win_length=26)
    # Black needs one more stone in the bottom row. White has almost filled the row above.
    rows = ["." * 26] * 24 + ["O" * 25 + ".", "X" * 25 + "."]
    state = game.from_dict({"board": rows})
    assert the_formula(game, state) == {675}
    assert chosen_actions(game, state, 20)[675] == 20
    rows = ["." * 26] * 23 + ["X" + "." * 25, "O" * 25 + ".", "X" * 24 + ".."]
    state = game.from_dict({"board": rows})
    assert the_formula(game, state) == {24 * 26 + 25}
    assert chosen_actions(game, state, 20)[24 * 26 + 25] == 20


# -- Single positions -----------------------------------------------------------------------


def test_greedy_opens_in_the_middle():
    assert choices("......... " * 9) == {"4 E"}


def test_greedy_completes_a_line():
    drawing = """
        .........
        .OO......
        ..O......
        ...O.....
        ..XX.XX..
        .........
        .........
        .........
        .........
    """
    assert choices(drawing) == {"4 E"}


def test_greedy_prefers_its_own_line_to_a_block():
    drawing = """
        XXXX.....
        OOOO.....
        .........
        .........
        .........
        .........
        .........
        .........
        .........
    """
    assert choices(drawing) == {"0 E"}
    # White does the same.
    assert choices(drawing.replace(".........", "X........", 1)) == {"1 E"}


def test_greedy_blocks_a_line():
    drawing = """
        .........
        .........
        .XOOOO...
        .........
        ..XX.....
        ...X.....
        .........
        .........
        .........
    """
    assert choices(drawing) == {"2 G"}


def test_greedy_blocks_an_open_three():
    drawing = """
        .........
        .........
        .........
        X.....X..
        ..OOO....
        .........
        .........
        .........
        X........
    """
    assert choices(drawing) <= {"4 B", "4 F"}


def test_greedy_extends_its_own_open_three():
    drawing = """
        O.......O
        .........
        .........
        .........
        ..XXX....
        .........
        .........
        .........
        O........
    """
    assert choices(drawing) <= {"4 B", "4 F"}


def test_greedy_makes_no_overline_with_exact():
    drawing = """
        XXX.XX...
        OO.......
        ......O..
        .......O.
        .........
        .........
        .........
        O........
        .........
    """
    assert choices(drawing) == {"0 D"}
    assert "0 D" not in choices(drawing, exact=True)
    # With the first stone elsewhere, the gap completes exactly five.
    assert choices(drawing.replace("XXX.XX...", ".XX.XX..X"), exact=True) == {"0 D"}


def test_greedy_does_not_block_an_overline_with_exact():
    drawing = """
        OOO.OO...
        XX.......
        ......X..
        .......X.
        .........
        ...O.....
        .........
        X........
        X........
    """
    assert choices(drawing) == {"0 D"}
    assert "0 D" not in choices(drawing, exact=True)


# -- Strength -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [9, 15])
@pytest.mark.parametrize("weaker", ["random", "neighbour"])
def test_greedy_beats_random_and_neighbour(size, weaker):
    game = boardenvs.make("gomoku", board_size=size)
    scores = agents.play_match(game, ["greedy", weaker], num_games=200, seed=0)
    assert scores.wins[0] >= 196


def test_greedy_beats_random_and_neighbour_with_exact():
    game = boardenvs.make("gomoku", board_size=9, exact=True)
    scores = agents.play_match(game, ["greedy", "random"], num_games=200, seed=0)
    assert scores.wins[0] >= 196

"""The greedy agent of Dominoes 175: single positions, its description, and its strength."""

import re

import numpy as np
import pytest
from numba.core import config

import agents
import boardenvs
from boardenvs.envs.playout import playout

GAME = boardenvs.make("dominoes175")
TILES = [(low, high) for high in range(7) for low in range(high + 1)]


def position(drawing, hand=None):
    """Return a position with stacks such as `[0|1]-[1|1] / / [2|2]` and a tile in hand."""
    stacks = [
        [(int(a), int(b)) for a, b in re.findall(r"\[(\d)\|(\d)\]", part)]
        for part in drawing.split("/")
    ]
    used = [tuple(sorted(tile)) for stack in stacks for tile in stack] + ([hand] if hand else [])
    grid = used + [tile for tile in TILES if tile not in used]
    return GAME.from_dict({"grid": grid, "taken": list(range(len(used))), "stacks": stacks})


def chosen(state, times=60, seed=0):
    """Return the texts of all chosen actions, and their counts."""
    words = np.random.default_rng(seed).integers(0, 2**64, times, np.uint64)
    actions = agents.make("greedy", GAME).choose(np.repeat(GAME.arrays.batch(state), times), words)
    counts = np.bincount(actions, minlength=GAME.num_actions)
    return {GAME.action_to_text(int(a), state): int(counts[a]) for a in np.flatnonzero(counts)}


@pytest.mark.parametrize(
    ("drawing", "hand", "expected"),
    [
        # Ten unseen tiles have a 3 or a 6, nine have a 1 or a 6. The height of stacks does not
        # matter.
        ("[0|1] / [1|2]-[2|3] / [6|6]", (1, 3), {"0 3"}),
        # All tiles fit an empty stack, so the tallest stack that fits is chosen.
        ("[0|1] / [0|2]-[2|3] / ", (1, 3), {"1 1"}),
        ("[0|1]-[1|2]-[2|3]-[3|4]-[4|5] / [5|5] / ", (5, 6), {"0 6"}),  # wins
        ("[0|1] / [2|3] / ", (1, 1), {"0 1"}),  # not on the empty stack
        ("[0|1] / [2|3]-[3|3] / ", (1, 6), {"0 6"}),  # the tile does not fit the tallest stack
        # Equally tall stacks: ten of the 13 tiles with a 3 or a 6 are unseen, and ten with a 2 or a
        # 6.
        ("[0|2] / [1|3] / [6|6]", (2, 3), {"0 3", "1 2"}),
        # Ten unseen tiles with a 3 or a 6, nine with a 2 or a 6.
        ("[0|2] / [1|3] / [2|2]-[2|6]", (2, 3), {"0 3"}),
        # An empty stack. The 5 was seen less often than the 0, of which only few tiles are left.
        ("[0|0]-[0|1]-[1|1] / [0|2]-[2|2] / ", (0, 5), {"2 5"}),
        # A number that already is on top adds no options.
        ("[0|1] / [2|3] / ", (1, 3), {"0 3", "1 1"}),
        # All tiles fit the second empty stack, so both ends are equal.
        ("[0|1] / / ", (2, 3), {"1 2", "1 3", "2 2", "2 3"}),
        ("/ / ", (4, 4), {"0 4", "1 4", "2 4"}),
    ],
)
def test_greedy_chooses_the_computed_actions(drawing, hand, expected):
    state = position(drawing, hand)
    assert set(chosen(state)) == expected


def best_texts(state):
    """Return the best actions by the agent's description: a win, most tiles, the tallest stack."""
    data = GAME.to_dict(state)
    unseen = [tile for cell, tile in enumerate(data["grid"]) if cell not in data["taken"]]
    best, found = (), set()
    for action in np.flatnonzero(GAME.legal(state)[0]):
        text = GAME.action_to_text(int(action), state)
        if action < 28:
            found.add(text)
            continue
        number, end = map(int, text.split())
        tops = [stack[-1][1] if stack else None for stack in data["stacks"]]
        tops[number] = end
        fits = sum(None in tops or bool(set(tile) & set(tops)) for tile in unseen)
        height = len(data["stacks"][number])
        worth = (height == 5, fits if height < 5 else 0, height)
        if worth > best:
            best, found = worth, set()
        if worth == best:
            found.add(text)
    return found


def played_by_greedy(num, seed):
    """Return all positions of games of the agent."""
    agent = agents.make("greedy", GAME, seed)
    states = GAME.new(num, seed)
    seen = []

    def choose(live, _):
        seen.append(live.copy())
        return agent.act(live)

    playout(GAME, states, choose, illegal="raise")
    return np.concatenate(seen)


def test_every_chosen_action_is_one_of_the_best():
    states = played_by_greedy(60, 0)
    choices = agents.make("greedy", GAME, seed=1).act(states)
    kinds = set()
    for state, action in zip(states, choices, strict=True):
        best = best_texts(state)
        assert GAME.action_to_text(int(action), state) in best
        if state["hand"] >= 0:
            kinds.add(len(best) < GAME.legal(state)[0].sum())
    assert kinds == {True, False}


def test_all_of_the_best_actions_are_chosen():
    for state in played_by_greedy(15, 2):
        best = best_texts(state)
        # One of k actions is missing in 16 k samples with probability k / e**16.
        assert set(chosen(state, 16 * len(best))) == best


def test_ties_are_broken_uniformly():
    counts = chosen(position("[0|1] / / "), 400 * 27)
    assert len(counts) == 27
    # For a uniform distribution, Pearson's statistic has mean 26 and variance 52.
    statistic = sum((count - 400) ** 2 / 400 for count in counts.values())
    assert statistic < 26 + 4 * np.sqrt(52)


def test_greedy_does_not_depend_on_hidden_tiles():
    states = played_by_greedy(30, 3)
    words = np.arange(len(states), dtype=np.uint64)
    agent = agents.make("greedy", GAME)
    expected = agent.choose(states, words)
    for seed in range(3):
        known = GAME.conceal(states, 0, np.random.default_rng(seed))
        assert np.array_equal(agent.choose(known, words), expected)


def test_greedy_wins_several_times_as_often_as_random():
    """It wins about 3.79% of games, and random play wins 0.78%."""
    num = 300 if config.DISABLE_JIT else 20_000
    agent = agents.make("greedy", GAME, 0)
    states = GAME.new(num, 0)
    rng = np.random.default_rng(0)

    def choose(part, _):
        return agent.act(GAME.conceal(part, 0, rng))

    playout(GAME, states, choose, illegal="raise")
    won = (states["returns"][:, 0] > 0).mean()
    # Five standard errors.
    assert won == pytest.approx(0.0379, abs=5 * (0.037 / num) ** 0.5)

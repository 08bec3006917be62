"""The winning rate of the best policy in Dominoes 175, compared with plain searches and rules."""

import functools
import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import agents
import boardenvs
from agents import exploitability
from agents.arena import wilson
from agents.dev.values.dominoes175_optimum import after_first_tile, first_fit
from agents.games.dominoes175.known_order import winnable
from agents.games.dominoes175.optimum import Optimum
from agents.games.dominoes175.perfect import Dominoes175PerfectAgent, _optimum, _value
from agents.games.dominoes175.sets import canonical, levels
from boardenvs.dominoes175.console import Domino, Table
from boardenvs.dominoes175.rules import HIGH, LOW

SMALL = [(1, 2), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (4, 3)]


# -- Sets of tiles ----------------------------------------------------------------------------


@pytest.mark.parametrize(("ends", "expected"), [(1, 2), (2, 6), (3, 20), (4, 90), (5, 544)])
def test_the_number_of_canonical_sets_is_the_number_of_graphs_with_loops(ends, expected):
    # OEIS A000666: symmetric relations on unlabelled points.
    found = levels(ends, ends * (ends + 1) // 2)
    assert sum(len(level.sets) for level in found) == expected
    for size, level in enumerate(found):
        assert {int(tiles).bit_count() for tiles in level.sets} == {size}


def test_renamed_sets_have_the_same_canonical_set():
    rng = np.random.default_rng(0)
    pairs = [(low, high) for high in range(7) for low in range(high + 1)]
    for tiles in rng.integers(0, 2**28, 200):
        chosen = [pair for k, pair in enumerate(pairs) if tiles >> k & 1]
        order = rng.permutation(7)
        other = sum(1 << pairs.index(tuple(sorted(order[list(pair)]))) for pair in chosen)
        names, other_names = np.zeros((2, 7), np.int8)
        found = canonical(np.uint32(tiles), 7, names)
        assert found == canonical(np.uint32(other), 7, other_names)
        assert sorted(names) == list(range(7))
        by_name = [pairs.index(tuple(sorted(names[list(pair)].tolist()))) for pair in chosen]
        assert found == sum(1 << k for k in by_name)


# -- Small games, by a plain search --------------------------------------------------------


def plain_rate(ends, goal, choose):
    """Return the winning rate if `choose` returns the mean value of the actions it may take.

    It receives the value of each action, and its merit according to `greedy`.
    """
    every = frozenset(itertools.combinations_with_replacement(range(ends), 2))

    @functools.cache
    def value(unseen, stacks):
        return sum(drawn(tile, unseen - {tile}, stacks) for tile in unseen) / max(1, len(unseen))

    def drawn(tile, unseen, stacks):
        ways = []
        for k, (height, top) in enumerate(stacks):
            for under, over in {tile, tile[::-1]}:
                if height == 0 or top == under:
                    after = (*stacks[:k], (height + 1, over), *stacks[k + 1 :])
                    tops = {t for h, t in after if h} if min(after)[0] else range(ends)
                    fit = sum(bool({*other} & {*tops}) for other in unseen)
                    won = height + 1 == goal
                    worth = 1.0 if won else value(unseen, tuple(sorted(after)))
                    ways.append((worth, (won, fit, height) if not won else (won,)))
        return choose(ways) if ways else 0.0

    return value(every, ((0, 0),) * 3)


def best(ways):
    return max(value for value, _ in ways)


def greedy(ways):
    merit = max(merit for _, merit in ways)
    return float(np.mean([value for value, m in ways if m == merit]))


def random(ways):
    return float(np.mean([value for value, _ in ways]))


@pytest.mark.parametrize(("ends", "goal"), [*SMALL, pytest.param(4, 4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("choose", [best, greedy, random], ids=lambda choose: choose.__name__)
def test_the_optimum_of_small_games_agrees_with_a_recursion(ends, goal, choose):
    found = Optimum(choose.__name__, ends, goal)
    assert found.rate == pytest.approx(plain_rate(ends, goal, choose), abs=1e-12)


def test_rates_after_the_first_tile_have_the_rate_of_the_start_as_their_mean():
    for ends, goal in SMALL:
        optimum = Optimum("best", ends, goal)
        doubles, others = after_first_tile(optimum)
        tiles = ends * (ends + 1) / 2
        assert ends / tiles * doubles + (1 - ends / tiles) * np.nan_to_num(others) == pytest.approx(
            optimum.rate, abs=1e-12
        )


# -- The order of the tiles -------------------------------------------------------------------


def plainly_winnable(deck, ends, goal):
    """Return whether any way to play the tiles in this order wins."""
    tiles = [(low, high) for high in range(ends) for low in range(high + 1)]
    here = {((0, -1),) * 3}
    for tile in deck:
        after = set()
        for stacks in here:
            for k, (height, top) in enumerate(stacks):
                for under, over in {tiles[tile], tiles[tile][::-1]}:
                    if height == 0 or top == under:
                        after.add((*stacks[:k], (height + 1, over), *stacks[k + 1 :]))
        if any(height == goal for stacks in after for height, _ in stacks):
            return True
        here = after
    return False


@pytest.mark.parametrize(("ends", "goal"), [*SMALL[:5], (3, 4), (4, 4), (7, 4), (7, 6)])
def test_deals_are_winnable_if_a_plain_search_wins_them(ends, goal):
    tiles = ends * (ends + 1) // 2
    if tiles <= 6:
        decks = np.array(list(itertools.permutations(range(tiles))), np.int8)
    else:
        rng = np.random.default_rng(0)
        decks = rng.permuted(np.tile(np.arange(tiles, dtype=np.int8), (60, 1)), axis=1)
    found = winnable(decks, ends, goal)
    assert found.tolist() == [plainly_winnable(deck, ends, goal) for deck in decks.tolist()]


def test_the_first_legal_action_is_the_rule_of_the_test_mode(dominoes, monkeypatch, capsys):
    states = dominoes.new(120, 3)
    decks = [[(int(LOW[t]), int(HIGH[t])) for t in one["grid"]] for one in states]
    won = []
    for deck in decks:
        table = Table()
        monkeypatch.setattr(table, "_Table__grid", [Domino(*tile) for tile in deck])
        for cell in range(28):
            tile = table.select(*divmod(cell, 7))
            if not any(table.playDomino(tile, k) for k in range(3)) or table.isWinner():
                break
        won.append(table.isWinner())
    capsys.readouterr()
    assert first_fit(dominoes, states).tolist() == won
    assert 0 < sum(won) < 20


# -- The complete game ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dominoes():
    return boardenvs.make("dominoes175")


@pytest.fixture(scope="module")
def late(random_positions, dominoes):
    """Return positions before a draw with few enough unseen tiles to search the rest."""
    states = random_positions(dominoes, 20_000, 0)
    live = ~states["terminated"] & (states["hand"] < 0)
    return states[live & (states["taken"].sum(1) >= 12)][:12]


def by_the_rules(game, states, choices):
    """Return the winning rate of each position with the best choices, over all draws of tiles."""
    found = np.where(states["returns"][:, 0] > 0, 1.0, 0.0)
    live = np.flatnonzero(~states["terminated"])
    if not len(live):
        return found
    rows, cells = np.nonzero(game.legal(states[live]))
    drawn = states[live][rows]
    game.play(drawn, cells)  # each cell stands for its possible tile
    values = np.zeros(len(drawn))
    held = np.flatnonzero(~drawn["terminated"])
    if len(held):
        chosen, ways = np.nonzero(choices(drawn[held]))
        after = drawn[held][chosen]
        game.play(after, ways)
        np.maximum.at(values, held[chosen], by_the_rules(game, after, choices))
    found[live] = np.bincount(rows, values) / np.bincount(rows)
    return found


@pytest.mark.slow
def test_the_optimum_of_the_game_agrees_with_the_rules(dominoes, late):
    # A single test, because each process would have to solve the game again.
    values = [_value(state) for state in late]
    assert len(set(values)) > 5
    np.testing.assert_allclose(values, by_the_rules(dominoes, late, dominoes.legal), atol=1e-12)

    agent = agents.make("perfect", dominoes, seed=0)

    def chosen(states):
        choices = np.zeros((len(states), dominoes.num_actions), np.bool_)
        choices[np.arange(len(states)), agent.act(states)] = True
        return choices

    found = by_the_rules(dominoes, late[:4], chosen)
    np.testing.assert_allclose(found, values[:4], atol=1e-12)

    assert _optimum().rate == pytest.approx(0.0389463060, abs=1e-9)  # value on the game's page
    results = Path(__file__).with_name("results") / "dominoes175.json"
    for solo in json.loads(results.read_text(encoding="utf-8"))["solos"]:
        assert wilson(solo["wins"], solo["games"])[0] < _optimum().rate

    # The exact exploitability of two of these agents is known.
    assert exploitability(agent, dominoes, games=200, seed=0).value < 1e-12
    rates = {"greedy": 0.0377361, "random": 0.0078532}  # values on the game's page
    for spec, rate in rates.items():
        found = exploitability(spec, dominoes, games=2000, seed=1)
        low, high = found.interval
        assert low < 2 * (_optimum().rate - rate) < high
        assert high - low < 0.0105  # counting games gives twice 2.2% for `random`
        assert found.best == pytest.approx(2 * _optimum().rate - 1)
    assert found == exploitability("random", dominoes, games=2000, seed=1)


@pytest.mark.parametrize("params", [{"max_plies": 31}, {"deck": "first"}])
def test_exploitability_of_other_deals_is_refused(params, dominoes, refused):
    if "deck" in params:
        params = {"deck": [(low, high) for high in range(7) for low in range(high + 1)]}
    with refused("deck=.*max_plies.*got Dominoes175"):
        exploitability("random", boardenvs.make("dominoes175", **params))


def test_the_perfect_agent_refuses_other_games(game112, refused):
    with refused("agent 'perfect' .*game112$"):
        Dominoes175PerfectAgent(game112)
    with refused("agent 'perfect' .*game112$"):
        agents.make("perfect", game112)


# -- Errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("worst",), "^policy .*got 'worst'"),
        (("best", 0), "^ends .*got 0"),
        (("best", 8), "^ends .*got 8"),
        (("best", 7, 1), "^goal .*got 1"),
        (("best", 7, "6"), "^goal .*got '6'"),
    ],
)
def test_numbers_out_of_range_are_refused(arguments, message, refused):
    with refused(message):
        Optimum(*arguments)

"""The alpha-beta search: its evaluation, its quiescence search and its aspiration window."""

import pytest
from by_fours import board_of, wins_by_fours
from numba import njit

import boardenvs
from agents.games.gomoku.engine.alpha_beta import (
    INFINITE,
    PROVEN,
    WIN,
    enter,
    judged,
    transpositions,
)
from agents.games.gomoku.engine.chains import proofs
from agents.games.gomoku.engine.fours import known_facts
from agents.games.gomoku.engine.position import empty_position, set_up
from agents.games.gomoku.engine.thinking import think
from agents.games.gomoku.engine.worth import MOVER_WORTH, OTHER_WORTH, THREAT_WORTH

GAME = boardenvs.make("gomoku", board_size=9)


@pytest.fixture(scope="module")
def states(live_positions):
    live = live_positions(GAME, 30, 5)
    return live[:: 1 + len(live) // 150]


@njit
def evaluation(s):
    """Return `judged`, which Python cannot call."""
    return judged(s)


@njit
def entered(s, codes, table, facts, known, alpha, beta):
    """Return what `enter` returns for a position at depth 0."""
    return enter(s, codes, table, facts, known, 1, alpha, beta, 0, False)


def record_of(state):
    """Return the engine's record and table of codes for a position."""
    records, codes = empty_position(GAME)
    set_up(records[0], codes, state["cells"])
    return records[0], codes


def leaf(s, codes, alpha=-INFINITE, beta=INFINITE):
    """Return whether a position at depth 0 has moves to search, and its value if not."""
    tables = transpositions(10), known_facts(10), proofs(10)
    opened = entered(s, codes, *tables, alpha, beta)
    return bool(opened), int(s["value"])


def plain_value(s):
    """Return the evaluation of a position, from the numbers of cells of each kind."""
    me = int(s["mover"])
    mine, other = s["counts"][me], s["counts"][1 - me]
    threats = [other[8] > 0]
    for counts in (mine, other):
        threats += [counts[5:8].any(), counts[3:5].any(), counts[7] > 0, counts[4] > 0]
    index = int("".join("01"[bool(threat)] for threat in threats), 2)
    total = int(s["total"][me] - s["total"][1 - me])
    return total + int(THREAT_WORTH[index] + mine @ MOVER_WORTH + other @ OTHER_WORTH)


def test_the_evaluation_adds_up_all_cells(states):
    for state in states:
        s, _ = record_of(state)
        assert evaluation(s) == plain_value(s)


def test_the_value_of_a_leaf_is_a_win_by_fours_or_the_evaluation(states):
    found = {"win": 0, "evaluation": 0}
    for state in states:
        s, codes = record_of(state)
        s["node_fours"] = 10_000
        opened, value = leaf(s, codes)
        if opened or value < -PROVEN:  # a four of the other player
            assert s["counts"][1 - int(s["mover"]), 9] > 0
            continue
        line = wins_by_fours(
            board_of(GAME.to_dict(state)["board"]), "XO"[int(state["to_move"])], GAME
        )
        if line is None:
            assert value == plain_value(s), GAME.to_text(state)
        else:
            assert WIN - 40 < value < WIN
        found["evaluation" if line is None else "win"] += 1
    assert min(found.values()) >= 10


def test_a_leaf_returns_its_evaluation_if_it_reaches_beta(states):
    stood = 0
    for state in states:
        s, codes = record_of(state)
        me = int(s["mover"])
        if s["counts"][:, 9].any() or s["counts"][me, 8]:
            continue  # a result that needs no evaluation
        value = plain_value(s)
        assert leaf(s, codes, value - 1, value) == (False, value)
        stood += s["nodes"] == 1
    assert stood > 10


@pytest.mark.parametrize("margin", [1, 30])
def test_a_value_outside_the_aspiration_window_is_searched_again(margin, states):
    widened = 0
    for state in states[5::10]:
        records, codes = empty_position(GAME)
        s = records[0]
        s["window_margin"], s["window_depth"] = margin, 2
        tables = transpositions(12), known_facts(10), proofs(10)
        while not think(s, codes, *tables, state["cells"].copy(), int(s["nodes"]) + 1):
            if s["depth"] > 4:
                break
            if s["depth"] > 2 and s["level"] > 0:
                assert s["root_alpha"] < s["root_beta"]
                widened += s["margin"] > margin
        assert s["best_depth"] >= 3 or s["settled"] or abs(s["best_value"]) > PROVEN
    assert widened > 10

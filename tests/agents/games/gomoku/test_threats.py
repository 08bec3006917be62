"""The engine `threats`: single positions, budgets, and common properties of agents."""

import copy
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import agents
import boardenvs
from agents.games.gomoku.threats import DEFAULT_NODES
from boardenvs.show.analysis import Analysis

NODES = 3000


def position(drawing, **params):
    """Return game and state of a drawing. X or O may be to move, because players take turns."""
    rows = drawing.split()
    game = boardenvs.make("gomoku", board_size=len(rows), **params)
    return game, game.from_dict({"board": rows})


def thought(drawing, nodes=NODES, **params):
    """Return its move on a drawn board, as a player types it, and its analysis."""
    game, state = position(drawing, **params)
    [found] = agents.make(f"threats:{nodes}", game).think(state)
    assert found.line[0] == found.action
    return game.action_to_text(found.action), found


@pytest.fixture(scope="module")
def gomoku():
    return boardenvs.make("gomoku")


@pytest.fixture(scope="module")
def positions(gomoku, live_positions):
    live = live_positions(gomoku, 20, 8)
    return live[:: 1 + len(live) // 60].copy()


# -- Single positions -----------------------------------------------------------------------


def test_threats_opens_in_the_middle():
    assert thought("......... " * 9)[0] == "4 E"


def test_threats_prefers_its_own_five_to_a_block():
    move, found = thought("XXXX..... OOOO..... " + "......... " * 7)
    assert (move, found.value, found.plies) == ("0 E", 1, 1)


def test_threats_blocks_a_five():
    move, _ = thought(
        """
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
    )
    assert move == "2 G"


def test_threats_makes_an_open_four():
    move, found = thought("......... " * 4 + "..XXX.... OO.O..... " + "......... " * 3)
    assert move in {"4 B", "4 F"}
    assert (found.value, found.plies) == (1, 3)


def test_threats_blocks_an_open_three():
    move, found = thought(
        "........X " * 2 + "......... " * 2 + "..OOO.... X........ " + "......... " * 3
    )
    assert move in {"4 B", "4 F", "4 A", "4 G"}
    assert not found.proven


def test_two_open_fours_of_the_opponent_are_a_loss():
    move, found = thought(
        """
        .........
        .OOOO....
        .........
        X...X...X
        .........
        .........
        .........
        X........
        .........
        """
    )
    assert move in {"1 A", "1 F"}
    assert (found.value, found.plies) == (-1, 2)


FOUR_FOUR = """
    ...........
    ...........
    ...........
    ..OXXX.....
    ......X....
    ......X....
    ......X....
    ......O....
    .O.......O.
    ..O.....O..
    ...........
"""


def test_threats_wins_by_two_fours_at_once():
    move, found = thought(FOUR_FOUR)
    assert move == "3 G"
    assert (found.value, found.plies) == (1, 3)


FOUR_THREE = """
    ...........
    ...........
    ...........
    ..OXXX.....
    ......X....
    ......X....
    ...........
    ...........
    .O.......O.
    O.........O
    ...........
"""


def test_threats_wins_by_a_four_and_an_open_three():
    move, found = thought(FOUR_THREE)
    assert move in {"3 G", "2 G", "6 G"}
    assert found.value == 1
    assert found.plies <= 7


def test_threats_blocks_a_five_and_makes_a_four():
    # White's four must be stopped on 5 F, which also completes four black stones.
    move, found = thought(
        """
        ...........
        ...........
        .....X.....
        .....X.....
        .....X.....
        XOOOO......
        ...........
        ...........
        ...........
        ...........
        ...........
        """
    )
    assert move == "5 F"
    assert found.value == 1  # open at both ends, so White cannot stop both


def test_six_in_a_row_does_not_win_with_exact():
    drawing = "XXX.XX... OO....... ......O.. .......O. " + "......... " * 3 + "O........ ........."
    move, found = thought(drawing)
    assert (move, found.plies) == ("0 D", 1)
    move, found = thought(drawing, exact=True)
    assert move != "0 D"
    assert found.plies != 1


def test_an_overline_is_not_a_threat_with_exact():
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
    assert thought(drawing)[0] == "0 D"
    assert thought(drawing, exact=True)[0] != "0 D"


def test_lines_along_the_edges_are_found():
    assert thought("XXXX..... " + "......... " * 7 + "OOOO.....")[0] == "0 E"
    # A diagonal that ends in a corner.
    drawing = """
        OOO......
        .........
        .........
        .........
        .........
        .....X...
        ......X..
        .......X.
        O........
    """
    move, found = thought(drawing.replace("O........", "O.......X"))
    assert (move, found.plies) == ("4 E", 1)


@pytest.mark.parametrize("empty", range(1, 8))
def test_a_nearly_full_board_is_a_draw(empty):
    # Neither player can complete a line of five with these stones, for any remaining cells.
    rows = ["XXOOX", "OOXXO", "XXOOX", "OOXXO", "XXOOX"]
    cells = list("".join(rows))
    blacks = [k for k, stone in enumerate(cells) if stone == "X"]
    whites = [k for k, stone in enumerate(cells) if stone == "O"]
    for k in range(empty):  # remove the last stones first
        taken = blacks if k % 2 == 0 else whites
        cells[taken[k // 2]] = "."
    text = "".join(cells)
    _, found = thought(" ".join(text[k : k + 5] for k in range(0, 25, 5)))
    assert found.value == pytest.approx(0, abs=0.5)
    assert not found.proven


def test_a_game_that_ends_before_the_win_is_a_draw():
    drawing = "......... " * 4 + "..XXX.... OO.O..... " + "......... " * 3
    for plies, value in ((7, 0), (8, 0), (9, 1)):
        _, found = thought(drawing, max_plies=plies)
        assert found.value == pytest.approx(value, abs=0.9 if value == 0 else 0), plies
        assert found.proven == (value == 1)


# -- Budgets --------------------------------------------------------------------------------


def test_choices_do_not_depend_on_batches_and_threads(gomoku, positions):
    expected = agents.make("threats:800", gomoku, threads=1).think(positions)
    assert agents.make("threats:800", gomoku, threads=3).think(positions) == expected
    agent = agents.make("threats:800", gomoku)
    assert agent.think(positions[::-1])[::-1] == expected
    assert [agent.think(state)[0] for state in positions[:10]] == expected[:10]
    assert copy.deepcopy(agent).think(positions[:5]) == expected[:5]


def test_the_number_of_nodes_is_limited(gomoku, positions):
    for nodes in (1, 100, 2000):
        for found in agents.make(f"threats:{nodes}", gomoku).think(positions[:20]):
            assert found.nodes <= nodes + 200
    assert agents.make("threats", gomoku).nodes == DEFAULT_NODES


def test_more_nodes_search_deeper(gomoku, positions):
    shallow, deep = (
        agents.make(f"threats:{n}", gomoku).think(positions[5:15]) for n in (300, 9000)
    )
    assert sum(one.depth for one in deep) > sum(one.depth for one in shallow) + 10


def test_the_time_limit_is_kept(gomoku):
    state = gomoku.new(1, 0)
    for move in ("7 H", "6 G", "8 G", "6 I"):
        gomoku.play(state, [gomoku.action_from_text(move)])
    agent = agents.make("threats:200ms", gomoku)
    assert (agent.deterministic, agent.repeatable) == (False, False)
    taken = []
    for _ in range(5):
        began = time.perf_counter()
        [found] = agent.think(state)
        taken.append(time.perf_counter() - began)
        assert found.depth >= 4
    assert 0.15 < min(taken) < 0.21


@pytest.mark.parametrize("length", [1, 2, 3, 7, 9])
def test_other_line_lengths_are_refused(length, refused):
    game = boardenvs.make("gomoku", board_size=9, win_length=length)
    with refused(f"win_length .*got {length}$"):
        agents.make("threats", game)


def test_threats_refuses_other_games(refused):
    with refused("agent 'threats' .*gekitai$"):
        agents.make("threats", "gekitai")


@pytest.mark.parametrize(
    ("spec", "told"),
    [("threats:0", "nodes"), ("threats:x", "whole number"), ("threats:0s", "above 0")],
)
def test_other_budgets_are_refused(spec, told, refused):
    with refused(told):
        agents.make(spec, "gomoku")


@pytest.mark.slow
def test_plain_python_finds_the_same_result():
    program = """
import agents, boardenvs
game = boardenvs.make("gomoku", board_size=9)
state = game.new(1, 0)
for move in ("4 E", "3 F", "5 F", "4 F"):
    game.play(state, [game.action_from_text(move)])
print(agents.make("threats:150", game).think(state))
"""
    command = [sys.executable, "-W", "error", "-c", program]
    told = [
        subprocess.run(
            command,
            env={**os.environ, "NUMBA_DISABLE_JIT": plain},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for plain in ("0", "1")
    ]
    assert told[0] == told[1] != ""


# -- Analysis -------------------------------------------------------------------------------


def test_consider_reports_the_analysis_of_think(gomoku, positions):
    agent = agents.make("threats:800", gomoku)
    words = np.zeros(len(positions), np.uint64)
    actions, told = agent.consider(positions, words)
    np.testing.assert_array_equal(actions, agent.choose(positions, words))
    for one, mask, seat, found in zip(
        told, gomoku.legal(positions), positions["to_move"], agent.think(positions), strict=True
    ):
        one.check(gomoku, mask)
        assert one.values[seat] == pytest.approx(found.value, abs=1e-4)
        assert one.values[seat] == -one.values[1 - seat]
        assert list(one.weights) == [found.action]
        assert (one.line, one.depth, one.proven) == (found.line, found.depth, found.proven)
        assert Analysis.from_dict(one.to_dict()) == one
    assert any(one.proven for one in told)
    assert any(not one.proven and len(one.line) > 1 for one in told)


def test_the_reported_line_can_be_played(gomoku, positions):
    for state, found in zip(
        positions, agents.make("threats:3000", gomoku).think(positions), strict=True
    ):
        states = gomoku.arrays.batch(state).copy()
        for action in found.line:
            gomoku.play(states, [action], illegal="raise")


def test_proven_wins_are_won(gomoku, positions):
    """It wins proven positions against itself and `greedy`, within the reported plies."""
    agent = agents.make("threats:3000", gomoku)
    greedy = agents.make("greedy", gomoku, seed=1)
    won = 0
    for state, found in zip(positions, agent.think(positions), strict=True):
        assert found.proven == (abs(found.value) == 1)
        if found.value != 1:
            continue
        won += 1
        for other in (agent, greedy):
            states = gomoku.arrays.batch(state).copy()
            seat = int(states["to_move"][0])
            while not gomoku.over(states)[0]:
                mover = agent if states["to_move"][0] == seat else other
                gomoku.play(states, mover.act(states))
            assert gomoku.returns(states)[0, seat] == 1
            assert states["ply"][0] - state["ply"] <= found.plies
    assert won > 5


# -- Strength -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [9, 15])
def test_threats_beats_greedy(size):
    game = boardenvs.make("gomoku", board_size=size)
    specs = ["threats:3000", "greedy"]
    scores = agents.play_match(game, specs, num_games=20, seed=0, opening_plies=4)
    assert scores.wins[0] >= scores.wins[1] + 5

"""Fifty positions from games of the engine that are won by fours, checked in plain Python."""

import time
from pathlib import Path

import numpy as np
import pytest
from by_fours import board_of, fives, wins_by_fours

import agents
import boardenvs

GAME = boardenvs.make("gomoku")


def drawings():
    text = Path(__file__).with_name("puzzles.txt").read_text(encoding="utf-8")
    return [part.split() for part in text.split("\n\n")[1:]]


def puzzles():
    return np.array([GAME.from_dict({"board": rows}) for rows in drawings()], GAME.start.dtype)


def test_the_engine_solves_the_puzzles():
    found = agents.make("threats", GAME).think(puzzles())
    assert len(found) == 50
    assert [(one.value, one.depth) for one in found] == [(1, 1)] * 50
    assert min(one.plies for one in found) >= 5


def test_the_engine_wins_the_puzzles_against_the_best_reply():
    """It wins against the best reply, which is the only one that stops the five."""
    states = puzzles()
    engine = agents.make("threats", GAME)
    plies = np.array([one.plies for one in engine.think(states)])
    seats = states["to_move"].copy()
    for _ in range(60):
        live = ~GAME.over(states)
        if not live.any():
            break
        part = states[live]
        GAME.play(part, engine.act(part))
        states[live] = part
    assert (GAME.returns(states)[np.arange(50), seats] == 1).all()
    assert (states["ply"] - puzzles()["ply"] <= plies).all()


@pytest.mark.slow
def test_each_puzzle_takes_less_than_a_second():
    engine = agents.make("threats:1s", GAME)
    for state in puzzles():
        began = time.perf_counter()
        [found] = engine.think(state)
        assert found.value == 1
        assert time.perf_counter() - began < 1


@pytest.mark.slow
def test_plain_python_confirms_the_puzzles():
    for rows, found in zip(drawings(), agents.make("threats", GAME).think(puzzles()), strict=True):
        board = board_of(rows)
        stones = "".join(rows)
        colour, other = "XO" if stones.count("X") == stones.count("O") else "OX"
        assert wins_by_fours(board, colour, GAME)
        # The engine's first move keeps the win.
        board[divmod(found.action, 15)] = colour
        made = fives(board, colour, GAME)
        assert made
        if len(made) == 1:
            board[made[0]] = other
            assert wins_by_fours(board, colour, GAME)

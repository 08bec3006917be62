"""The moves of a position for the engine's alpha-beta search, the most promising first."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from agents.games.gomoku.engine.candidates import list_defences
from agents.games.gomoku.engine.inner import inner
from agents.games.gomoku.engine.patterns import FOUR_KIND
from agents.games.gomoku.engine.position import NUM_MOVES

__all__ = ["add_move", "list_answers", "list_moves", "next_move"]


@inner
def add_move(s, level, cell, score):
    """Add a move to a level; if the level is full, drop the least promising move."""
    num = s.num_moves[level]
    if num == NUM_MOVES:
        least = 0
        for k in range(num):
            if s.scores[level, k] < s.scores[level, least]:
                least = k
        if s.scores[level, least] >= score:
            return
        s.moves[level, least] = cell
        s.scores[level, least] = score
        return
    s.moves[level, num] = cell
    s.scores[level, num] = score
    s.num_moves[level] = num + 1


@inner
def score_of(s, level, cell):
    """Return a score of how promising a move is."""
    me = s.mover
    score = (
        s.own_weight * s.worth[cell, me]
        + s.other_weight * s.worth[cell, 1 - me]
        + (s.history[me, cell] >> s.history_shift)
    )
    if s.kinds[cell, me] >= FOUR_KIND:
        score += s.four_bonus
    if s.killers[level, 0] == cell:
        score += s.killer_bonus
    elif s.killers[level, 1] == cell:
        score += 100
    return np.int64(score)


@inner
def list_moves(s, level):
    """List all moves near stones, or all moves if there are none."""
    s.num_moves[level] = 0
    for everything in range(2):
        for cell in range(s.first, s.end):
            if s.stones[cell] == 0 and (s.near[cell] > 0 or everything):
                add_move(s, level, cell, score_of(s, level, cell))
        if s.num_moves[level] > 0:
            return


@inner
def list_answers(s, level):
    """List the moves against a threatened open four."""
    s.num_moves[level] = 0
    for k in range(list_defences(s)):
        cell = np.int64(s.listed[k])
        add_move(s, level, cell, score_of(s, level, cell))


@inner
def next_move(s, level):
    """Return the most promising move that was not tried yet, or -1."""
    k = s.tried[level]
    num = s.num_moves[level]
    if k >= num:
        return -1
    best = k
    for j in range(k + 1, num):
        if s.scores[level, j] > s.scores[level, best]:
            best = j
    cell = s.moves[level, best]
    s.moves[level, best] = s.moves[level, k]
    s.moves[level, k] = cell
    score = s.scores[level, best]
    s.scores[level, best] = s.scores[level, k]
    s.scores[level, k] = score
    s.tried[level] = k + 1
    return np.int64(cell)

"""The alpha-beta search of the engine `threats`.

A principal variation search with a transposition table, null moves, late move reductions and
pruning. Each position is first checked for wins that need no search: a five or an open four. A
four of the opponent leaves one reply, which costs no depth. If the opponent threatens an open four,
the replies are fours and moves that prevent it.

Most positions are also checked for a victory by fours (see `fours`). At depth 0 this is the
quiescence search. It stands pat if the evaluation reaches beta, since a victory would not change
the result.

The evaluation adds the values of the patterns on all empty cells and a value for the combination of
both players' threats (see `worth`). The search at the root has an aspiration window around the
value of the last depth (see `thinking`).

One record holds the state of the search with its own stack (see `position`). The search can
therefore stop after any number of nodes and continue later.

Source of the search's parts: T. A. Marsland, "A review of game-tree pruning", ICCA Journal 9(1),
1986; E. A. Heinz, "Scalable search in computer chess", 2000.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.games.gomoku.engine.candidates import can_four, can_three, first_with
from agents.games.gomoku.engine.chains import find_chain
from agents.games.gomoku.engine.fours import find_fours, key_of
from agents.games.gomoku.engine.inner import inner
from agents.games.gomoku.engine.moves import add_move, list_answers, list_moves, next_move
from agents.games.gomoku.engine.patterns import (
    BUILDS,
    DOUBLE_THREE,
    FIVE_KIND,
    FOUR_KIND,
    FOUR_THREE,
    FOUR_TWO,
    OPEN_FOUR_KIND,
    THREE_KIND,
)
from agents.games.gomoku.engine.position import (
    CAN_FIVE,
    CAN_OPEN_FOUR,
    NUM_LEVELS,
    place,
    take_back,
)

__all__ = ["INFINITE", "PROVEN", "WIN", "search_on", "transpositions"]

WIN = 30_000
"""Value of a win in 0 plies; a win in n plies has the value `WIN - n`."""
PROVEN = 29_000
"""Minimum absolute value of a win or loss."""
INFINITE = 32_000
"""A number above all values."""
_MOST_WORTH = 20_000  # maximum absolute value of an undecided position

_ENTRY = [
    ("key", np.uint64),
    ("cell", np.int16),
    ("value", np.int16),
    ("depth", np.int8),
    ("bound", np.uint8),  # 1 lower bound, 2 upper bound, 3 exact value, 0 empty entry
    ("generation", np.uint16),
]
_LOWER, _UPPER, _EXACT = 1, 2, 3
_SETTLED = 100  # depth of proved values, which no search changes

# The result that a level waits for.
_NOTHING, _REDUCED, _NARROW, _WIDE, _NULL = range(5)

_FIRST = 1 << 30  # greater than all other scores


def transpositions(bits: int) -> npt.NDArray[np.void]:
    """Return an empty table of `2**bits` positions of 16 bytes."""
    fields: list[Any] = _ENTRY
    return np.zeros(1 << bits, np.dtype((np.record, np.dtype(fields, align=True))))


# -- The table ------------------------------------------------------------------------------


@inner
def find_entry(table, key):
    """Return the index of a position in the table, or -1."""
    first = np.int64(key & np.uint64(len(table) - 2))
    if table[first].key == key and table[first].bound:
        return first
    if table[first + 1].key == key and table[first + 1].bound:
        return first + 1
    return -1


@inner
def write_entry(s, table, level, depth, value, bound, cell):
    """Store the value of a position.

    Of the two places for a key, the first keeps the deeper entry, the second the latest.
    """
    key = key_of(s)
    first = np.int64(key & np.uint64(len(table) - 2))
    e = table[first]
    if e.key != key and e.bound and np.int64(e.generation) == s.generation and e.depth > depth:
        e = table[first + 1]
    if value >= PROVEN:
        value += level
    elif value <= -PROVEN:
        value -= level
    if e.key == key and cell < 0:
        cell = np.int64(e.cell)
    e.key = key
    e.cell = cell
    e.value = value
    e.depth = max(min(depth, 120), -120)
    e.bound = bound
    e.generation = s.generation


# -- Judging --------------------------------------------------------------------------------


@inner
def threats_of(s):
    """Return the index of both players' threats in `worth.THREAT_WORTH`."""
    threats = np.int64(s.counts[1 - s.mover, OPEN_FOUR_KIND] > 0)
    for k in range(2):
        counts = s.counts[s.mover if k == 0 else 1 - s.mover]
        four_threes, double_threes = counts[FOUR_THREE], counts[DOUBLE_THREE]
        threats = threats << 1 | (counts[FOUR_KIND] + counts[FOUR_TWO] + four_threes > 0)
        threats = threats << 1 | (counts[THREE_KIND] + double_threes > 0)
        threats = threats << 1 | (four_threes > 0)
        threats = threats << 1 | (double_threes > 0)
    return threats


@inner
def judged(s):
    """Return the value of an undecided position for the player to move."""
    me = s.mover
    worth = s.total[me] - s.total[1 - me] + s.threat_worth[threats_of(s)]
    for kind in range(BUILDS, FIVE_KIND):
        worth += s.mover_worth[kind] * s.counts[me, kind]
        worth += s.other_worth[kind] * s.counts[1 - me, kind]
    return max(-_MOST_WORTH, min(_MOST_WORTH, worth))


# -- The search -----------------------------------------------------------------------------


@inner
def enter(s, codes, table, facts, known, level, alpha, beta, depth, after_null):
    """Begin a level; return whether to search its moves. If not, `value` has the result."""
    s.nodes += 1
    s.lengths[level] = 0
    me = s.mover
    left = s.limit - s.num
    if left == 0:
        s.value = 0
        return False
    if s.counts[me, FIVE_KIND] > 0:
        s.value = WIN - level - 1
        tell(s, level, first_with(s, CAN_FIVE, me))
        return False
    if left == 1:
        s.value = 0
        return False
    fives = s.counts[1 - me, FIVE_KIND]
    if fives > 1:
        s.value = -(WIN - level - 2)
        tell(s, level, first_with(s, CAN_FIVE, 1 - me))
        return False
    if fives == 0 and left >= 3 and s.counts[me, OPEN_FOUR_KIND] > 0:
        s.value = WIN - level - 3
        tell(s, level, first_with(s, CAN_OPEN_FOUR, me))
        return False
    if level >= NUM_LEVELS - 2:
        s.value = judged(s)
        return False
    # Limit the window to the values between the fastest loss and the fastest win.
    alpha = max(alpha, -(WIN - level - 2))
    beta = min(beta, WIN - level - 1)
    if alpha >= beta and level > 0:
        s.value = alpha
        return False
    threatened = fives == 0 and left >= 4 and s.counts[1 - me, OPEN_FOUR_KIND] > 0
    if fives == 1:
        depth += 1
    is_wide = beta - alpha > 1
    before = np.int64(-1)
    place_there = find_entry(table, key_of(s))
    if place_there >= 0:
        e = table[place_there]
        before = np.int64(e.cell)
        value = np.int64(e.value)
        if value >= PROVEN:
            value -= level
        elif value <= -PROVEN:
            value += level
        holds = (
            (e.bound == _EXACT and (not is_wide or e.depth == _SETTLED or depth <= 0))
            or (e.bound == _LOWER and value >= beta)
            or (e.bound == _UPPER and value <= alpha)
        )
        if level > 0 and holds and (e.depth >= depth or abs(value) >= PROVEN):
            s.value = value
            if before >= 0:
                tell(s, level, before)
            return False
    static = judged(s)
    s.num_moves[level] = 0
    is_leaf = depth <= 0 and fives == 0
    if is_leaf and static >= beta:  # stand pat
        s.value = static
        return False
    # The root reports whether a win is proved, so even a forced move is searched for fours.
    if (left >= 5 and fives == 0 and can_four(s, me)) or (fives == 1 and level == 0):
        found = find_fours(s, codes, facts, s.node_fours if level > 0 else s.root_fours)
        s.nodes += s.four_nodes
        if found == 1:
            s.value = WIN - level - s.four_plies
            cell = np.int64(s.four_cells[0])
            write_entry(s, table, level, _SETTLED, s.value, _EXACT, cell)
            tell(s, level, cell)
            return False
    if is_leaf:
        s.value = static
        write_entry(s, table, level, 0, static, _EXACT, -1)
        return False
    if fives == 1:
        add_move(s, level, first_with(s, CAN_FIVE, 1 - me), 0)
    else:
        if level == 0 and s.root_chain > 0 and left >= 7 and can_three(s, me):
            found = find_chain(s, codes, facts, known, s.root_chain)
            s.nodes += s.chain_nodes
            if found == 1:
                s.value = WIN - level - s.chain_plies
                write_entry(s, table, level, _SETTLED, s.value, _EXACT, s.chain_cell)
                tell(s, level, s.chain_cell)
                return False
        if threatened:
            list_answers(s, level)
        else:
            if not is_wide and abs(beta) < PROVEN:
                if depth <= s.stand_depth and static - s.stand_margin * depth >= beta:
                    s.value = static
                    return False
                if level > 0 and depth >= s.null_depth and static >= beta and not after_null:
                    s.stages[level] = _NULL
            list_moves(s, level)
    if level == 0:
        before = s.best_cell
    for k in range(s.num_moves[level]):
        if s.moves[level, k] == before:
            s.scores[level, k] = _FIRST
    s.alphas[level] = alpha
    s.betas[level] = beta
    s.depths[level] = depth
    s.bests[level] = -INFINITE
    s.best_cells[level] = -1
    s.started_at[level] = alpha
    s.static[level] = static
    s.tried[level] = 0
    s.is_forced[level] = fives == 1 or threatened
    return True


@inner
def tell(s, level, cell):
    """Set the best line of a level to a single move."""
    s.lines[level, 0] = cell
    s.lengths[level] = 1


@inner
def search_on(s, codes, table, facts, known, most):
    """Start or continue a search to `depth` until `nodes` reaches `most`.

    A new search begins with `level` at -1. It tries `best_cell` first. Its window is from
    `root_alpha` to `root_beta`.

    Returns:
        Whether the search is complete. Then `value` has its value or, outside the window, a bound.
        `lines` has its best line, of length 0 if no move reaches the window.
    """
    came_up = False  # whether `value` is that of the chosen move, for the opponent
    while True:
        level = s.level
        stage = _WIDE
        if level < 0:
            alpha, beta, depth = s.root_alpha, s.root_beta, s.depth
        else:
            stage = s.stages[level]
            if came_up:
                came_up = False
                value = -s.value
                if stage == _NULL:
                    s.mover = 1 - s.mover
                    s.stages[level] = _NOTHING
                    if value >= s.betas[level]:
                        s.value = s.betas[level]
                        s.level = level - 1
                        came_up = True
                    continue
                alpha, beta = s.alphas[level], s.betas[level]
                if stage == _REDUCED and value > alpha:
                    stage = _NARROW
                    s.below[level] = s.depths[level] - 1
                elif stage != _WIDE and value > alpha and beta - alpha > 1:
                    stage = _WIDE
                else:
                    take_back(s, codes, s.chosen[level])
                    s.stages[level] = _NOTHING
                    note(s, level, value)
                    continue
                s.stages[level] = stage
            elif stage != _NULL:
                if s.nodes >= most:
                    return False
                if not choose_move(s, codes, level):
                    finish(s, table, level)
                    if level == 0:
                        return True
                    came_up = True
                    continue
                stage = s.stages[level]
            # Set the window and the depth of the child from the stage.
            alpha, beta, depth = -s.betas[level], -s.alphas[level], s.below[level]
            if stage == _NULL:
                s.mover = 1 - s.mover
                beta = alpha + 1
                depth = s.depths[level] - s.null_less - s.depths[level] // s.null_divisor
            elif stage != _WIDE:
                alpha = beta - 1
        s.stages[level + 1] = _NOTHING
        if enter(s, codes, table, facts, known, level + 1, alpha, beta, depth, stage == _NULL):
            s.level = level + 1
        elif level < 0:
            s.settled = abs(s.value) >= PROVEN
            return True
        else:
            came_up = True


@inner
def choose_move(s, codes, level):
    """Place the next move of a level; return False after the last move or a cutoff."""
    if s.bests[level] >= s.betas[level]:
        return False
    me = s.mover
    depth = s.depths[level]
    alpha = s.alphas[level]
    is_wide = s.betas[level] - alpha > 1
    prunes = level > 0 and not is_wide and not s.is_forced[level]
    while True:
        cell = next_move(s, level)
        if cell < 0:
            return False
        number = s.tried[level] - 1
        kind = s.kinds[cell, me]
        quiet = kind < THREE_KIND and s.kinds[cell, 1 - me] < FOUR_KIND
        below = depth - 1
        stage = _WIDE if number == 0 else _NARROW
        # While all tried moves lose, no move is pruned, since it might not lose.
        if prunes and quiet and number > 0 and s.bests[level] > -PROVEN:
            if depth <= s.late_depth and number >= s.late_base + s.late_step * depth:
                continue
            hope = s.static[level] + s.futile_margin * depth + s.worth[cell, me]
            if depth <= s.futile_depth and hope < alpha:
                continue
        if number > 1 and depth >= 2 and not s.is_forced[level]:
            less = np.int64(s.reductions[min(depth, 31), number])
            if not quiet:
                less -= 1
            if is_wide:
                less -= 1
            if less > 0:
                below = max(depth - 1 - less, 0)
                if below < depth - 1:
                    stage = _REDUCED
        s.stages[level] = stage
        s.below[level] = below
        s.chosen[level] = cell
        place(s, codes, cell)
        return True


@inner
def note(s, level, value):
    """Update a level with the value of the chosen move."""
    if value <= s.bests[level]:
        return
    cell = s.chosen[level]
    s.bests[level] = value
    if value <= s.alphas[level]:
        return
    s.best_cells[level] = cell
    s.alphas[level] = value
    s.lines[level, 0] = cell
    length = s.lengths[level + 1]
    for k in range(length):
        s.lines[level, k + 1] = s.lines[level + 1, k]
    s.lengths[level] = length + 1
    if value >= s.betas[level] and s.kinds[cell, s.mover] < FOUR_KIND:
        depth = max(s.depths[level], 1)
        if s.killers[level, 0] != cell:
            s.killers[level, 1] = s.killers[level, 0]
            s.killers[level, 0] = cell
        me = s.mover
        s.history[me, cell] += min(depth * depth, 400)
        if s.history[me, cell] > 4000:
            for other in range(s.first, s.end):
                s.history[me, other] >>= 1


@inner
def finish(s, table, level):
    """End a level: store its value and return to the level above."""
    best = s.bests[level]
    if best == -INFINITE:  # all moves were pruned
        best = s.alphas[level]
    bound = _EXACT
    if best >= s.betas[level]:
        bound = _LOWER
    elif best <= s.started_at[level]:
        bound = _UPPER
    write_entry(s, table, level, s.depths[level], best, bound, s.best_cells[level])
    s.value = best
    s.level = level - 1

"""The rules of the 112 game: put a 1 or a 2 on an empty position; 1, 1, 2 wins.

`s.cells[i]` is the value of position `i`, counted from 0 at the left, or 0 if it is empty.
`p.positions` is the size of the board.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from numba import njit

from boardenvs.core.outcome import end_in_draw, end_ply, end_with_winner, is_over


@njit
def legal(s, p, mask):
    """Mark both values on every empty position."""
    for action in range(2 * p.positions):
        mask[action] = s.cells[action // 2] == 0


@njit
def play(s, p, action):
    """Put the value `action % 2 + 1` on position `action // 2`."""
    s.cells[action // 2] = action % 2 + 1
    s.to_move = 1 - s.to_move
    judge(s, p)
    end_ply(s, p, action)


@njit
def judge(s, p):
    """End the game if the board has 1, 1, 2 or is full."""
    if has_112(s, p):
        end_with_winner(s, 1 - s.to_move)
    elif is_full(s, p):
        end_in_draw(s)


@njit
def has_112(s, p):
    """Return whether three neighbouring positions read 1, 1, 2."""
    found = False
    for i in range(p.positions - 2):
        found |= (s.cells[i] == 1) & (s.cells[i + 1] == 1) & (s.cells[i + 2] == 2)
    return found


@njit
def is_full(s, p):
    """Return whether no position is empty."""
    for i in range(p.positions):
        if s.cells[i] == 0:
            return False
    return True


@njit
def observe_row(s, p, seat, out):
    """Write the planes, which are the same for both seats: ones, twos, empty positions."""
    cells = s.cells
    size = p.positions
    for i in range(size):
        out[i] = cells[i] == 1
        out[size + i] = cells[i] == 2
        out[2 * size + i] = cells[i] == 0


@njit
def sound(s, p):
    """Return whether all values are 0, 1 or 2, and an unfinished game has an empty position."""
    for i in range(p.positions):
        if s.cells[i] < 0 or s.cells[i] > 2:
            return False
    return is_over(s) or not is_full(s, p)

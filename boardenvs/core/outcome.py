"""Functions that end a game, for all rules.

Rewards are given at the end. With two or more players they sum to zero: the winner gets +1, each
other player -1/(n-1), and all get 0 in a draw. The rules set the reward of a single player.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = [
    "end_alone",
    "end_in_draw",
    "end_ply",
    "end_with_loser",
    "end_with_winner",
    "forfeit",
    "is_over",
    "truncate_if_long",
]


@njit
def is_over(s):
    """Return whether the game has ended, by its rules or by `max_plies`."""
    return s.terminated or s.truncated


@njit
def _end_with_special(s, seat, own):
    """End the game with the result `own` for one seat. The other seats share `-own`."""
    n = len(s.returns)
    for k in range(n):
        s.returns[k] = np.float32(-own / (n - 1)) if n > 1 else np.float32(0.0)
    s.returns[seat] = np.float32(own)
    s.terminated = True


@njit
def end_with_winner(s, seat):
    """End the game with one winner."""
    _end_with_special(s, seat, 1.0)


@njit
def end_with_loser(s, seat):
    """End the game with one loser. The others share the win."""
    _end_with_special(s, seat, -1.0)


@njit
def end_in_draw(s):
    """End the game with 0 for everyone."""
    for k in range(len(s.returns)):
        s.returns[k] = np.float32(0.0)
    s.terminated = True


@njit
def end_alone(s, reward):
    """End the game of a single player."""
    # The sum turns -0.0 into 0.0, which has other bytes.
    s.returns[0] = np.float32(reward) + np.float32(0.0)
    s.terminated = True


@njit
def forfeit(s):
    """End the game after an illegal action. The seat to move loses, and no ply is counted."""
    s.offender = s.to_move
    end_with_loser(s, s.to_move)


@njit
def truncate_if_long(s, p):
    """Truncate the game if it is not over after `max_plies`."""
    if not s.terminated and s.ply >= p.max_plies:
        s.truncated = True


@njit
def end_ply(s, p, action):
    """End a legal ply: record the action, count the ply, and truncate games that are too long."""
    s.last_action = action
    s.ply += 1
    truncate_if_long(s, p)

"""How a game ends, written once for every rules file.

Rewards come only at the end and sum to zero for two or more players: the winner
gets +1, each other player -1/(n-1), and in a draw all get 0. The rules set the reward of a single
player.
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
    """Return whether the game of record `s` has ended, by its rules or by `max_plies`."""
    return s.terminated or s.truncated


@njit
def _end_with_special(s, seat, own):
    """End the game: `own` for one seat, the opposite shared by the others."""
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
    """End the game with one loser; the others share the win."""
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
    # 0 is added since -0.0, which equals 0.0, has other bytes.
    s.returns[0] = np.float32(reward) + np.float32(0.0)
    s.terminated = True


@njit
def forfeit(s):
    """End the game after an illegal action: the seat to move loses. No ply is counted."""
    s.offender = s.to_move
    end_with_loser(s, s.to_move)


@njit
def truncate_if_long(s, p):
    """Truncate a game that is not over after `max_plies`."""
    if not s.terminated and s.ply >= p.max_plies:
        s.truncated = True


@njit
def end_ply(s, p, action):
    """Close a legal ply: remember it and count it."""
    s.last_action = action
    s.ply += 1
    truncate_if_long(s, p)

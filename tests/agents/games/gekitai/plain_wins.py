"""Forced wins of Gekitai, by trying every line of play and by proof-number search."""

import numpy as np


def forced(game, states, seats, plies):
    """Return whether the seats can force wins within `plies`, using only the rules."""
    rows, actions = np.nonzero(game.legal(states))
    after = states[rows]
    game.play(after, actions)
    won = after["returns"][np.arange(len(rows)), seats[rows]] > 0
    live = np.flatnonzero(~game.over(after)) if plies > 1 else []
    if len(live):
        won[live] = forced(game, after[live], seats[rows][live], plies - 1)
    some = np.zeros(len(states), np.int64)
    np.add.at(some, rows, won)
    attack = states["to_move"] == seats
    return np.where(attack, some > 0, some == game.legal(states).sum(axis=1))


def fewest_plies(solver, states, plies):
    """Return the fewest of 1, 3, ... plies for which a solver finds a win, else 0: shape (N,)."""
    found = np.zeros(len(states), np.int64)
    for k, state in enumerate(states):
        for within in range(1, plies + 1, 2):
            if solver.search(state, 10**7, plies=within).won:
                found[k] = within
                break
    return found

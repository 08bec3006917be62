"""The greedy agent of Goat Race, which evaluates the position at the end of its turn."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from agents.agent import Actions, Agent, RandomBits
from boardenvs.core.chance import below, mixed, stepped
from boardenvs.game import States
from boardenvs.goat_race import rules
from boardenvs.goat_race.rules import (
    FORWARD,
    PLACE,
    forward_columns,
    is_stuck,
    move_goat,
    put,
    stay,
    take,
)
from boardenvs.kernels.binding import over_rules

__all__ = ["GoatRaceGreedyAgent"]

_WON = 1000.0  # greater than any other value
_AT_OBSTACLE = 0.5
_NONE = -100.0  # marks a goat not placed yet, less than any score
_SAME = 1e-9  # tolerance, because rounding may separate equal values


class GoatRaceGreedyAgent(Agent):
    """An agent that maximizes the value of the position at the end of its turn.

    A goat scores 1 for each column that it has moved, -1 for each goat on top of it, and -1/2 for
    an obstacle ahead. A goat in the Destination scores only its columns. A player's score is the
    sum of the three best goats on the board. The value of a position is

        (own score - (best rival's score + sum of rivals' scores) / players) * free / (1 + free)

    where `free` is the number of goats on the board that can move forward. A draw has value 0, so
    leading players keep the race open and trailing players close it. A won or lost position
    outweighs all others. A sideways move gets the value after the best forward move with the
    current throw, without later throws. The agent samples uniformly among equal values.
    """

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        actions = np.empty(len(states), np.int64)
        greedy = greedy_actions.bound_to(rules)
        greedy(None, states, self.game.constants, random_bits, self.game.legal(states), actions)
        return actions


@over_rules(spread=True, plies=4)
def greedy_actions(states, params, random_bits, masks, actions, low, high):
    """Write the greedy actions of games `low` to `high - 1`."""
    for i in range(low, high):
        work = states[i : i + 1].copy()
        scores = np.empty(len(work[0].returns))
        actions[i] = pick(work[0], params[0], random_bits[i], masks[i], scores)


@over_rules()
def pick(s, p, stream, mask, scores):
    """Return one of the best actions, uniformly. `s` is changed and then restored."""
    best = 0.0
    ties = 0
    chosen = -1
    for action in range(len(mask)):
        if not mask[action]:
            continue
        value = outlook(s, p, action, scores)
        if chosen < 0 or value > best + _SAME:
            best = value
            ties = 0
        if value >= best - _SAME:
            ties += 1
            stream = stepped(stream)
            if below(mixed(stream), ties) == 0:  # keeps each tie with equal probability
                chosen = action
    return chosen


@over_rules()
def outlook(s, p, action, scores):
    """Return the value of the position at the end of the turn after `action`."""
    me = s.to_move
    if s.decision == PLACE:
        put(s, action, 0, me)
        value = worth(s, p, me, scores)
        take(s, action, 0)
        return value
    if s.decision == FORWARD:
        column = action - stay(s) - 1
        return worth_after(s, p, me, s.die - 1, column, s.die - 1, column + 1, scores)
    if action == stay(s):
        return best_forward(s, p, me, scores)
    cell = (action - p.height) // 2
    row = cell // p.width
    column = cell % p.width
    to_row = row + 2 * ((action - p.height) % 2) - 1
    move_goat(s, row, column, to_row, column)
    value = best_forward(s, p, me, scores)
    move_goat(s, to_row, column, row, column)
    return value


@over_rules()
def worth_after(s, p, me, row, column, to_row, to_column, scores):
    """Return the value of the position after a move, which is then undone."""
    move_goat(s, row, column, to_row, to_column)
    value = worth(s, p, me, scores)
    move_goat(s, to_row, to_column, row, column)
    return value


@over_rules()
def best_forward(s, p, me, scores):
    """Return the value after the best forward move, or without a move if none is possible."""
    row = s.die - 1
    columns = forward_columns(s, p, row)
    if columns == 0:
        return worth(s, p, me, scores)
    best = -1e30
    for column in range(p.width - 1):
        if (columns >> column) & 1 != 0:
            best = max(best, worth_after(s, p, me, row, column, row, column + 1, scores))
    return best


@over_rules()
def worth(s, p, me, scores):
    """Return the value of a position to `me`; see `GoatRaceGreedyAgent`."""
    n = len(s.returns)
    for seat in range(n):
        if s.arrived[seat] >= p.arrivals:
            return _WON if seat == me else -_WON
    if s.decision != PLACE and is_stuck(s, p):
        return 0.0
    for seat in range(n):
        scores[seat] = score(s, p, seat)
    best = -1e30
    total = 0.0
    for seat in range(n):
        if seat != me:
            best = max(best, scores[seat])
            total += scores[seat]
    free = 0
    for row in range(p.height):
        columns = forward_columns(s, p, row)
        while columns != 0:
            columns &= columns - 1  # without its lowest bit
            free += 1
    return (scores[me] - (best + total) / n) * free / (1.0 + free)


@over_rules()
def score(s, p, seat):
    """Return the sum of the scores of a seat's three best goats."""
    first = second = third = _NONE
    last = p.width - 1
    for row in range(p.height):
        for column in range(p.width):
            stack = s.stacks[row, column]
            cover = 0.0
            while stack != 0:
                if (stack & 7) - 1 == seat:
                    value = float(column)
                    if column < last:
                        value -= cover
                        if (s.blocked[row] >> (column + 1)) & 1 != 0:
                            value -= _AT_OBSTACLE
                    if value > first:
                        third = second
                        second = first
                        first = value
                    elif value > second:
                        third = second
                        second = value
                    elif value > third:
                        third = value
                cover += 1.0
                stack >>= 3
    total = 0.0
    for value in (first, second, third):
        if value > _NONE:
            total += value
    return total

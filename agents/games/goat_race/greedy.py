"""The greedy player of Goat Race: the turn after which its goats are the furthest ahead."""

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

_WON = 1000.0  # more than any lead
_AT_OBSTACLE = 0.5
_NONE = -100.0  # less than any goat's worth: it is not placed yet
_SAME = 1e-9  # what rounding may make of equal worths


class GoatRaceGreedyAgent(Agent):
    """Looks to the end of its own turn for the position that is worth most to it.

    A goat counts the columns it has gone, less one for each goat on top of it and a half if an
    obstacle is ahead; in the Destination it counts them in full. A player's score is the sum of
    its three best goats on the board. The worth of a position is

        (own score - (the best rival's + all rivals' scores) / players) * free / (1 + free)

    with `free` for the number of goats on the board that can move forward, so that a player
    who leads keeps the race open and one who lags closes it: a draw is worth 0. Three goats
    arrived outweigh everything. A sideways move is judged by the best forward move after it,
    with the throw in force; later throws are not considered. Among equals it picks uniformly.
    """

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        actions = np.empty(len(states), np.int64)
        greedy = greedy_actions.bound_to(rules)
        greedy(None, states, self.game.constants, random_bits, self.game.legal(states), actions)
        return actions


@over_rules(spread=True, plies=4)
def greedy_actions(states, params, random_bits, masks, actions, low, high):
    """The greedy action of games `low` to `high - 1`."""
    for i in range(low, high):
        work = states[i : i + 1].copy()
        scores = np.empty(len(work[0].returns))
        actions[i] = pick(work[0], params[0], random_bits[i], masks[i], scores)


@over_rules()
def pick(s, p, stream, mask, scores):
    """One game's action, uniformly among the best. `s` is changed and put right again."""
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
            if below(mixed(stream), ties) == 0:  # each of the ties is kept equally often
                chosen = action
    return chosen


@over_rules()
def outlook(s, p, action, scores):
    """The worth of the position at the end of the turn, if it begins with `action`."""
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
    """The worth of the position after a move, which is taken back."""
    move_goat(s, row, column, to_row, to_column)
    value = worth(s, p, me, scores)
    move_goat(s, to_row, to_column, row, column)
    return value


@over_rules()
def best_forward(s, p, me, scores):
    """The best worth that the forward move of this throw leads to; as it is, if there is none."""
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
    """What a position is worth to `me`, as the class says."""
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
    """How far a seat's three best goats have come."""
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

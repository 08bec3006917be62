"""The greedy agent of Dominoes 175, which keeps as many tiles playable as possible."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from agents.agent import Actions, Agent, RandomBits
from boardenvs.core.chance import below, mixed, stepped
from boardenvs.dominoes175 import rules
from boardenvs.dominoes175.rules import CELLS, ENDS, GOAL, HIGH, LOW, STACKS, top
from boardenvs.game import States
from boardenvs.kernels.binding import over_rules

__all__ = ["Dominoes175GreedyAgent"]


class Dominoes175GreedyAgent(Agent):
    """An agent that maximizes the number of unseen tiles that fit a stack after its move.

    It completes a stack if it can. Among ties it prefers the tallest stack, then samples uniformly.
    All tiles to turn over are ties.

    `agents.games.dominoes175.optimum` computes its win rate and that of the best policy.
    """

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        actions = np.empty(len(states), np.int64)
        masks = self.game.legal(states)
        greedy_actions.bound_to(rules)(None, states, random_bits, masks, actions)
        return actions


@over_rules(spread=True)
def greedy_actions(states, random_bits, masks, actions, low, high):
    """Write the greedy actions of games `low` to `high - 1`."""
    for i in range(low, high):
        actions[i] = pick(states[i], random_bits[i], masks[i])


@over_rules()
def pick(s, stream, mask):
    """Return one of the best actions of a game, uniformly."""
    best = -1
    ties = 0
    chosen = -1
    for action in range(len(mask)):
        if mask[action]:
            value = 0 if action < CELLS else worth(s, action - CELLS)
            if value > best:
                best = value
                ties = 0
            if value == best:
                ties += 1
                stream = stepped(stream)
                if below(mixed(stream), ties) == 0:  # keeps each tie with equal probability
                    chosen = action
    return chosen


@over_rules()
def worth(s, way):
    """Return a number that orders moves: wins, then playable tiles, then height of the stack."""
    played_on = way // 2
    height = int(s.heights[played_on])
    if height + 1 == GOAL:
        return GOAL * (CELLS + 1)
    new_top = LOW[s.hand] if way % 2 == 1 else HIGH[s.hand]
    return GOAL * playable(s, played_on, new_top) + height


@over_rules()
def playable(s, changed, new_top):
    """Return the number of unseen tiles that fit a stack once `changed` has `new_top` on top."""
    wanted = 0  # bit k is set if an end with k dots fits a stack
    for k in range(STACKS):
        if k == changed:
            wanted |= 1 << new_top
        elif s.heights[k] == 0:
            wanted = (1 << ENDS) - 1
            break
        else:
            wanted |= 1 << top(s, k)
    count = 0
    for cell in range(CELLS):
        tile = s.grid[cell]
        if s.taken[cell] == 0 and (wanted & (1 << LOW[tile] | 1 << HIGH[tile])) != 0:
            count += 1
    return count

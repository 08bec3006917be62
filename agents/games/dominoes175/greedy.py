"""The greedy agent of Dominoes 175: keep as many tiles playable as can be."""

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
    """Keeps ends open that as many of the unseen tiles as can be will match.

    It completes a stack if it can. Else it counts, for each way to play the tile in hand,
    the tiles not yet turned over that would fit some stack afterwards (an empty stack
    takes any), and plays where they are most, among these on the tallest stack. Which tile
    to turn over makes no difference: any, uniformly, as among equals.

    How often it wins, and how often the best policy does, `agents.games.dominoes175.optimum` tells.
    """

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        actions = np.empty(len(states), np.int64)
        masks = self.game.legal(states)
        greedy_actions.bound_to(rules)(None, states, random_bits, masks, actions)
        return actions


@over_rules(spread=True)
def greedy_actions(states, random_bits, masks, actions, low, high):
    """The greedy action of games `low` to `high - 1`."""
    for i in range(low, high):
        actions[i] = pick(states[i], random_bits[i], masks[i])


@over_rules()
def pick(s, stream, mask):
    """One game's action: uniformly among the best."""
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
                if below(mixed(stream), ties) == 0:  # each of the ties is kept equally often
                    chosen = action
    return chosen


@over_rules()
def worth(s, way):
    """Tiles playable afterwards, then the height of the stack, as one number; a win tops all."""
    played_on = way // 2
    height = int(s.heights[played_on])
    if height + 1 == GOAL:
        return GOAL * (CELLS + 1)
    new_top = LOW[s.hand] if way % 2 == 1 else HIGH[s.hand]
    return GOAL * playable(s, played_on, new_top) + height


@over_rules()
def playable(s, changed, new_top):
    """How many unseen tiles would fit some stack if stack `changed` had `new_top` on top."""
    wanted = 0  # a bit for each number of dots on top of a stack
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
